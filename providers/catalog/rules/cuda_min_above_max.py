"""The guaranteed CUDA version cannot be above the highest one."""

from collections.abc import Iterator
from datetime import date

from providers.answers import version_key
from providers.catalog.rule import Finding, Severity, about_offerings, answer, found
from providers.catalog.schema import OfferingDocument


@about_offerings(
    "cuda-min-above-max", Severity.ERROR, "guarantees {least}, above the highest CUDA, {most}"
)
def the_guaranteed_cuda_is_not_above_the_highest(
    offering: OfferingDocument, today: date
) -> Iterator[Finding]:
    least, most = answer(offering, "cuda_min"), answer(offering, "cuda_max")
    if least and most and version_key(least) > version_key(most):
        yield found("claims", "cuda_min", least=least, most=most)
