"""What a comparison of two runs says: every number and every string, worked out once.

The same stands in the report of an evaluation that has a baseline, and is what `rankgate compare` prints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.gates.against import worsening
from rankgate.gates.wording import figure
from rankgate.model.wording import many
from rankgate.reports.failures import BAD, GOOD, Mark, Placed, Unmarked, hit_mark, place_text
from rankgate.reports.model import NOTHING
from rankgate.reports.moves import moved_from, signed, went
from rankgate.reports.printable import printable
from rankgate.scoring.aggregate import aggregate
from rankgate.scoring.metric import LESS_IS_BETTER
from rankgate.scoring.paired.agreement import overlap, rank_biased_overlap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.model import Case
    from rankgate.runs.tables import Run
    from rankgate.scoring.comparison import Comparison
    from rankgate.scoring.metric import Metric
    from rankgate.scoring.paired.compare import PairedResult
    from rankgate.truth.judgments import Judgments

ALPHA = 0.05
DEPTH = 10
"""How deep two answers are compared."""
MOVED_SHOWN = 5
"""How many queries are shown side by side: those that moved most."""
HITS_SHOWN = 5
"""How many hits of each side are shown."""
_MOST_AGREED = 20_000
TIE = 1e-9
"""What is no difference."""


@dataclass(frozen=True, slots=True)
class ComparedNumbers:
    """One metric, before and after, in full."""

    before: float
    """The mean before."""
    after: float
    """The mean after."""
    difference: float
    """After less before."""
    low: float | None
    """Where the 95 % interval of the difference begins; null where too few queries tell."""
    high: float | None
    """Where it ends."""
    p: float
    """The p value of the randomisation test; of a claim among several, by Holm."""
    effect: float | None
    """The difference over the standard deviation of the differences."""
    detectable: float | None
    """The smallest difference that queries like these would show."""


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """One metric, before and after."""

    mark: Mark | Unmarked
    """✅ better, ❌ worse, beyond chance; empty where chance may be all there is."""
    metric: str
    """Its canonical spelling, or the name that the suite gives it."""
    before: str
    """Its mean before."""
    after: str
    """Its mean after."""
    difference: str
    """After less before, with its sign."""
    interval: str
    """The 95 % interval of the difference."""
    p: str
    """That of the randomisation test."""
    worse: int
    """How many queries are worse."""
    better: int
    """How many are better."""
    same: int
    """How many are as before."""
    finding: str
    """What that allows to say, in words."""
    detectable: str
    """The smallest difference that a suite of this size and spread would show."""
    numbers: ComparedNumbers
    """The same for machines."""


@dataclass(frozen=True, slots=True)
class SideBySide:
    """One rank, before and after."""

    rank: int
    """From 1."""
    before: str
    """The place that stood there; empty where there was none."""
    before_mark: Mark | Unmarked
    """Found what was expected, wrong by judgment, or empty."""
    after: str
    """The place that stands there now."""
    after_mark: Mark | Unmarked
    """The same, of what stands there now."""
    move: str
    """Where what stands there now came from: ↑2, ↓1, =, or new."""


@dataclass(frozen=True, slots=True)
class MovedQuery:
    """A query that moved, with both its rankings."""

    mark: Mark
    """❌ worse, ✅ better."""
    case: str
    """The case's id."""
    query: str
    """What was asked."""
    before: str
    """What it scored in the first metric."""
    after: str
    """What it scores now."""
    difference: str
    """After less before, with its sign."""
    first: str
    """Where its first relevant hit was and is, in words."""
    hits: tuple[SideBySide, ...]
    """Both rankings, a row a rank."""


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A hit that is new among the first ones and that nobody has judged."""

    case: str
    """The case's id."""
    query: str
    """What was asked."""
    rank: int
    """Where it stands, from 1."""
    place: str
    """What it is."""


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """A run held against another."""

    before: str
    """What is compared with."""
    after: str
    """What is compared."""
    compared: str
    """How many queries, and what was left out, in words."""
    rows: tuple[ComparedRow, ...] = ()
    """A row a metric; the first is the one that is decided by, the others are exploratory."""
    agreement: str = ""
    """How alike the rankings are, in words."""
    moved: tuple[MovedQuery, ...] = ()
    """The queries that moved most in the first metric, the worst first."""
    unmoved: str = ""
    """How many moved and are not shown, in words."""
    unjudged: tuple[Unjudged, ...] = ()
    """What somebody should judge: new among the first hits, and unknown."""
    notes: tuple[str, ...] = ()
    """What a reader must know."""


