"""Decide gates: what each measures in a run, whether it holds, and which queries explain a failure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from rankgate.errors import Code, InputError, Problem
from rankgate.gates.checks import CheckResult, ProbeResult
from rankgate.gates.compare import Comparison, overlap, rankings, rbo
from rankgate.gates.language import COMPARING, EPS, SHARES, Gate, Kind, missing_slice, values_of, written
from rankgate.model import Case, Suite
from rankgate.report import GateResult, GateState
from rankgate.runs.store.schemas import HITS
from rankgate.runs.store.tables import MemoryRun, Run, Shard
from rankgate.scoring.evaluate import score
from rankgate.scoring.matches import Bools, Floats, Ints
from rankgate.scoring.metric import Metric, aggregate
from rankgate.scoring.placements import JudgedHits
from rankgate.scoring.scores import Scores
from rankgate.truth.judgments.table import Judgments
from rankgate.truth.outline_below import OutlineTitles
from rankgate.truth.resolve import GoneLocation
from rankgate.wording import value_text

_UNCLEAR = 0.2
"""The share of queries whose baseline may be wrong from which on a gate is inconclusive."""


@dataclass(frozen=True, slots=True, eq=False)
class Tested:
    """A suite, what its system returned, and what both are worth: what gates and reports read.

    Arrays have one value per case, in the order of the suite.
    """

    suite: Suite
    judgments: Judgments
    """All judgments, located."""
    gating: Judgments
    """The judgments that gates count."""
    run: Run
    repeats: tuple[Run, ...]
    depth: int
    scores: Scores
    """The scores of the run by the judgments that gates count; with repeats, their mean."""
    own: Bools
    """The cases that gates read: all but `fresh`."""
    counted: Bools
    """The cases that gates count: all of these but known misses."""
    known: Bools
    """The known misses."""
    judged: Bools
    """The cases with a relevant judgment that gates count."""
    errored: Bools
    """The cases with an error or a time-out."""
    expects_empty: Bools
    """The cases that expect no result, or none with a high score."""
    results: Ints
    """The number of results."""
    first: Ints
    """The rank of the first result that reaches a relevant target, 0 without one."""
    hits: JudgedHits
    """The run's results joined with all judgments."""
    gating_hits: JudgedHits
    """The run's results joined with the judgments that gates count."""
    hits_before: JudgedHits | None
    """The baseline's results joined with all judgments."""
    references: Mapping[str | None, Comparison | None]
    """What gates compare with, by the name after `against`; null is the system's own baseline."""
    comparison: Comparison | None
    """The comparison with the system's own baseline."""
    checks: Mapping[str, tuple[CheckResult, ...]]
    """The checks that were evaluated, by case."""
    probes: tuple[ProbeResult, ...]
    missing: tuple[GoneLocation, ...]
    """The targets and checks whose location is not in the documents."""
    moved: Mapping[tuple[str, str], str]
    """Where the text of missing targets is now, by case and location."""
    unstable: tuple[str, ...]
    """The cases with a value or targets that differ between repeats."""
    titles: OutlineTitles
    """The headings and symbols of the documents, and their text."""
    xfail_strict: bool
    """True if a known miss that passes fails the test."""
    fresh: frozenset[str]
    """The cases of which only the checks count: new ones, if the test of the base commit decides."""
    left_out: tuple[Case, ...]
    """The cases that were removed with their documents. A gate over nothing else is not enforced."""

    @property
    def selected(self) -> bool:
        """True if only some cases of the suite were run."""
        return self.suite.whole is not None

    def metric(self, label: str) -> Metric:
        """Return a metric that was scored."""
        return next(one for one in self.scores.metrics if one.label == label)


def _covers(gate: Gate, case: Case) -> bool:
    if gate.where is not None:
        return gate.where.covers(case)
    return gate.worst is None or bool(values_of(case, gate.worst))


@dataclass(frozen=True, slots=True)
class _Measured:
    """What a gate measured: its value, the number behind it, and the queries that explain a failure."""

    value: float
    count: int
    queries: tuple[str, ...] = ()
    slice: str = ""


def decide(gates: Sequence[Gate], tested: Tested) -> tuple[GateResult, ...]:
    """Decide every gate."""
    return tuple(decide_gate(gate, tested) for gate in gates)


