"""Addresses of providers, their offerings and GPUs; see DESIGN for the contract."""

from django.urls import path

from providers import discovery_views as discovery
from providers import gpu_views, listing_views, status_views, views
from providers.changes import views as changes
from providers.corrections import views as corrections
from providers.shares import views as shares

urlpatterns = [
    path("", views.browse, name="browse"),
    path("changes/", changes.changes, name="changes"),
    path("compare/", views.compare, name="compare"),
    path("corrections/<str:typed>/", corrections.correction, name="correction"),
    path("feed.atom", changes.feed, name="feed"),
    path("gpus/", gpu_views.gpus, name="gpus"),
    path("gpus/<slug:slug>/", gpu_views.gpu, name="gpu"),
    path("listings/", views.listings, name="listings"),
    path("listings/<int:pk>/", listing_views.listing, name="listing"),
    path("llms.txt", discovery.llms, name="llms"),
    path("providers/<slug:slug>/", views.provider, name="provider"),
    path("providers/<slug:slug>/<slug:offering>/<slug:dimension>/", views.cell, name="cell"),
    path(
        "providers/<slug:slug>/<slug:offering>/<slug:dimension>/correct/",
        corrections.correct,
        name="correct",
    ),
    path("robots.txt", discovery.robots, name="robots"),
    path("s/", shares.make, name="share-make"),
    path("s/<str:typed>/", shares.share, name="share"),
    path("s/<str:typed>/picture.png", shares.picture, name="share-picture"),
    path("sitemap.xml", discovery.sitemap, name="sitemap"),
    path("status/", status_views.status, name="status"),
]
