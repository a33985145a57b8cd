"""What the report of an evaluation says: every number and every string, worked out once.

Renderers lay it out and compute nothing. Everything but `Header.time` and the timings follows from the suite,
the judgments and the run, so that the same evaluation gives the same report.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rankgate.gates.outcomes import outcomes
from rankgate.gates.slicing import MIN_N
from rankgate.model import ExitCode, State, Status
from rankgate.model.placing import HitCounts
from rankgate.model.wording import many
from rankgate.reports.comparison.report import ComparisonReport, comparison_report
from rankgate.reports.evaluation.failures import Failure, failures
from rankgate.reports.evaluation.mapping import MappingReport, mapping_report
from rankgate.reports.evaluation.probes import ProbeReport, probe_report
from rankgate.reports.evaluation.recommendations import (
    Costs,
    Recommendation,
    mapping_advice,
    recommendations,
)
from rankgate.reports.evaluation.rows import (
    Breakdown,
    GoneReport,
    MetricRow,
    VerdictRow,
    breakdown,
    gone_report,
    metric_rows,
    resolved_words,
)
from rankgate.reports.evaluation.summary.causes import Known
from rankgate.reports.evaluation.summary.commands import SummaryCommands
from rankgate.reports.evaluation.summary.cut import cut_lists
from rankgate.reports.evaluation.summary.listed import MOST_QUERIES, UnlistedQueries, listed
from rankgate.reports.evaluation.summary.queries import broken_queries, query_lines
from rankgate.reports.evaluation.summary.summary import Summary, summary_of
from rankgate.reports.text.marks import BAD, DOUBTFUL, GOOD, Mark, token_notes
from rankgate.reports.text.printable import printable, split_where
from rankgate.scoring.repeats import Spread

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankgate.gates.outcomes import Outcome
    from rankgate.gates.scored import AnswerSummary, Scored
    from rankgate.model import Verdict
    from rankgate.scoring.scores import Scores
    from rankgate.truth.facts.checked import CheckedFact

_SHORT = 12
_COMMIT = 10


@dataclass(frozen=True, slots=True)
class Header:
    """What the report cannot know from the files, and what varies from one run of a command to the next."""

    system: str = ""
    """What was asked, and its version."""
    time: str = ""
    """When the answers were given; what differs between two equal evaluations, beside `scored`."""
    scored: str = ""
    """When it was scored, where the answers are of an earlier time."""
    run: str = ""
    """The fingerprint of the run."""
    commit: str = ""
    """The commit of the project at which it was asked."""
    k: int | None = None
    """How many hits of each query were asked for."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """The versions of rankgate, of Python, of whatever matters."""
    max_errors: int = 0
    """How many queries may fail."""
    max_gone: int = 0
    """How many targets may be gone from the documents."""
    min_n: int = MIN_N
    """How many scored cases a slice needs."""
    asked: str = ""
    """How hard the system was asked, where that is not as usual."""
    located: HitCounts = field(default_factory=HitCounts)
    """How many hits ended where, and how they got there."""
    fixed: bool = False
    """True for a run in a file."""


@dataclass(frozen=True, slots=True)
class KnownMiss:
    """A case that may fail for now."""

    case: str
    """The case's id."""
    query: str
    """What was asked."""
    until: str
    """The last day on which it may fail."""
    reason: str
    """Why it may."""
    passes: bool
    """True where nothing is wrong with it any more."""


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One case, for reports that list them all."""

    case: str
    """The case's id."""
    query: str
    """What was asked."""
    category: str
    """Its category; empty where it has none."""
    file: str
    """The file it was written in; empty where it was not read from one."""
    line: int | None
    """The line it was written at."""
    seconds: float | None
    """How long the system took."""
    failure: Failure | None = None
    """What is wrong with it."""
    known: KnownMiss | None = None
    """Why that may be, for now."""


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """An evaluation of one system on one suite."""

    title: str
    """The name of the suite."""
    mark: Mark
    """✅ passed, ⚠️ nothing decided, ❌ failed."""
    status: str
    """How it ended, in a line."""
    exit_code: ExitCode
    """What the command exits with."""
    header: tuple[tuple[str, str], ...]
    """What varies from one run of a command to the next: when it was made."""
    verdicts: tuple[VerdictRow, ...]
    """A row a gate."""
    metrics: tuple[MetricRow, ...]
    """A row a metric."""
    slices: Breakdown
    """Every metric by category."""
    failures: tuple[Failure, ...]
    """The queries that fell short and are listed, those that fail the run first."""
    known: tuple[KnownMiss, ...]
    """The queries that may fall short for now and are listed."""
    cases: tuple[CaseRow, ...]
    """The cases, in the order of the suite: all of them up to 20,000, above that those that matter most."""
    recommendations: tuple[Recommendation, ...]
    """What to try next."""
    provenance: tuple[tuple[str, str], ...]
    """What was evaluated: names, fingerprints and versions."""
    notes: tuple[str, ...]
    """What a reader must know about these figures."""
    timings: tuple[tuple[str, str], ...]
    """How long each stage took."""
    probes: ProbeReport = field(default_factory=ProbeReport)
    """The scenarios and the invariants."""
    comparison: ComparisonReport | None = None
    """How it compares with the system's baseline; None where there is none."""
    system: str = ""
    """The name of what was asked, without its version."""
    flaky: tuple[Spread, ...] = ()
    """The queries whose values differ where the same was asked several times, by metric; up to 20,000."""
    mapping: MappingReport = field(default_factory=MappingReport)
    """Where hits ended, how they got there, and what keeps them from their locations."""
    gone: GoneReport = field(default_factory=GoneReport)
    """The targets that the documents do not have any more."""
    summary: Summary = field(default_factory=Summary)
    """The first screen: state, headline, what broke and what to do; every layout begins with it."""
    left_out: UnlistedQueries = field(default_factory=UnlistedQueries)
    """What is counted and not listed in `cases`, `failures`, `known`, `flaky`, `gone` and `lost` of gates."""

    @property
    def total(self) -> int:
        """How many cases there are, listed or not."""
        return len(self.cases) + self.left_out.queries

    @property
    def broken_cases(self) -> list[str]:
        """The ids of the cases that broke, in the order in which they are told."""
        return [line.case for line in self.summary.broken]

    @property
    def refused(self) -> bool:
        """True where nothing was judged: each row of the verdicts is one thing that is wrong."""
        return not self.cases and not self.metrics


