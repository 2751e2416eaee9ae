"""The desk itself: who is let in, and the people of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest

from gpucompare.login import LoginForm

admin.site.login_form = LoginForm
admin.site.unregister([User, Group])

if TYPE_CHECKING:
    _Kept = admin.ModelAdmin[Any]
    _UserAdmin = UserAdmin[User]
else:
    _Kept, _UserAdmin = object, UserAdmin


class _Stays(_Kept):
    """People leave by losing "active": the history names them."""

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(User)
class PeopleAdmin(_Stays, _UserAdmin):
    list_display = ("username", "is_active", "is_staff", "roles", "last_login")
    list_filter = ("is_active", "is_staff", "groups")

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).prefetch_related("groups")

    @admin.display(description="roles")
    def roles(self, user: User) -> str:
        names = sorted(group.name for group in user.groups.all())
        return ", ".join(["superuser", *names] if user.is_superuser else names)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        # Nobody hands on more than they hold.
        own = () if request.user.is_superuser else ("is_superuser", "user_permissions")
        return (*super().get_readonly_fields(request, obj), *own)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if obj is not None and obj.is_superuser and not request.user.is_superuser:
            return False
        return super().has_change_permission(request, obj)


@admin.register(Group)
class RolesAdmin(_Stays, GroupAdmin):
    pass
