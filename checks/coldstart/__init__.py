"""What a first start takes and costs: for this image, at that place, on those terms.

Pure functions: no Django, no network, no prose. Phases, limits, bases and reasons are keys, which
pages translate. `docs/cold-start.md` explains the formulas; `tables/` holds every assumption.

    from checks import coldstart
    coldstart.estimate(
        coldstart.Image(compressed_gb="16.3"),
        coldstart.Place(kind="container_cloud", down_mbps=1000),
        coldstart.Terms(usd_per_hour="2.19", billed_during_pull=True, increment_s=1),
        given={"container_start_s": 5},
    )
"""

from checks.coldstart.assumptions import Assumption, Assumptions, assume, assumption_rows
from checks.coldstart.estimate import Estimate, estimate
from checks.coldstart.evidence import (
    Bounds,
    Measurement,
    documented,
    measurements,
    minimum_of,
    provision_of,
)
from checks.coldstart.inputs import (
    Basis,
    Image,
    Layer,
    Place,
    Terms,
    Weights,
    Work,
    link_of,
    with_prices,
)
from checks.coldstart.interruptible import BreakEven, Interruptible, interruptible
from checks.coldstart.job import Job, Part, cheapest_first, job
from checks.coldstart.many import Starts, starts
from checks.coldstart.marks import image_of
from checks.coldstart.money import Bill, rounded_up
from checks.coldstart.numbers import Cases, Range
from checks.coldstart.phases import Phase, rows_in_use
from checks.coldstart.scenarios import Scenario, side_by_side

__all__ = [
    "Assumption",
    "Assumptions",
    "Basis",
    "Bill",
    "Bounds",
    "BreakEven",
    "Cases",
    "Estimate",
    "Image",
    "Interruptible",
    "Job",
    "Layer",
    "Measurement",
    "Part",
    "Phase",
    "Place",
    "Range",
    "Scenario",
    "Starts",
    "Terms",
    "Weights",
    "Work",
    "assume",
    "assumption_rows",
    "cheapest_first",
    "documented",
    "estimate",
    "image_of",
    "interruptible",
    "job",
    "link_of",
    "measurements",
    "minimum_of",
    "provision_of",
    "rounded_up",
    "rows_in_use",
    "side_by_side",
    "starts",
    "with_prices",
]
