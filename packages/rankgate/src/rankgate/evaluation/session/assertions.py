"""What a hand-written test asserts on: numbers that remember where they come from.

    results = evaluate_for_test(Path("search.yaml"), search)
    assert results.ndcg(10) >= 0.8
    assert results.query("rotate an API key").rank_of("auth/keys.md#Rotation") == 1

A `Score` is a float and a `Rank` is one too, so that every comparison works; `explanations.py` says why one
failed. Answers of a system that failed are refused: an outage is no ranking.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError, SystemFailedError, did_you_mean
from rankgate.evaluation.flow import Stopwatch, run_evaluation
from rankgate.evaluation.session.findings import Findings
from rankgate.gates.wording import figure
from rankgate.model import Answer
from rankgate.model.wording import many
from rankgate.project.configuration import configuration_for
from rankgate.project.opening import load_here, opened_as_given
from rankgate.project.settings import RunOptions, Settings, judging_rules
from rankgate.reports.rankings import row_text
from rankgate.reports.text.printable import printable
from rankgate.truth.gone import refuse_gone

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from rankgate.model import Case, System
    from rankgate.project.evaluation import Evaluation
    from rankgate.scoring.metric import Metric

_ERRORS_SHOWN = 5
_ABSENT = float("inf")


class Measured:
    """Metrics by name: of a whole suite, or of one query."""

    def __getitem__(self, expression: str) -> Score:
        """Return the value of a metric in any spelling, such as ``ndcg(gain=exp)@10``.

        Raises:
            InputError: for a metric that is unknown, deeper than what was asked for, or has no value here.
        """
        raise NotImplementedError

    def ndcg(self, k: int) -> Score:
        """Return nDCG@k."""
        return self[f"ndcg@{k}"]

    def recall(self, k: int) -> Score:
        """Return recall@k: the share of the relevant targets that are found."""
        return self[f"r@{k}"]

    def precision(self, k: int) -> Score:
        """Return precision@k: the share of the first k hits that are relevant."""
        return self[f"p@{k}"]

    def hit(self, k: int) -> Score:
        """Return hit@k: the share of the queries that find anything relevant."""
        return self[f"hit@{k}"]

    def rr(self, k: int | None = None) -> Score:
        """Return the reciprocal rank of the first relevant hit; its mean is MRR."""
        return self["rr" if k is None else f"rr@{k}"]


class _Number(float):
    """A number that is shown as its repr is."""

    def __eq__(self, other: object) -> bool:
        # Written out, so that type checkers let it be compared with a whole number.
        return float(self) == other

    __hash__ = float.__hash__

    def __str__(self) -> str:
        return repr(self)


class Score(_Number):
    """The value of a metric, which knows what it was measured on."""

    label: str
    """The metric's one spelling."""
    unit: str
    """What it counts."""
    findings: Findings
    """What it was measured on."""
    case: str | None
    """The case it is of; None for all."""

    def __repr__(self) -> str:
        return figure(self, self.unit)


class Rank(_Number):
    """The rank at which a location came; infinite where it did not, so that it is later than any rank."""

    location: str
    """What was looked for."""
    query: QueryResult
    """Where."""

    @property
    def found(self) -> bool:
        """True where it came at all."""
        return self != _ABSENT

    def __repr__(self) -> str:
        return f"{int(self)}" if self.found else "not found"


class TopLocations(tuple[str, ...]):  # noqa: SLOT001 - it remembers whose it is
    """Locations of the first hits; ``in`` asks by the rule that scores go by, so that a section will do."""

    query: QueryResult
    """Whose they are."""

    def __contains__(self, location: object) -> bool:
        return isinstance(location, str) and self.query.rank_of(location) <= len(self)


@dataclass(frozen=True, eq=False, repr=False)
class QueryResult(Measured):
    """What came of one query."""

    findings: Findings
    """What came of all of them."""
    case: Case
    """What was asked, and what is expected."""

    @property
    def hits(self) -> Sequence[Mapping[str, object]]:
        """The hits, best first: rank, id, path, start, end and score of each."""
        return self.findings.hits.get(self.case.id, ())

    def top(self, count: int) -> TopLocations:
        """Return the locations of the first hits, as ``path:start-end`` or ids."""
        found = TopLocations(row_text(hit) for hit in self.hits[:count])
        found.query = self
        return found

    def rank_of(self, location: str) -> Rank:
        """Return the rank of the first hit that reaches a location, written as in the suite.

        Raises:
            InputError: for a location that the corpus has not, so that no misspelling passes or fails a test.
        """
        rank = self.findings.rank_of(self.case, location)
        found = Rank(_ABSENT if rank is None else rank)
        found.location, found.query = location, self
        return found

    def __getitem__(self, expression: str) -> Score:
        scores, metric = self.findings.scored(expression)
        value = scores.per_query(metric.label)[self.case.id]
        if value is None:
            found, fix = f"no value of {metric.label}", "ask for it where something relevant is judged"
            raise InputError(Code.NO_ANSWERS(f"case {self.case.id}", found, "one", fix))
        return _score(value, metric, self.findings, self.case.id)

    def __repr__(self) -> str:
        return f"<{self.case.id}, {many(len(self.hits), 'hit')}>"


