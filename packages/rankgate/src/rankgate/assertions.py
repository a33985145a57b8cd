"""What a test written by hand asserts on: numbers that know what they were measured on.

    results = evaluate_for_test(Path("search.yaml"), search)
    assert results.ndcg(10) >= 0.8
    assert results.query("rotate an API key").rank_of("auth/keys.md#Rotation") == 1

A `Score` and a `Rank` are floats, so that every comparison works; `explain` says why one failed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError, RankgateError, SystemFailedError, did_you_mean
from rankgate.flow import evaluate_suite
from rankgate.gates.checks import first_ranks
from rankgate.headline import query_title, rank_text
from rankgate.locations import Location
from rankgate.model import Case, Top
from rankgate.project.find import configuration_for
from rankgate.project.needs import check_needs
from rankgate.project.opening import load_here, opened_as_given
from rankgate.project.settings import RunOptions, read_rules, settings_of
from rankgate.report import CaseResult, CaseState
from rankgate.reports.sections import expected_text, hit_text
from rankgate.reports.text.printable import printable
from rankgate.runs.store.hits import read_hits
from rankgate.scoring.expressions import parse
from rankgate.scoring.metric import aggregate
from rankgate.scoring.repeats import score_all
from rankgate.truth.resolve import LocationIndex, resolved_top
from rankgate.wording import many, value_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankgate.flow import Evaluation
    from rankgate.model import System
    from rankgate.scoring.metric import Metric
    from rankgate.scoring.scores import Scores

LINES = 34
"""The largest number of lines that the rankings below a failure have."""
_RESULTS, _MOST_RESULTS = 5, 10
_QUERIES = 4
_ERRORS = 5
_HIT = ("rank", "id", "path", "start", "end", "score")
_ABSENT = float("inf")


class _Number(float):
    """A number that is shown as its repr is."""

    def __eq__(self, other: object) -> bool:
        # Written out, so that type checkers accept a comparison with a whole number.
        return float(self) == other

    __hash__ = float.__hash__

    def __str__(self) -> str:
        return repr(self)


class Score(_Number):
    """The value of a metric."""

    label: str
    """The metric."""
    unit: str
    values: Mapping[str, float]
    """The value of each query behind it."""
    results: Results

    def __repr__(self) -> str:
        return value_text(self, self.unit)


class Rank(_Number):
    """The rank of the first result that reaches a location; infinite if none does."""

    location: str
    query: QueryResult

    @property
    def found(self) -> bool:
        """True if a result reaches the location."""
        return self != _ABSENT

    def __repr__(self) -> str:
        return f"{int(self)}" if self.found else "not found"


class TopLocations(tuple[str, ...]):  # noqa: SLOT001 - it has an attribute
    """The locations of the first results. ``in`` compares as scores do, so a section can be named."""

    query: QueryResult

    def __contains__(self, location: object) -> bool:
        return isinstance(location, str) and self.query.rank_of(location) <= len(self)


class _Measured:
    """Metrics of a whole suite, or of one query."""

    def __getitem__(self, expression: str) -> Score:
        """Return the value of a metric in any spelling, such as ``ndcg(gain=exp)@10``.

        Raises:
            InputError: for a metric that is unknown, reads more results than were requested, or has no value.
        """
        raise NotImplementedError

    def ndcg(self, k: int) -> Score:
        """Return nDCG@k."""
        return self[f"ndcg@{k}"]

    def recall(self, k: int) -> Score:
        """Return recall@k: the share of the relevant targets that are reached."""
        return self[f"r@{k}"]

    def precision(self, k: int) -> Score:
        """Return precision@k: the share of the first k results that are relevant."""
        return self[f"p@{k}"]

    def hit(self, k: int) -> Score:
        """Return hit@k: the share of the queries with a relevant result."""
        return self[f"hit@{k}"]

    def rr(self, k: int | None = None) -> Score:
        """Return the reciprocal rank of the first relevant result; its mean is MRR."""
        return self["rr" if k is None else f"rr@{k}"]


@dataclass(frozen=True, eq=False, repr=False)
class QueryResult(_Measured):
    """The results of one query."""

    results: Results
    case: Case

    @property
    def shown(self) -> CaseResult:
        """The query as the report has it."""
        return self.results.shown(self.case.id)

    @property
    def hits(self) -> Sequence[Mapping[str, object]]:
        """The results: rank, id, path, start, end and score of each."""
        found = read_hits(self.results.evaluation.run, [self.case.id]).get(self.case.id, ())
        return [{name: getattr(hit, name) for name in _HIT} for hit in found]

    def top(self, count: int) -> TopLocations:
        """Return the locations of the first results, as ``path:start-end`` or ids."""
        found = read_hits(self.results.evaluation.run, [self.case.id], count).get(self.case.id, ())
        locations = TopLocations(hit.location or "" for hit in found)
        locations.query = self
        return locations

    def rank_of(self, location: str) -> Rank:
        """Return the rank of the first result that reaches a location, which is written as in the suite.

        Raises:
            InputError: for a location that is not in the corpus.
        """
        evaluation = self.results.evaluation
        suite, corpus = evaluation.suite, evaluation.corpus
        opaque = corpus is None or corpus.records
        wanted = Location.of_id(location) if opaque else Location.at(location)
        index = LocationIndex(corpus)
        top = resolved_top(Top(wanted), index.find(f"rank_of({location!r})", "", wanted))
        index.check(suite.path or f"suite {suite.name}")
        if missing := index.gone():
            raise InputError([one.problem for one in missing.values()])
        tops = {self.case.id: () if top is None else (top,)}
        rank = first_ranks(suite.matching, tops, evaluation.run).get((self.case.id, 0))
        found = Rank(_ABSENT if rank is None else rank)
        found.location, found.query = location, self
        return found

    def __getitem__(self, expression: str) -> Score:
        metric, scores = self.results.measure(expression)
        value = scores.per_query(metric.label)[self.case.id]
        if value is None:
            said = f"case {self.case.id}: {metric.label} has no value. It needs a relevant target."
            raise InputError(Code.NO_ANSWERS(f"case {self.case.id}", "no value", "one", "", said))
        return _score(value, metric, {self.case.id: value}, self.results)

    def __repr__(self) -> str:
        return f"<{self.case.id}, {many(self.shown.returned, 'result')}>"


@dataclass(frozen=True, eq=False, repr=False)
class Results(_Measured):
    """The results of a suite. Printed, they are the terminal report.

    A metric is computed over the queries that a gate counts, so an assertion and a gate agree.
    """

    evaluation: Evaluation
    """What `rankgate.evaluate` returns, without gates."""

    def __getitem__(self, expression: str) -> Score:
        metric, scores = self.measure(expression)
        tested, column = self.evaluation.tested, scores.columns[metric.label]
        rows = tested.counted & column.defined
        if metric.about_labels:
            rows = rows & tested.judged
        value = aggregate(column.values[rows], scores.weights[rows], metric.statistic)
        if value is None:
            name = self.evaluation.suite.name
            said = f"suite {name}: {metric.label} has no value. It needs a query with a relevant target."
            raise InputError(Code.NOTHING_SCORED(f"suite {name}", "no value", "one", "", said))
        names, at = scores.queries.to_list(), rows.nonzero()[0].tolist()
        return _score(value, metric, {names[row]: float(column.values[row]) for row in at}, self)

    def query(self, name: str) -> QueryResult:
        """Return the results of one query, by the name of its case or by its text.

        Raises:
            InputError: if no case, or more than one, has this name or this query.
        """
        suite = self.evaluation.suite
        found = [case for case in suite.cases if case.id == name]
        found = found or [case for case in suite.cases if case.query == name]
        if len(found) == 1:
            return QueryResult(self, found[0])
        if found:
            fix = f"Use one of their names: {', '.join(case.id for case in found)}."
            said = f"suite {suite.name}: {len(found)} cases have the query {name!r}. {fix}"
        else:
            near = did_you_mean(name, [text for case in suite.cases for text in (case.id, case.query)])
            said = f"suite {suite.name}: no case has the name or the query {name!r}."
            said += f" {near[:1].upper()}{near[1:]}" if near else ""
        raise InputError(Code.UNKNOWN_CASE(f"suite {suite.name}", repr(name), "a case", "", said))

    def shown(self, name: str) -> CaseResult:
        """Return a case as the report has it."""
        return next(case for case in self.evaluation.report.cases if case.name == name)

    def measure(self, expression: str) -> tuple[Metric, Scores]:
        """Score a metric.

        Raises:
            InputError: for a metric that is unknown, or that reads more results than were requested.
        """
        tested = self.evaluation.tested
        metric = parse(expression).at_depth(tested.depth)
        needed = metric.needs_hits(tested.depth)
        if needed > tested.depth:
            said = f"{metric.label} reads {needed} results, but k is {tested.depth}. Pass k={needed}."
            raise InputError(Code.DEPTH_TOO_SMALL(metric.label, str(tested.depth), str(needed), "", said))
        runs = (tested.run, *tested.repeats)
        scores = score_all(tested.gating, runs, [expression], tested.depth)
        return scores.metrics[0], scores

    def __str__(self) -> str:
        return str(self.evaluation)

    def __repr__(self) -> str:
        suite = self.evaluation.suite
        return f"<{suite.name}, {many(len(suite.cases), 'query', 'queries')}>"


def _score(value: float, metric: Metric, values: Mapping[str, float], results: Results) -> Score:
    made = Score(value)
    made.label, made.unit, made.values, made.results = metric.label, metric.unit, values, results
    return made


def evaluate_for_test(
    path: Path,
    system: System | Callable[..., object] | str | None = None,
    *,
    k: int | None = None,
    max_errors: int = 0,
) -> Results:
    """Run all queries of a suite without gates, scenarios and invariants.

    Args:
        path: The suite.
        system: A function, an object or a class with ``search``, or a name: of rankgate.toml, ``module:attr``
            or ``./file.py:attr``. By default the project's.
        k: The number of results to request; by default what the suite's metrics and gates need.
        max_errors: The number of queries that may fail; they count as 0.

    Raises:
        InputError: if the suite or the call is wrong, or a target is not in the documents.
        SystemFailedError: if the system failed, or its results could not be located.
        NotTestedError: if something is missing that the system needs.
    """
    suite = replace(load_here(path), scenarios=(), invariants=())
    configuration = configuration_for(path)
    given = configuration.entry(None).name if system is None else system
    if isinstance(given, str):
        check_needs(configuration.entry(given), configuration.root, suite.name, skip=False)
    with opened_as_given(given, configuration, suite) as (opened, entry):
        # Any metric may be asserted on, also one that counts tokens.
        asking = RunOptions(k=k, pace=entry.pace, chunks=entry.chunks, locate=entry.locate, tokens=True)
        settings = settings_of(entry, suite, asking, configuration.corpus_root)
        asking = replace(asking, k=read_rules(suite, settings).depth)
        settings = replace(settings, gates=(), baselines=None, max_errors=max_errors, asking=asking)
        evaluation = evaluate_suite(suite, opened, settings)
    report = evaluation.report
    errors = [f"  {case.name}: {printable(case.error, 200)}" for case in report.cases if case.error]
    if len(errors) > max_errors:
        queries = many(len(report.cases), "query", "queries")
        head = f"{report.suite}: the system failed on {len(errors)} of {queries} ({max_errors} allowed)."
        more = [f"  and {len(errors) - _ERRORS} more"] if len(errors) > _ERRORS else []
        raise SystemFailedError("\n".join([head, *errors[:_ERRORS], *more]))
    if report.problems:
        wrong = InputError if report.exit_code == InputError.exit_code else SystemFailedError
        raise wrong("\n".join(report.problems))
    return Results(evaluation)


# --- why a comparison failed -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a comparison failed."""

    lines: tuple[str, ...]
    """The comparison, and what it is about."""
    title: str
    """What `rankings` shows."""
    rankings: tuple[str, ...]
    """The queries, what was expected, and their first results."""


