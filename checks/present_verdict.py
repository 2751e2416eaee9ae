"""A verdict in words: what stands in a cell, and what opens behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from django.template.loader import render_to_string
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from checks.conditions import Found
from checks.content.anchors import explained
from checks.judgement import Said
from checks.page import ConditionLine, GpuLine, NamedLink, SaidTexts, VerdictCell
from checks.verdicts import Gpus, Stand
from checks.wording import CONDITIONS, FIXES, MISSING, REASONS, RUNS, STARTS, texts
from gpucompare import spoken
from gpucompare.cuda.answer import Standing, Start
from gpucompare.cuda.findings import RUNNING
from gpucompare.cuda.reasons import Reason
from gpucompare.cuda.verdict import standing as standing_of
from providers.answers import Text
from providers.browse.parameters import PARAMETERS
from providers.browse.world import World
from providers.wording import STANDINGS, joined

# Said beside another reason: alone they explain nothing.
_ASIDE = frozenset(
    {
        Reason.REQUIRE_NOT_READ,
        Reason.BUILD_DEFAULT_ARCH,
        Reason.CUBIN_SAME_MAJOR,
        Reason.CUDA_AS_REPORTED,
        Reason.DRIVER_FLOOR_NOT_CONFIRMED,
        Reason.DRIVER_PATCH_NOT_KNOWN,
        Reason.COMPAT_NOT_USED,
        Reason.FRAMEWORK_CUDA_NEWER_THAN_BASE,
        Reason.FRAMEWORK_CUDA_OLDER_THAN_BASE,
    }
)

_UNREAD = Reason.REQUIRE_NOT_READ

# More are named behind the cell.
_MISSING_NAMED = 3


@dataclass(frozen=True)
class Names:
    """GPU names by id."""

    families: Mapping[int, str]
    models: Mapping[int, str]

    @classmethod
    def of(cls, world: World) -> Names:
        models = {gpu.pk: gpu.name for f in world.families for gpu in f.models.all()}
        return cls({f.pk: f.name for f in world.families}, models)

    def name(self, gpu: Gpus) -> str:
        family, model = gpu
        if model is not None:
            return self.models[model]
        return self.families[family] if family is not None else ""


class Cells:
    """Makes the cells of one page. What is said of many rows is put into words once."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._texts: dict[int, SaidTexts] = {}
        self._why: dict[int, str] = {}
        self._label = str(PARAMETERS["verdict"].label)
        self._conditions = {key: str(text) for key, text in CONDITIONS.items()}

    def cell(self, stand: Stand, base: str, elsewhere: tuple[NamedLink, ...]) -> VerdictCell:
        """`base` is the address of the offering's cells."""
        return VerdictCell(
            state=stand.standing.value,
            share=share_text(stand),
            said=self.texts(stand.said),
            conditions=tuple(self._condition(found, base) for found in stand.said.conditions),
            gpus=tuple(self._gpu_lines(stand)),
            elsewhere=elsewhere,
            label=self._label,
        )

    def texts(self, said: Said) -> SaidTexts:
        found = self._texts.get(id(said))
        if found is None:
            found = self._texts[id(said)] = _texts_of(said)
        return found

    def _reason(self, said: Said) -> str:
        if id(said) not in self._why:
            self._why[id(said)] = str(why(said))
        return self._why[id(said)]

    def _condition(self, found: Found, base: str) -> ConditionLine:
        url = f"{base}{found.dimension}/"
        return ConditionLine(self._conditions[found.key], url, found.at_best.value)

    def _gpu_lines(self, stand: Stand) -> Iterator[GpuLine]:
        """Which GPUs work, and which do not and why: one line for each thing said."""
        lines: dict[tuple[Standing, str], set[str]] = {}
        for one in sorted(stand.gpus, key=lambda one: -one.said.rank):
            if name := self._names.name(one.gpu):
                key = (one.said.standing, self._reason(one.said))
                lines.setdefault(key, set()).add(name)
        if sum(map(len, lines.values())) < 2:
            return
        for (standing, reason), found in lines.items():
            word = str(STANDINGS[standing])
            yield GpuLine(standing.value, word, spoken.joined(sorted(found)), reason)


def _texts_of(said: Said) -> SaidTexts:
    fixes = tuple(map(str, texts(FIXES, said.fixes)))
    spoken = SaidTexts(
        word=str(STANDINGS[said.standing]),
        why=str(why(said)),
        fix=fixes[0] if _wants_a_fix(said) else "",
        start=str(STARTS[said.found.best.start]),
        reasons=tuple(map(str, texts(REASONS, said.reasons))),
        fixes=fixes,
        missing=tuple(map(str, texts(MISSING, said.missing))),
        explained=explained([*said.reasons, *said.missing, *(c.key for c in said.conditions)]),
    )
    return replace(spoken, html=render_to_string("checks/said.html", {"said": spoken}))


def _wants_a_fix(said: Said) -> bool:
    return said.standing is not Standing.RUNS and bool(said.fixes)


def share_text(stand: Stand) -> str:
    """How many of the offering's listings stand as it does."""
    return listings_text(stand.its_listings, stand.listings)


def listings_text(its: int, of: int) -> str:
    """14 of 20 listings; empty without listings."""
    if not of:
        return ""
    text = ngettext("%(its)s of %(n)s listing", "%(its)s of %(n)s listings", of)
    return text % {"its": spoken.number(its), "n": spoken.number(of)}


def why(said: Said) -> Text:
    """The one sentence that explains the standing best."""
    # What the offering itself does comes first where the hosts would allow more.
    own = [c for c in said.conditions if c.at_best is said.standing is not Standing.RUNS]
    if own and standing_of(said.found) is not said.standing:
        return CONDITIONS[own[0].key]
    if said.standing is Standing.UNKNOWN and said.missing:
        what = joined(texts(MISSING, said.missing[:_MISSING_NAMED]))
        return format_lazy("{} {}", _("Not known:"), what)
    worst = said.found.worst
    if worst.start is Start.UNKNOWN and worst.run in RUNNING and _UNREAD in worst.reasons:
        return format_lazy("{}{} {}", RUNS[worst.run], spoken.stop(), REASONS[_UNREAD])
    telling = [key for key in said.reasons if key not in _ASIDE]
    if telling:
        return texts(REASONS, tuple(telling))[0]
    return next(iter(texts(REASONS, said.reasons)), RUNS[said.found.worst.run])
