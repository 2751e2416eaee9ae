"""Addresses of the checks; see DESIGN for the contract."""

from django.urls import path

from checks import views
from checks.content import views as content
from checks.start import views as start

urlpatterns = [
    path("check/", views.check, name="check"),
    path("cold-start/", start.cold_start, name="cold-start"),
    path("launch/", start.launch, name="launch"),
    path("guide/", content.guide, name="guide"),
    path("faq/", content.faq, name="faq"),
]
