"""Sections as a search by words sees them: whether a question finds its own, or some other as well."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_SATURATION, _LENGTH = 1.2, 0.75
_TITLE = 3
_ALONE = 2
_RARE, _FEW = 0.05, 4


class SectionIndex:
    """The stems of sections, by BM25 with a heavier weight for what stands in a title."""

    def __init__(self, titles: Sequence[Iterable[str]], texts: Sequence[Iterable[str]]) -> None:
        """Count the stems of each section.

        Args:
            titles: The stems of each section's titles.
            texts: The stems of each section's own text, as often as they stand there.
        """
        self._counts = [Counter(text) for text in texts]
        for counts, title in zip(self._counts, titles, strict=True):
            counts.update(dict.fromkeys(title, _TITLE))
        self._lengths = [counts.total() for counts in self._counts]
        self._mean = max(1.0, sum(self._lengths) / max(1, len(self._lengths)))
        self._holders: dict[str, list[int]] = {}
        for number, counts in enumerate(self._counts):
            for stem in counts:
                self._holders.setdefault(stem, []).append(number)

    def is_rare(self, stem: str) -> bool:
        """Check whether a stem stands in a few sections only.

        >>> index = SectionIndex([["key"]] * 9 + [["hook"]], [["a"]] * 10)
        >>> index.is_rare("key"), index.is_rare("hook")
        (False, True)
        """
        return len(self._holders.get(stem, ())) <= max(_FEW, _RARE * len(self._counts))

    def is_almost_unique(self, stem: str) -> bool:
        """Check whether one section has a stem, or two."""
        return len(self._holders.get(stem, ())) <= _ALONE

    def lead(self, stems: Iterable[str], own: int, skipped: Callable[[int], bool]) -> float:
        """Return how far a section is ahead of every other for some stems: their ratio, 0 for no match.

        Args:
            stems: What is asked.
            own: The position of the section.
            skipped: Whether a section counts as the same one, because it lies inside.

        >>> index = SectionIndex([["key"], ["hook"]], [["rotat"], ["rotat", "retri"]])
        >>> index.lead(["rotat", "key"], 0, lambda other: False) > 1
        True
        """
        scores: dict[int, float] = {}
        for stem in set(stems):
            holders = self._holders.get(stem, [])
            weight = math.log(1 + (len(self._counts) - len(holders) + 0.5) / (len(holders) + 0.5))
            for number in holders:
                count = self._counts[number][stem]
                norm = _SATURATION * (1 - _LENGTH + _LENGTH * self._lengths[number] / self._mean)
                scores[number] = scores.get(number, 0.0) + weight * count / (count + norm)
        mine = scores.get(own, 0.0)
        others = (score for number, score in scores.items() if number != own and not skipped(number))
        best = max(others, default=0.0)
        return mine / best if best else float(mine > 0) * 2