def evaluation_report(
    scored: Scored,
    header: Header,
    notes: Sequence[str] = (),
    facts: Sequence[CheckedFact] = (),
    most: int | None = MOST_QUERIES,
    ended: Sequence[Outcome] | None = None,
) -> EvaluationReport:
    """Work out the report of one evaluation.

    Args:
        scored: What came of it.
        header: What the files do not tell.
        notes: What a reader must know.
        facts: What was checked about the queries that fell short; advice is made of these alone.
        most: How many cases are listed one by one; None for all.
        ended: How every case ended, where that is worked out already.
    """
    scores, verdicts, code = scored.scores, scored.verdicts, scored.verdict.exit_code
    ended, costs = outcomes(scored) if ended is None else ended, Costs.of(scored)
    broken = broken_queries(scored, ended, facts, costs.by_case)
    shown, _ = queries = listed(scored, ended, broken, costs.by_case, most)
    stories = _stories(shown, scored)
    fallen = [stories[one.case.id] for one in shown if one.reasons and one.known is None]
    known = {one.case.id: _known(one) for one in shown if one.known is not None}
    gone = gone_report(scored, header.max_gone)
    rows, gone_listed, flaky, left_out = cut_lists(scored, gone, queries, most)
    told = (*filter(None, [left_out.words]), *notes)
    comparison, commands = _comparison(scored), _commands(scored, header)
    lines = query_lines(scored, ended, broken, stories, facts, commands, most)
    summary = summary_of(Known(scored, rows, lines, facts, gone, comparison, header.max_errors, commands))
    return EvaluationReport(
        title=printable(scored.suite.name),
        mark=_mark(code, verdicts),
        status=summary.status(printable(str(scored.faults[0])) if scored.faults else ""),
        exit_code=code,
        header=_times(header),
        verdicts=rows,
        metrics=metric_rows(scored),
        slices=breakdown(scored.judgments, scores, header.min_n),
        failures=tuple(sorted(fallen, key=lambda failure: not failure.blocks)),
        known=tuple(known.values()),
        cases=tuple(_case(one, stories, known, scored.answers) for one in shown),
        recommendations=_advice(scored, facts, costs),
        provenance=_provenance(scored, header),
        notes=tuple(map(printable, _notes(scores, known.values(), told))),
        timings=(),
        probes=probe_report(scored.checks, verdicts),
        system=printable(scored.run.name),
        comparison=comparison,
        flaky=flaky,
        mapping=mapping_report(scored.located, scored.faults),
        gone=gone_listed,
        summary=summary,
        left_out=left_out,
    )


