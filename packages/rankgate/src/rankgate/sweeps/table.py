"""The table of a sweep: every variant against the one that is in use, over one suite.

The p values of "better" are corrected by Holm's rule for the family: every distinct variant that was ever
asked in this sweep of this suite, whether or not it is in the file today. Variants that are the same as
another count once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError
from rankgate.model.identity import listed
from rankgate.model.wording import shortest
from rankgate.project.named_answers import NamedAnswers, compared_pair
from rankgate.reports.compare import compared_metric
from rankgate.sweeps.comparing.claims import family_claims
from rankgate.sweeps.comparing.stacked import stacked_comparisons
from rankgate.sweeps.no_ops import no_ops

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.model import Suite
    from rankgate.reports.compare import ComparedMetric
    from rankgate.scoring.comparison import Comparison
    from rankgate.scoring.scores import Scores
    from rankgate.sweeps.asking import AskedVariant
    from rankgate.sweeps.no_ops import NoOp
    from rankgate.truth.judgments.table import Judgments


@dataclass(frozen=True, slots=True, eq=False)
class ComparedVariant:
    """A variant compared with the baseline."""

    asked: AskedVariant
    comparison: Comparison
    """Its scores and those of the baseline, query by query."""
    metric: ComparedMetric | None
    """The metric that decides; None if no query has a value in both."""
    p: float
    """The p value as if it were the only variant."""
    holm: float
    """The same by Holm's rule over the family."""


@dataclass(frozen=True, slots=True, eq=False)
class SweepTable:
    """All that the answers of a sweep say about a suite."""

    suite: Suite
    """What was asked."""
    baseline: AskedVariant
    """The variant that is in use."""
    base: Scores
    """Its scores."""
    own: Comparison
    """The baseline beside one of the others, or beside itself: its hits, as they were before."""
    compared: tuple[ComparedVariant, ...]
    """The distinct others, in the order of the file; those that left the file last."""
    same: dict[str, NoOp] = field(default_factory=dict)
    """The variants that are the same as another, by name."""
    shown: tuple[AskedVariant, ...] = ()
    """The variants of the file, all of which have a row."""

    @property
    def primary(self) -> str:
        """The metric that decides."""
        return self.base.metrics[0].label

    def of(self, name: str) -> ComparedVariant | None:
        """Find what is said of a variant; that of the one it is the same as; None for the baseline."""
        told = self.same.get(name)
        wanted = name if told is None else told.other
        return next((one for one in self.compared if one.asked.variant.name == wanted), None)


def sweep_table(
    suite: Suite,
    judgments: Judgments,
    asked: Sequence[AskedVariant],
    earlier: Sequence[AskedVariant],
    baseline: str,
    metrics: Sequence[str],
) -> SweepTable:
    """Compare the variants of a sweep with the one that is in use.

    Args:
        suite: What was asked.
        judgments: What should be found.
        asked: The variants of the file.
        earlier: Variants that were asked before and are not in the file; they count in the family.
        baseline: The name of the variant that is in use.
        metrics: What is measured; the first decides.

    Raises:
        InputError: for answers to something else, with what differs.
    """
    every = [*asked, *earlier]
    base = next(one for one in every if one.variant.name == baseline)
    _check_alike(base, every)
    same = no_ops(every, baseline)
    others = [one for one in every if one is not base and one.variant.name not in same]
    named = NamedAnswers(base.variant.name, base.run)
    # The baseline beside itself is where answers over other documents are refused.
    own, _ = compared_pair(suite, judgments, (named, named), metrics)
    comparisons = stacked_comparisons(judgments, base.run, [one.run for one in others], metrics)
    compared = tuple(
        ComparedVariant(
            one,
            comparison,
            _deciding(comparison, claim.holm),
            claim.result.p,
            claim.holm,
        )
        for one, comparison, claim in zip(others, comparisons, family_claims(comparisons), strict=True)
    )
    return SweepTable(suite, base, own.before, own, compared, same, tuple(asked))


def _deciding(comparison: Comparison, holm: float) -> ComparedMetric | None:
    """Return the first metric that has differences per query."""
    metrics = [one for one in comparison.after.metrics if one.statistic == "mean" and one.paired]
    return compared_metric(comparison, metrics[0], comparison.shared, holm) if metrics else None


def _check_alike(base: AskedVariant, every: Sequence[AskedVariant]) -> None:
    """Check that all answers are to the same questions, over the same corpus, by the same rules and depth.

    Runs lie in folders that are named by all of these, so that this holds unless somebody moved one.
    """
    problems = [
        Code.OTHER_ANSWERS(
            one.variant.name, listed(differences), f"answers to what {base.variant.name} was asked", fix
        )
        for one in every
        if (differences := base.identity.asking_differences(one.identity))
        for fix in [f"remove {shortest(one.run.folder)}, and it is asked again"]
    ]
    if problems:
        raise InputError(problems)
