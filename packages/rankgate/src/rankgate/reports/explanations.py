"""How the scores of two hits come about, side by side: the expected one, and the one that came first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import indent
from typing import TYPE_CHECKING

import click

from rankgate.model.wording import many
from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.model.search import ScoreExplanation

MOST_LINES = 30
"""How many lines are shown; the deepest parts are left out first."""
_DOCUMENT = re.compile(r"\s+in \d+(?=\))|\s+doc(?:ument)?[= ]\d+")
_WORDS = 88


@dataclass(frozen=True, slots=True)
class ExplainedHit:
    """A hit, and how its score comes about."""

    title: str
    """What it is, in a word: expected, first."""
    rank: int
    """Where it stands, from 1."""
    location: str
    """Where it points."""
    explanation: ScoreExplanation | None
    """What the engine says; None where it says nothing."""


@dataclass(frozen=True, slots=True)
class ExplainedLine:
    """One part of a score, in each of the hits."""

    depth: int
    """How deep it lies, from 0."""
    words: str
    """What it is."""
    values: tuple[float | None, ...]
    """What it is worth in each hit; None where a hit does not have it."""


def aligned(hits: Sequence[ScoreExplanation | None]) -> list[ExplainedLine]:
    """Return the parts of several scores, those that are the same but for the document on one line."""
    return list(_lines(tuple(hits), 0))


def _lines(these: tuple[ScoreExplanation | None, ...], depth: int) -> Iterator[ExplainedLine]:
    words = next((_named(one) for one in these if one is not None), None)
    if words is None:
        return
    yield ExplainedLine(depth, words, tuple(None if one is None else one.value for one in these))
    rows: dict[tuple[str, int], list[ScoreExplanation | None]] = {}
    for at, one in enumerate(these):
        seen: dict[str, int] = {}
        for part in () if one is None else one.parts:
            name = _named(part)
            number = seen[name] = seen.get(name, -1) + 1
            rows.setdefault((name, number), [None] * len(these))[at] = part
    for row in rows.values():
        yield from _lines(tuple(row), depth + 1)


def _named(one: ScoreExplanation) -> str:
    """Name a part by what it is, without the number of the document."""
    return _DOCUMENT.sub("", one.words) or "score"


@dataclass(frozen=True, slots=True)
class ScoreColumn:
    """A hit whose score is explained, for people."""

    title: str
    """What it is, in a word: expected, first."""
    rank: int
    """Where it stands, from 1."""
    location: str
    """Where it points."""


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One part of the scores, for people."""

    depth: int
    """How deep it lies, from 0."""
    words: str
    """What it is, in the engine's words."""
    values: tuple[str, ...]
    """What it is worth in each hit; a dash where a hit does not have it."""


@dataclass(frozen=True, slots=True)
class ExplainedScores:
    """How the scores of some hits come about, side by side, for people."""

    hits: tuple[ScoreColumn, ...]
    """The hits."""
    lines: tuple[ScoreLine, ...]
    """What their scores are made of, each part before what it is made of."""
    note: str = ""
    """What is not shown or cannot be explained; empty where nothing is missing."""

    @property
    def text(self) -> str:
        """Each hit on a line, then a table of the parts."""
        parts = [f"{hit.title}, rank {hit.rank}: {hit.location}" for hit in self.hits]
        if self.lines:
            titles = tuple(hit.title for hit in self.hits)
            rows = [titles, *(line.values for line in self.lines)]
            sizes = [max(map(len, column)) for column in zip(*rows, strict=True)]
            words = ["", *("  " * line.depth + line.words for line in self.lines)]
            parts += [
                f"{'  '.join(map(str.rjust, values, sizes))}  {text}"
                for values, text in zip(rows, words, strict=True)
            ]
        parts += [self.note] if self.note else []
        return "\n".join(line.rstrip() for line in parts)


def explained_scores(hits: Sequence[ExplainedHit], why: str = "") -> ExplainedScores:
    """Return how the scores of hits come about, with nothing in it that a terminal would obey.

    Args:
        hits: The hits.
        why: What cannot be explained, in words.
    """
    shown, left = _within(aligned([hit.explanation for hit in hits]))
    notes = [f"… {many(left, 'deeper part')} not shown"] if left else []
    notes += [printable(why)] if why else []
    return ExplainedScores(
        tuple(ScoreColumn(hit.title, hit.rank, printable(hit.location)) for hit in hits),
        tuple(ScoreLine(line.depth, printable(line.words, _WORDS), _values(line)) for line in shown),
        "; ".join(notes),
    )


def explanation_text(hits: Sequence[ExplainedHit], why: str = "") -> str:
    """Lay out how the scores of hits come about under a title, as `explained_scores` has them."""
    title = click.style("scores explained", bold=True)
    return f"{title}\n{indent(explained_scores(hits, why).text, '  ')}\n"


def _values(line: ExplainedLine) -> tuple[str, ...]:
    return tuple("–" if value is None else f"{value:.4g}" for value in line.values)


def _within(lines: Sequence[ExplainedLine]) -> tuple[list[ExplainedLine], int]:
    """Return the lines that there is room for, the deepest left out first, and how many are left out."""
    deepest = max((line.depth for line in lines), default=0)
    for depth in range(deepest, 0, -1):
        shown = [line for line in lines if line.depth <= depth]
        if len(shown) <= MOST_LINES:
            return shown, len(lines) - len(shown)
    shown = [line for line in lines if line.depth == 0] if deepest else list(lines)
    return shown[:MOST_LINES], len(lines) - len(shown[:MOST_LINES])
