"""Everything that is known about one case, and the figures of each slice."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import numpy as np
import polars as pl

from rankgate.gates.compare import Comparison
from rankgate.gates.decide import Facts
from rankgate.gates.language import EPS, Gate, Kind
from rankgate.model import Case, Suite, XFail
from rankgate.model.report import (
    CaseResult,
    CaseState,
    Change,
    GateResult,
    GateState,
    KnownMiss,
    ShownCheck,
    ShownHit,
    ShownTarget,
    SliceResult,
)
from rankgate.runs.store.hits import HitRow, kept_texts, location_text, read_hits
from rankgate.runs.store.tables import Run
from rankgate.scoring.metric import aggregate
from rankgate.scoring.placements import JudgedHits
from rankgate.truth.gone import GoneLocation
from rankgate.truth.judgments.checks import GONE
from rankgate.truth.judgments.table import Judgments

ALL = 200
"""A suite up to this size is reported with all results of all queries."""
DETAILED = 200
"""The number of queries of a larger suite that are reported with all their results."""
_TEXT = 500
"""The number of characters of a result's text in a report."""


@dataclass(frozen=True, slots=True, eq=False)
class Tested:
    """A suite, what its system returned, and what both are worth."""

    suite: Suite
    judgments: Judgments
    """All judgments, also those that gates don't count."""
    facts: Facts
    today: date
    hits: JudgedHits
    """The run's results joined with all judgments."""
    comparison: Comparison | None = None
    """With the system's own baseline."""
    hits_before: JudgedHits | None = None
    """The baseline's results joined with all judgments."""
    missing: tuple[GoneLocation, ...] = ()
    """The targets and checks whose location is not in the documents."""
    moved: Mapping[tuple[str, str], str] | None = None
    """Where the text of missing targets is now, by case and location."""
    title: Callable[[str, int | None, int | None], str] = lambda _path, _start, _end: ""
    """Returns the heading or symbol of some lines of a document."""
    repeats: tuple[Run, ...] = ()
    xfail_strict: bool = False


def active_xfail(xfail: XFail | None, today: date) -> XFail | None:
    """Return an `xfail` that has not expired."""
    return xfail if xfail is not None and (xfail.until is None or today <= xfail.until) else None


def known_miss_passes(case: Case, facts: Facts, at: int) -> bool:
    """Check whether a known miss passes: its checks pass, and it reaches a relevant target."""
    checks = facts.checks.get(case.id, ())
    found = bool(facts.first[at]) if facts.judged[at] else bool(checks)
    return found and not facts.errored[at] and all(check.passed for check in checks)


def case_results(tested: Tested, gates: Sequence[tuple[Gate, GateResult]]) -> tuple[CaseResult, ...]:
    """Return everything that is known about each case, in the order of the suite."""
    facts, comparison = tested.facts, tested.comparison
    label = facts.scores.metrics[0].label
    fell = np.zeros(len(facts.cases)) if comparison is None else comparison.fell(label, facts.scores)
    about = _Answers.of(tested)
    bare = [_bare(tested, at, float(fell[at]), gates, about) for at in range(len(facts.cases))]
    detailed = set(range(len(bare))) if len(bare) <= ALL else set(_worth_details(bare, fell))
    return _with_hits(tested, bare, detailed)


def attention(cases: Sequence[CaseResult], gates: Sequence[GateResult], label: str) -> tuple[str, ...]:
    """Name the cases to look at: failed or regressed, worst first, errors, then those of failed gates."""

    def fell(case: CaseResult) -> float:
        before, now = case.before.get(label), case.values.get(label)
        return 0.0 if before is None or now is None else abs(before - now)

    worse = [one for one in cases if one.state is CaseState.FAILED or _regressed(one)]
    errors = [one.name for one in cases if one.state is CaseState.ERROR]
    changed = [
        one.name for one in sorted(worse, key=lambda one: -fell(one)) if one.state is not CaseState.ERROR
    ]
    named = [name for gate in gates if gate.state is GateState.FAILED for name in gate.queries]
    known = {one.name for one in cases}
    return tuple(dict.fromkeys(name for name in (*changed, *errors, *named) if name in known))


def _regressed(case: CaseResult) -> bool:
    return case.change in (Change.REGRESSED, Change.UNKNOWN) and not case.unstable


