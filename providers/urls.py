"""Addresses of providers and their offerings; see DESIGN for the contract."""

from django.urls import path

from providers import views

urlpatterns = [
    path("", views.browse, name="browse"),
    path("compare/", views.compare, name="compare"),
    path("listings/", views.listings, name="listings"),
    path("providers/<slug:slug>/", views.provider, name="provider"),
    path("providers/<slug:slug>/<slug:offering>/<slug:dimension>/", views.cell, name="cell"),
]
