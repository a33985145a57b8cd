"""A system whose every question is asked in some way: under a deadline, or counted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, TypeVar

from rankgate.plugins import batch_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rankgate.model import Query, Ranking

T = TypeVar("T")


class WrappedSystem(ABC):
    """A system, asked through `_call`; everything else of it is as it was."""

    def __init__(self, system: Any) -> None:
        self._system = system

    def __getattr__(self, name: str) -> Any:
        return getattr(self._system, name)

    @abstractmethod
    def _call(self, work: Callable[[], T]) -> T:
        """Call the system."""

    @property
    def batch(self) -> int:
        """How many queries it is given at once."""
        # Here by name: from Python 3.12 on, a protocol does not see what `__getattr__` finds.
        return batch_of(self._system)

    def search(self, query: Query) -> Ranking:
        """Ask the system."""
        ranking: Ranking = self._call(lambda: self._system.search(query))
        return ranking

    def search_many(self, queries: Sequence[Query]) -> Sequence[Ranking]:
        """Ask the system several queries in one call."""
        rankings: Sequence[Ranking] = self._call(lambda: self._system.search_many(queries))
        return rankings
