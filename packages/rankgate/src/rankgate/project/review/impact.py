"""What accepting changes would hide: figures and verdicts that differ though not one answer does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from rankgate.errors import InputError
from rankgate.gates.judge import judge_run
from rankgate.gates.outcomes import outcomes
from rankgate.gates.scored import score_run
from rankgate.gates.wording import decimals_to_tell, figure
from rankgate.model import Status
from rankgate.model.wording import many
from rankgate.truth.locations.resolve import resolve_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rankgate.corpora.corpus import Corpus
    from rankgate.gates.checks import Checks
    from rankgate.gates.judge import JudgingRules
    from rankgate.gates.scored import Against, GateVerdict, Scored
    from rankgate.model import Suite, Verdict
    from rankgate.runs.store.tables import Run
    from rankgate.scoring.scores import Scores

NOTHING = "—"
ONLY = "only because the truth changed; the answers are the same"
"""What is said of a figure that differs under two truths."""


@dataclass(frozen=True, slots=True, eq=False)
class ReviewRules:
    """What a run is judged by, whatever the truth is."""

    judging: JudgingRules
    """The gates and the metrics."""
    probed: Checks
    """What came of scenarios and invariants, which no change of a case touches."""
    compare: Callable[[Scored], Mapping[str | None, Against]]
    """Compares a run with the baselines."""


@dataclass(frozen=True, slots=True, eq=False)
class JudgedSuite:
    """What a run is worth under a suite."""

    scored: Scored
    """All that is known of it; without verdicts where the gates are refused."""
    refused: str = ""
    """Why the gates cannot be judged, where they cannot."""

    @property
    def scores(self) -> Scores:
        """What the answers are worth."""
        return self.scored.scores

    @property
    def verdicts(self) -> tuple[GateVerdict, ...]:
        """The gates, judged."""
        return self.scored.verdicts

    @property
    def short(self) -> Mapping[str, tuple[str, ...]]:
        """The cases that fell short, each with its reasons."""
        return {one.case.id: one.reasons for one in outcomes(self.scored) if one.reasons}

    @property
    def uncounted(self) -> frozenset[str]:
        """The cases with relevant targets, none of which is reviewed: no gate counts them."""
        relevant = self.scored.judgments.targets.filter(pl.col("grade") > 0)
        return frozenset(relevant["query"]) - frozenset(relevant.filter("reviewed")["query"])

    @property
    def valued(self) -> frozenset[str]:
        """The cases in which a metric that is about truth has a value."""
        found: set[str] = set()
        names = self.scores.queries.to_list()
        for metric in self.scores.metrics:
            if metric.unit != "ms":
                found.update(names[row] for row in self.scores.columns[metric.label].defined.nonzero()[0])
        return frozenset(found)

    @property
    def unreviewed(self) -> int:
        """How many targets nobody has reviewed."""
        return int((~self.scored.judgments.targets["reviewed"]).sum())


def judged(suite: Suite, corpus: Corpus | None, run: Run, rules: ReviewRules) -> JudgedSuite:
    """Resolve, score, check and judge; nobody is asked.

    Raises:
        InputError: for a suite whose locations are not in its corpus.
    """
    judging = rules.judging
    scored = score_run(
        suite,
        resolve_all(suite, corpus),
        run,
        judging.metrics,
        judging.today,
        rules.probed,
        depth=judging.depth,
    )
    scored = replace(scored, baselines=rules.compare(scored))
    try:
        return JudgedSuite(judge_run(scored, judging))
    except InputError as error:
        refused = "; ".join(f"{problem.where}: found {problem.found}" for problem in error.problems)
        return JudgedSuite(scored, refused)


@dataclass(frozen=True, slots=True)
class Figure:
    """One metric of the same answers, under the old truth and the new."""

    metric: str
    """Its label."""
    before: float | None
    """Its mean under the old truth; None where it is defined for no case."""
    after: float | None
    """The same under the new."""
    scored: tuple[int, int]
    """How many cases have a value, before and after."""
    unit: str = ""
    """What it is measured in."""

    @property
    def changed(self) -> bool:
        """True where the two differ."""
        return self.before != self.after or self.scored[0] != self.scored[1]

    def __str__(self) -> str:
        decimals = None
        if self.before is not None and self.after is not None and self.before != self.after:
            decimals = decimals_to_tell(self.before, self.after, self.unit)
        shown = [
            NOTHING if value is None else figure(value, self.unit, decimals=decimals)
            for value in (self.before, self.after)
        ]
        cases = "" if self.scored[0] == self.scored[1] else f" ({self.scored[0]} → {self.scored[1]} queries)"
        if self.before == self.after:
            return f"{self.metric} {shown[0]}{cases}"
        return f"{self.metric} {shown[0]} → {shown[1]}{cases} {ONLY}"


@dataclass(frozen=True, slots=True)
class Hidden:
    """What differs between two truths over the same answers."""

    figures: tuple[Figure, ...]
    """Every metric."""
    gates: tuple[str, ...]
    """The gates whose value or verdict differs, in words."""
    unreviewed: tuple[int, int]
    """How many targets nobody has reviewed, before and after."""
    uncounted: tuple[str, ...] = ()
    """The cases that gates counted and would not any more."""
    counted: tuple[str, ...] = ()
    """The cases that gates did not count and would."""
    gone: tuple[str, ...] = ()
    """The cases that would not be there."""

    def lines(self) -> Iterator[str]:
        """Write it in words, with counts."""
        changed = [each for each in self.figures if each.changed]
        yield from map(str, changed)
        if not changed:
            yield f"no figure changes ({', '.join(map(str, self.figures))})"
        yield from self.gates
        before, after = self.unreviewed
        if before != after:
            yield f"{before} → {many(after, 'unreviewed target')}, which no gate counts"
        if self.uncounted:
            named = _named(self.uncounted)
            yield f"{many(len(self.uncounted), 'case')} that gates counted would not count: {named}"
        if self.counted:
            yield f"{many(len(self.counted), 'case')} would count that did not: {_named(self.counted)}"
        if self.gone:
            yield f"{many(len(self.gone), 'case')} would not be asked any more: {_named(self.gone)}"


def hidden(before: JudgedSuite, after: JudgedSuite) -> Hidden:
    """Set two judgments of one run side by side."""
    figures = tuple(
        Figure(
            metric.label,
            before.scores[metric.label],
            after.scores[metric.label],
            (before.scores.counts(metric.label).scored, after.scores.counts(metric.label).scored),
            metric.unit,
        )
        for metric in before.scores.metrics
        if metric.unit != "ms"
    )
    cases = frozenset(after.scores.queries.to_list())
    kept = before.uncounted & cases
    return Hidden(
        figures,
        tuple(_gates(before, after)),
        (before.unreviewed, after.unreviewed),
        uncounted=tuple(sorted((after.uncounted & before.valued) - before.uncounted)),
        counted=tuple(sorted(kept - after.uncounted)),
        gone=tuple(query for query in before.scores.queries.to_list() if query not in cases),
    )


def _gates(before: JudgedSuite, after: JudgedSuite) -> Iterator[str]:
    if after.refused and not before.refused:
        yield f"the gates would be refused: {after.refused}"
        return
    now = {verdict.gate: verdict for verdict in after.verdicts}
    for verdict in before.verdicts:
        other = now.get(verdict.gate)
        if other is None:
            yield f"gate {verdict.gate}: {verdict.status} → nothing left to judge"
        elif other.status is not verdict.status:
            twice = "look twice: " if other.status is Status.PASSED else ""
            yield f"{twice}gate {verdict.gate}: {_told(verdict)} → {_told(other)}"
        elif other.value != verdict.value:
            yield f"gate {verdict.gate}: still {verdict.status}: {verdict.reason} → {other.reason}"
    known = {verdict.gate for verdict in before.verdicts}
    for verdict in after.verdicts:
        if verdict.gate not in known and not before.refused:
            yield f"gate {verdict.gate}: not judged → {_told(verdict)}"


def _told(verdict: Verdict) -> str:
    return f"{verdict.status} ({verdict.reason})"


def _named(cases: tuple[str, ...], most: int = 5) -> str:
    more = f" and {len(cases) - most} more" if len(cases) > most else ""
    return ", ".join(cases[:most]) + more
