"""A GPU name that means nothing finds no listing and no filter."""

from collections.abc import Iterator
from datetime import date

from providers.catalog.rule import Finding, Severity, about_providers, found
from providers.catalog.schema import ProviderDocument
from providers.gpus import exception, resolve


@about_providers(
    "unknown-gpu",
    Severity.ERROR,
    "{name!r} is no known GPU; add it as an alias, or to the exceptions with the reason",
)
def every_gpu_name_is_known_or_a_listed_exception(
    provider: ProviderDocument, today: date
) -> Iterator[Finding]:
    for index, offering in enumerate(provider.offerings):
        for number, name in enumerate(offering.gpus or ()):
            known = resolve(name, source=provider.slug).family is not None
            if not known and exception(name, provider.slug) is None:
                yield found("offerings", index, "gpus", number, name=name)
