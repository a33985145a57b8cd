"""Candidates to judge with their true grades, drawn: what stands high is relevant more often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankgate.judging.order.candidates import Candidates

if TYPE_CHECKING:
    from rankgate.scoring.matches import Floats


@dataclass(frozen=True, slots=True)
class DrawnCandidates:
    """Units of several queries, the grade of each held back."""

    candidates: Candidates
    """What the order sees."""
    grades: Floats
    """What a judge would say."""


def drawn_candidates(
    seed: int, queries: int = 12, units: int = 15, top: int = 2, systems: int = 2, better: float = 1.0
) -> DrawnCandidates:
    """Draw them; the last system ranks by the truth so much more than the others."""
    rng = np.random.default_rng(seed)
    query = np.repeat(np.arange(queries), units)
    easy = rng.normal(-1.0, 1.0, queries)[query]
    score = easy + rng.normal(size=len(query))
    grades = np.clip(np.round(score + rng.normal(0.0, 0.5, len(query)) + 0.5), 0, top)
    ranks = np.zeros((len(query), systems), dtype=np.int64)
    for column in range(systems):
        trust = better if column == systems - 1 else 0.3
        value = trust * score + rng.normal(size=len(query))
        for one in range(queries):
            rows = np.flatnonzero(query == one)
            order = rows[np.argsort(-value[rows])][: units * 3 // 4]
            ranks[order, column] = np.arange(1, len(order) + 1)
    kept = (ranks > 0).any(axis=1)
    return DrawnCandidates(Candidates.of_ranks(query[kept], ranks[kept], queries, float(top)), grades[kept])
