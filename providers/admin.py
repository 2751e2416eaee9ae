"""The curators' desk.

Catalog rows are edited here; what the program writes (listings, prices, runs, the GPU table)
can only be looked at. Plain Django admin, without scripts or styles of our own.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Count, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from gpucompare.desk_history import WithHistory
from gpucompare.roles import CLOSE
from providers import claims
from providers.admin_forms import ClaimForm, OfferingForm, ProviderForm
from providers.admin_retire import RetiredFilter, Retiring
from providers.changes.catalog import told
from providers.claim_views import cell_url, offering_url
from providers.desk.filters import (
    ClaimRentedFilter,
    RentedFilter,
    UnknownMainFilter,
    read_in,
)
from providers.dimensions import CLAIMED, DIMENSIONS, GROUPS
from providers.freshness import ReviewBand
from providers.models import (
    CatalogFile,
    Change,
    Claim,
    Gpu,
    GpuFamily,
    GpuStanding,
    Listing,
    Offering,
    PricePoint,
    Provider,
    UnknownGpuName,
    Why,
)
from providers.refresh.stand_ins import sync_stand_ins
from providers.resolve import resolve_offerings
from providers.wording import spelled

if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Any]
    _TabularInline = admin.TabularInline[Any, Any]
    _Form = ModelForm[Any]
else:
    _ModelAdmin, _TabularInline = admin.ModelAdmin, admin.TabularInline

admin.site.site_header = _("gpucompare: curators' desk")
admin.site.site_title = _("gpucompare")
admin.site.index_title = _("Catalog and refreshes")


class _Kept(_ModelAdmin):
    """Rows that are closed or retired and never deleted: history and addresses hang on them."""

    list_per_page = 100
    formfield_overrides = {models.URLField: {"assume_scheme": "https"}}

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class LookedAt(_Kept):
    """Rows that the program alone writes."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class _OnlyLook(_TabularInline):
    extra = 0
    can_delete = False
    show_change_link = True

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class _Edited(WithHistory, _Kept):
    """Rows of the catalog: an edit of one is told, and the columns follow."""

    def editing(self) -> AbstractContextManager[None]:
        return told(Why.DESK)

    def save_model(self, request: HttpRequest, obj: Any, form: _Form, change: bool) -> None:
        with self.editing():
            super().save_model(request, obj, form, change)
            self.follow(obj, set(form.changed_data))

    def put_back(self, row: Any, changed: set[str]) -> None:
        super().put_back(row, changed)
        self.follow(row, changed)

    def follow(self, row: Any, changed: set[str]) -> None:
        """Bring in line what hangs on a row that was saved."""


class _Closed(_Edited):
    """Rows that are closed, with a reason, by whoever may."""

    # Where a row was made is no edit of it.
    stays = ("made_at",)

    def withheld(self, request: HttpRequest) -> tuple[str, ...]:
        return () if request.user.has_perm(CLOSE) else ("status", "status_note")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return (*self.readonly_fields, *self.withheld(request))


# --- Catalog -----------------------------------------------------------------------


class OfferingsOfProvider(_OnlyLook):
    model = Offering
    fields = ("name", "slug", "status", "made_at")


@admin.register(Provider)
class ProviderAdmin(_Closed):
    form = ProviderForm
    list_display = ("name", "kind", "headquarters", "status", "offering_count", "made_at")
    list_filter = ("kind", "status", "made_at")
    search_fields = ("name", "slug", "website")
    readonly_fields = ("made_at",)
    inlines = (OfferingsOfProvider,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Provider]:
        found: QuerySet[Provider] = super().get_queryset(request)
        return found.annotate(offering_count=Count("offerings"))

    @admin.display(description=_("offerings"), ordering="offering_count")
    def offering_count(self, provider: Any) -> int:
        return int(provider.offering_count)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        # The slug names the catalog file and the page: another one is another provider.
        return (*super().get_readonly_fields(request, obj), *(("slug",) if obj else ()))

    def view_on_site(self, provider: Provider) -> str:
        return reverse("provider", args=[provider.slug])


