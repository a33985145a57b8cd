"""How far judges agree: the report of `rankgate judge agreement`, as plain data, JSON and text."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from rankgate.reports.sections import Item, Section, Table
from rankgate.reports.terminal import line_width, section_lines, written
from rankgate.reports.text.printable import printable
from rankgate.wording import NOTHING, many

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SCHEMA = 1
SHOWN = 10
"""The number of disagreements that are shown without `every`."""


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """One judge, and how much was judged."""

    judge: str
    source: str
    """What kind of judge: person, model or import."""
    graded: int
    """How many passages have a grade by this judge."""
    unsure: int
    """How many the judge could not tell."""
    skipped: int
    """How many the judge left for later."""


@dataclass(frozen=True, slots=True)
class AgreementFigure:
    """A figure with its 95 % interval, by a bootstrap over queries."""

    value: float | None
    """The figure; null where it is undefined, as kappa is where all said the same."""
    low: float | None
    """Where the interval begins; null where there is none."""
    high: float | None
    """Where it ends."""

    @property
    def text(self) -> str:
        """Return it for people.

        >>> AgreementFigure(0.4, 0.18, 0.61).text, AgreementFigure(1.0, None, None).text
        ('0.40 (0.18 to 0.61)', '1.00')
        """
        if self.value is None:
            return NOTHING
        interval = "" if self.low is None else f" ({self.low:.2f} to {self.high:.2f})"
        return f"{self.value:.2f}{interval}"


@dataclass(frozen=True, slots=True)
class CutRow:
    """Agreement on what is relevant at the cut of a metric."""

    cut: str
    """The cut in words, such as ``grade >= 2``."""
    same: AgreementFigure
    """The share of passages of which both say the same."""
    kappa: AgreementFigure
    """Cohen's kappa of two, Fleiss' of several."""


@dataclass(frozen=True, slots=True)
class PairRow:
    """How far two judges agree, or one judge and all others."""

    one: str
    other: str
    """The second; ``others`` for all the rest."""
    passages: int
    """How many passages both graded; against the others, how many pairs of grades."""
    queries: int
    """How many queries these belong to."""
    same: AgreementFigure
    """The share of equal grades."""
    near: AgreementFigure
    """The share of grades that are at most 1 apart."""
    kappa: AgreementFigure
    linear: AgreementFigure
    """Cohen's kappa with linear weights."""
    quadratic: AgreementFigure
    """Cohen's kappa with quadratic weights."""
    cuts: tuple[CutRow, ...]
    """Agreement at the cut of each metric."""


@dataclass(frozen=True, slots=True)
class GroupRow:
    """How far all judges agree on some passages."""

    passages_of: str
    """Which passages: ``all``, or those of a category."""
    judges: int
    """How many judges graded some of them."""
    passages: int
    """How many have two grades or more."""
    queries: int
    """How many queries these belong to."""
    fleiss: AgreementFigure
    """Fleiss' kappa."""
    nominal: AgreementFigure
    """Krippendorff's alpha of nominal grades."""
    ordinal: AgreementFigure
    """Krippendorff's alpha of ordinal grades."""
    interval: AgreementFigure
    """Krippendorff's alpha of interval grades."""
    cuts: tuple[CutRow, ...]
    """Agreement at the cut of each metric."""


@dataclass(frozen=True, slots=True)
class SaidRow:
    """What one judge said of a passage."""

    judge: str
    grade: float
    comment: str
    """Why, in the judge's own words; empty where the judge said nothing."""


@dataclass(frozen=True, slots=True)
class DisagreementRow:
    """A passage on which judges differ."""

    case: str
    """The id of the case."""
    query: str
    """What it asks."""
    location: str
    apart: float
    """The largest difference of two grades."""
    said: tuple[SaidRow, ...]
    """What each judge said, by name."""
    settled: float | None
    """The grade that settled it; null while it is open."""


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """How far the judges of a suite agree."""

    suite: str
    judges: tuple[JudgeRow, ...]
    """Who judged."""
    all: GroupRow
    """How far all of them agree."""
    pairs: tuple[PairRow, ...]
    """How far each two agree that graded a passage in common."""
    against_others: tuple[PairRow, ...]
    """How far each agrees with all the others; empty for fewer than three judges."""
    categories: tuple[GroupRow, ...]
    """How far they agree on the cases of each category; empty where cases have none."""
    disagreements: tuple[DisagreementRow, ...]
    """Where they differ, the furthest apart first."""
    notes: tuple[str, ...]
    """What was left out of it."""


