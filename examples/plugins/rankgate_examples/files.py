from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import rankgate as rg


@dataclass(frozen=True)
class Files(rg.Metric):
    """From how many different files the first k hits come, whether they are right or not."""

    name: ClassVar[str] = "files"
    needs: ClassVar[frozenset[str]] = frozenset({"files"})
    cut_by: ClassVar[tuple[str, ...]] = ("rank",)
    cut_required: ClassVar[bool] = True

    cut: rg.Cut | None = None

    @property
    def range(self) -> rg.ValueRange:
        return rg.ValueRange(0.0, float(self.cut.size if self.cut else 1))

    def values(self, matches: rg.Matches) -> rg.Column:
        hits = matches.files_within(self.cut)
        query, _ = np.unique([hits.query, hits.file], axis=1)
        return rg.Column(matches.per_query(query), np.ones(matches.size, dtype=bool))
