"""Build the report of a test: every figure and every fact that renderers show."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from itertools import islice
from platform import python_version

import numpy as np
import polars as pl

from rankgate.cases import Tested, attention, short_where, slice_results, source_kind
from rankgate.errors import ExitCode, RankgateError
from rankgate.gates.checks import ProbeResult
from rankgate.gates.compare import Comparison
from rankgate.gates.decide import Facts
from rankgate.gates.language import Gate, Kind, written
from rankgate.model.report import (
    CaseResult,
    CaseState,
    Change,
    ComparisonResult,
    GateResult,
    GateState,
    KnownMiss,
    MetricResult,
    NotGating,
    ProbeReport,
    Report,
    State,
)
from rankgate.model.wording import many
from rankgate.reports.recommend import recommendations
from rankgate.scoring.evaluate import score
from rankgate.scoring.matches import Bools
from rankgate.scoring.metric import Metric, aggregate
from rankgate.suites.asked_suite import is_gating

_SHOWN = 5
_DIGEST = 12


@dataclass(frozen=True, slots=True)
class Problem:
    """Something other than a gate that decides the exit code."""

    code: ExitCode
    cause: str
    """A few words for the headline, such as ``2 missing targets``."""
    sentences: tuple[str, ...] = ()
    """What is wrong and how to fix it."""
    command: str = ""
    """The command to run next."""


@dataclass(frozen=True, slots=True)
class About:
    """What a report says of a test beside its results."""

    suite: str
    system: str
    path: str = ""
    """The suite's file."""
    command_system: str = ""
    """What commands call the system; empty if it has no name in the project."""
    suite_option: str = ""
    """``--suite FILE``; empty if commands find the suite without it."""
    run: str = ""
    """The run's name."""
    time: str = ""
    seconds: float | None = None
    notes: tuple[str, ...] = ()
    provenance: Mapping[str, str] | None = None
    lenient: bool = False
    """True if an inconclusive gate is reported and does not fail the test."""


def suite_problems(tested: Tested, gates: Sequence[GateResult], could_fail: bool) -> Iterator[Problem]:
    """Return what is wrong with a suite: missing targets, gates over nothing, judgments that don't count."""
    counting = [one for one in tested.missing if one.counts]
    if counting:
        file = tested.suite.path or "SUITE"
        shown = [
            f"{one.where + ': ' if one.where else ''}"
            f"the target {one.target!r} is not in the documents: {one.why}." + _sentence(one.likely)
            for one in counting[:_SHOWN]
        ]
        more = [f"{len(counting) - _SHOWN} more targets are missing."] if len(counting) > _SHOWN else []
        yield Problem(
            ExitCode.WRONG_CALL,
            many(len(counting), "missing target"),
            (*shown, *more),
            f"rankgate suite fix {file}",
        )
    nothing = [gate for gate in gates if gate.state is GateState.OVER_NOTHING]
    if nothing:
        sentences = tuple(
            f"{gate.where + ': ' if gate.where else ''}the gate {gate.gate!r} reads nothing. {gate.reason}"
            for gate in nothing
        )
        yield Problem(ExitCode.WRONG_CALL, f"{many(len(nothing), 'gate')} over nothing", sentences)
    sources = _other_sources(tested)
    whole = tested.suite.whole or tested.suite
    gating = any(is_gating(target, whole) for case in whole.cases for target in case.targets)
    if sources and not could_fail and not gating and not tested.facts.judged.any():
        file = tested.suite.path or "the suite"
        # A proposed target counts when a person has checked it, and never by its source.
        allowed = [source for source in sources if source != "proposed"]
        line = f"gating_sources: [{', '.join(dict.fromkeys((*tested.suite.gating_sources, *allowed)))}]"
        fix = f"To let them count, add to {file}: {line}"
        if not allowed:
            fix = (
                f"All targets of {file} were proposed by a command. Check them, and delete `reviewed: false`."
            )
        yield Problem(ExitCode.WRONG_CALL, "no judgment gates", (fix,))


def _sentence(text: str) -> str:
    """Return a text as a sentence after another one; empty for no text."""
    end = "" if text.endswith(("?", ".")) else "."
    return f" {text[:1].upper()}{text[1:]}{end}" if text else ""


