"""What counts how much in a lexical search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Weights:
    """The figures of the ranking, chosen by principle and checked on repositories that no goal is set on.

    A node is indexed as two texts: its names, and everything in it. A word in a name is thus counted twice,
    once among few words and once among many. The first five say how often a word of each field is counted;
    they are part of the index. The others are used when a query is asked.
    """

    title: int = 1
    """A word of a heading or a document's title."""
    symbol: int = 1
    """A word of a symbol's qualified name."""
    place: int = 1
    """A word of a folder, the file or a title above."""
    code: int = 1
    """A word of code."""
    description: int = 1
    """A word of prose, a comment or a docstring."""
    names: float = 1.0
    """The names, beside everything."""
    filler: float = 0.0
    """A word that only holds the sentence together; at 0 it is not asked for, which is a fifth faster."""
    coverage: float = 0.5
    """The bonus for a node with all terms, as a part of what the terms weigh together."""
    titled: float = 1.0
    """The bonus for a node whose title is the query, as a part of what the terms weigh together."""
    prefix: float = 0.5
    """A word that begins with a term that is nowhere."""
    near: float = 0.3
    """A word that differs in a letter or two from a term that is nowhere."""
    file: float = 0.0
    """What the other nodes of a file that were found add to the best of them."""
    fading: float = 0.8
    """What each further one of them counts, beside the one before."""
    spread: float = 1.0
    """What each further node of a file keeps of its score; below 1, one file does not fill the list."""
    tests: float = 0.7
    """What nodes of tests and examples keep of their score when the query does not ask for tests."""
    candidates: int = 70
    """How many nodes are looked at, before files are; never fewer than are asked for."""

    @property
    def indexed(self) -> tuple[int, ...]:
        """What an index is made with."""
        return (self.title, self.symbol, self.place, self.code, self.description)


RANKED: Mapping[str, Mapping[str, float]] = {
    "nodes": {},
    "files": {"file": 0.3, "spread": 0.01},
}
"""What is ranked, with the weights for it: each node by itself, or files, each by its best node."""