def comparison_report(
    names: tuple[str, str],
    comparison: Comparison,
    judgments: Judgments,
    runs: tuple[Run, Run],
    cases: Sequence[Case],
    *,
    adjusted: float | None = None,
    claims: int = 1,
    notes: Sequence[str] = (),
) -> ComparisonReport:
    """Work out the report of a comparison.

    Args:
        names: What people call the two.
        comparison: The scores of both, by query.
        judgments: What should be found.
        runs: The answers of both.
        cases: The queries.
        adjusted: The p value of the first metric after Holm, where several claims are made.
        claims: How many claims that is.
        notes: What else a reader must know.
    """
    shared = int(comparison.shared.sum())
    new = len(comparison.shared) - shared
    words = f"{many(shared, 'query', 'queries')} compared"
    if new:
        words += f", {new:,} left out (not asked before, asked otherwise, or with estimated labels)"
    report = ComparisonReport(
        printable(names[0]), printable(names[1]), words, notes=tuple(map(printable, notes))
    )
    if not shared:
        return report
    # Of a percentile there is no difference by query whose mean it would be.
    metrics = [metric for metric in comparison.after.metrics if metric.statistic == "mean"]
    rows = [
        row
        for at, metric in enumerate(metrics)
        if (row := _row(metric, comparison, adjusted, claims, exploratory=at > 0)) is not None
    ]
    answers = _Answers.of(judgments, runs, comparison)
    first = next((metric for metric in metrics if metric.unit != "ms"), None)
    moved, more = ((), "") if first is None else _moved(first, comparison, answers, cases)
    return ComparisonReport(
        before=report.before,
        after=report.after,
        compared=words,
        rows=tuple(rows),
        agreement=answers.agreement(),
        moved=moved,
        unmoved=more,
        unjudged=answers.unjudged(cases),
        notes=report.notes,
    )


def _row(
    metric: Metric, comparison: Comparison, adjusted: float | None, claims: int, *, exploratory: bool
) -> ComparedRow | None:
    label, everything = metric.label, comparison.shared
    rows = comparison.counted(label, everything)
    if not rows.any():
        return None
    weights = comparison.after.weights[rows]
    before, after = (
        aggregate(one.columns[label].values[rows], weights, metric.statistic) or 0.0
        for one in (comparison.before, comparison.after)
    )
    result = comparison.paired(label, everything)
    p = result.p if exploratory or adjusted is None else adjusted
    found = finding(result, p, worsening(label, comparison), claims, exploratory=exploratory)
    return compared_row((label, metric.unit), (before, after), result, found, p)


def compared_row(
    metric: tuple[str, str],
    means: tuple[float, float],
    result: PairedResult,
    found: tuple[Mark | Unmarked, str],
    p: float,
) -> ComparedRow:
    """Lay out the comparison of a metric, which is given by its label and its unit."""
    label, unit = metric
    before, after = means
    fell, rose = (result.wins, result.losses) if unit in LESS_IS_BETTER else (result.losses, result.wins)
    return ComparedRow(
        mark=found[0],
        metric=printable(label),
        before=figure(before, unit),
        after=figure(after, unit),
        difference=signed(result.mean, unit),
        interval=f"{signed(result.low, unit)} to {signed(result.high, unit)}"
        if result.low is not None
        else NOTHING,
        p=_p(p, exact=result.exact),
        worse=fell,
        better=rose,
        same=result.ties,
        finding=found[1],
        detectable=NOTHING if result.detectable is None else figure(result.detectable, unit),
        numbers=ComparedNumbers(
            before=before,
            after=after,
            difference=result.mean,
            low=result.low,
            high=result.high,
            p=p,
            effect=result.effect,
            detectable=result.detectable,
        ),
    )


def finding(
    result: PairedResult, p: float, worse: float, claims: int, *, exploratory: bool
) -> tuple[Mark | Unmarked, str]:
    """Say what the test allows to say, and no more."""
    if not result.differing:
        return "", "the same"
    if not result.can_be_significant:
        return "", f"cannot be significant: {many(result.differing, 'query differs', 'queries differ')}"
    if p > ALPHA:
        return "", "may be chance"
    fell = result.mean * worse > 0
    word = "worse" if fell else "better"
    if exploratory:
        return "", f"{word}, exploratory"
    said = f"{word} beyond chance" + (f", Holm over {claims} claims" if claims > 1 else "")
    return (BAD if fell else GOOD), said


def _p(p: float, *, exact: bool) -> str:
    digits = f"{p:.3f}" if p >= 0.001 else f"{p:.1e}"
    return digits if exact else f"≈{digits}"