def decide_gate(gate: Gate, tested: Tested) -> GateResult:
    """Decide one gate."""
    if gate.kind in (Kind.SCENARIOS, Kind.INVARIANTS):
        return _probed(gate, tested)
    reads = _reads(gate, tested)
    reference = tested.references.get(gate.against) if gate.kind in COMPARING else None
    if not reads.any():
        if any(_covers(gate, case) for case in tested.left_out):
            return _result(
                gate, GateState.NOT_ENFORCED, reason="Its cases were removed with their documents."
            )
        state = GateState.NOT_ENFORCED if gate.default or tested.selected else GateState.OVER_NOTHING
        return _result(gate, state, reason=_nothing(gate, tested))
    if gate.kind in COMPARING and reference is None:
        of = f" of {gate.against}" if gate.against else ""
        return _result(gate, GateState.NOT_ENFORCED, reason=f"There is no baseline{of} yet.")
    pool = _pool(gate, tested, reads & tested.counted, reference)
    checks = gate.kind is Kind.CHECKS
    found = _checks(tested, pool) if checks else _measure(gate, tested, pool, reference)
    if found is None:
        return _result(gate, GateState.NOT_ENFORCED, reason=_empty_pool(gate, tested, reads, reference))
    return _decided(gate, tested, found, pool, reference)


def not_believed(gate: GateResult) -> GateResult:
    """Return the result of a gate if the run says nothing about the search: its figure is not enforced."""
    if gate.state is GateState.OVER_NOTHING:
        return gate
    why = "The results of this run say nothing about the search."
    return replace(gate, state=GateState.NOT_ENFORCED, reason=why, queries=())


def _decided(
    gate: Gate, tested: Tested, found: _Measured, pool: Bools, reference: Comparison | None
) -> GateResult:
    """Compare what was measured with the threshold, unless the baseline leaves it open."""
    state = GateState.PASSED if gate.holds(found.value) else GateState.FAILED
    reason = _unclear(gate, tested, state, pool, found.count, reference)
    if reason:
        state = GateState.INCONCLUSIVE
    if tested.selected and not gate.holds_for_selection:
        state, reason = GateState.NOT_ENFORCED, "Only some queries of the suite were run."
    if state is GateState.FAILED and gate.kind in (Kind.LEVEL, Kind.MIN) and gate.higher_is_better:
        reason = _attainable(gate, tested, pool, found)
    queries = found.queries if state is GateState.FAILED else ()
    return replace(
        _result(gate, state, reason=reason),
        value=found.value,
        text=_text(gate, found, others=_has_others(tested, pool)),
        queries=queries,
        count=found.count,
    )


def _result(gate: Gate, state: GateState, *, reason: str = "") -> GateResult:
    return GateResult(
        gate=gate.text,
        state=state,
        text=gate.text,
        reason=reason,
        unit=gate.unit,
        threshold=gate.threshold,
        goal=gate.goal,
        where=gate.location,
        default=gate.default,
    )


def _reads(gate: Gate, tested: Tested) -> Bools:
    """Mark the cases that have what a gate reads, whatever their results are."""
    covered: Bools = tested.own & np.array([_covers(gate, case) for case in tested.suite.cases], dtype=bool)
    if gate.kind is Kind.CHECKS:
        names = np.array([_has_checks(case) for case in tested.suite.cases], dtype=bool)
        covered = covered & names
    elif gate.kind is Kind.ZERO:
        covered = covered & ~tested.expects_empty
    elif gate.kind is Kind.LOST or (gate.label is not None and tested.metric(gate.label).about_labels):
        covered = covered & tested.judged
    return covered


def _has_checks(case: Case) -> bool:
    return bool(case.top or case.targets_within or case.expects_nothing or case.xfail)


def _pool(gate: Gate, tested: Tested, rows: Bools, reference: Comparison | None) -> Bools:
    """Mark the cases behind the value of a gate."""
    if gate.kind in (Kind.LEVEL, Kind.MIN):
        return rows & tested.scores.columns[str(gate.label)].defined
    if gate.kind is Kind.ZERO:
        return rows & ~tested.errored
    if reference is None:
        return rows
    if gate.label is not None:
        rows = rows & reference.defined(gate.label, tested.scores)
    if gate.kind is Kind.LOST:
        rows = rows & ~tested.scores.gone
    if gate.kind in (Kind.LOST, Kind.REGRESSED):
        rows = rows & ~reference.unstable
    return rows & reference.both


