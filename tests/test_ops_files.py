"""The dashboard and the alerts ask for metrics that exist, and every metric is looked at."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucompare import metrics
from tests.processes import ROOT

DASHBOARD = ROOT / "ops" / "grafana.json"
ALERTS = ROOT / "ops" / "alerts.yml"
DOCUMENTED = ROOT / "docs" / "monitoring.md"

# What Prometheus itself adds to whatever it scrapes.
ITS_LABELS = {"job", "instance"}
_TEXT = re.compile(r'"[^"]*"')
_NAME = re.compile(r"\b(gpucompare_\w+|up)\b(?:\{([^}]*)\})?")
_LABEL = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)")
_GROUPED = re.compile(r"\b(?:by|on|without)\s*\(([^)]*)\)")


def declared() -> Mapping[str, set[str]]:
    """Every name that can be asked for, with its labels."""
    found: dict[str, set[str]] = {"up": set()}
    for each in metrics.declared():
        if each.kind == "histogram":
            found[f"{each.name}_bucket"] = {*each.labels, "le"}
            found[f"{each.name}_sum"] = found[f"{each.name}_count"] = {*each.labels}
        else:
            found[each.name] = {*each.labels}
    return found


def panels() -> list[dict[str, Any]]:
    board = json.loads(DASHBOARD.read_text())
    return [panel for panel in board["panels"] if panel["type"] != "row"]


def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load(ALERTS.read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def charted() -> Iterator[str]:
    for panel in panels():
        yield from (target["expr"] for target in panel["targets"])


def expressions() -> list[str]:
    return [*charted(), *(rule["expr"] for rule in rules())]


def faults(expression: str) -> Iterator[str]:
    """What an expression asks for that there is not. It is asked in words of ours alone."""
    known, mentioned = declared(), set[str]()
    for name, selector in _NAME.findall(expression):
        if name not in known:
            yield f"no metric {name}"
            continue
        mentioned |= known[name]
        yield from (
            f"{name} has no {label}"
            for label in _LABEL.findall(_TEXT.sub('""', selector))
            if label not in known[name] | ITS_LABELS
        )
    if not mentioned and "up" not in expression:
        yield "it asks for nothing"
    for group in _GROUPED.findall(expression):
        names = {label.strip() for label in group.split(",")}
        yield from (f"nothing has {label}" for label in sorted(names - mentioned - ITS_LABELS))
    bare = _TEXT.sub("", expression)
    if any(bare.count(opened) != bare.count(closed) for opened, closed in ("()", "{}", "[]")):
        yield "its brackets do not match"


@pytest.mark.parametrize(
    ("expression", "fault"),
    [
        ("rate(gpucompare_requests[5m])", "no metric gpucompare_requests"),
        ("gpucompare_request_seconds", "no metric gpucompare_request_seconds"),
        ('gpucompare_requests_total{path="/"}', "gpucompare_requests_total has no path"),
        ("sum by (source) (gpucompare_requests_total)", "nothing has source"),
        ("sum(gpucompare_requests_total", "its brackets do not match"),
        ("vector(1)", "it asks for nothing"),
    ],
)
def test_a_fault_of_an_expression_is_found(expression: str, fault: str) -> None:
    assert fault in list(faults(expression))


@pytest.mark.parametrize("expression", expressions())
def test_what_is_asked_for_exists(expression: str) -> None:
    assert list(faults(expression)) == []


@pytest.mark.parametrize("expression", expressions())
def test_only_what_grows_is_asked_for_its_growth(expression: str) -> None:
    """And what grows for nothing else: its value says only when somebody began to count."""
    grows = {
        name
        for each in metrics.declared()
        for name in declared()
        if each.kind != "gauge" and name.startswith(each.name)
    }
    for name in (found for found, _selector in _NAME.findall(expression)):
        asked = re.findall(rf"(\w*)\(?{name}\b(?:{{[^}}]*}})?(\[\w+\])?", expression)
        for function, span in asked:
            assert bool(span) == (name in grows), (name, expression)
            assert (function in ("rate", "increase")) == (name in grows), (name, expression)


def test_every_metric_is_charted_or_alerted_upon() -> None:
    asked = " ".join(expressions())
    used = {found for found, _selector in _NAME.findall(asked)}
    unused = [
        each.name
        for each in metrics.declared()
        if not any(name in used for name in (each.name, f"{each.name}_bucket", f"{each.name}_sum"))
    ]
    assert unused == []


def test_every_alert_says_how_bad_it_is_and_what_to_do() -> None:
    assert len({rule["alert"] for rule in rules()}) == len(rules()) > 10
    for rule in rules():
        assert rule["labels"]["severity"] in ("page", "ticket"), rule
        assert set(rule["annotations"]) == {"summary", "do"}, rule
        assert re.fullmatch(r"[A-Z/].{30,}[.]", rule["annotations"]["do"]), rule
        assert re.fullmatch(r"\d+[mh]", rule.get("for", "1m")), rule


def test_what_an_alert_says_of_its_labels_is_among_them() -> None:
    for rule in rules():
        known = {*ITS_LABELS}
        for name, _selector in _NAME.findall(rule["expr"]):
            known |= declared()[name]
        said = set(re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"]))
        if grouped := _GROUPED.findall(rule["expr"]):
            known = {label.strip() for group in grouped for label in group.split(",")}
        assert said <= known, rule["alert"]


def test_panels_have_a_place_of_their_own_and_a_source_to_choose() -> None:
    board = json.loads(DASHBOARD.read_text())
    ids = [panel["id"] for panel in board["panels"]]
    assert len(set(ids)) == len(ids)
    taken: set[tuple[int, int]] = set()
    for panel in board["panels"]:
        place = panel["gridPos"]
        cells = {
            (place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])
        }
        assert not cells & taken, panel["title"]
        assert place["x"] + place["w"] <= 24
        taken |= cells
    assert {panel["datasource"]["uid"] for panel in panels()} == {"${datasource}"}
    assert [variable["name"] for variable in board["templating"]["list"]] == ["datasource"]


# --- Documentation -------------------------------------------------------------------------------


def table(heading: str) -> list[list[str]]:
    """The rows of the table under that heading, without its head."""
    text = DOCUMENTED.read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]


def test_the_documentation_names_every_metric_as_it_is() -> None:
    told = {
        row[0].strip("`"): (row[1], tuple(re.findall(r"`(\w+)`", row[2])), row[3])
        for row in table("Metrics")
    }
    assert told == {each.name: (each.kind, each.labels, each.help) for each in metrics.declared()}


def test_the_documentation_names_every_alert() -> None:
    told = {row[0].strip("`"): row[1] for row in table("Alerts")}
    assert told == {rule["alert"]: rule["labels"]["severity"] for rule in rules()}


def test_the_documentation_names_every_field_of_the_log() -> None:
    from gpucompare.logs import EXTRAS

    told = {name for row in table("The log") for name in re.findall(r"`(\w+)`", row[0])}
    always = {"time", "level", "logger", "message", "traceback"}
    assert told == {*always, "request_id", "task", "task_id", "source", *EXTRAS}


def test_the_rules_are_where_the_documentation_says() -> None:
    text = DOCUMENTED.read_text()
    for path in (DASHBOARD, ALERTS):
        assert f"../{path.relative_to(ROOT)}" in text
        assert Path(path).exists()
