"""A mean by a model's labels, corrected by what people say of a part of the queries.

Prediction-powered inference with the query as unit. People grade every pooled hit of some queries, drawn by
chance. The rectifier of each of these is the metric under people's labels less that under the model's. The
mean over all N queries by the model, plus the mean rectifier over the n queries, is right on average however
wrong the model is; a poor model only makes it less certain. With y the metric under people's labels and r the
rectifier, its variance is var(y) / N + var(r) (1 / n - 1 / N): what the queries of the suite leave open, and
what is open of the rectifier of those that people did not grade.

Reference: Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, Prediction-powered inference, Science 2023.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankgate.errors import Code, InputError
from rankgate.model.wording import many
from rankgate.scoring.paired.power import student
from rankgate.truth.model_truth import FEWEST

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True)
class CorrectedMean:
    """A mean by a model's labels, corrected by people's."""

    value: float
    """The corrected mean."""
    low: float
    """Where its 95 % interval begins: for queries like these."""
    high: float
    """Where it ends."""
    by_model: float
    """The mean by the model's labels alone, over all queries."""
    rectifier: float
    """The mean of the metric under people's labels less that under the model's."""
    queries: int
    """Over how many queries it is a mean."""
    graded: int
    """How many of them people graded whole."""


def corrected_mean(by_model: ArrayLike, by_people: ArrayLike) -> CorrectedMean:
    """Return the corrected mean of a metric, or of the difference of two systems.

    Args:
        by_model: The metric under the model's labels, a value a query.
        by_people: The same under people's labels; NaN for queries that they did not grade whole.

    Raises:
        InputError: where people graded fewer than 50 queries.

    >>> model = [0.8, 0.6] * 50
    >>> found = corrected_mean(model, [value - 0.1 for value in model[:60]] + [float("nan")] * 40)
    >>> round(found.by_model, 6), round(found.value, 6), found.graded
    (0.7, 0.6, 60)
    """
    model = np.asarray(by_model, dtype=np.float64)
    people = np.asarray(by_people, dtype=np.float64)
    if model.shape != people.shape or model.ndim != 1 or not np.isfinite(model).all():
        raise InputError(
            Code.WRONG_NUMBERS("corrected mean", "values that do not fit", "a value a query of each")
        )
    graded = ~np.isnan(people)
    few, all_queries = int(graded.sum()), len(model)
    if few < FEWEST:
        found = f"{many(few, 'query', 'queries')} that people graded whole"
        raise InputError(
            Code.TOO_FEW_PAIRS(
                "corrected mean", found, f"at least {FEWEST}, drawn by chance", "judge more queries whole"
            )
        )
    rectifiers = people[graded] - model[graded]
    rectifier, mean = float(rectifiers.mean()), float(model.mean())
    variance = float(people[graded].var(ddof=1)) / all_queries
    variance += float(rectifiers.var(ddof=1)) * (1 / few - 1 / all_queries)
    reach = student(0.975, few - 1) * math.sqrt(variance)
    value = mean + rectifier
    return CorrectedMean(value, value - reach, value + reach, mean, rectifier, all_queries, few)