def explain(sign: str, left: object, right: object) -> Explanation | None:
    """Return why a comparison failed; null if it is of no score, rank or top."""
    try:
        if isinstance(left, Score):
            return _of_score(left, f"{{}} {sign} {_named(right)}", right, highest="<" in sign)
        if isinstance(right, Score):
            return _of_score(right, f"{_named(left)} {sign} {{}}", left, highest=">" in sign)
        if isinstance(right, TopLocations) and isinstance(left, str):
            rank = right.query.rank_of(left)
            return _of_ranks(f"{left} {sign} the first {len(right)}: {_at(rank)}", rank)
    except RankgateError:
        # pytest shows the values; only the rankings are missing.
        return None
    ranks = [one for one in (left, right) if isinstance(one, Rank)]
    return _of_ranks(f"{_at(left)} {sign} {_at(right)}", *ranks) if ranks else None


def _named(value: object) -> str:
    return f"{value.label} {value!r}" if isinstance(value, Score) else repr(value)


def _at(value: object) -> str:
    return f"rank {value!r}" if isinstance(value, Rank) and value.found else repr(value)


def _of_score(score: Score, words: str, limit: object, *, highest: bool) -> Explanation:
    number = float(limit) if isinstance(limit, (int, float)) and not isinstance(limit, bool) else None
    comparison = words.format(f"{score.label} {value_text(score, score.unit, number)}")
    cases = [score.results.shown(name) for name in score.values]
    if len(cases) == 1:
        return Explanation((comparison,), query_title(cases[0]), tuple(rankings(cases)))
    # Queries with the best value explain nothing, unless all have it.
    best = (min if highest else max)(score.values.values())
    worst = [case for case in cases if score.values[case.name] != best] or cases
    worst.sort(key=lambda case: score.values[case.name], reverse=highest)
    texts = {name: value_text(value, score.unit) for name, value in score.values.items()}
    over = many(len(cases), "query", "queries")
    title = f"{'highest' if highest else 'lowest'} of {over} by {score.label}"
    return Explanation((comparison, f"over {over}"), title, tuple(rankings(worst, values=texts)))


