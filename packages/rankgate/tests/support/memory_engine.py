"""A search in memory: a kind of system that indexes the suite's corpus, for tests that need some search.

kind = "support.memory_engine:open_memory"
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rankgate.model import Hit, Ranking, estimated_tokens
from rankgate.plugins import SystemIndex
from rankgate.systems.adapter.options import ConfiguredSystem
from rankgate.systems.registry import opener

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankgate.model import Document, Query

MEMORY = "support.memory_engine:open_memory"
"""The kind, as a configuration names it."""


@dataclass(frozen=True, slots=True)
class MemoryOptions:
    """What a sweep may vary."""

    words: Literal["stemmed", "whole"] = "stemmed"
    """What is indexed: words up to their fifth letter, unless they have digits, or whole words."""
    title_weight: float = 1.0
    """What a word in the title counts."""
    timeout: float = 30.0
    """Not used."""
    root: str = "."
    """Not used."""


class MemoryEngine(ConfiguredSystem[MemoryOptions]):
    """Ranks documents by the rarity of the words that they share with a query."""

    kind = MEMORY
    version = "1"
    wants_documents = True

    def __init__(self, options: MemoryOptions, *, name: str) -> None:
        super().__init__(options, name)
        self._documents: list[Document] = []
        self._weights: dict[str, list[tuple[int, float]]] = {}
        self._index = ""

    def build(self, documents: Iterable[Document], name: str) -> bool:
        """Take the documents."""
        self._documents, self._weights, self._index = [], defaultdict(list), name
        for number, one in enumerate(documents):
            self._documents.append(one)
            title, text = self._words(one.title), self._words(one.text)
            for word in title | text:
                weight = self._options.title_weight * title[word] + text[word]
                self._weights[word].append((number, weight / math.sqrt(1 + text.total())))
        return True

    def contents(self) -> dict[str, str]:
        """Name what answers are made of beside the documents."""
        return {"memory": self.version}

    def built_index(self) -> SystemIndex:
        """Name the index by what it is made of."""
        return SystemIndex(f"memory/{self._index}-{self._options.words}", seconds=0.0)

    def search(self, query: Query) -> Ranking:
        """Return the documents that share a word with the query, best first."""
        scores: dict[int, float] = defaultdict(float)
        for word in self._words(query.text):
            found = self._weights.get(word, [])
            for number, weight in found:
                scores[number] += weight * math.log(1 + len(self._documents) / len(found))
        best = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[: query.k]
        return Ranking(tuple(_hit(self._documents[number], score) for number, score in best))

    def _words(self, text: str) -> Counter[str]:
        found = re.findall(r"\w+", text.lower())
        stemmed = self._options.words == "stemmed"
        return Counter(word[:5] if stemmed and word.isalpha() else word for word in found)


def _hit(document: Document, score: float) -> Hit:
    unplaced = document.path is not None and document.lines is None
    return Hit(
        document.id,
        document.path,
        document.lines,
        score,
        characters=document.characters,
        tokens=estimated_tokens(document.text) if unplaced else None,
    )


open_memory = opener(MemoryEngine, MemoryOptions)
"""The opener of the kind."""
