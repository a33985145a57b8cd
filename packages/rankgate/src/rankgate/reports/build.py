"""Build the report of a test: every figure and every fact that renderers show."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib import metadata
from itertools import islice
from platform import python_version

import numpy as np

from rankgate.cases import attention, is_regressed, known_miss, short_where
from rankgate.errors import ExitCode, RankgateError
from rankgate.gates.checks import ProbeResult
from rankgate.gates.compare import Comparison
from rankgate.gates.decide import Tested
from rankgate.gates.language import Gate, values_of, written
from rankgate.report import (
    CaseResult,
    CaseState,
    Change,
    ComparisonResult,
    GateResult,
    GateState,
    MetricResult,
    NotGating,
    ProbeReport,
    Report,
    SliceResult,
    State,
)
from rankgate.reports.problems import Problem, could_have_failed, other_sources
from rankgate.reports.recommend import recommendations
from rankgate.runs.store.hits import hit_counts
from rankgate.scoring.evaluate import score
from rankgate.scoring.matches import Bools
from rankgate.scoring.metric import Metric, aggregate

_DIGEST = 12


@dataclass(frozen=True, slots=True)
class About:
    """What a report says of a test beside its results."""

    command_system: str = ""
    """What commands call the system; empty if it has no name in the project."""
    suite_option: str = ""
    """``--suite FILE``; empty if commands find the suite without it."""
    version: str | None = None
    """The version of the system."""
    corpus: str = ""
    """The fingerprint of the documents."""
    requests: str = ""
    """How the queries were sent."""
    seconds: float | None = None
    notes: tuple[str, ...] = ()
    lenient: bool = False
    """True if an inconclusive gate is reported and does not fail the test."""


def build_report(
    tested: Tested,
    gates: Sequence[tuple[Gate, GateResult]],
    cases: tuple[CaseResult, ...],
    problems: Sequence[Problem],
    about: About,
) -> Report:
    """Build the report of a test."""
    suite, results = tested.suite, tuple(result for _, result in gates)
    states = [gate.state for gate in results]
    # A case without any target left in the documents is a missing target, and no failed check.
    # An error can have a failed check too: that its `xfail` has expired.
    failed = [case for case in cases if case.reasons and (case.known or not _passed(case))]
    every = list(problems)
    stopped = any(one.code is ExitCode.SYSTEM_FAILED for one in every)
    if (failed or GateState.FAILED in states) and not stopped:
        every.append(Problem(ExitCode.GATE_FAILED, "failed"))
    if GateState.INCONCLUSIVE in states:
        every.append(Problem(ExitCode.INCONCLUSIVE, "inconclusive"))
    code = ExitCode.worst(
        one.code for one in every if not (about.lenient and one.code is ExitCode.INCONCLUSIVE)
    )
    enforced = could_have_failed(tested, gates)
    label = tested.scores.metrics[0].label
    look_at = attention(cases, results, label)
    slices = tuple(_slices(tested, cases))
    manifest = getattr(tested.run, "manifest", None)
    finished = None if manifest is None else manifest.finished
    return Report(
        suite=suite.name,
        system=about.command_system or tested.run.name,
        path=suite.path or "",
        state=_state(code, every, enforced=enforced),
        exit_code=int(code),
        causes=tuple(one.cause for one in sorted(every, key=lambda one: _ORDER.index(one.code))),
        problems=tuple(sentence for one in every for sentence in one.sentences),
        primary=label,
        depth=tested.depth,
        selected=len(tested.suite.cases) if tested.selected else None,
        total=len((suite.whole or suite).cases),
        metrics=tuple(_metrics(tested, tested.counted)),
        gates=results,
        cases=cases,
        attention=look_at,
        slices=slices,
        scenarios=tuple(_probe(one) for one in tested.probes if one.kind == "scenario"),
        invariants=tuple(_probe(one) for one in tested.probes if one.kind == "invariant"),
        comparison=_comparison(tested, cases),
        recommendations=()
        if stopped
        else recommendations(cases, slices, label, partial(_case_command, about)),
        not_gating=tuple(_not_gating(tested)),
        unstable=tested.unstable,
        notes=tuple(dict.fromkeys((*about.notes, *tested.scores.notes, *_baseline_notes(tested)))),
        next=tuple(
            _next(
                about,
                suite.path or "",
                every,
                cases,
                look_at,
                enforced=enforced,
                selected=tested.selected,
                comparison=tested.comparison,
            )
        ),
        provenance=_provenance(tested, about),
        time=finished or datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=about.seconds,
    )


_ORDER = (
    ExitCode.WRONG_CALL,
    ExitCode.SYSTEM_FAILED,
    ExitCode.GATE_FAILED,
    ExitCode.INCONCLUSIVE,
)
_STATES = {
    ExitCode.WRONG_CALL: State.INVALID,
    ExitCode.SYSTEM_FAILED: State.SYSTEM_FAILED,
    ExitCode.GATE_FAILED: State.FAILED,
    ExitCode.INCONCLUSIVE: State.INCONCLUSIVE,
}


def _state(code: ExitCode, problems: Sequence[Problem], *, enforced: bool) -> State:
    if code is not ExitCode.PASSED:
        return _STATES.get(code, State.CRASHED)
    if problems:
        return State.INCONCLUSIVE
    return State.PASSED if enforced else State.NO_GATES


def _passed(case: CaseResult) -> bool:
    return all(check.passed for check in case.checks)


def _baseline_notes(tested: Tested) -> tuple[str, ...]:
    return () if tested.comparison is None else tested.comparison.notes


def _provenance(tested: Tested, about: About) -> dict[str, str]:
    """Return what was tested, with which settings."""
    suite, run = tested.suite, tested.run
    manifest, comparison = getattr(run, "manifest", None), tested.comparison
    facts = {
        "suite": suite.fingerprint[:_DIGEST],
        "corpus": about.corpus[:_DIGEST],
        "system": f"{run.name} {about.version}" if about.version else run.name,
        "commit": manifest.commit[:10] + "+" * manifest.changed if manifest and manifest.commit else "",
        "compared with": comparison.name if comparison and comparison.name != "baseline" else "",
        "results per query": str(tested.depth),
        "located": str(hit_counts(run)),
        "requests": about.requests,
        "judgments": "pooled: unlisted results are unjudged" if suite.unlisted == "unjudged" else "",
    }
    return {name: value for name, value in facts.items() if value} | versions()


def _metrics(tested: Tested, among: Bools) -> Iterator[MetricResult]:
    """Return every metric over some cases: with a baseline over those that both have."""
    comparison = tested.comparison
    for metric in tested.scores.metrics:
        column = tested.scores.columns[metric.label]
        rows = among & column.defined
        undefined = int((among & ~column.defined & ~tested.expects_empty).sum())
        before = new = None
        fresh = np.zeros_like(rows)
        if comparison is not None:
            both = rows & comparison.defined(metric.label, tested.scores)
            if both.any():
                fresh, rows = rows & ~comparison.both, both
                before = _mean(comparison.scores.columns[metric.label].values, tested, rows, metric)
                new = _mean(column.values, tested, fresh, metric)
        weights = tested.scores.weights[rows]
        uneven = len(weights) and not (weights == weights[0]).all()
        yield MetricResult(
            metric=metric.label,
            value=_mean(column.values, tested, rows, metric),
            count=int(rows.sum()),
            before=before,
            new=new,
            new_count=int(fresh.sum()),
            unit=metric.unit,
            undefined=undefined,
            estimated=tested.scores.rests_on_tokens(metric.label),
            effective=float(weights.sum() ** 2 / (weights**2).sum()) if uneven else None,
            less_is_better=metric.less_is_better,
        )


def _mean(values: np.ndarray, tested: Tested, rows: Bools, metric: Metric) -> float | None:
    return aggregate(values[rows], tested.scores.weights[rows], metric.statistic)


def _slices(tested: Tested, cases: Sequence[CaseResult]) -> Iterator[SliceResult]:
    """Return every metric over the cases of each category, tag and filter value."""
    members: dict[tuple[str, str], list[int]] = {}
    for row in np.flatnonzero(tested.counted).tolist():
        case = tested.suite.cases[row]
        for key in ("category", "tag", *case.filters):
            for value in values_of(case, key):
                members.setdefault((key, value), []).append(row)
    for (key, name), rows in sorted(members.items()):
        among = np.zeros(len(tested.suite.cases), dtype=bool)
        among[rows] = True
        if tested.comparison is not None and (common := among & tested.comparison.both).any():
            among = common
        metrics = list(_metrics(tested, among))
        yield SliceResult(
            key=key,
            name=name,
            count=int(among.sum()),
            values={one.metric: one.value for one in metrics},
            before={one.metric: one.before for one in metrics} if tested.comparison is not None else {},
            failed=sum(cases[row].state is CaseState.FAILED for row in rows),
            regressed=sum(is_regressed(cases[row]) for row in rows),
        )


def _comparison(tested: Tested, cases: Sequence[CaseResult]) -> ComparisonResult | None:
    comparison = tested.comparison
    if comparison is None:
        return None
    stable = [case for case in cases if not case.unstable]
    changes = [case.change for case in stable]
    return ComparisonResult(
        name=comparison.name,
        regressed=sum(one in (Change.REGRESSED, Change.UNKNOWN) for one in changes),
        unknown=changes.count(Change.UNKNOWN),
        improved=changes.count(Change.IMPROVED),
        unchanged=changes.count(Change.UNCHANGED),
        unstable=tuple(case.name for case in cases if case.unstable),
        removed=comparison.removed,
        new=tuple(case.name for case, both in zip(cases, comparison.both, strict=True) if not both),
        unlocated=comparison.unlocated_hits,
        length=comparison.length,
    )


def _probe(one: ProbeResult) -> ProbeReport:
    """Return a scenario or an invariant as a report has it."""
    state = None
    if one.passed is not None:
        state = CaseState.PASSED if one.passed or one.known is not None else CaseState.FAILED
    return ProbeReport(
        name=one.name,
        state=state,
        reasons=one.reasons,
        where=short_where(one.where),
        known=known_miss(one.known, passes=bool(one.passed)),
        calls=one.calls,
        tokens=one.tokens,
    )


def _not_gating(tested: Tested) -> Iterator[NotGating]:
    """Return the first metric that applies to the cases that have only judgments that gates don't count."""
    sources = other_sources(tested)
    if not sources:
        return
    metrics = [metric for metric in tested.scores.metrics if metric.about_labels]
    scores = score(tested.judgments, tested.run, [written(metric) for metric in metrics], depth=tested.depth)
    for metric in metrics:
        column = scores.columns[metric.label]
        rows = column.defined & ~tested.judged & tested.counted
        if rows.any():
            value = aggregate(column.values[rows], scores.weights[rows], metric.statistic)
            yield NotGating(metric=metric.label, value=value, count=int(rows.sum()), sources=tuple(sources))
            return


