"""One query and its answer, with everything in between, for a person who wants to see it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankgate.errors import SystemFailedError
from rankgate.model.search import Ranking

if TYPE_CHECKING:
    from rankgate.model.search import Query, System


@dataclass(frozen=True, slots=True)
class Exchange:
    """One query and its answer, with everything in between; control characters are as they came."""

    request: str
    """What was sent: the command line, and what was written to it."""
    raw: str
    """What came back, before any rule."""
    ranking: Ranking = field(default_factory=Ranking)
    """The hits that the rules made of it."""
    unmatched_rules: tuple[str, ...] = ()
    """The rules that found nothing in any hit."""
    error: str | None = None
    """Why the answer is none, where it is none."""


def exchange_with(system: System, query: Query) -> Exchange:
    """Ask one query and keep all of it; a system that has an `exchange` of its own shows the raw answer.

    >>> from rankgate.systems.function import FunctionSystem
    >>> from rankgate.model.search import Query
    >>> exchange_with(FunctionSystem(lambda query, k: ["a"], name="app"), Query("x", k=3)).request
    "app('x', k=3)"
    """
    own = getattr(system, "exchange", None)
    if callable(own):
        found: Exchange = own(query)
        return found
    filters = f", filters={dict(query.filters)!r}" if query.filters else ""
    request = f"{getattr(system, 'name', type(system).__name__)}({query.text!r}, k={query.k}{filters})"
    try:
        ranking = system.search(query)
    except SystemFailedError as error:
        return Exchange(request, "", error=str(error))
    return Exchange(request, "\n".join(map(repr, ranking.hits)), ranking)
