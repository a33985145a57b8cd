"""Sets of differences whose true mean is known, and what becomes of them over many repetitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from rankgate.model import Query
from rankgate.scoring.evaluate import score
from rankgate.scoring.paired.compare import PairedResult, compare_paired
from rankgate.scoring.paired.interval import inverted
from rankgate.scoring.paired.paired import Paired
from rankgate.scoring.paired.power import detectable
from rankgate.scoring.paired.subsets import Subsets
from rankgate.truth.judgments.table import Judgments
from support.builders import id_targets, run_of
from support.engine_material import scifact
from support.memory_engine import open_memory

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.random import Generator

    from rankgate.model import Document
    from rankgate.scoring.matches import Floats, Ints

STATED = np.array([0.0] * 10 + [1.0] * 32 + [0.63] * 7 + [0.5] * 4 + [0.43] * 3 + [0.39, 0.36, 0.33, 0.30])
"""Values of nDCG@10, one a query, in the shares that BM25 has on SciFact: a sixth 0, over half 1."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """One set."""

    differences: Floats
    groups: Ints | None = None

    @property
    def labels(self) -> list[int] | None:
        """The group of each query."""
        return None if self.groups is None else self.groups.tolist()

    def compared(self, seed: int, resamples: int) -> PairedResult:
        return compare_paired(self.differences, groups=self.labels, seed=seed, resamples=resamples)


Draw: TypeAlias = Callable[["Generator"], Drawn]


@dataclass(frozen=True, slots=True)
class Scenario:
    """Sets of one kind."""

    name: str
    truth: float
    """The mean difference over all sets that could be drawn."""
    draw: Draw


def lost(name: str, values: Floats, *, rate: float = 0.05, moving: float = 0.0, cases: int = 48) -> Scenario:
    """Lose each query, to 0, at a rate; let the others move a little, both ways."""

    def draw(chance: Generator) -> Drawn:
        old = chance.choice(values, cases)
        moved = chance.normal(0, moving, cases) if moving else np.zeros(cases)
        return Drawn(np.where(chance.random(cases) < rate, -old, moved))

    return Scenario(name, -rate * float(values.mean()), draw)


def swapped(name: str, differences: Floats, values: Floats, *, rate: float, cases: int = 48) -> Scenario:
    """Lose each query at a rate; let the others move as between two real systems, labels swapped."""

    def draw(chance: Generator) -> Drawn:
        moved = chance.choice(differences, cases) * chance.choice([-1.0, 1.0], cases)
        return Drawn(np.where(chance.random(cases) < rate, -chance.choice(values, cases), moved))

    return Scenario(name, -rate * float(values.mean()), draw)


def normal(cases: int, deviation: float = 0.3, mean: float = 0.02) -> Scenario:
    return Scenario(
        f"normal, deviation {deviation:g}, n = {cases}",
        mean,
        # As far as a share can move; that one normal move in a thousand goes further changes no mean.
        lambda chance: Drawn(np.clip(chance.normal(mean, deviation, cases), -1, 1)),
    )


def skewed(cases: int) -> Scenario:
    return Scenario(
        f"skewed, n = {cases}", 0.1, lambda chance: Drawn(np.minimum(chance.exponential(0.1, cases), 1))
    )


def tied(cases: int) -> Scenario:
    """Let four of five be ties, and the others move by 0.3 or so."""

    def draw(chance: Generator) -> Drawn:
        moved = np.clip(chance.normal(0.05, 0.3, cases), -1, 1)
        return Drawn(np.where(chance.random(cases) < 0.2, moved, 0.0))

    return Scenario(f"four of five tied, n = {cases}", 0.01, draw)


def grouped(groups: int) -> Scenario:
    """Draw groups of one to six paraphrases, which move together."""

    def draw(chance: Generator) -> Drawn:
        labels = np.repeat(np.arange(groups), chance.integers(1, 7, groups))
        moved = chance.normal(0.03, 0.2, groups)[labels] + chance.normal(0, 0.05, len(labels))
        return Drawn(np.clip(moved, -1, 1), labels)

    return Scenario(f"groups of 1 to 6, {groups} groups", 0.03, draw)


def coverage(
    scenario: Scenario, repetitions: int, *, resamples: int = 10_000, seed: int = 1
) -> tuple[float, float]:
    """Give the share of intervals that have the true mean, and their mean width."""
    chance = np.random.default_rng(seed)
    rows = []
    for number in range(repetitions):
        drawn = scenario.draw(chance)
        paired = Paired.of(drawn.differences, groups=drawn.labels)
        found = inverted(Subsets.drawn(paired, seed=number, resamples=resamples))
        rows.append((found.low - 1e-12 <= scenario.truth <= found.high + 1e-12, found.high - found.low))
    share, width = np.array(rows, dtype=np.float64).mean(axis=0).tolist()
    return share, width


def found_rate(draw: Draw, repetitions: int, *, resamples: int = 10_000, seed: int = 2) -> float:
    """Give the share of sets whose difference is significant."""
    chance = np.random.default_rng(seed)
    sets = (draw(chance) for _ in range(repetitions))
    return float(np.mean([one.compared(number, resamples).p <= 0.05 for number, one in enumerate(sets)]))


def printed(observed: Floats) -> float:
    """Give the detectable difference of a set."""
    figure = detectable(Paired.of(observed))
    assert figure is not None
    return figure


def standard(cases: int, deviation: float) -> Floats:
    """Give a normal-looking set whose spread is just so."""
    from statistics import NormalDist

    values = np.array([NormalDist().inv_cdf((place + 0.5) / cases) for place in range(cases)])
    return np.asarray(values / values.std(ddof=1) * deviation)


@cache
def real_values(shared_data: Path) -> tuple[Floats, Floats]:
    """Give nDCG@10 on SciFact of a search over title and text, and over titles alone: two real runs."""
    judged = scifact(shared_data)
    targets = id_targets(
        *((query, name, grade) for query, row in judged.grades.items() for name, grade in row.items())
    )
    titles = [replace(document, text="") for document in judged.documents]

    def values(documents: Sequence[Document], name: str) -> Floats:
        system = open_memory(name, {})
        system.build(documents, name)
        run = run_of({query: system.search(Query(judged.queries[query], 10)).hits for query in judged.grades})
        scores = score(Judgments.of(targets), run, ["ndcg@10"])
        return np.array([value or 0.0 for value in scores.per_query("ndcg@10").values()])

    return values(judged.documents, "whole"), values(titles, "titles")


def false_positives(differences: Floats, cases: int, repetitions: int, *, resamples: int = 10_000) -> float:
    """Sample queries, swap the labels of each at random, and give the share of significant differences."""

    def draw(chance: Generator) -> Drawn:
        sampled = chance.choice(differences, cases, replace=False)
        return Drawn(sampled * chance.choice([-1.0, 1.0], cases))

    return found_rate(draw, repetitions, resamples=resamples)
