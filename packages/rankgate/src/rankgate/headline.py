"""The sentences of the first screen of a report, and how reports write ranks and values.

Every function reads a `Report` and returns plain text. Renderers escape it for their output.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rankgate.report import CaseState, Change, GateState, State
from rankgate.wording import many, value_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rankgate.report import CaseResult, GateResult, MetricResult, ProbeReport, Report, ShownTarget

SYMBOLS: Final = {
    State.PASSED: "✓",
    State.NO_GATES: "–",
    State.FAILED: "✗",
    State.INCONCLUSIVE: "?",
    State.INVALID: "✗",
    State.SYSTEM_FAILED: "✗",
    State.NOT_TESTED: "–",
    State.CRASHED: "✗",
}
WORSE: Final = (Change.REGRESSED, Change.UNKNOWN)
_NAMED: Final = 3
_NAME_LENGTH: Final = 70
_ERROR_LENGTH: Final = 200


# --- values ----------------------------------------------------------------------------------------------


def change_text(before: float | None, after: float | None, unit: str = "") -> str:
    """Write a value before and after.

    >>> change_text(1.0, 0.5)
    '1.000 → 0.500'
    """
    return f"{value_text(before, unit)} → {value_text(after, unit)}"


def seconds_text(seconds: float) -> str:
    """Write a time: tenths below ten seconds.

    >>> seconds_text(2.41), seconds_text(41.2)
    ('2.4 s', '41 s')
    """
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:,.0f} s"


def shortened(text: str, most: int = _NAME_LENGTH) -> str:
    """Return a text in one line, with at most so many characters."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


