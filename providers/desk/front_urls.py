"""Where the desk begins, and where its work goes into the files."""

from django.contrib import admin
from django.urls import path

from providers.desk.exchange import conflicts, patch
from providers.desk.front import front

guarded = admin.site.admin_view

urlpatterns = [
    path("", guarded(front), name="desk-front"),
    path("catalog/patch/", guarded(patch), name="desk-patch"),
    path("catalog/conflicts/", guarded(conflicts), name="desk-conflicts"),
]
