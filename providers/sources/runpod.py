"""RunPod: GPU types with prices per GPU. Without a key GraphQL, with one the REST catalog (v2).

GraphQL retires in early 2027. A card stands once wherever its cloud has it, which is how a Pod
is rented by default: that row needs the prices alone, so that nothing breaks its history. It
stands again at each data centre that says that it has it. RunPod's own price lists multiply all
cards by all data centres, which is no offer.
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
