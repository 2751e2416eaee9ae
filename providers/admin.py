"""The curators' desk.

Catalog rows are edited here; what the program writes (listings, prices, runs, the GPU table)
can only be looked at. Plain Django admin, without scripts or styles of our own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db import models, transaction
from django.db.models import Count, Q, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from providers.admin_forms import ClaimForm, OfferingForm, ProviderForm
from providers.claim_views import cell_url, offering_url
from providers.dimensions import CLAIMED, DIMENSIONS, GROUPS
from providers.freshness import CURRENT_FOR, REVIEW_WITHIN, ReviewBand
from providers.models import (
    CatalogFile,
    Claim,
    Gpu,
    GpuFamily,
    Listing,
    Offering,
    PricePoint,
    Provider,
    UnknownGpuName,
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


class _Desk(_ModelAdmin):
    list_per_page = 100
    formfield_overrides = {models.URLField: {"assume_scheme": "https"}}


class _Kept(_Desk):
    """Rows that are closed instead of deleted: shares, prices and addresses hang on them."""

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


# --- Catalog -----------------------------------------------------------------------


class OfferingsOfProvider(_OnlyLook):
    model = Offering
    fields = ("name", "slug", "status", "made_at")


@admin.register(Provider)
class ProviderAdmin(_Kept):
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
        return (*self.readonly_fields, "slug") if obj else self.readonly_fields

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
class OfferingAdmin(_Kept):
    form = OfferingForm
    list_display = ("name", "provider", "status", "custom_image", "docker_daemon", "known")
    list_filter = ("status", "provider__kind", "made_at", ContradictedFilter)
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
        return (*self.readonly_fields, *fixed)

    def save_model(self, request: HttpRequest, obj: Offering, form: _Form, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if "gpu_names" in form.changed_data:
            sync_stand_ins()

    def view_on_site(self, offering: Offering) -> str:
        return offering_url(offering)


def _read_in(band: str, today: Any) -> Q:
    """The claims whose day puts them in a band of review, as `claim_band` has it."""
    ageing_from, due_before = today - CURRENT_FOR, today - REVIEW_WITHIN
    match band:
        case ReviewBand.CURRENT:
            return Q(read_on__gte=ageing_from)
        case ReviewBand.AGEING:
            return Q(read_on__lt=ageing_from, read_on__gte=due_before)
        case _:
            return Q(read_on=None) | Q(read_on__lt=due_before)


class ReviewFilter(admin.SimpleListFilter):
    title = _("review")
    parameter_name = "review"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return list(ReviewBand.choices)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        band = self.value()
        return queryset.filter(_read_in(band, timezone.now().date())) if band else queryset


@admin.register(Claim)
class ClaimAdmin(_Desk):
    """Every change to a claim is followed by its offering's columns."""

    form = ClaimForm
    list_display = ("offering", "dimension", "answer", "basis", "source_kind", "read_on", "decides")
    list_filter = (ReviewFilter, "decides", "basis", "source_kind", "dimension")
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
        return (*self.readonly_fields, "offering", "dimension") if obj else self.readonly_fields

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **options: Any) -> Any:
        # Their names hold the provider's: one query for all choices, not one for each.
        options["queryset"] = Offering.objects.select_related("provider")
        return super().formfield_for_foreignkey(db_field, request, **options)

    def save_model(self, request: HttpRequest, obj: Claim, form: _Form, change: bool) -> None:
        super().save_model(request, obj, form, change)
        resolve_offerings([obj.offering_id])

    def delete_model(self, request: HttpRequest, obj: Claim) -> None:
        super().delete_model(request, obj)
        resolve_offerings([obj.offering_id])

    @transaction.atomic
    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        offerings = set(queryset.order_by().values_list("offering_id", flat=True))
        super().delete_queryset(request, queryset)
        resolve_offerings(offerings)

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
    """The queue; a name is taken out once the GPU table explains it."""

    list_display = ("name", "seen_at", "vram_gb", "count", "first_seen", "last_seen")
    list_filter = ("seen_at",)
    search_fields = ("name",)
    date_hierarchy = "last_seen"

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj)


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