def system_problems(
    facts: Facts, max_errors: int, errors: int, silent_rules: Sequence[str] = ()
) -> Iterator[Problem]:
    """Return why the results of a system can't be believed: too many errors, or no result at all.

    Args:
        facts: The results.
        max_errors: The number of errors that are allowed.
        errors: The number of errors.
        silent_rules: The extraction rules that found nothing in answers that are not empty.
    """
    if errors > max_errors:
        allowed = f", {max_errors} allowed" if max_errors else ""
        yield Problem(ExitCode.SYSTEM_FAILED, f"{many(errors, 'error')}{allowed}")
    silent = not facts.results.any() and not bool(facts.expects_empty.all())
    if silent and errors <= max_errors:
        sentence = f"The system returned no result for any of {many(len(facts.cases), 'query', 'queries')}."
        rules = (f"{rule}. Correct the rule of the system." for rule in silent_rules)
        yield Problem(ExitCode.SYSTEM_FAILED, "no query has any result", (sentence, *rules))


def could_have_failed(facts: Facts, gates: Sequence[tuple[Gate, GateResult]]) -> bool:
    """Check whether a gate on results was enforced, or a check evaluated: only then a test *passed*."""
    enforced = (GateState.PASSED, GateState.FAILED, GateState.INCONCLUSIVE)
    counted = (case for case, rows in zip(facts.cases, facts.counted.tolist(), strict=True) if rows)
    return any(gate.kind is not Kind.ERRORS and one.state in enforced for gate, one in gates) or any(
        facts.checks.get(case.id) for case in counted
    )


