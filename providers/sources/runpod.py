"""RunPod: GPU types with prices per GPU. Without a key GraphQL, with one the REST catalog (v2).

GraphQL retires in early 2027. RunPod's price lists multiply cards by data centres; here a card
stands at a data centre only where that one says that it has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from providers.sources import runpod_graphql, runpod_rest
from providers.sources.base import Http, Page, Rows, Source


class RunPod(Source):
    slug = "runpod"
    base_url = "https://api.runpod.io"
    offerings = ("runpod/pods",)

    def fetch(self, http: Http) -> Iterator[Page]:
        return runpod_rest.fetch(http, self.key) if self.key else runpod_graphql.fetch(http)

    def parse(self, pages: Iterable[Page]) -> Rows:
        by_name = {page.name: page for page in pages}
        if runpod_rest.FIRST in by_name:
            return runpod_rest.parse(by_name)
        return runpod_graphql.parse(by_name)