@dataclass(frozen=True, slots=True, eq=False)
class _Answers:
    """What a run and a suite say of single queries, gathered once."""

    unjudged: Mapping[str, tuple[int, int]]
    """Of a pooled suite: the unjudged results in the top k of each query, and the size of the top k."""
    seconds: Mapping[str, float]
    errors: Mapping[str, str]
    missing: Mapping[str, tuple[GoneLocation, ...]]

    @classmethod
    def of(cls, tested: Tested) -> _Answers:
        missing: dict[str, tuple[GoneLocation, ...]] = {}
        for one in tested.missing:
            if one.case is not None:
                missing[one.case] = (*missing.get(one.case, ()), one)
        seconds: dict[str, float] = {}
        errors: dict[str, str] = {}
        for number, run in enumerate((tested.facts.run, *tested.repeats), 1):
            for shard in run.shards():
                for query, error, latency in shard.queries.select("query", "error", "latency_ms").iter_rows():
                    if latency is not None and number == 1:
                        seconds[query] = latency / 1000
                    if error is not None:
                        errors.setdefault(query, error + (f" (in repeat {number})" if number > 1 else ""))
        unjudged = _unjudged(tested.facts) if tested.suite.unlisted == "unjudged" else {}
        return cls(unjudged, seconds, errors, missing)


def _unjudged(facts: Facts) -> dict[str, tuple[int, int]]:
    """Count the results in the top k of each query that nobody judged."""
    k = facts.scores.metrics[0].needs_hits(facts.depth)
    judged: dict[str, set[int]] = {}
    for query, _, rank, _ in facts.hits.rows.iter_rows():
        if rank <= k:
            judged.setdefault(query, set()).add(rank)
    names = (case.id for case in facts.cases)
    tops = {name: min(int(number), k) for name, number in zip(names, facts.results.tolist(), strict=True)}
    return {name: (top - len(judged.get(name, ())), top) for name, top in tops.items()}


def _bare(
    tested: Tested, at: int, fell: float, gates: Sequence[tuple[Gate, GateResult]], about: _Answers
) -> CaseResult:
    """Return a case without its results."""
    facts, comparison = tested.facts, tested.comparison
    case = facts.cases[at]
    errored, known = bool(facts.errored[at]), active_xfail(case.xfail, tested.today)
    unjudged, top = about.unjudged.get(case.id, (None, 0))
    passes = known is not None and known_miss_passes(case, facts, at)
    reasons = _reasons(case, facts, gates, about.missing.get(case.id, ()), known is not None)
    if passes and tested.xfail_strict:
        reasons = ("It is marked xfail and passes. Remove xfail.",)
    elif known is not None:
        reasons = ()
    state = CaseState.ERROR if errored else CaseState.FAILED if reasons else CaseState.PASSED
    both = comparison is not None and bool(comparison.both[at])
    targets = _targets(tested, case, about)
    rank = int(facts.first[at]) or None
    if rank is None and not facts.judged[at]:
        # Judgments that don't count in gates say where the expected result is.
        rank = min((one.rank for one in targets if one.grade > 0 and one.rank is not None), default=None)
    return CaseResult(
        name=case.id,
        query=case.query,
        where=short_where(case.where),
        state=state,
        change=None if known is not None else _change(tested, at, fell, unjudged),
        reasons=reasons,
        error=" ".join(about.errors.get(case.id, "").split()) if errored else "",
        known=None
        if known is None
        else KnownMiss(
            reason=known.reason, until=known.until.isoformat() if known.until else "", passes=passes
        ),
        values=_values(facts.scores.columns, at),
        before=_values(comparison.scores.columns, at) if both and comparison is not None else {},
        rank=rank,
        rank_before=(int(comparison.first[at]) or None) if both and comparison is not None else None,
        returned=int(facts.results[at]),
        unjudged=unjudged,
        top=top,
        unstable=comparison is not None and bool(comparison.unstable[at]),
        checks=tuple(
            ShownCheck(check=one.check, passed=one.passed, found=one.found)
            for one in facts.checks.get(case.id, ())
        ),
        category=case.category or "",
        tags=tuple(sorted(case.tags)),
        filters=dict(case.filters),
        weight=case.weight,
        notes=case.notes,
        seconds=about.seconds.get(case.id),
        targets=targets,
    )


def _values(columns: Mapping[str, Any], at: int) -> dict[str, float | None]:
    return {
        label: float(column.values[at]) if column.defined[at] else None for label, column in columns.items()
    }


def _change(tested: Tested, at: int, fell: float, unjudged: int | None) -> Change | None:
    """Return how a case compares with the baseline."""
    facts, comparison = tested.facts, tested.comparison
    if comparison is None:
        return None
    if not comparison.both[at]:
        return Change.NEW
    label = facts.scores.metrics[0].label
    if not comparison.defined(label, facts.scores)[at]:
        return None
    if facts.errored[at] or fell > EPS:
        return Change.UNKNOWN if unjudged else Change.REGRESSED
    return Change.IMPROVED if fell < -EPS else Change.UNCHANGED


