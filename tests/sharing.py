"""What tests of shares have in common: a visitor's browser, and contents out of thin air."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from django.test import Client
from hypothesis import strategies as st

from gpucompare.cuda.answer import Standing
from providers.shares.content import Answer, Content, Price, Row, Verdict
from providers.shares.page import Changed, SharePage, TableRow

FROM_HERE = {"Sec-Fetch-Site": "same-origin"}
DAY = date(2026, 11, 30)


def make_share(client: Client, kind: str, address: str) -> str:
    """The path that the form of the page at `address` leads to."""
    response = client.post("/s/", {"kind": kind, "address": address}, headers=FROM_HERE)
    assert response.status_code == 303, response.content
    return response.headers["Location"]


def opened(client: Client, path: str) -> SharePage:
    response = client.get(path)
    assert response.status_code == 200
    page: SharePage = response.context["page"]
    return page


def lines(page: SharePage) -> list[tuple[str, ...]]:
    """(offering, what, before, after) of every change."""
    return [
        (
            one.name,
            str(line.label or line.how),
            str(line.before.text) if line.before else "",
            str(line.after.text) if line.after else "",
        )
        for one in page.changes
        for line in one.lines
    ]


def changed(page: SharePage, name: str) -> Changed:
    return next(one for one in page.changes if one.name == name)


def rows(page: SharePage) -> list[TableRow]:
    return [row for section in page.table.sections for row in section.rows]


def words(page: SharePage) -> list[list[str]]:
    """The table as it was: heads and cells, without what is marked as changed."""
    return [
        [str(row.head.text), *(f"{c.said.text}|{c.details}|{c.about}" for c in row.cells)]
        for row in rows(page)
    ]


def answer(dimension: str = "docker_daemon", value: Any = "root", **fields: Any) -> Answer:
    return Answer(dimension=dimension, value=value, **fields)


def price(shown: str = "2", kind: Any = "cheapest", **fields: Any) -> Price:
    usd = Decimal(shown)
    defaults: dict[str, Any] = {
        "instance": usd,
        "gpu_count": 1,
        "gpu": "H100",
        "origin": "live",
        "day": DAY,
    }
    return Price(kind=kind, shown=usd, **(defaults | fields))


def row(offering: int = 1, **fields: Any) -> Row:
    defaults: dict[str, Any] = {
        "key": f"p/{offering}",
        "provider": "P",
        "name": str(offering),
        "status": "active",
    }
    return Row(offering=offering, **(defaults | fields))


def content(*held: Row, **fields: Any) -> Content:
    given: dict[str, Any] = {"kind": "browse", "day": DAY} | fields
    return Content(**given, rows=held)


# --- Out of thin air --------------------------------------------------------------------

# Whatever a catalog may hold; JSON and the database know no lone surrogates.
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
number = st.decimals(0, 10**6, places=6, allow_nan=False)
day = st.dates(date(2020, 1, 1), date(2040, 1, 1))
_value = st.none() | text | st.lists(text, max_size=3).map(tuple)
answers = st.builds(
    Answer,
    dimension=st.sampled_from(["docker_daemon", "registries", "cuda_max", "of the past"]),
    value=_value,
    contradicted=st.booleans(),
    basis=text,
    source=text,
    source_kind=text,
    read_on=st.none() | day,
)
prices = st.builds(
    Price,
    kind=st.sampled_from(["cheapest", "on_demand", "spot"]),
    shown=number,
    instance=number,
    gpu_count=st.none() | st.integers(1, 64),
    gpu=text,
    origin=text,
    day=day,
    spot=st.booleans(),
)
verdicts = st.builds(
    Verdict,
    standing=st.sampled_from(list(Standing)),
    reasons=st.lists(text, max_size=3).map(tuple),
    listings=st.integers(0, 10**6),
)
held_rows = st.builds(
    Row,
    offering=st.integers(1, 10**6),
    key=text,
    provider=text,
    name=text,
    status=st.sampled_from(["active", "acquired", "closed"]),
    match=st.sampled_from(["yes", "may", "no"]),
    unknown=st.lists(text, max_size=3).map(tuple),
    answers=st.lists(answers, max_size=4, unique_by=lambda a: a.dimension).map(tuple),
    prices=st.lists(prices, max_size=3, unique_by=lambda p: p.kind).map(tuple),
    verdict=st.none() | verdicts,
)
contents = st.builds(
    Content,
    kind=text,
    day=day,
    values=st.lists(st.tuples(text, st.lists(text, max_size=3).map(tuple)), max_size=3).map(tuple),
    beside=st.lists(st.tuples(text, text), max_size=3).map(tuple),
    usd_per_unit=st.decimals("0.000001", 10**6, places=6, allow_nan=False),
    columns=st.lists(text, max_size=4).map(tuple),
    match=st.integers(0, 500),
    may=st.integers(0, 500),
    rows=st.lists(held_rows, max_size=4, unique_by=lambda r: r.offering).map(tuple),
)