def build_report(
    tested: Tested,
    gates: Sequence[tuple[Gate, GateResult]],
    cases: tuple[CaseResult, ...],
    problems: Sequence[Problem],
    about: About,
) -> Report:
    """Build the report of a test."""
    facts, results = tested.facts, tuple(result for _, result in gates)
    failed = [case for case in cases if case.state is CaseState.FAILED]
    bad = [gate for gate in results if gate.state is GateState.FAILED]
    inconclusive = [gate for gate in results if gate.state is GateState.INCONCLUSIVE]
    every = list(problems)
    stopped = any(one.code is ExitCode.SYSTEM_FAILED for one in every)
    unable = any(case.known is None and _has_lost_all(facts, case.name) for case in failed)
    if (bad or any(not unable or case.checks for case in failed)) and not stopped:
        every.append(Problem(ExitCode.GATE_FAILED, "failed"))
    if inconclusive:
        every.append(Problem(ExitCode.INCONCLUSIVE, "inconclusive"))
    code = ExitCode.worst(
        one.code for one in every if not (about.lenient and one.code is ExitCode.INCONCLUSIVE)
    )
    enforced = could_have_failed(facts, gates)
    label = facts.scores.metrics[0].label
    look_at = attention(cases, results, label)
    slices = slice_results(tested, cases)
    return Report(
        suite=about.suite,
        system=about.system,
        path=about.path,
        state=_state(code, every, enforced=enforced),
        exit_code=int(code),
        causes=tuple(one.cause for one in sorted(every, key=lambda one: _ORDER.index(one.code))),
        problems=tuple(sentence for one in every for sentence in one.sentences),
        primary=label,
        depth=facts.depth,
        selected=len(facts.cases) if facts.selected else None,
        total=len((tested.suite.whole or tested.suite).cases),
        metrics=tuple(_metrics(facts, tested.comparison)),
        gates=results,
        cases=cases,
        attention=look_at,
        slices=slices,
        scenarios=tuple(_probe(one) for one in facts.probes if one.kind == "scenario"),
        invariants=tuple(_probe(one) for one in facts.probes if one.kind == "invariant"),
        comparison=_comparison(tested, cases),
        recommendations=()
        if stopped
        else recommendations(cases, slices, label, partial(_case_command, about)),
        not_gating=tuple(_not_gating(tested)),
        notes=tuple(dict.fromkeys(about.notes)),
        next=tuple(
            _next(
                about,
                every,
                cases,
                look_at,
                enforced=enforced,
                selected=facts.selected,
                comparison=tested.comparison,
            )
        ),
        provenance=dict(about.provenance or {}),
        time=about.time,
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


def _has_lost_all(facts: Facts, name: str) -> bool:
    names = [case.id for case in facts.cases]
    return bool(facts.scores.gone[names.index(name)])


def _metrics(facts: Facts, comparison: Comparison | None) -> Iterator[MetricResult]:
    """Return every metric over the counted cases: with a baseline over those that both have."""
    for metric in facts.scores.metrics:
        column = facts.scores.columns[metric.label]
        rows = facts.counted & column.defined
        undefined = int((facts.counted & ~column.defined & ~facts.expects_empty).sum())
        before = new = None
        fresh = np.zeros_like(rows)
        if comparison is not None:
            both = rows & comparison.defined(metric.label, facts.scores)
            if both.any():
                fresh, rows = rows & ~comparison.both, both
                before = _mean(comparison.scores.columns[metric.label].values, facts, rows, metric)
                new = _mean(column.values, facts, fresh, metric)
        weights = facts.scores.weights[rows]
        uneven = len(weights) and not (weights == weights[0]).all()
        yield MetricResult(
            metric=metric.label,
            value=_mean(column.values, facts, rows, metric),
            count=int(rows.sum()),
            before=before,
            new=new,
            new_count=int(fresh.sum()),
            unit=metric.unit,
            undefined=undefined,
            estimated=facts.scores.rests_on_tokens(metric.label),
            effective=float(weights.sum() ** 2 / (weights**2).sum()) if uneven else None,
            less_is_better=metric.less_is_better,
        )


def _mean(values: np.ndarray, facts: Facts, rows: Bools, metric: Metric) -> float | None:
    return aggregate(values[rows], facts.scores.weights[rows], metric.statistic)


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
    known = None
    if one.known is not None:
        until = one.known.until.isoformat() if one.known.until else ""
        known = KnownMiss(reason=one.known.reason, until=until, passes=bool(one.passed))
    return ProbeReport(
        name=one.name,
        state=state,
        reasons=one.reasons,
        where=short_where(one.where),
        known=known,
        calls=one.calls,
        tokens=one.tokens,
    )


def _other_sources(tested: Tested) -> list[str]:
    """Return the kinds of sources of relevant judgments that gates don't count."""
    rows = tested.judgments.targets.filter(pl.col("grade") > 0).iter_rows(named=True)
    kinds = dict.fromkeys(source_kind(row) for row in rows)
    kinds |= dict.fromkeys(["estimated"] if tested.judgments.cases["estimated"].any() else [])
    return [kind for kind in kinds if kind not in tested.suite.gating_sources]


def _not_gating(tested: Tested) -> Iterator[NotGating]:
    """Return the first metric that applies to the cases that have only judgments that gates don't count."""
    sources = _other_sources(tested)
    if not sources:
        return
    facts = tested.facts
    metrics = [metric for metric in facts.scores.metrics if metric.about_labels]
    scores = score(tested.judgments, facts.run, [written(metric) for metric in metrics], depth=facts.depth)
    for metric in metrics:
        column = scores.columns[metric.label]
        rows = column.defined & ~facts.judged & facts.counted
        if rows.any():
            value = aggregate(column.values[rows], scores.weights[rows], metric.statistic)
            yield NotGating(metric=metric.label, value=value, count=int(rows.sum()), sources=tuple(sources))
            return


def _next(
    about: About,
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
        yield f"rankgate judge --system {system}"
    elif failed and look_at:
        yield _case_command(about, look_at[0])
    if not enforced and not problems and comparison is None and not selected:
        yield f"rankgate baseline set {about.path} --system {system}".replace("  ", " ")


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


def not_tested_report(suite: str, system: str, missing: Sequence[str], path: str = "") -> Report:
    """Return the report of a test that was skipped because its system needs what is missing."""
    return Report(
        suite=suite,
        system=system,
        path=path,
        state=State.NOT_TESTED,
        exit_code=int(ExitCode.PASSED),
        causes=(f"needs {', '.join(missing)}",),
        provenance=versions(),
    )


def versions() -> dict[str, str]:
    """Return the versions of rankgate and Python."""
    return {"rankgate": metadata.version("rankgate"), "Python": python_version()}