def _reasons(
    case: Case,
    facts: Facts,
    gates: Sequence[tuple[Gate, GateResult]],
    missing: Sequence[GoneLocation],
    known: bool,
) -> tuple[str, ...]:
    """Return why a case failed, one sentence each."""
    found = []
    covered = any(gate.kind is Kind.CHECKS and _covers(gate, case) for gate, _ in gates)
    failed_checks = [one for one in facts.checks.get(case.id, ()) if not one.passed]
    if not known and not covered:
        found += [f"{one.check}: {one.found}" for one in failed_checks]
    for gate, result in gates:
        if gate.kind in (Kind.MIN, Kind.LOST, Kind.REGRESSED) and case.id in result.queries:
            found.append(result.text)
    counting = [one for one in missing if one.counts]
    if counting and bool(facts.scores.gone[[item.id for item in facts.cases].index(case.id)]):
        found.append(f"No target is left in the documents: {', '.join(one.target for one in counting)}.")
    return tuple(dict.fromkeys(found))


def _covers(gate: Gate, case: Case) -> bool:
    return gate.where is None or gate.where.covers(case)


def short_where(where: str) -> str:
    """Return file and line of a place in a file, without the column.

    >>> short_where("search.yaml:14:5"), short_where("search.yaml:14"), short_where("")
    ('search.yaml:14', 'search.yaml:14', '')
    """
    head, _, last = where.rpartition(":")
    return head if last.isdigit() and head.rpartition(":")[2].isdigit() else where


def _targets(tested: Tested, case: Case, about: _Answers) -> tuple[ShownTarget, ...]:
    missing = {one.target: one for one in about.missing.get(case.id, ())}
    moved = tested.moved or {}
    shown = []
    for row in tested.hits.targets.get(case.id, ()):
        number = int(row["target"])
        location = _location(case, row)
        lost = missing.get(location) if row["strategy"] == GONE else None
        shown.append(
            ShownTarget(
                location=location,
                grade=float(row["grade"]),
                rank=tested.hits.ranks.get((case.id, number)),
                before=None
                if tested.hits_before is None
                else tested.hits_before.ranks.get((case.id, number)),
                group=row["group"] or "",
                missing=""
                if row["strategy"] != GONE
                else lost.why
                if lost
                else "It is not in the documents.",
                moved_to=moved.get((case.id, location), ""),
                source=source_kind(row),
            )
        )
    return tuple(shown)


def source_kind(row: Mapping[str, Any]) -> str:
    """Return the kind of source of a judgment: person, import, model, clicks, estimated or proposed."""
    if row["text_hash"] is not None:
        return "estimated"
    if not row["reviewed"]:
        return "proposed"
    return str(row["source"]).partition(":")[0].partition(" ")[0]


def _location(case: Case, row: Mapping[str, Any]) -> str:
    """Return a target as the suite writes it, or else its lines."""
    written = [target.location for target in case.targets]
    number = int(row["target"])
    if row["text_hash"] is not None:
        return "answer"
    if number < len(written) and len(written) == len({str(one) for one in written}):
        place = written[number]
        if place.quote is None:
            return str(place)
    return location_text(row["id"], row["path"], row["start"], row["end"]) or ""


def _worth_details(bare: Sequence[CaseResult], fell: np.ndarray) -> Iterator[int]:
    """Return the positions of the cases that are reported with all their results."""
    keyed = sorted(
        range(len(bare)),
        key=lambda at: (
            bare[at].state is CaseState.PASSED,
            bare[at].change not in (Change.REGRESSED, Change.UNKNOWN),
            -abs(float(fell[at])),
            next((value for value in bare[at].values.values() if value is not None), 2.0),
        ),
    )
    yield from keyed[:DETAILED]


def _with_hits(
    tested: Tested, bare: Sequence[CaseResult], detailed: Collection[int]
) -> tuple[CaseResult, ...]:
    """Add results to cases: all of them to those in `detailed`, the first one to the others."""
    facts, comparison = tested.facts, tested.comparison
    names = [bare[at].name for at in sorted(detailed)]
    every = read_hits(facts.run, None if len(detailed) == len(bare) else names, facts.depth)
    others = {} if len(detailed) == len(bare) else read_hits(facts.run, None, 1)
    before = {} if comparison is None else read_hits(comparison.run, names, facts.depth)
    shown, then = tested.hits, tested.hits_before
    texts = _texts(facts.run, names)
    results = []
    for at, case in enumerate(bare):
        if at not in detailed:
            first = _hits(tested, case.name, others.get(case.name, ()), shown, {}, {}, bare=True)
            results.append(replace(case, hits=first))
            continue
        ranks = {hit.identity: hit.rank for hit in reversed(before.get(case.name, []))}
        hits = _hits(tested, case.name, every.get(case.name, ()), shown, texts, ranks)
        changed = case.change in (Change.REGRESSED, Change.UNKNOWN, Change.IMPROVED)
        old: tuple[ShownHit, ...] = ()
        if changed and then is not None:
            old = _hits(tested, case.name, before.get(case.name, ()), then, {}, {})
        targets = tuple(replace(one, title=_title(tested, one)) for one in case.targets)
        results.append(replace(case, hits=hits, hits_before=old, targets=targets))
    return tuple(results)