def _of_ranks(comparison: str, *ranks: Rank) -> Explanation:
    named: dict[str, dict[float, str]] = {}
    for rank in ranks:
        named.setdefault(rank.query.case.id, {})[rank] = rank.location
    of = f"of {' and '.join(dict.fromkeys(rank.location for rank in ranks))}"
    results = ranks[0].query.results
    cases = [results.shown(name) for name in named]
    lines = (comparison,) if ranks[0].location in comparison else (comparison, of)
    return Explanation(lines, query_title(cases[0]), tuple(rankings(cases, named=named)))


def rankings(
    cases: Sequence[CaseResult],
    primary: str = "",
    *,
    values: Mapping[str, str] | None = None,
    named: Mapping[str, Mapping[float, str]] | None = None,
) -> list[str]:
    """Return the first queries with their expected and first results, at most `LINES` lines.

    Args:
        cases: The queries.
        primary: The primary metric, which is shown if a rank did not change.
        values: The value of each query, to show before it.
        named: Locations to mark at the rank of a result, by query.
    """
    lines: list[str] = []
    shown = 0
    for case in cases[:_QUERIES]:
        value = [] if values is None else [values[case.name]]
        parts = (*value, query_title(case), rank_text(case, primary), case.where)
        block = [printable("  ".join(filter(None, parts)))]
        block += [f"  {line}" for line in ranking(case, (named or {}).get(case.name, {}))]
        if lines and len(lines) + 1 + len(block) > LINES - 1:
            break
        lines += ["", *block] if lines else block
        shown += 1
    rest = [query_title(case) for case in cases[shown:]]
    return [*lines[: LINES - 1], *([f"and {many(len(rest), 'more query', 'more queries')}"] if rest else [])]


def ranking(case: CaseResult, named: Mapping[float, str] | None = None) -> list[str]:
    """Return the expected result of a query, and its first results up to the first relevant one."""
    if case.state is CaseState.ERROR:
        return []
    expected = expected_text(case)
    lines = [f"expected  {expected}"] if expected else []
    last = max(case.rank or 0, *(int(rank) for rank in named or {} if rank != _ABSENT), _RESULTS)
    for hit in case.hits[: min(last, _MOST_RESULTS)]:
        mark = "expected" if hit.targets and (hit.grade is None or hit.grade > 0) else ""
        mark = mark or (named or {}).get(hit.rank, "")
        lines.append(f"{hit.rank:>8}  {hit_text(hit)}" + (f"  ← {mark}" if mark else ""))
    if not case.hits:
        lines.append("no results")
    return [printable(line) for line in lines]
