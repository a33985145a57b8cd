"""What hits are credited for: a target itself, or only something below it; and comments above symbols."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import polars as pl

from rankgate.outline import read_outline
from suite_ground import K

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankgate.corpora.corpus import Corpus
    from rankgate.outline import OutlineNode

    Range = tuple[int, int]

_NAMED = ("heading", "symbol")


@dataclass(frozen=True, slots=True)
class Covered:
    """How many of the hits of a system are what."""

    judged: int
    """Hits that reach anything with a judgment."""
    below: int
    """Of these, how many lie only in something below each heading or symbol that they reach."""
    of_one_line: int
    """Of these, how many are a single line."""
    comments: int
    """Unjudged hits that are nothing but the comment above a symbol."""
    comments_of_targets: int
    """Of these, how many are above a symbol that the query has a judgment for."""


def covered(corpus: Corpus, targets: pl.DataFrame, hits: pl.DataFrame, queries: Iterable[str]) -> Covered:
    """Count what the hits of some queries are credited for.

    Args:
        corpus: Where targets and hits are.
        targets: The targets with their lines.
        hits: Query, rank, path, start and end of each hit.
        queries: Which queries count.
    """
    chosen = set(queries)
    outlines = _Outlines(corpus)
    wanted: dict[tuple[str, str], list[tuple[Range, str]]] = {}
    for query, path, start, end, strategy in targets.select(
        "query", "path", "start", "end", "strategy"
    ).iter_rows():
        wanted.setdefault((query, path), []).append(((start or 1, end or 1 << 31), strategy))
    found = dict.fromkeys((field.name for field in fields(Covered)), 0)
    rows = hits.filter(pl.col("rank") <= K, pl.col("start").is_not_null())
    for query, path, start, end in rows.select("query", "path", "start", "end").iter_rows():
        if query not in chosen:
            continue
        judged = wanted.get((query, path), [])
        reached = [one for one in judged if one[0][0] <= end and start <= one[0][1]]
        if reached:
            only = all(
                strategy in _NAMED and start > outlines.own_end(path, lines) for lines, strategy in reached
            )
            found["judged"] += 1
            found["below"] += only
            found["of_one_line"] += only and start == end
        elif symbols := outlines.commented(path, start, end):
            found["comments"] += 1
            found["comments_of_targets"] += any(
                node.start <= last and first <= node.end for (first, last), _ in judged for node in symbols
            )
    return Covered(**found)


class _Outlines:
    """The outlines of a corpus, each read once."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._known: dict[str, tuple[OutlineNode, ...]] = {}
        self._lines: dict[str, list[str]] = {}

    def own_end(self, path: str, lines: Range) -> int:
        """Return the last line of what has some lines, before the first thing in it."""
        begins = [
            node.start
            for node in self._nodes(path)
            if lines[0] < node.start <= lines[1] and node.end <= lines[1]
        ]
        return min(begins, default=lines[1] + 1) - 1

    def commented(self, path: str, start: int, end: int) -> list[OutlineNode]:
        """Return the symbols whose comments are all that stands on some lines."""
        nodes = [
            node
            for node in self._nodes(path)
            if node.comment_lines and node.start <= end and start < node.start + node.comment_lines
        ]
        held = {line for node in nodes for line in range(node.start, node.start + node.comment_lines)}
        text = self._lines[path]
        return (
            nodes if all(line in held or not text[line - 1].strip() for line in range(start, end + 1)) else []
        )

    def _nodes(self, path: str) -> tuple[OutlineNode, ...]:
        if path not in self._known:
            text = self._corpus.text(path)
            self._lines[path] = text.split("\n")
            self._known[path] = (read_outline(path, text) or ())[1:]
        return self._known[path]
