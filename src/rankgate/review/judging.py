"""A run judged by a suite: the same answers, under the truth that there is or one that there could be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from rankgate.errors import InputError
from rankgate.gates.checks import run_checks
from rankgate.gates.judge import judge, waive
from rankgate.gates.outcomes import outcomes
from rankgate.reports.failures import Placed, answered
from rankgate.runs.kept_texts import kept_texts
from rankgate.scoring.evaluate import score
from rankgate.truth.estimate import answered_cases, estimate
from rankgate.truth.resolve import resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import date

    from rankgate.corpora.corpus import Corpus
    from rankgate.gates.against import Against
    from rankgate.gates.checks import Checks
    from rankgate.gates.language import Gate
    from rankgate.model import Suite, Verdict
    from rankgate.runs.tables import Run
    from rankgate.scoring.scores import Scores
    from rankgate.truth.judgments import Judgments

    Holding = Callable[[Judgments, Scores], Mapping[str | None, Against]]


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """What a run is judged by, whatever the truth is."""

    gates: tuple[Gate, ...]
    """The gates."""
    metrics: tuple[str, ...]
    """Every metric that they or the suite want."""
    today: date
    """The day on which known misses are judged."""
    probed: Checks
    """What came of scenarios and invariants, which no change of a case touches."""
    hold: Holding
    """Holds scores against baselines."""
    max_errors: int = 0
    """How many queries may fail."""
    enforce: bool = True
    """False where the system is only reported."""


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What a run is worth under a suite."""

    judgments: Judgments
    """What should be found."""
    scores: Scores
    """What it is worth."""
    verdicts: tuple[Verdict, ...]
    """The gates, judged; none where they are refused."""
    short: Mapping[str, tuple[str, ...]]
    """The cases that fell short, each with its reasons."""
    refused: str = ""
    """Why the gates cannot be judged, where they cannot."""

    @property
    def uncounted(self) -> frozenset[str]:
        """The cases with a relevant target that nobody has reviewed: no gate counts them."""
        relevant = self.judgments.targets.filter((pl.col("grade") > 0) & ~pl.col("reviewed"))
        return frozenset(relevant["query"])

    @property
    def scored(self) -> frozenset[str]:
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
        return int((~self.judgments.targets["reviewed"]).sum())


def judged(suite: Suite, corpus: Corpus | None, run: Run, rules: Rules) -> Judged:
    """Resolve, score, check and judge; nobody is asked.

    Raises:
        InputError: for a suite whose places are not in its corpus.
    """
    truth = resolve(suite, corpus)
    judgments = truth.judgments
    answers, _ = answered_cases(suite)
    if answers:
        judgments = estimate(judgments, answers, kept_texts(run, [case.id for case in answers]))
    scores = score(judgments, run, rules.metrics)
    checks = run_checks(suite, truth.tops, run, scores).with_probes(rules.probed)
    held = rules.hold(judgments, scores)
    refused = ""
    verdicts: tuple[Verdict, ...] = ()
    try:
        verdicts = judge(
            rules.gates,
            scores,
            judgments,
            checks,
            suite=suite,
            today=rules.today,
            max_errors=rules.max_errors,
            against=held,
        )
    except InputError as error:
        refused = "; ".join(f"{problem.where}: found {problem.found}" for problem in error.problems)
    verdicts = verdicts if rules.enforce else waive(verdicts)
    ended = outcomes(
        suite,
        judgments,
        scores,
        checks,
        verdicts,
        errors={query: answer.error for query, answer in answered(run).items()},
        found=Placed(judgments, run).found,
        today=rules.today,
        against=held.get(None),
    )
    short = {one.case.id: one.reasons for one in ended if one.reasons}
    return Judged(judgments, scores, verdicts, short, refused)
