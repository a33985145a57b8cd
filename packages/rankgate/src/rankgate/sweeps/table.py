"""The table of a sweep: every variant against the one that is in use, over one suite.

The p values of "better" are corrected by Holm's rule for the family: every distinct variant that was ever
asked in this sweep of this suite, whether or not it is in the file today. Variants that are the same as
another count once. The best of twenty equal variants is better than the one in use by its own p value in one
sweep of five; by Holm's rule it is in one of twenty at most.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError
from rankgate.model import fingerprint
from rankgate.project.named_answers import NamedAnswers, compared_pair
from rankgate.reports.compare import compared_metric, first_p, paired_metrics
from rankgate.runs.identity import listed
from rankgate.runs.store.hits import answer_digests
from rankgate.scoring.paired.compare import holm
from rankgate.wording import shortest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.model import Suite
    from rankgate.reports.compare import ComparedMetric
    from rankgate.runs.store.tables import Run
    from rankgate.scoring.comparison import Comparison
    from rankgate.scoring.scores import Scores
    from rankgate.sweeps.asking import AskedVariant
    from rankgate.truth.judgments.table import Judgments


@dataclass(frozen=True, slots=True, eq=False)
class ComparedVariant:
    """A variant compared with the baseline."""

    asked: AskedVariant
    comparison: Comparison
    """Its scores and those of the baseline, query by query."""
    metric: ComparedMetric | None
    """The metric that decides; None if no query has a value in both."""


@dataclass(frozen=True, slots=True, eq=False)
class SweepTable:
    """All that the answers of a sweep say about a suite."""

    suite: Suite
    """What was asked."""
    baseline: AskedVariant
    """The variant that is in use."""
    own: Comparison
    """The baseline beside itself."""
    compared: tuple[ComparedVariant, ...]
    """The distinct others, in the order of the file; those that left the file last."""
    same: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """The variants that are the same as another, by name: in which way, and as which."""
    shown: tuple[AskedVariant, ...] = ()
    """The variants of the file, all of which have a row."""

    @property
    def base(self) -> Scores:
        """The scores of the baseline."""
        return self.own.before

    def of(self, name: str) -> ComparedVariant | None:
        """Find what is said of a variant; that of the one it is the same as; None for the baseline."""
        _, wanted = self.same.get(name, ("", name))
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

    def beside_base(one: AskedVariant) -> Comparison:
        both = (NamedAnswers(base.variant.name, base.run), NamedAnswers(one.variant.name, one.run))
        return compared_pair(suite, judgments, both, metrics)[0]

    comparisons = [beside_base(one) for one in others]
    compared = map(ComparedVariant, others, comparisons, compared_family(comparisons))
    return SweepTable(suite, base, beside_base(base), tuple(compared), same, tuple(asked))


def compared_family(comparisons: Sequence[Comparison]) -> list[ComparedMetric | None]:
    """Compare each variant of a family by the metric that decides, with Holm's p value over all of them."""
    adjusted = holm([first_p(one, one.shared) for one in comparisons])
    return [
        next((compared_metric(one, metric, one.shared, p) for metric in paired_metrics(one)), None)
        for one, p in zip(comparisons, adjusted, strict=True)
    ]


def leading(metrics: Sequence[ComparedMetric | None]) -> int | None:
    """Return the number of the best variant, the first of equal ones; None if none was compared."""
    known = [at for at, metric in enumerate(metrics) if metric is not None]
    return max(known, key=lambda at: _gain(metrics[at]), default=None)


def _gain(metric: ComparedMetric | None) -> float:
    if metric is None:
        return 0.0
    return -metric.difference if metric.less_is_better else metric.difference


def no_ops(asked: Sequence[AskedVariant], first: str) -> dict[str, tuple[str, str]]:
    """Return the variants that are the same as another, by name: in which way, and as which.

    Args:
        asked: The variants with their answers.
        first: The variant that others are said to be the same as where it is one of them: the baseline.
    """
    seen: dict[str, AskedVariant] = {}
    found = {}
    for one in sorted(asked, key=lambda one: one.variant.name != first):
        other = seen.setdefault(_answers_fingerprint(one.run), one)
        if other is one:
            continue
        index = _index(one)
        if one.run.folder == other.run.folder:
            how = "same options"
        else:
            how = "same index and answers" if index and index == _index(other) else "same answers"
        found[one.variant.name] = (how, other.variant.name)
    return found


def _index(one: AskedVariant) -> str | None:
    """Name what a variant searches; None where nobody knows, of which nothing is the same."""
    if one.index is not None:
        return one.index.name
    contents: Mapping[str, str] = one.identity.contents or {}
    return contents.get("prepare")


def _answers_fingerprint(run: Run) -> str:
    """Name all answers of a run: two that are equal have the same hits in the same order for every query."""
    answers = answer_digests(run).sort("query")
    return fingerprint([answers["query"].to_list(), list(map(str, answers["answer"].to_list()))])


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