class ContradictedFilter(admin.SimpleListFilter):
    title = _("contradicted")
    parameter_name = "contradicted"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("yes", _("Some answers")), ("no", _("None"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        match self.value():
            case "yes":
                return queryset.exclude(contradicted=[])
            case "no":
                return queryset.filter(contradicted=[])
        return queryset


class ClaimsOfOffering(_OnlyLook):
    model = Claim
    fields = ("dimension", "answer", "basis", "source_kind", "read_on", "decides")
    readonly_fields = ("answer", "decides")
    ordering = ("dimension", "position", "pk")

    @admin.display(description=_("value"))
    def answer(self, claim: Claim) -> str:
        return spelled(claim.value)


def _answers() -> list[tuple[Any, Any]]:
    """The dimensions as fieldsets, a group each."""
    found = []
    for group, label in GROUPS.items():
        keys = [d.key for d in CLAIMED if d.group == group]
        found.append((label, {"fields": keys, "classes": ["collapse"]}))
    return found


@admin.register(Offering)
class OfferingAdmin(_Closed):
    form = OfferingForm
    list_display = ("name", "provider", "status", "custom_image", "docker_daemon", "known")
    list_filter = (
        *(RentedFilter, ContradictedFilter, UnknownMainFilter),
        *("status", "provider__kind", "made_at"),
    )
    list_select_related = ("provider",)
    search_fields = ("name", "slug", "provider__name", "provider__slug")
    # The columns of the dimensions follow from claims; nothing but `resolve` writes them.
    readonly_fields = ("made_at", "contradicted", *(d.key for d in CLAIMED))
    inlines = (ClaimsOfOffering,)
    fieldsets = (
        (None, {"fields": ("provider", "slug", "name", "summary", "docs", "position")}),
        (_("Standing"), {"fields": ("status", "status_note", "made_at")}),
        (_("What it offers"), {"fields": ("ways_in", "gpu_names", "contradicted")}),
        *_answers(),
    )

    @admin.display(description=_("answers known"))
    def known(self, offering: Offering) -> str:
        answered = sum(offering.answer(d.key) is not None for d in CLAIMED)
        return f"{answered} / {len(CLAIMED)}"

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        fixed = ("provider", "slug") if obj else ()
        return (*super().get_readonly_fields(request, obj), *fixed)

    def follow(self, row: Offering, changed: set[str]) -> None:
        if "gpu_names" in changed:
            sync_stand_ins()

    def view_on_site(self, offering: Offering) -> str:
        return offering_url(offering)


class ReviewFilter(admin.SimpleListFilter):
    title = _("review")
    parameter_name = "review"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return list(ReviewBand.choices)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        band = self.value()
        return queryset.filter(read_in(band, timezone.now().date())) if band else queryset


@admin.register(Claim)
class ClaimAdmin(Retiring, _Edited):
    """Every change to a claim is followed by its offering's columns."""

    form = ClaimForm
    list_display = ("offering", "dimension", "answer", "basis", "source_kind", "read_on", "decides")
    list_filter = (
        *(RetiredFilter, ReviewFilter, ClaimRentedFilter),
        *("decides", "basis", "source_kind", "dimension"),
    )
    list_select_related = ("offering__provider",)
    search_fields = ("offering__name", "offering__provider__name", "source", "note")
    date_hierarchy = "read_on"
    readonly_fields = ("decides",)
    fields = (
        *("offering", "dimension", "value", "basis", "source", "source_kind"),
        *("read_on", "note", "position", "decides"),
    )

    @admin.display(description=_("value"))
    def answer(self, claim: Claim) -> str:
        return spelled(claim.value)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        # Another question or another offering is another claim.
        fixed = ("offering", "dimension", "retired_at", "retired_why") if obj else ()
        return (*self.readonly_fields, *fixed)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **options: Any) -> Any:
        # Their names hold the provider's: one query for all choices, not one for each.
        options["queryset"] = Offering.objects.select_related("provider")
        return super().formfield_for_foreignkey(db_field, request, **options)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        own = ("retired_at", "retired_why") if obj and obj.retired_at else ()
        return (*self.fields, *own)

    def put_back(self, row: Claim, changed: set[str]) -> None:
        if row.retired_at is not None:
            raise ValidationError("It was retired then; retire it with a reason of today.")
        claims.judged(row)
        super().put_back(row, changed)

    def follow(self, row: Claim, changed: set[str]) -> None:
        resolve_offerings([row.offering_id])

    def view_on_site(self, claim: Claim) -> str:
        return cell_url(claim.offering, DIMENSIONS[claim.dimension])


# --- What the program writes ---------------------------------------------------------


@admin.register(CatalogFile)
class CatalogFileAdmin(LookedAt):
    list_display = ("slug", "loaded_at")
    search_fields = ("slug",)
    date_hierarchy = "loaded_at"


class ModelsOfFamily(_OnlyLook):
    model = Gpu
    fields = ("name", "slug", "segment", "vram_gb", "architecture")


@admin.register(GpuFamily)
class GpuFamilyAdmin(LookedAt):
    list_display = ("name", "slug", "vendor")
    list_filter = ("vendor",)
    search_fields = ("name", "slug", "models__name")
    inlines = (ModelsOfFamily,)


@admin.register(Gpu)
class GpuAdmin(LookedAt):
    list_display = ("name", "family", "segment", "vram_gb", "architecture", "compute_capability")
    list_filter = ("segment", "architecture", "family__vendor")
    list_select_related = ("family",)
    search_fields = ("name", "slug", "aliases")


@admin.register(UnknownGpuName)
class UnknownGpuNameAdmin(LookedAt):
    """The queue; a name leaves it once the GPU table explains it."""

    list_display = ("name", "seen_at", "vram_gb", "count", "first_seen", "last_seen")
    list_filter = ("seen_at",)
    search_fields = ("name",)
    date_hierarchy = "last_seen"


@admin.register(Listing)
class ListingAdmin(LookedAt):
    list_display = (
        *("gpu_name", "offering", "gpu_count", "region", "usd_per_hour", "spot_usd_per_hour"),
        *("stock", "origin", "seen_at", "withdrawn_at"),
    )
    list_filter = ("origin", "stock", ("withdrawn_at", admin.EmptyFieldListFilter), "family")
    list_select_related = ("offering__provider",)
    search_fields = ("gpu_name", "key", "region", "offering__name", "offering__provider__name")


@admin.register(PricePoint)
class PricePointAdmin(LookedAt):
    list_display = ("offering", "listing", "at", "usd_per_hour", "spot_usd_per_hour")
    list_select_related = ("listing__offering__provider",)
    search_fields = ("listing__gpu_name", "listing__offering__provider__name")

    @admin.display(description=_("offering"))
    def offering(self, point: PricePoint) -> str:
        return str(point.listing.offering)


@admin.register(Change)
class ChangeAdmin(LookedAt):
    list_display = (
        *("at", "what", "offering", "provider", "dimension", "family", "gpu"),
        *("before", "after", "usd_before", "usd_after", "notable", "why", "source"),
    )
    list_filter = ("what", "why", "source", "notable", "spot", "dimension")
    list_select_related = ("offering__provider", "provider", "family", "gpu")
    search_fields = ("offering__name", "offering__provider__name", "provider__name", "gpu__name")
    date_hierarchy = "at"


@admin.register(GpuStanding)
class GpuStandingAdmin(LookedAt):
    list_display = ("offering", "family", "gpu", "spot", "usd", "usd_told", "in_stock", "source")
    list_filter = ("source", "spot", "in_stock")
    list_select_related = ("offering__provider", "family", "gpu")
    search_fields = ("offering__name", "offering__provider__name", "family__name", "gpu__name")