def _measure(gate: Gate, tested: Tested, pool: Bools, reference: Comparison | None) -> _Measured | None:
    """Measure a metric, a drop, a count or an overlap over a pool of cases; null over nothing."""
    if not pool.any():
        return None
    if gate.kind in (Kind.LEVEL, Kind.MIN):
        return _level(gate, tested, pool)
    if gate.kind in (Kind.ZERO, Kind.ERRORS):
        bad = pool & (tested.errored if gate.kind is Kind.ERRORS else tested.results == 0)
        return _counted(gate, pool, bad, _names(tested, bad))
    if reference is None:
        return None
    if gate.kind in (Kind.OVERLAP, Kind.RBO):
        return _common(gate, tested, pool, reference)
    primary = tested.scores.metrics[0].label
    if gate.kind is Kind.DROP:
        fell = reference.fell(str(gate.label), tested.scores)
        value = aggregate(fell[pool], tested.scores.weights[pool], "mean")
        return _Measured(
            float(value or 0.0) + 0.0, int(pool.sum()), _names(tested, pool & (fell > EPS), key=-fell)
        )
    if gate.kind is Kind.REGRESSED:
        fell = reference.fell(str(gate.label), tested.scores)
        bad = pool & ((fell > EPS) | tested.errored)
    else:
        bad = pool & lost(tested, reference, int(gate.k or tested.depth))
    return _counted(gate, pool, bad, _names(tested, bad, key=-reference.fell(primary, tested.scores)))


def lost(tested: Tested, reference: Comparison, k: int) -> Bools:
    """Mark the cases that lost their last relevant result from the top `k`; an error loses nothing."""
    now, before = tested.first, reference.first
    marked: Bools = (before > 0) & (before <= k) & ((now == 0) | (now > k)) & ~tested.errored
    return marked


def _counted(gate: Gate, pool: Bools, bad: Bools, queries: tuple[str, ...]) -> _Measured:
    number, count = int(bad.sum()), int(pool.sum())
    return _Measured(number / count if gate.unit == "%" else float(number), count, queries)


def _names(tested: Tested, rows: Bools, key: Floats | None = None) -> tuple[str, ...]:
    """Return the names of cases, sorted by a key and then in the order of the suite."""
    found = np.flatnonzero(rows)
    if key is not None:
        found = found[np.argsort(np.round(key[found], 9), kind="stable")]  # the last bit decides no order
    return tuple(tested.suite.cases[at].id for at in found.tolist())


def _level(gate: Gate, tested: Tested, pool: Bools) -> _Measured:
    """Measure a metric: over all cases of the pool, over the worst slice, or of the worst query."""
    label, scores = str(gate.label), tested.scores
    values, metric = scores.columns[label].values, tested.metric(label)
    parts: dict[str, Bools] = {"": pool}
    if gate.worst is not None:
        parts = {}
        for at in np.flatnonzero(pool).tolist():
            for value in values_of(tested.suite.cases[at], gate.worst):
                parts.setdefault(value, np.zeros_like(pool))[at] = True
    if gate.kind is Kind.MIN:
        each = values[pool]
        figure, worst, name = float(each.min() if gate.higher_is_better else each.max()), pool, ""
    else:
        means = {
            name: float(aggregate(values[rows], scores.weights[rows], metric.statistic) or 0.0)
            for name, rows in parts.items()
        }
        pick = min if gate.higher_is_better else max
        name = pick(means, key=means.__getitem__)
        figure, worst = means[name], parts[name]
    bad = worst & np.array([not gate.holds(one) for one in values.tolist()], dtype=bool)
    regressed = np.zeros_like(pool)
    own = tested.comparison
    if own is not None:
        regressed = own.defined(label, scores) & ((own.fell(label, scores) > EPS) | tested.errored)
    order = np.where(regressed, 0, 1) * 1e9 + (values if gate.higher_is_better else -values)
    return _Measured(figure, int(worst.sum()), _names(tested, bad, key=order), name)