@dataclass(frozen=True, eq=False, repr=False)
class Results(Measured):
    """What a system found, to be asserted on. Printed, it is the terminal report.

    A metric is worked out over the cases that a gate would count: an assertion and a gate that say the same
    decide the same.
    """

    findings: Findings
    """All that is known of it."""

    @property
    def evaluation(self) -> Evaluation:
        """The evaluation that ``rankgate.evaluate`` gives; its gates are not judged."""
        return self.findings.evaluation

    def __getitem__(self, expression: str) -> Score:
        metric = self.findings.scored(expression)[1]
        return _score(self.findings.counted(expression).value, metric, self.findings)

    def query(self, name: str) -> QueryResult:
        """Return what came of one query, by the id of its case or by what was asked.

        Raises:
            InputError: where no case, or more than one, has that id or that query.
        """
        suite = self.evaluation.suite
        found = [case for case in suite.cases if case.id == name]
        found = found or [case for case in suite.cases if case.query == name]
        if len(found) == 1:
            return QueryResult(self.findings, found[0])
        known = [text for case in suite.cases for text in (case.id, case.query)]
        what, fix = repr(name), did_you_mean(name, known)
        if found:
            what = f"{name!r}, the query of {many(len(found), 'case')}"
            fix = f"name one by its id: {', '.join(case.id for case in found)}"
        raise InputError(
            Code.UNKNOWN_CASE(f"suite {suite.name}", what, "the id or the query of one case", fix)
        )

    def __str__(self) -> str:
        return str(self.evaluation)

    def __repr__(self) -> str:
        suite = self.evaluation.suite
        return f"<{suite.name}, {many(len(suite.cases), 'query', 'queries')}>"


def evaluate_for_test(
    path: Path,
    system: System | Callable[..., object] | str | None = None,
    *,
    k: int | None = None,
    max_errors: int = 0,
    max_gone: int = 0,
) -> Results:
    """Ask a system every query of a suite; gates are not judged, since the test says what must hold.

    Args:
        path: The suite.
        system: A function, an object or a class with ``search``, or a name: of rankgate.toml, ``module:attr``
            or ``./file.py:attr``. By default the configuration's.
        k: How many hits to ask for; by default what the suite's metrics and gates need, and 10 at least.
        max_errors: How many queries may fail; they count as 0.
        max_gone: How many targets may be gone from the documents; a case without any other is not scored.

    Raises:
        InputError: where the suite or the call is wrong, and where more targets are gone.
        SystemFailedError: where more queries failed.
    """
    suite = load_here(path)
    configuration = configuration_for(path)
    root = configuration.corpus_root
    deep = judging_rules(suite, Settings(asking=RunOptions(k=k))).depth
    given = configuration.entry(None).name if system is None else system
    with opened_as_given(given, configuration, suite) as (asked, entry):
        # Which metrics a test will ask for nobody knows yet.
        asking = RunOptions(k=deep, pace=entry.pace, chunks=entry.chunks, locate=entry.locate, tokens=True)
        settings = Settings(gates=(), asking=asking, max_errors=max_errors, max_gone=max_gone, root=root)
        evaluation = run_evaluation(suite, asked, settings, Stopwatch())
    _refuse_errors(evaluation, max_errors)
    refuse_gone(evaluation.scored.gone, max_gone, evaluation.suite.path)
    return Results(Findings(evaluation, root, deep))


def _refuse_errors(evaluation: Evaluation, most: int) -> None:
    """Refuse answers that stand on an outage, with what the system said."""
    statuses = evaluation.scores.status.to_list()
    failed = sum(status in (Answer.ERROR, Answer.TIMEOUT) for status in statuses)
    if failed <= most:
        return
    answers = evaluation.scored.answers.items()
    errors = [(name, one.error) for name, one in answers if one.error is not None]
    told = [f"  {name}: {printable(str(error), 200)}" for name, error in errors[:_ERRORS_SHOWN]]
    if failed > len(told):
        told.append(f"  and {failed - len(told)} more")
    queries = many(len(statuses), "query", "queries")
    head = f"system error on {failed} of {queries} of {evaluation.suite.name}, {most} allowed"
    raise SystemFailedError("\n".join([head, *told]))


def _score(value: float, metric: Metric, findings: Findings, case: str | None = None) -> Score:
    made = Score(value)
    made.label, made.unit, made.findings, made.case = metric.label, metric.unit, findings, case
    return made
