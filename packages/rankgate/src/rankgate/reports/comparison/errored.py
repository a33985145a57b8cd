"""Queries that a system did not answer, in a comparison: how many, why, and the figures without them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.gates.scored import error_texts
from rankgate.model import Answer
from rankgate.model.wording import many
from rankgate.reports.comparison.rows import ComparedRow
from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.runs.store.tables import Run
    from rankgate.scoring.comparison import Comparison

ENDS = (Answer.ERROR.value, Answer.TIMEOUT.value)
"""How a query ended that was not answered."""
_MESSAGES = 2
_LONGEST = 120


@dataclass(frozen=True, slots=True)
class ErroredQueries:
    """The compared queries that one of the two did not answer."""

    words: str
    """How many of which side, and why, in words."""
    before: int
    """How many were not answered before."""
    after: int
    """How many were not answered after."""
    rows: tuple[ComparedRow, ...] = ()
    """The metrics over the queries that both answered."""


def errored_words(names: tuple[str, str], sides: tuple[Counter[str], Counter[str]], compared: int) -> str:
    """Return in words how many queries each side did not answer, with the most frequent messages."""
    parts = []
    for name, messages in zip(names, sides, strict=True):
        if not (number := messages.total()):
            continue
        said = f"{number:,} of {many(compared, 'query', 'queries')} ended in an error in {name}"
        told = [(text, count) for text, count in messages.most_common(_MESSAGES) if text]
        shown = "; ".join(f"{printable(text, _LONGEST)} ({count:,})" for text, count in told)
        parts.append(f"{said}, counted as 0" + (f": {shown}" if shown else ""))
    return "; ".join(parts)


def error_messages(comparison: Comparison, runs: tuple[Run, Run]) -> tuple[Counter[str], Counter[str]]:
    """Return the messages of the compared queries that each side did not answer."""
    shared = comparison.shared
    before, after = (
        _messages(run, dict(zip(scores.queries.filter(shared), scores.status.filter(shared), strict=True)))
        for run, scores in zip(runs, (comparison.before, comparison.after), strict=True)
    )
    return before, after


def _messages(run: Run, ended: Mapping[str, str]) -> Counter[str]:
    """Count the messages of the queries that ended in an error; a query without a message counts as well."""
    errored = [query for query, status in ended.items() if status in ENDS]
    told = error_texts(run) if errored else {}
    return Counter(told.get(query, "").partition("\n")[0] for query in errored)
