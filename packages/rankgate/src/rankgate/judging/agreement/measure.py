"""How far two judges agree, and how far several do, over all grades and at the cut of each metric."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from rankgate.judging.agreement.alpha import coincidence_sums, krippendorff_alpha
from rankgate.judging.agreement.intervals import Estimate, QuerySums, estimates
from rankgate.judging.agreement.kappa import (
    cohen_kappa,
    confusion_sums,
    fleiss_kappa,
    fleiss_sums,
    share_within,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.judging.agreement.ratings import Ratings
    from rankgate.scoring.matches import Floats

CUTS: tuple[float | None, ...] = (None,)
"""The cut of a metric without `rel=`: a grade above 0."""


@dataclass(frozen=True, slots=True)
class CutAgreement:
    """Agreement on what is relevant to the metrics with one cut."""

    rel: float | None
    """The cut: relevant is a grade of at least so much; above 0 where it is null."""
    same: Estimate
    """The share of units of which both say the same."""
    kappa: Estimate
    """Cohen's kappa of two judges, Fleiss' of several."""

    @property
    def words(self) -> str:
        """Return the cut for people."""
        return "grade > 0" if self.rel is None else f"grade >= {self.rel:g}"


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """How far two judges agree on the units that both graded."""

    judges: tuple[str, str]
    """Their names."""
    units: int
    """How many units both graded."""
    queries: int
    """How many queries these belong to."""
    same: Estimate
    """The share of units with the same grade."""
    near: Estimate
    """The share whose grades are at most 1 apart."""
    kappa: Estimate
    """Cohen's kappa."""
    linear: Estimate
    """Cohen's kappa, a disagreement weighted by how far it goes."""
    quadratic: Estimate
    """The same, weighted by the square of it."""
    cuts: tuple[CutAgreement, ...]
    """Agreement at the cut of each metric."""


@dataclass(frozen=True, slots=True)
class GroupAgreement:
    """How far several judges agree on the units that two or more of them graded."""

    judges: tuple[str, ...]
    """Their names."""
    units: int
    """How many units have two grades or more."""
    queries: int
    """How many queries these belong to."""
    fleiss: Estimate
    """Fleiss' kappa."""
    nominal: Estimate
    """Krippendorff's alpha, all disagreements alike."""
    ordinal: Estimate
    """The same, a disagreement weighted by how many grades lie between."""
    interval: Estimate
    """The same, weighted by the square of the difference of grades."""
    cuts: tuple[CutAgreement, ...]
    """Agreement at the cut of each metric; same is the share of pairs of grades of one unit."""


def pair_agreement(ratings: Ratings, cuts: Sequence[float | None] = CUTS) -> PairAgreement:
    """Compare the two judges of a table.

    >>> from rankgate.judging.agreement.ratings import Rating, Ratings
    >>> rows = [Rating(who, f"u{at}", f"q{at}", at % 4) for at in range(8) for who in ("ada", "bo")]
    >>> found = pair_agreement(Ratings.of(rows))
    >>> found.units, found.quadratic.value, found.cuts[0].kappa.value
    (8, 1.0, 1.0)
    """
    both = ratings.shared(2)
    one, other = ratings.judges
    scale = both.scale
    sums = confusion_sums(both)
    measured = {
        "same": QuerySums(sums, partial(share_within, scale=scale)),
        "near": QuerySums(sums, partial(share_within, scale=scale, most=1.0)),
        "kappa": QuerySums(sums, partial(cohen_kappa, scale=scale)),
        "linear": QuerySums(sums, partial(cohen_kappa, scale=scale, weights="linear")),
        "quadratic": QuerySums(sums, partial(cohen_kappa, scale=scale, weights="quadratic")),
    }
    for rel in cuts:
        parted = both.cut(rel)
        sums = confusion_sums(parted)
        measured[f"same at {rel}"] = QuerySums(sums, partial(share_within, scale=parted.scale))
        measured[f"kappa at {rel}"] = QuerySums(sums, partial(cohen_kappa, scale=parted.scale))
    found = estimates(measured)
    return PairAgreement(
        (one, other),
        len(both.units),
        both.blocks,
        found["same"],
        found["near"],
        found["kappa"],
        found["linear"],
        found["quadratic"],
        tuple(CutAgreement(rel, found[f"same at {rel}"], found[f"kappa at {rel}"]) for rel in cuts),
    )


def group_agreement(ratings: Ratings, cuts: Sequence[float | None] = CUTS) -> GroupAgreement:
    """Compare all judges of a table, each unit by the grades that it has."""
    several = ratings.shared(2)
    met, scale = coincidence_sums(several), several.scale
    measured = {"fleiss": QuerySums(fleiss_sums(several), fleiss_kappa)}
    measured |= {
        level: QuerySums(met, partial(krippendorff_alpha, scale=scale, level=level))
        for level in ("nominal", "ordinal", "interval")
    }
    for rel in cuts:
        parted = several.cut(rel)
        sums = fleiss_sums(parted)
        measured[f"same at {rel}"] = QuerySums(sums[:, :2], _mean_within)
        measured[f"kappa at {rel}"] = QuerySums(sums, fleiss_kappa)
    found = estimates(measured)
    return GroupAgreement(
        ratings.judges,
        len(several.units),
        several.blocks,
        found["fleiss"],
        found["nominal"],
        found["ordinal"],
        found["interval"],
        tuple(CutAgreement(rel, found[f"same at {rel}"], found[f"kappa at {rel}"]) for rel in cuts),
    )


def _mean_within(sums: Floats) -> Floats:
    """Return the mean over units of the share of pairs of grades that are equal."""
    units = sums[..., 0]
    means: Floats = np.divide(sums[..., 1], units, out=np.full(units.shape, np.nan), where=units > 0)
    return means
