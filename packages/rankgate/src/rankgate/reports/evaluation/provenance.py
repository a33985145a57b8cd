"""How targets and hits found their places, in a line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.truth.judgments.table import Judgments

_TARGETS = {
    "heading": "by heading",
    "symbol": "by symbol",
    "lines": "by lines",
    "path": "by path",
    "id": "by id",
    "estimated": "estimated",
    "": "not told how",
}
_HITS = {
    "declared": "declared",
    "map": "by map rule",
    "id": "by id",
    "text": "by text",
    "opaque": "by id alone",
    "file_only": "file only",
    "ambiguous": "ambiguous",
    "unlocated": "unlocated",
}


def resolved_words(judgments: Judgments) -> str:
    """Count targets by how they were resolved.

    >>> import polars as pl
    >>> from rankgate.truth.judgments.table import Judgments
    >>> ways = ["lines", "heading", "heading"]
    >>> table = pl.DataFrame({"query": "q", "path": ["a.md", "b.md", "c.md"], "strategy": ways})
    >>> resolved_words(Judgments.of(table))
    '2 by heading, 1 by lines'
    """
    counts = dict(judgments.targets["strategy"].fill_null("").value_counts().iter_rows())
    return _listed(counts, _TARGETS)


def located_words(located: Mapping[str, int], hits: int) -> str:
    """Count hits by how they were located, and those that were there before a run was resumed.

    >>> located_words({"declared": 480, "text": 20, "unlocated": 2, "map": 0}, 502)
    '480 declared, 20 by text, 2 unlocated'
    >>> located_words({"declared": 20}, 480)
    '20 declared, 460 from an earlier run'
    """
    if not any(located.values()):
        return ""
    before = hits - sum(located.values())
    listed = _listed(located, _HITS)
    return f"{listed}, {before:,} from an earlier run" if before > 0 else listed


def _listed(counts: Mapping[str, int], words: Mapping[str, str]) -> str:
    order = [*words, *sorted(counts.keys() - words.keys())]
    return ", ".join(f"{counts[way]:,} {words.get(way, way)}" for way in order if counts.get(way))
