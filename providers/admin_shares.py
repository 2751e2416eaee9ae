"""The curators' desk, for shares and what offerings were called before: to look at."""

from __future__ import annotations

from django.contrib import admin

from providers.admin import LookedAt
from providers.models import FormerKey, Share


@admin.register(Share)
class ShareAdmin(LookedAt):
    list_display = ("id", "kind", "day", "size")
    list_filter = ("kind",)
    search_fields = ("id",)
    date_hierarchy = "day"
    exclude = ("content",)

    def view_on_site(self, share: Share) -> str:
        return str(share)


@admin.register(FormerKey)
class FormerKeyAdmin(LookedAt):
    list_display = ("key", "offering")
    search_fields = ("key", "offering__name")
    list_select_related = ("offering__provider",)
