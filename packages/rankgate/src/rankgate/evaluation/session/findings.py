"""What a system found, looked at in any way that a test may want: any metric, any location, any query."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError
from rankgate.gates.checks import first_ranks
from rankgate.gates.context import Cases
from rankgate.gates.outcomes import Outcome
from rankgate.gates.scored import GatedScores
from rankgate.model import Answer, Location, Top
from rankgate.project.opening import open_corpus
from rankgate.reports.evaluation.failures import failures
from rankgate.runs.store.hits import read_hits
from rankgate.scoring.expressions import parse
from rankgate.scoring.metric import aggregate
from rankgate.scoring.repeats import score_all
from rankgate.truth.locations.resolve import LocationIndex, resolved_top

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rankgate.corpora.corpus import Corpus
    from rankgate.model import Case
    from rankgate.project.evaluation import Evaluation
    from rankgate.reports.evaluation.failures import Failure
    from rankgate.scoring.metric import Metric
    from rankgate.scoring.scores import Scores

_OF_A_HIT = ("query", "rank", "id", "path", "start", "end", "score")


@dataclass(frozen=True, slots=True)
class Counted:
    """A metric over some cases."""

    value: float
    """Its mean, or its own statistic."""
    words: str
    """What it stands on."""
    values: Mapping[str, float]
    """The value of each case that counts."""


@dataclass(frozen=True, eq=False)
class Findings:
    """An evaluation, and what can still be asked of it."""

    evaluation: Evaluation
    """What was found."""
    root: Path
    """The folder that the corpus must be in."""
    depth: int
    """How many hits were asked for."""
    _scores: dict[str, Scores] = field(default_factory=dict, repr=False)

    def scored(self, expression: str) -> tuple[Scores, Metric]:
        """Score a metric, once.

        Raises:
            InputError: for a metric that is unknown, or deeper than what was asked for.
        """
        metric = parse(expression).at_depth(self.depth)
        if (size := metric.needs_hits(self.depth)) > self.depth:
            found, fix = f"a cut deeper than the {self.depth} hits asked for", f"say k={size}"
            raise InputError(Code.DEPTH_TOO_SMALL(metric.label, found, f"at most {self.depth}", fix))
        if metric.label not in self._scores:
            one = self.evaluation
            self._scores[metric.label] = score_all(
                one.judgments, (one.run, *one.scored.repeats), [expression], self.depth
            )
        return self._scores[metric.label], metric

    def counted(self, expression: str) -> Counted:
        """Work a metric out over the cases that a gate would count, and count the others.

        Cases that nobody has reviewed and known misses are left out, unless nothing is reviewed at all.

        Raises:
            InputError: where no case is left that has a value, and where labels in it are estimates that the
                suite does not allow.
        """
        shown, metric = self.scored(expression)
        scored = self.evaluation.scored
        scores = GatedScores.of(scored.judgments, scored.run, shown, scored.repeats).scores
        suite, column = self.evaluation.suite, scores.columns[metric.label]
        cases = Cases.of(scored, scores, shown)
        counted = cases.counted(cases.everything, metric.unit, reviewed_only=cases.not_enforced is None)
        counts = counted.counts(metric.label)
        words = counted.words(counts, metric.label)
        where = f"suite {suite.name}"
        if counts.estimated and not suite.allow_estimated:
            fix = "give those cases targets, or say allow_estimated: true in the suite"
            raise InputError(
                Code.ESTIMATED_LABELS(
                    where, f"{metric.label} on estimated labels ({words})", "judged ones", fix
                )
            )
        rows = counted.rows & column.defined
        value = aggregate(column.values[rows], scores.weights[rows], metric.statistic)
        if value is None:
            found, fix = f"no value of {metric.label} ({words})", "give its cases relevant targets"
            raise InputError(Code.NOTHING_SCORED(where, found, "at least one query with a value", fix))
        names = scores.queries.to_list()
        return Counted(
            value, words, {names[row]: float(column.values[row]) for row in rows.nonzero()[0].tolist()}
        )

    @cached_property
    def hits(self) -> Mapping[str, Sequence[Mapping[str, object]]]:
        """The hits of each case, best first: rank, id, path, start, end and score."""
        return {
            query: [{name: getattr(hit, name) for name in _OF_A_HIT} for hit in hits]
            for query, hits in read_hits(self.evaluation.run).items()
        }

    def rank_of(self, case: Case, wanted: str) -> int | None:
        """Return the rank of the first hit of a case that reaches a location, by the rule that scores go by.

        Raises:
            InputError: for a location that is none, or is not in the corpus.
        """
        suite, corpus = self.evaluation.suite, self._corpus
        opaque = corpus is None or corpus.records
        location = Location.of_id(wanted) if opaque else Location.at(wanted)
        index = LocationIndex(corpus)
        spot = index.find(f"rank_of({wanted!r})", "", location)
        index.check(suite.path or f"suite {suite.name}")
        top = resolved_top(Top(location), spot)
        tops = {case.id: () if top is None else (top,)}
        return first_ranks(suite.matching, tops, self.evaluation.run).get((case.id, 0))

    def told(self, names: Sequence[str]) -> list[Failure]:
        """Return the story of some cases, in the order given, whether or not they fell short."""
        cases = {case.id: case for case in self.evaluation.suite.cases}
        outcomes = [Outcome(cases[name], Answer.OK) for name in names]
        return list(failures(outcomes, self.evaluation.scored))

    @cached_property
    def _corpus(self) -> Corpus | None:
        return open_corpus(self.evaluation.suite, self.root)
