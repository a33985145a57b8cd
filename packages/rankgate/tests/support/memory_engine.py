"""A search in memory: a kind of system that indexes the suite's corpus, for tests that need some search.

kind = "support.memory_engine:open_memory"
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rankgate.model.search import Hit, Ranking
from rankgate.model.systems import SystemIndex
from rankgate.model.tokens import estimated_tokens
from rankgate.systems.adapter.options import ConfiguredSystem
from rankgate.systems.registry import opener

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankgate.model.search import Document, Query

MEMORY = "support.memory_engine:open_memory"
"""The kind, as a configuration names it."""


@dataclass(frozen=True, slots=True)
class MemoryOptions:
    """What a sweep may vary."""

    words: Literal["stemmed", "whole"] = "stemmed"
    """What is indexed: words up to their fifth letter, or whole words."""
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
        self._documents: list[tuple[Document, Counter[str], Counter[str]]] = []
        self._index = ""

    def build(self, documents: Iterable[Document], name: str) -> bool:
        """Take the documents."""
        self._documents = [(one, self._words(one.title), self._words(one.text)) for one in documents]
        self._index = name
        return True

    def built_index(self) -> SystemIndex:
        """Name the index by what it is made of."""
        return SystemIndex(f"memory/{self._index}-{self._options.words}", seconds=0.0)

    def search(self, query: Query) -> Ranking:
        """Return the documents that share a word with the query, best first."""
        seen = Counter(word for _, title, text in self._documents for word in {*title, *text})
        rarity = {word: math.log(1 + len(self._documents) / (seen[word] or 1)) for word in seen}
        scored = []
        for number, (document, title, text) in enumerate(self._documents):
            score = sum(
                rarity.get(word, 0.0) * (self._options.title_weight * title[word] + text[word])
                for word in self._words(query.text)
            )
            if score > 0:
                scored.append((-score / math.sqrt(1 + text.total()), number, document))
        return Ranking(tuple(_hit(one, -score) for score, _, one in sorted(scored)[: query.k]))

    def _words(self, text: str) -> Counter[str]:
        end = 5 if self._options.words == "stemmed" else None
        return Counter(word[:end] for word in re.findall(r"\w+", text.lower()))


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
