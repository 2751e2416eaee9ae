"""A price list of AWS for tests: the sample, and its first product."""

from __future__ import annotations

from tests.recorded_http import body

SAMPLE = body("aws", "eu-west-1")
FIRST = "SAMPLE0000000001"