def _common(gate: Gate, tested: Tested, pool: Bools, reference: Comparison) -> _Measured | None:
    """Measure how much the results have in common with the reference's."""
    k = int(gate.k or tested.depth)
    names = [tested.suite.cases[at].id for at in np.flatnonzero(pool).tolist()]
    now, before = rankings(tested.run, names), rankings(reference.run, names)
    values, defined = np.zeros(len(tested.suite.cases)), np.zeros_like(pool)
    measure: Callable[..., float | None] = overlap if gate.kind is Kind.OVERLAP else rbo
    for at in np.flatnonzero(pool).tolist():
        name = tested.suite.cases[at].id
        both = now.get(name, [])[:k], before.get(name, [])[:k]
        found = measure(*both, failed=bool(tested.errored[at]))
        if found is not None:
            values[at], defined[at] = found, True
    if not defined.any():
        return None
    value = float(aggregate(values[defined], tested.scores.weights[defined], "mean") or 0.0)
    bad = defined & (values < gate.threshold - EPS)
    return _Measured(value, int(defined.sum()), _names(tested, bad, key=values))


def _checks(tested: Tested, pool: Bools) -> _Measured | None:
    """Measure the share of checks that passed."""
    names = _names(tested, pool)
    each = [check for name in names for check in tested.checks.get(name, ())]
    if not each:
        return None
    bad = tuple(name for name in names if not all(check.passed for check in tested.checks.get(name, ())))
    return _Measured(sum(check.passed for check in each) / len(each), len(each), bad)


def _probed(gate: Gate, tested: Tested) -> GateResult:
    """Decide a gate on scenarios or invariants."""
    kind = str(gate.kind).removesuffix("s")
    every = [one for one in tested.probes if one.kind == kind]
    if not every:
        state = GateState.NOT_ENFORCED if tested.selected else GateState.OVER_NOTHING
        return _result(gate, state, reason=f"The suite has no {gate.kind}.")
    run = [one for one in every if one.passed is not None and one.known is None]
    if not run:
        return _result(gate, GateState.NOT_ENFORCED, reason=f"None of the {gate.kind} was run.")
    bad = tuple(one.name for one in run if not one.passed)
    value = 1 - len(bad) / len(run)
    return _decided(gate, tested, _Measured(value, len(run), bad), np.ones(0, dtype=bool), None)


def _unclear(
    gate: Gate, tested: Tested, state: GateState, pool: Bools, count: int, reference: Comparison | None
) -> str:
    """Return why the baseline leaves a verdict over so many queries open; empty if it does not."""
    if reference is None:
        return ""
    k = tested.metric(gate.label).needs_hits(tested.depth) if gate.label else int(gate.k or tested.depth)
    similar = gate.kind in (Kind.OVERLAP, Kind.RBO)
    if reference.depth is not None and k > reference.depth and (similar or state is GateState.PASSED):
        return f"The baseline has {reference.depth} results per query, and the gate reads {k}."
    unlocated = int(((reference.different if similar else reference.unlocated) & pool).sum())
    # Results that can't be located make a baseline look worse, and different from any run.
    open_state = GateState.FAILED if similar else GateState.PASSED
    if unlocated > _UNCLEAR * count and state is open_state:
        return f"Results of {unlocated} of {count} queries of the baseline can't be located."
    return ""


def _nothing(gate: Gate, tested: Tested) -> str:
    if found := missing_slice(gate, tested.suite.cases):
        return found
    what = {
        Kind.CHECKS: "no case with a check",
        Kind.ZERO: "no case that expects a result",
    }.get(gate.kind, "no case")
    if gate.kind is Kind.LOST or (gate.label is not None and gate.kind is not Kind.ERRORS):
        what = "no case with a relevant judgment that counts in gates"
    slice_ = f" in {gate.where}" if gate.where else f" with a {gate.worst}" if gate.worst else ""
    return f"There is {what}{slice_}."


def _empty_pool(gate: Gate, tested: Tested, reads: Bools, reference: Comparison | None) -> str:
    """Return why no case that a gate reads counts."""
    if not (reads & tested.counted).any():
        return "All its queries are known misses."
    if reference is not None:
        rows = reads & tested.counted
        if not (rows & reference.both).any():
            where = "the baseline" if reference.name.startswith("baseline") else reference.name
            return f"None of its queries is in {where}."
        if (
            gate.kind in (Kind.LOST, Kind.REGRESSED)
            and not (rows & reference.both & ~reference.unstable).any()
        ):
            return "All its queries are unstable."
    if gate.kind is Kind.CHECKS or (reads & tested.counted & tested.errored).any():
        return "The system answered none of its queries."
    return "None of its queries has a value."


