"""Addresses for pages of others."""

from django.urls import path

from providers.embed import views

urlpatterns = [
    path("embed/compare/", views.compare, name="embed-compare"),
    path("badge/<slug:slug>.svg", views.badge, name="badge"),
]
