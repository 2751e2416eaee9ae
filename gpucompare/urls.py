"""Every address of the site."""

from django.conf.urls.i18n import i18n_patterns
from django.contrib import admin
from django.urls import include, path

from gpucompare.health import healthz

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("admin/", admin.site.urls),
    # English has no prefix; nothing but the address decides the language.
    *i18n_patterns(path("", include("providers.urls")), prefix_default_language=False),
]