@dataclass(frozen=True, slots=True, eq=False)
class _Answers:
    """Both rankings of every compared query, to a depth."""

    before: dict[str, list[str]]
    after: dict[str, list[str]]
    placed: tuple[Placed, Placed]

    @classmethod
    def of(cls, judgments: Judgments, runs: tuple[Run, Run], comparison: Comparison) -> _Answers:
        queries = comparison.after.queries.filter(pl.Series(comparison.shared))
        kept = queries.head(_MOST_AGREED)
        before, after = (_places(run, kept) for run in runs)
        return cls(before, after, (Placed(judgments, runs[0]), Placed(judgments, runs[1])))

    def lists(self, query: str) -> tuple[list[str], list[str]]:
        return self.before.get(query, []), self.after.get(query, [])

    def agreement(self) -> str:
        """Say how alike the rankings are."""
        return agreement([self.lists(query) for query in sorted(self.before.keys() | self.after.keys())])

    def unjudged(self, cases: Sequence[Case]) -> tuple[Unjudged, ...]:
        """List what is new among the first hits and not judged."""
        grades = self.placed[1].grades
        found = []
        for case in cases:
            old, new = self.lists(case.id)
            found += [
                Unjudged(printable(case.id), printable(case.query), rank, printable(place))
                for rank, place in enumerate(new, 1)
                if place not in old
                and (case.id, rank) not in grades
                and not case.exhaustive
                and not case.expect_empty
            ]
        return tuple(found)


def agreement(both: Sequence[tuple[list[str], list[str]]]) -> str:
    """Say how alike rankings are, before and after; nothing where there are none."""
    if not both:
        return ""
    same = sum(old == new for old, new in both)
    alike = float(np.mean([rank_biased_overlap(old, new) for old, new in both]))
    shared = float(np.mean([overlap(old, new, DEPTH) for old, new in both]))
    of, how = many(len(both), "query", "queries"), f"RBO {alike:.3f}, overlap@{DEPTH} {shared:.3f}"
    return f"the first {DEPTH} hits are the same for {same:,} of {of}; {how}"


def _places(run: Run, queries: pl.Series) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    wanted = pl.col("query").is_in(queries.implode()) & (pl.col("rank") <= DEPTH)
    for shard in run.shards():
        columns = ["query", "rank", "id", "path", "start", "end"]
        rows = shard.scan_hits(columns).filter(wanted).sort("query", "rank").collect()
        for row in rows.iter_rows(named=True):
            found.setdefault(row["query"], []).append(place_text(row))
    return found


def _moved(
    metric: Metric, comparison: Comparison, answers: _Answers, cases: Sequence[Case]
) -> tuple[tuple[MovedQuery, ...], str]:
    """Take the queries that moved most, and say how many others did."""
    label, worse = metric.label, worsening(metric.label, comparison)
    rows = comparison.counted(label, comparison.shared)
    before, after = (one.columns[label].values for one in (comparison.before, comparison.after))
    difference = np.where(rows, after - before, 0.0)
    names = comparison.after.queries.to_list()
    moving = np.flatnonzero(np.abs(difference) > TIE).tolist()
    moving.sort(key=lambda at: (-abs(difference[at]), worse * -difference[at], names[at]))
    by_id = {case.id: case for case in cases}
    shown = sorted(moving[:MOVED_SHOWN], key=lambda at: (-difference[at] * worse, names[at]))
    told = tuple(
        MovedQuery(
            mark=BAD if difference[at] * worse > 0 else GOOD,
            case=printable(names[at]),
            query=printable(by_id[names[at]].query),
            before=figure(before[at], metric.unit),
            after=figure(after[at], metric.unit),
            difference=signed(float(difference[at]), metric.unit),
            first=went(int(comparison.first_before[at]), int(comparison.first_after[at])),
            hits=tuple(_side_by_side(by_id[names[at]], answers)),
        )
        for at in shown
    )
    more = len(moving) - len(told)
    return told, f"… and {many(more, 'query', 'queries')} more moved in {printable(label)}" if more else ""


def _side_by_side(case: Case, answers: _Answers) -> list[SideBySide]:
    old, new = answers.lists(case.id)
    rows = []
    for rank in range(1, min(HITS_SHOWN, max(len(old), len(new))) + 1):
        was, now = (places[rank - 1] if rank <= len(places) else "" for places in (old, new))
        marks = [
            hit_mark(case, placed, rank) if place else ""
            for placed, place in zip(answers.placed, (was, now), strict=True)
        ]
        rows.append(
            SideBySide(rank, printable(was), marks[0], printable(now), marks[1], moved_from(now, rank, old))
        )
    return rows