def agreement_json(report: AgreementReport) -> str:
    """Write a report as JSON."""
    return json.dumps({"schema": SCHEMA, **asdict(report)}, ensure_ascii=False, indent=2) + "\n"


def render_agreement(report: AgreementReport, *, every: bool = False) -> str:
    """Return a report as text for a terminal; `every` shows all disagreements."""
    width = line_width(sys.stdout)
    lines: list[str] = []
    for section in _sections(report, every=every):
        lines += section_lines(section, width, entries=len(section.items))
    if not every and (left := len(report.disagreements) - SHOWN) > 0:
        lines += ["", f"{left} more: --all shows them."]
    lines += ["", *map(printable, report.notes)] if report.notes else []
    return written(lines[1:], sys.stdout)


def _sections(report: AgreementReport, *, every: bool) -> Iterator[Section]:
    judges = tuple(Item(_judge(row)) for row in report.judges)
    yield Section("judges", f"{report.suite}: {many(len(report.judges), 'judge')}", items=judges)
    if not report.all.passages:
        none = "No passage was graded by two judges: there is no agreement to measure."
        yield Section("agreement", "Agreement", items=(Item(none),))
        return
    together = f"{many(report.all.passages, 'passage')} of {many(report.all.queries, 'query', 'queries')}"
    counted = f"{together} graded by two judges or more. Intervals are 95 %, over queries."
    yield Section("agreement", "Agreement", items=(Item(counted),))
    if report.pairs:
        yield Section("pairs", "Two judges", _pairs(report.pairs))
    if report.against_others:
        yield Section("others", "Each beside all others", _pairs(report.against_others))
    yield Section("all", "All judges", _groups((report.all, *report.categories)))
    yield _disagreements(report.disagreements, every=every)


def _judge(row: JudgeRow) -> str:
    left = [f"{count} {word}" for count, word in ((row.unsure, "unsure"), (row.skipped, "skipped")) if count]
    return ", ".join([f"{row.judge} ({row.source}): {row.graded} graded", *left])


def _pairs(rows: Sequence[PairRow]) -> Table:
    cuts = (f"kappa at {cut.cut}" for cut in rows[0].cuts)
    head = ("judges", "n", "same grade", "kappa", "linear", "quadratic", *cuts)
    cells = (
        (
            f"{row.one}, {row.other}",
            str(row.passages),
            "–" if row.same.value is None else f"{100 * row.same.value:.0f} %",
            row.kappa.text,
            row.linear.text,
            row.quadratic.text,
            *(cut.kappa.text for cut in row.cuts),
        )
        for row in rows
    )
    return Table(head, tuple(cells), (1, 2))


def _groups(rows: Sequence[GroupRow]) -> Table:
    cuts = (f"kappa at {cut.cut}" for cut in rows[0].cuts)
    alphas = ("alpha (ordinal)", "alpha (interval)", "alpha (nominal)")
    cells = (
        (
            row.passages_of,
            str(row.passages),
            *(one.text for one in (row.fleiss, row.ordinal, row.interval, row.nominal)),
            *(cut.kappa.text for cut in row.cuts),
        )
        for row in rows
    )
    return Table(("passages", "n", "Fleiss' kappa", *alphas, *cuts), tuple(cells), (1,))


def _disagreements(rows: Sequence[DisagreementRow], *, every: bool) -> Section:
    if not rows:
        none = Item("The judges agree on every passage.")
        return Section("disagreements", "Disagreements", items=(none,))
    still_open = sum(row.settled is None for row in rows)
    title = f"Judges disagree on {many(len(rows), 'passage')}, {still_open} of them not settled"
    shown = rows if every else rows[:SHOWN]
    return Section("disagreements", title, items=tuple(map(_disagreement, shown)))


def _disagreement(row: DisagreementRow) -> Item:
    said = [": ".join(filter(None, (f"{one.judge} {one.grade:g}", one.comment))) for one in row.said]
    settled = [] if row.settled is None else [f"settled {row.settled:g}"]
    return Item(f"{printable(row.query, 100)} · {row.location}", details=(*said, *settled))
