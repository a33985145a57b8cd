from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import rankgate as rg


@dataclass(frozen=True)
class LinearRank(rg.Metric):
    """How far up the first good hit is, in equal steps: 1 at rank 1, 1/k at rank k, 0 where there is none."""

    name: ClassVar[str] = "linear_rank"
    limits: ClassVar[tuple[float, float] | None] = (0.0, 1.0)
    cut_by: ClassVar[tuple[str, ...]] = ("rank",)
    cut_required: ClassVar[bool] = True

    rel: float | None = None
    cut: rg.Cut | None = None

    def values(self, matches: rg.Matches) -> rg.Column:
        found = matches.within(matches.reached(self.rel), self.cut)
        size = self.cut.size if self.cut else 1
        values = np.zeros(matches.size)
        np.maximum.at(values, found.query, 1 - (found.rank - 1) / size)
        return rg.Column(values, matches.relevant_units(self.rel) > 0)
