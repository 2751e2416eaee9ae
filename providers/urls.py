"""Addresses of providers, their offerings and GPUs; see DESIGN for the contract."""

from django.urls import path

from providers import gpu_views, status_views, views

urlpatterns = [
    path("", views.browse, name="browse"),
    path("compare/", views.compare, name="compare"),
    path("gpus/", gpu_views.gpus, name="gpus"),
    path("gpus/<slug:slug>/", gpu_views.gpu, name="gpu"),
    path("listings/", views.listings, name="listings"),
    path("providers/<slug:slug>/", views.provider, name="provider"),
    path("providers/<slug:slug>/<slug:offering>/<slug:dimension>/", views.cell, name="cell"),
    path("status/", status_views.status, name="status"),
]