def _stories(shown: Sequence[Outcome], scored: Scored) -> dict[str, Failure]:
    """Return what is told of each case that fell short, by its id."""
    short = [outcome for outcome in shown if outcome.reasons]
    return dict(zip((one.case.id for one in short), failures(short, scored), strict=True))


def _commands(scored: Scored, header: Header) -> SummaryCommands:
    return SummaryCommands(scored.run.name, scored.suite.path or "", scored.followed.commit, header.fixed)


def _advice(scored: Scored, facts: Sequence[CheckedFact], costs: Costs) -> tuple[Recommendation, ...]:
    advice = recommendations(scored.suite.cases, facts, costs, _suite_words(scored))
    return (*mapping_advice(scored.faults), *advice)


def _suite_words(scored: Scored) -> str:
    """Return what follows `suite fix` on a command line."""
    since = f" --from {scored.followed.commit}" if scored.followed.commit else ""
    return f"{scored.suite.path or 'SUITE'}{since}"


def _times(header: Header) -> tuple[tuple[str, str], ...]:
    times = (("time", header.time), ("scored", header.scored))
    return tuple((name, printable(when)) for name, when in times if when)


def _comparison(scored: Scored) -> ComparisonReport | None:
    """Return how the run compares with its baseline; an outage is no change of the search."""
    against = scored.own_baseline
    if against is None or against.comparison is None or against.run is None:
        return None
    errored = 0
    if scored.verdict.state is State.SYSTEM_FAILED:
        errored = sum(answer.error is not None for answer in scored.answers.values())
    if errored * 2 >= len(scored.answers) > 0:
        return None
    names, runs = (against.name, scored.run.name), (against.run, scored.run)
    found = comparison_report(names, against.comparison, runs, scored.suite.cases)
    dirty = against.commit.endswith("+")
    commit = against.commit.rstrip("+")[:_COMMIT] + "+" * dirty
    found = replace(found, baseline=printable(", ".join(filter(None, (commit, against.date)))))
    if not errored:
        return found
    words = f"open: {many(errored, 'error')}, counted as 0"
    return replace(found, rows=tuple(replace(row, finding=words) for row in found.rows))


def _mark(code: ExitCode, verdicts: Sequence[Verdict]) -> Mark:
    if code is not ExitCode.PASSED:
        return DOUBTFUL if code is ExitCode.INCONCLUSIVE else BAD
    passed = bool(verdicts) and all(verdict.status is Status.PASSED for verdict in verdicts)
    return GOOD if passed else DOUBTFUL


def _known(outcome: Outcome) -> KnownMiss:
    case, xfail = outcome.case, outcome.known
    return KnownMiss(
        case=printable(case.id),
        query=printable(case.query),
        until=xfail.until.isoformat() if xfail else "",
        reason=printable(xfail.reason) if xfail else "",
        passes=not outcome.reasons,
    )


def _case(
    outcome: Outcome,
    stories: Mapping[str, Failure],
    known: Mapping[str, KnownMiss],
    answers: Mapping[str, AnswerSummary],
) -> CaseRow:
    case = outcome.case
    file, line = split_where(case.where)
    return CaseRow(
        case=printable(case.id),
        query=printable(case.query),
        category=printable(case.category or ""),
        file=printable(file),
        line=line,
        seconds=answers[case.id].seconds if case.id in answers else None,
        failure=stories.get(case.id),
        known=known.get(case.id),
    )


def _provenance(scored: Scored, header: Header) -> tuple[tuple[str, str], ...]:
    suite, judgments, run = scored.suite, scored.judgments, scored.run
    facts = {
        "suite": f"{suite.name} {suite.fingerprint[:_SHORT]}, {many(len(suite.cases), 'query', 'queries')}",
        "corpus": f"{suite.corpus or ''} {(judgments.corpus or '')[:_SHORT]}",
        "system": header.system,
        "run": f"{run.name} {header.run[:_SHORT]}",
        "commit": header.commit,
        "k": "" if header.k is None else str(header.k),
        "asked": header.asked,
        "targets": resolved_words(judgments),
        "hits": str(header.located),
        **header.versions,
    }
    return tuple((name, printable(fact.strip())) for name, fact in facts.items() if fact.strip())


def _notes(scores: Scores, known: Iterable[KnownMiss], notes: Sequence[str]) -> list[str]:
    said = [*scores.notes, *notes, *token_notes(scores)]
    if scores.unjudged:
        said.append(f"{many(scores.unjudged, 'query', 'queries')} without judgments left out")
    said += [f"{miss.case} is an xfail and passes now: take its xfail out" for miss in known if miss.passes]
    return said
