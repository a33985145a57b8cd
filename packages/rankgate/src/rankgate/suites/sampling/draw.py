"""Queries drawn from a log: it is read, counted, and some of its queries are chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankgate.errors import Code, InputError
from rankgate.suites.sampling.choose import FREQUENCIES, choose, frequency_strata
from rankgate.suites.sampling.query_log import has_column, read_log
from rankgate.suites.sampling.tally import QueryTally
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rankgate.suites.sampling.choose import By

FREQUENCY = "frequency"
"""What strata are called that go by how often queries were asked."""
COLUMN = "column:"
"""What stands before the name of a column that means something else by itself."""
_MORE = 8


class DrawnQuery(NamedTuple):
    """A query that was drawn."""

    text: str
    """The query, folded."""
    stratum: str | None
    """What it was told apart by."""
    seen: int
    """How often it was asked."""
    inclusion: float
    """How likely it was to be drawn."""
    weight: float
    """What it stands for, divided by how likely it was drawn; 1 on average."""


@dataclass(frozen=True, slots=True)
class DrawnLog:
    """The queries that were drawn from a log, and what the log has."""

    queries: tuple[DrawnQuery, ...]
    """Those that were asked most first."""
    rows: int
    """How many rows the log has."""
    empty: int
    """How many of them have no query."""
    long: int
    """How many have one that is too long."""
    different: int
    """How many different queries it has; one in two strata is two."""
    rare: int
    """How many of these were asked too few times."""
    share: float
    """Which share of the searches the drawn queries are, of those that may be drawn."""
    hides_column: bool = False
    """True where strata are by frequency and the log has a column of that name, too."""


def draw_log(
    paths: Sequence[Path],
    size: int,
    *,
    column: str | None = None,
    stratify: str | None = None,
    seed: int = 0,
    by: By = "traffic",
    least: int = 1,
) -> DrawnLog:
    """Draw queries from a log.

    Args:
        paths: Its files.
        size: How many to draw.
        column: The column of the query, where its name does not tell.
        stratify: A column of which as many are drawn of each value; "frequency" for head, torso and tail;
            "column:frequency" for a column of that name.
        seed: Another draws others.
        by: What means are over: searches, or different queries.
        least: How often a query must have been asked.

    Raises:
        InputError: for a log without such queries, or without such a column.
    """
    by_frequency = stratify == FREQUENCY
    held = size * (_MORE if by_frequency else 1)
    while True:
        tally = QueryTally(held, seed=seed, by=by, least=least)
        named = None if by_frequency or stratify is None else stratify.removeprefix(COLUMN)
        pieces = read_log(paths, column, named)
        rows = empty = long = 0
        for piece in pieces:
            tally.add(piece.queries)
            rows, empty, long = rows + piece.rows, empty + piece.empty, long + piece.long
        able = np.flatnonzero(tally.seen >= least)
        if not len(able):
            expected = f"queries that were asked {many(least, 'time')} or more"
            raise InputError(Code.WRONG_INPUT(str(paths[0]), f"none in {many(rows, 'row')}", expected))
        seen, chance = tally.seen[able], tally.chance[able]
        strata = frequency_strata(seen, chance) if by_frequency else tally.stratum[able].astype(np.int64)
        chosen = choose(chance, seen, strata, size, by)
        texts = [tally.text(int(able[row])) for row in chosen.rows]
        if None not in texts:
            break
        # Strata that are known only at the end may need more texts than were held: read it once more.
        held *= _MORE
    names = FREQUENCIES if by_frequency else tally.strata
    queries = tuple(
        DrawnQuery(text or "", names[strata[row]], int(seen[row]), float(likely), float(weight))
        for text, row, likely, weight in zip(texts, chosen.rows, chosen.inclusion, chosen.weight, strict=True)
    )
    share = float(seen[chosen.rows].sum() / seen.sum())
    different = len(tally.keys)
    hides = by_frequency and has_column(paths, FREQUENCY)
    return DrawnLog(queries, rows, empty, long, different, different - len(able), share, hides)
