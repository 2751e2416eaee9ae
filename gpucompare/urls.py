"""Every address of the site."""

from django.conf.urls.i18n import i18n_patterns
from django.contrib import admin
from django.urls import include, path

from gpucompare.api import api, docs
from gpucompare.data_licence import data_licence
from gpucompare.health import healthz, readyz
from gpucompare.login import login
from gpucompare.scrape import metrics

handler400 = "gpucompare.refusals.bad_request"
handler500 = "gpucompare.refusals.our_fault"

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("data-licence.md", data_licence, name="data-licence"),
    # Before the admin's own: it answers whatever is left.
    path("admin/providers/", include("providers.desk.urls")),
    path("admin/login/", login),
    path("admin/", include("providers.desk.front_urls")),
    path("admin/", admin.site.urls),
    path("api/v1/docs", docs, name="api-docs"),
    path("api/v1/", api.urls),
    # English has no prefix; nothing but the address decides the language.
    *i18n_patterns(
        path("", include("providers.urls")),
        path("", include("providers.embed.urls")),
        path("", include("checks.urls")),
        prefix_default_language=False,
    ),
]