def _attainable(gate: Gate, tested: Tested, pool: Bools, found: _Measured) -> str:
    """Return the largest value that any ranking reaches, if that is below the threshold."""
    label = str(gate.label)
    metric = tested.metric(label)
    if not metric.about_labels or metric.reads:
        return ""
    ideal = score(tested.gating, _ideal_run(tested), [written(metric)], depth=tested.depth).columns[label]
    rows = pool & ideal.defined
    if gate.worst is not None:
        rows = rows & np.array(
            [found.slice in values_of(case, gate.worst) for case in tested.suite.cases], dtype=bool
        )
    if not rows.any():
        return ""
    values = ideal.values[rows]
    best = (
        float(values.min())
        if gate.kind is Kind.MIN
        else aggregate(values, tested.scores.weights[rows], "mean")
    )
    if best is None or gate.holds(best):
        return ""
    largest = value_text(best, gate.unit, gate.threshold)
    return f"No ranking can pass it: the largest possible value is {largest}."


def _ideal_run(tested: Tested) -> MemoryRun:
    """Return a run that ranks the best alternative of every target, the best first."""
    targets = tested.gating.targets.filter(pl.col("grade") > 0).sort(
        "query", "grade", descending=[False, True]
    )
    unit = pl.coalesce("group", pl.format("#{}", "target"))
    targets = targets.filter(unit.is_first_distinct().over("query"))
    rank = pl.int_range(1, pl.len() + 1).over("query").cast(pl.UInt32)
    columns = ["query", "id", "path", "start", "end", "start_char", "end_char"]
    hits = targets.select(columns).with_columns(rank=rank).filter(pl.col("rank") <= tested.depth)
    counts = hits.group_by("query").agg(hits=pl.len().cast(pl.UInt32))
    queries = tested.gating.cases.select("query").join(counts, on="query", how="left", maintain_order="left")
    return MemoryRun(
        "ideal", [Shard.of(queries.with_columns(pl.col("hits").fill_null(0)), HITS.conform(hits, "ideal"))]
    )


def _has_others(tested: Tested, pool: Bools) -> bool:
    """Check whether a pool has cases that the baseline does not have: its figure is of other queries."""
    own = tested.references.get(None)
    return own is not None and len(pool) == len(own.both) and bool((pool & ~own.both).any())


def _text(gate: Gate, found: _Measured, *, others: bool) -> str:
    """Return a gate with its value and what it requires, in one line.

    The value has enough digits to see on which side of the threshold it is.
    """
    slice_ = f" where {gate.where}" if gate.where else ""
    worst = f" in {gate.worst} {found.slice}" if gate.worst else ""
    against = f" against {gate.against}" if gate.against else ""
    word = "checks" if gate.kind is Kind.CHECKS else str(gate.kind) if gate.kind in SHARES else ""
    noun = word.removesuffix("s" if found.count == 1 else "") or ("query" if found.count == 1 else "queries")
    over = f" over {found.count:,} {noun}" if gate.where or gate.worst or word or others else ""
    goal = f", goal {gate.goal_text}" if gate.goal is not None else ""
    value = value_text(found.value, gate.unit, gate.threshold)
    return f"{gate.measure}{slice_}{against} = {value}{worst}{over} ({requirement(gate)}{goal})"


def requirement(gate: Gate) -> str:
    """Return what a gate requires: ``at least 0.65``, ``at most 0.01``, ``required: 0``."""
    words = {">=": "at least", "<=": "at most", "<": "less than", "=": "required:"}
    return f"{words[gate.sign]} {gate.threshold_text}"


"""The number of values of a key that a message names."""


def check_names(gates: Sequence[Gate], known: Sequence[str]) -> None:
    """Check that each name after `against` is a system or has a baseline.

    Raises:
        InputError: for every other name.
    """
    problems = [
        Problem(
            gate.location or f"gate {gate.text!r}",
            f"against {gate.against}",
            f"one of {', '.join(known)}",
            said=f"{gate.location + ': ' if gate.location else ''}the gate {gate.text!r} compares with "
            f"{gate.against!r}, which is no system and has no baseline. Known: {', '.join(known) or 'none'}.",
            code=Code.UNKNOWN_SYSTEM,
        )
        for gate in gates
        if gate.against is not None and gate.against not in known
    ]
    if problems:
        raise InputError(problems)
