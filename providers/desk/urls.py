"""The curators' own screens; they stand among the admin's addresses and are guarded as those."""

from django.contrib import admin
from django.urls import path

from providers.desk.confirm import by_source, from_source
from providers.desk.offering import answers

guarded = admin.site.admin_view

urlpatterns = [
    path("offering/<int:pk>/answers/", guarded(answers), name="desk-answers"),
    path("claim/by-source/", guarded(by_source), name="desk-sources"),
    path("claim/by-source/claims/", guarded(from_source), name="desk-source"),
]