def _title(tested: Tested, target: ShownTarget) -> str:
    path, _, lines = target.location.rpartition(":")
    start, _, end = lines.partition("-")
    if not path or not start.isdigit():
        return ""
    return tested.title(path, int(start), int(end) if end.isdigit() else int(start))


def _texts(run: Run, names: Sequence[str]) -> dict[tuple[str, int], str]:
    return {
        (one.query, one.rank): " ".join(one.text.split())[:_TEXT]
        for one in kept_texts(run, names)
        if one.text is not None
    }


def _hits(
    tested: Tested,
    name: str,
    rows: Sequence[HitRow],
    judged: JudgedHits,
    texts: Mapping[tuple[str, int], str],
    before: Mapping[tuple[object, ...], int],
    *,
    bare: bool = False,
) -> tuple[ShownHit, ...]:
    shown = []
    earned: set[int] = set()
    for row in rows:
        reached = judged.reached.get((name, row.rank), ())
        title = ""
        if not bare and row.path is not None and row.start is not None:
            title = tested.title(row.path, row.start, row.end)
        shown.append(
            ShownHit(
                rank=row.rank,
                location=row.location or "",
                title=title,
                text=texts.get((name, row.rank), ""),
                grade=judged.grades.get((name, row.rank)),
                targets=tuple(reached),
                duplicate=bool(reached) and set(reached) <= earned,
                before=before.get(row.identity),
                score=row.score,
                lines=None if row.start is None or row.end is None else row.end - row.start + 1,
            )
        )
        earned.update(reached)
    return tuple(shown)


def slice_results(tested: Tested, cases: Sequence[CaseResult]) -> tuple[SliceResult, ...]:
    """Return every metric over the cases of each category, tag and filter value."""
    facts, comparison = tested.facts, tested.comparison
    members: dict[tuple[str, str], list[int]] = {}
    for row, case in enumerate(facts.cases):
        if not facts.counted[row]:
            continue
        if case.category:
            members.setdefault(("category", case.category), []).append(row)
        for tag in sorted(case.tags):
            members.setdefault(("tag", tag), []).append(row)
        for key, value in case.filters.items():
            for one in (value,) if isinstance(value, str) else value:
                members.setdefault((key, one), []).append(row)
    found = []
    for (key, name), rows in sorted(members.items(), key=lambda item: item[0]):
        at = np.array(rows)
        found.append(
            SliceResult(
                key=key,
                name=name,
                count=len(rows),
                values={
                    metric.label: _mean(facts.scores.columns[metric.label], facts.scores.weights, at, metric)
                    for metric in facts.scores.metrics
                },
                before={}
                if comparison is None
                else {
                    metric.label: _mean(
                        comparison.scores.columns[metric.label],
                        facts.scores.weights,
                        at[comparison.both[at]],
                        metric,
                    )
                    for metric in facts.scores.metrics
                },
                failed=sum(cases[row].state is CaseState.FAILED for row in rows),
                regressed=sum(_regressed(cases[row]) for row in rows),
            )
        )
    return tuple(found)


def _mean(column: Any, weights: np.ndarray, rows: np.ndarray, metric: Any) -> float | None:
    rows = rows[column.defined[rows]]
    return aggregate(column.values[rows], weights[rows], metric.statistic)


def gating_judgments(judgments: Judgments, sources: Collection[str]) -> Judgments:
    """Return the judgments that gates count: those of some kinds of sources."""
    kind = (
        pl.when(pl.col("text_hash").is_not_null())
        .then(pl.lit("estimated"))
        .when(~pl.col("reviewed"))
        .then(pl.lit("proposed"))
        .otherwise(pl.col("source").str.extract(r"^([^: ]*)", 1))
    )
    keep = judgments.targets.select(kind.is_in(list(sources)).alias("keep"))["keep"]
    if keep.all():
        return judgments
    cases = judgments.cases
    if "estimated" not in sources:
        cases = cases.with_columns(estimated=pl.lit(value=False))
    return replace(judgments, targets=judgments.targets.filter(keep), cases=cases)