def names_text(names: Sequence[str], most: int = _NAMED) -> str:
    """List names, and count those that are left out.

    >>> names_text(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    shown = ", ".join(map(shortened, names[:most]))
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown


# --- queries ---------------------------------------------------------------------------------------------


def query_title(case: CaseResult) -> str:
    """Return how a report names a case: its query with its filters, or its name."""
    text = shortened(case.query or case.name)
    filters = ", ".join(
        f"{key}: {value if isinstance(value, str) else ' or '.join(value)}"
        for key, value in case.filters.items()
    )
    return f"{text} ({filters})" if filters else text


def is_failed(tested: CaseResult | ProbeReport) -> bool:
    """Return whether a case, scenario or invariant fails the test: a known miss only if it passes."""
    return tested.state is CaseState.FAILED and (tested.known is None or tested.known.passes)


def rank_text(case: CaseResult, primary: str = "") -> str:
    """Write where the first relevant result of a query is, and where it was in the baseline.

    If that did not change, but the query did, write its value of the primary metric.

    >>> from rankgate.report import CaseResult, Change
    >>> rank_text(CaseResult(name="a", query="a", change=Change.REGRESSED, rank_before=2, returned=10))
    'rank 2 → not found'
    """
    if case.state is CaseState.ERROR:
        return error_text(case, "error")
    if case.overlap is not None and case.change not in (*WORSE, Change.IMPROVED):
        order = ", in another order" if case.overlap.common == case.overlap.of else ""
        return f"{case.overlap.common} of {many(case.overlap.of, 'result')} in common{order}"
    after = _rank(case.rank, case.returned)
    if case.change is None or case.change is Change.NEW:
        return after if case.targets else many(case.returned, "result")
    if (
        case.rank == case.rank_before
        and case.change is not Change.UNCHANGED
        and case.before.get(primary) is not None
    ):
        return f"{primary} {change_text(case.before[primary], case.values.get(primary))}"
    if case.rank == case.rank_before:
        return after
    return f"rank {case.rank_before or 'not found'} → {after.removeprefix('rank ')}"


def error_text(case: CaseResult, words: str) -> str:
    """Return the error of a case in one line, behind some words."""
    message = shortened(case.error, _ERROR_LENGTH)
    return f"{words}: {message}" if message else words


def _rank(rank: int | None, returned: int) -> str:
    if rank is not None:
        return f"rank {rank}"
    return "not found" if returned else "no results"


def reference_text(name: str) -> str:
    """Return how sentences call what a run is compared with.

    >>> reference_text("baseline"), reference_text("prod")
    ('the baseline', 'prod')
    """
    return "the baseline" if name == "baseline" else name


def expected_target(case: CaseResult) -> ShownTarget | None:
    """Return the expected result to show: the first one that fell, else the best one before."""
    fell = [target for target in case.targets if target.grade > 0 and target_fell(target)]
    return min(fell, key=lambda target: (target.before or 0, -target.grade), default=case.expected)


def target_fell(target: ShownTarget) -> bool:
    """Return whether the results reach a target later than in the baseline, or not at all."""
    return target.before is not None and (target.rank is None or target.rank > target.before)


# --- the first line --------------------------------------------------------------------------------------


def count_queries(report: Report) -> int:
    """Return the number of queries that were run."""
    return report.total if report.selected is None else report.selected


def headline(report: Report) -> str:
    """Return the first line: ``✓ search · app:search · 128 queries passed in 2.4 s``."""
    return f"{SYMBOLS[report.state]} {title(report)} · {outcome(report)}"


def title(report: Report) -> str:
    """Return the suite and the system."""
    return " · ".join(filter(None, (report.suite, report.system)))


def outcome(report: Report) -> str:
    """Return how the test ended: ``128 queries passed in 2.4 s``, ``failed (exit code 1)``."""
    part = ""
    if report.selected is not None and report.cases:
        part = f"{report.selected:,} of {many(report.total, 'query', 'queries')} selected · "
    code = f" (exit code {report.exit_code})" if report.exit_code else ""
    return f"{part}{_outcome(report, selected=bool(part))}{code}"


def _outcome(report: Report, *, selected: bool) -> str:
    cause = report.causes[0] if report.causes else ""
    if report.state is State.PASSED:
        passed = sum(case.state is CaseState.PASSED and case.known is None for case in report.cases)
        words = "passed" if selected else f"{many(passed, 'query', 'queries')} passed"
        return words if report.seconds is None else f"{words} in {seconds_text(report.seconds)}"
    if report.state is State.NO_GATES:
        return "no gates" if selected else f"{many(count_queries(report), 'query', 'queries')}, no gates"
    if report.state is State.INCONCLUSIVE and not report.exit_code:
        return "inconclusive, reported as a warning"
    if report.state is State.NOT_TESTED:
        return f"not tested: {cause.removeprefix('not tested: ')}" if cause else "not tested"
    if report.state is State.CRASHED:
        return "rankgate crashed"
    if report.state in (State.INVALID, State.SYSTEM_FAILED) and report.causes:
        others = ("failed" if one.endswith("failed") else one for one in report.causes[1:])
        return "; ".join(dict.fromkeys((cause, *others)))
    return str(report.state)


# --- the second line -------------------------------------------------------------------------------------


def numbers(report: Report) -> str:
    """Return the figures of a test in one line; empty if nothing was measured that can be believed."""
    if report.state in (State.SYSTEM_FAILED, State.NOT_TESTED, State.CRASHED):
        return ""
    metric = primary_metric(report)
    figures = [metric_text(metric, report)] if metric is not None and metric.value is not None else []
    if metric is not None and metric.new_count:
        figures.append(f"{metric.new_count:,} new: {value_text(metric.new, metric.unit)}")
    compared = report.comparison
    if (
        report.state is not State.INVALID
        and report.cases
        and not any(case.targets or case.checks for case in report.cases)
    ):
        with_ = "" if compared is None else f" · compared with {reference_text(compared.name)}"
        return " · ".join([*figures, f"no query is judged{with_}"])
    if report.state in (State.PASSED, State.NO_GATES):
        moved = [] if compared is None else [f"{compared.improved:,} improved, {regressed_text(report)}"]
        return " · ".join([*figures[:1], *moved, *figures[1:]])
    return " · ".join([*_worse(report), *figures])


def primary_metric(report: Report) -> MetricResult | None:
    """Return the primary metric."""
    named = [metric for metric in report.metrics if metric.metric == report.primary]
    return next(iter((*named, *report.metrics)), None)


def metric_text(metric: MetricResult, report: Report) -> str:
    """Return a metric with its baseline: ``ndcg@10 0.812 (baseline 0.809)``."""
    text = f"{metric.metric} {'≈ ' if metric.estimated else ''}{value_text(metric.value, metric.unit)}"
    if metric.undefined:
        text += f" over {many(metric.count, 'query', 'queries')}"
    if metric.before is None or report.comparison is None:
        return text
    return f"{text} ({report.comparison.name} {value_text(metric.before, metric.unit)})"


def regressed_text(report: Report) -> str:
    """Return how many queries regressed, and how many of them may be unjudged results only."""
    compared = report.comparison
    if compared is None:
        return ""
    unknown = f" ({compared.unknown:,} of them unknown)" if compared.unknown else ""
    return f"{compared.regressed:,} regressed{unknown}"


def _worse(report: Report) -> Iterator[str]:
    """Return how many queries of a failed test regressed, and how many others failed."""
    compared, total = report.comparison, many(count_queries(report), "query", "queries")
    failed = sum(is_failed(case) and case.change not in WORSE for case in report.cases)
    if compared is not None and compared.regressed:
        words = f"{compared.regressed:,} of {total} regressed"
        if compared.unknown:
            words += f", {compared.unknown:,} of them unknown: their results have not been judged"
        yield words
        if failed:
            yield f"{failed:,} {'others' if failed > 1 else 'other'} failed"
    elif failed:
        yield f"{failed:,} of {total} failed"


# --- the lines below -------------------------------------------------------------------------------------


def fact_lines(report: Report) -> tuple[str, ...]:
    """Return what must be seen on the first screen beside figures, queries and gates."""
    return tuple(
        line
        for line in (
            report.base,
            length(report),
            *not_enforced(report),
            *not_gating(report),
            unstable(report),
            unstable_repeats(report),
            known_misses(report),
        )
        if line
    )


def length(report: Report) -> str:
    """Return that results are much longer or shorter than in the baseline."""
    if report.comparison is None or report.comparison.length is None:
        return ""
    return length_text(report.comparison.length, reference_text(report.comparison.name))


def length_text(ratio: float, name: str) -> str:
    """Write how the length of results changed: ``results are 54× longer than in the baseline``."""
    if ratio < 1:
        return f"results are {ratio:.2g}× as long as in {name}"
    times = f"{ratio:.1f}".removesuffix(".0") if ratio < 10 else f"{ratio:,.0f}"
    return f"results are {times}× longer than in {name}"


def suite_changes(report: Report) -> tuple[str, ...]:
    """Return how the suite differs from the baseline, and which targets moved."""
    compared, lines = report.comparison, []
    if compared is not None and compared.removed:
        verb = "is" if len(compared.removed) == 1 else "are"
        count = many(len(compared.removed), "query", "queries")
        name = reference_text(compared.name)
        lines.append(f"{count} of {name} {verb} not in the suite: {names_text(compared.removed, 5)}")
    if compared is not None and compared.new:
        verb = "is" if len(compared.new) == 1 else "are"
        count = many(len(compared.new), "query", "queries")
        name = reference_text(compared.name)
        lines.append(f"{count} {verb} not in {name}: {names_text(titles(report, compared.new), 5)}")
    lines += [f"{written} is now {now}: rankgate suite fix" for written, now in report.moved[:_NAMED]]
    if len(report.moved) > _NAMED:
        lines.append(f"{many(len(report.moved) - _NAMED, 'more target')} moved: rankgate suite fix")
    return tuple(lines)


def known_misses(report: Report) -> str:
    """Return how many known misses there are, with the names of those that pass."""
    found = [(query_title(case), case.known) for case in report.cases if case.known is not None]
    found += [
        (probe.name, probe.known)
        for probe in (*report.scenarios, *report.invariants)
        if probe.known is not None
    ]
    passing = [name for name, known in found if known.passes]
    if not found:
        return ""
    count = many(len(found), "known miss", "known misses")
    if not passing:
        return count
    verb = "passes" if len(passing) == 1 else "pass"
    part = f", {len(passing):,} of them {verb}" if len(found) > len(passing) else f" {verb}"
    return f"{count}{part} now (remove xfail): {names_text(passing)}"


def unstable(report: Report) -> str:
    """Return how many queries are unstable; of a green test only if no query is stable."""
    compared = report.comparison
    if compared is None or not compared.unstable:
        return ""
    if report.state is State.PASSED and (compared.regressed or compared.improved or compared.unchanged):
        return ""
    count = f"{len(compared.unstable):,} of {many(count_queries(report), 'query', 'queries')}"
    verb = "is" if len(compared.unstable) == 1 else "are"
    return f"{count} {verb} unstable: they count in drop, not in lost and regressed"


def unstable_repeats(report: Report) -> str:
    """Return which queries have values or targets that differ between repeats."""
    if not report.unstable:
        return ""
    count = f"{len(report.unstable):,} of {many(count_queries(report), 'query', 'queries')}"
    verb = "differs" if len(report.unstable) == 1 else "differ"
    return f"unstable: {count} {verb} between repeats: {names_text(titles(report, report.unstable), 5)}"


def not_enforced(report: Report) -> Iterator[str]:
    """Return the gates that are not enforced, one line per reason."""
    gates: dict[str, list[str]] = {}
    for gate in report.gates:
        if gate.state is GateState.NOT_ENFORCED and not gate.default:
            gates.setdefault(gate.reason, []).append(gate.gate)
    for reason, names in gates.items():
        yield ". ".join(filter(None, (f"not enforced: {names_text(names)}", reason)))


def not_gating(report: Report) -> Iterator[str]:
    """Return the figures over judgments that don't count in gates."""
    for figure in report.not_gating:
        over = f"over {many(figure.count, 'query', 'queries')}"
        yield f"not gating: {figure.metric} {value_text(figure.value)} {over}, {', '.join(figure.sources)}"


def gate_text(gate: GateResult, queries: Sequence[str] = ()) -> str:
    """Return the line of a gate, with the queries that explain it."""
    text = gate.text or f"{gate.gate}: {gate.state}"
    if queries:
        text += f": {names_text(queries)}"
    return f"{text}. {gate.reason}" if gate.reason and gate.reason not in text else text


def titles(report: Report, names: Iterable[str]) -> list[str]:
    """Return how the report names the cases with these names."""
    by_name = {case.name: case for case in report.cases}
    return [query_title(by_name[name]) if name in by_name else name for name in names]