def _next(
    about: About,
    path: str,
    problems: Sequence[Problem],
    cases: Sequence[CaseResult],
    look_at: Sequence[str],
    *,
    enforced: bool,
    selected: bool,
    comparison: Comparison | None,
) -> Iterator[str]:
    """Return the commands to run next, the most useful first."""
    yield from dict.fromkeys(one.command for one in problems if one.command)
    system = about.command_system
    if not system:
        return
    if any(one.code is ExitCode.SYSTEM_FAILED for one in problems):
        errors = (case.name for case in cases if case.state is CaseState.ERROR)
        yield from (_case_command(about, name, "--raw") for name in islice(errors, 1))
        return
    unknown = sum(case.change is Change.UNKNOWN for case in cases)
    failed = any(one.code is ExitCode.GATE_FAILED for one in problems)
    if failed and 2 * unknown > len(look_at):
        yield f"rankgate judge {path}".rstrip()
    elif failed and look_at:
        yield _case_command(about, look_at[0])
    if not enforced and not problems and comparison is None and not selected:
        yield f"rankgate baseline set {path} --system {system}".replace("  ", " ")


def _case_command(about: About, case: str, option: str = "--explain") -> str:
    """Return the command that runs one case again."""
    system = shlex.quote(about.command_system) if about.command_system else "SYSTEM"
    words = ("rankgate query", system, about.suite_option, "--case", shlex.quote(case), option)
    return " ".join(filter(None, words))


def refused_report(suite: str, system: str, error: RankgateError | ExitCode, path: str = "") -> Report:
    """Return the report of a test that could not be run."""
    code = error if isinstance(error, ExitCode) else error.exit_code
    sentences: tuple[str, ...] = ()
    if isinstance(error, RankgateError):
        sentences = tuple(one.coded for one in error.problems) or (error.coded,)
    state = {ExitCode.SYSTEM_FAILED: State.SYSTEM_FAILED, ExitCode.CRASHED: State.CRASHED}
    return Report(
        suite=suite,
        system=system,
        path=path,
        state=state.get(code, State.INVALID),
        exit_code=int(code),
        causes=(code.brief,),
        problems=sentences,
        provenance=versions(),
    )


def not_tested_report(suite: str, system: str, cause: str, path: str = "") -> Report:
    """Return the report of a test that was skipped, such as one whose system needs what is missing."""
    return Report(
        suite=suite,
        system=system,
        path=path,
        state=State.NOT_TESTED,
        exit_code=int(ExitCode.PASSED),
        causes=(cause,),
        provenance=versions(),
    )


def versions() -> dict[str, str]:
    """Return the versions of rankgate and Python."""
    return {"rankgate": metadata.version("rankgate"), "Python": python_version()}
