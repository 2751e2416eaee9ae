"""An address of every kind of page, over the project's own catalog and prices."""

from __future__ import annotations

PAGES = {
    "browse": "/?kind=marketplace&docker_daemon=root",
    "nothing": "/?custom_image=curated_only&docker_daemon=rootless",
    "columns": "/?q=runpod&columns=custom_image&columns=ssh&columns=driver&columns=cold_start",
    "listings": "/listings/?gpu=h100&docker_daemon=root&sort=price",
    "provider": "/providers/runpod/",
    "cell": "/providers/runpod/pods/docker_daemon/",
    "correct": "/providers/runpod/pods/docker_daemon/correct/?value=nested",
    "gpus": "/gpus/",
    "family": "/gpus/h200/",
    "model": "/gpus/gh200/",
    "compare": "/compare/?o=runpod/pods&o=lambda/on-demand&o=vast/instances",
    "compare-one": "/compare/?o=runpod/pods&o=nobody/nothing",
    "compare-none": "/compare/",
    "check": "/check/?cuda=12.4&framework=torch&release=2.6.0&kind=marketplace",
    "check-fault": "/check/?image=Ubuntu",
    "check-form": "/check/",
    "cold": "/cold-start/?cuda=12.4&compressed_gb=16.3&kind=marketplace",
    "cold-here": "/cold-start/?compressed_gb=16.3&o=salad/container-groups",
    "launch": "/launch/?image=acme/trainer:1&o=runpod/pods&gpu=h100-sxm&private=1",
    "launch-vm": "/launch/?image=acme/trainer:1&o=lambda/on-demand&gpu=h100-sxm",
    "guide": "/guide/",
    "faq": "/faq/",
    "changes": "/changes/",
    "status": "/status/",
    "embed": "/embed/compare/?o=runpod/pods&o=lambda/on-demand",
}
# No page, and not found.
MISSING = "/nowhere/"
