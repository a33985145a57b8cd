"""Lookup of everything that a suite names, before any of it is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem
from rankgate.files.problems import SHOWN
from rankgate.truth.locations.lookup import Lookup, Spot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.model.locations import Location
    from rankgate.truth.locations.lookup import Miss


class LocationIndex:
    """Looks locations up and keeps what was missed until all have been looked at."""

    def __init__(self, corpus: Corpus | None) -> None:
        self.lookup = Lookup(corpus)
        """What finds them."""
        # A location that one owner names twice, such as a target that is also a `top`, is told once.
        self._missed: dict[tuple[str, Location], tuple[str, Miss]] = {}
        self._wrong: list[Problem] = []

    def find(self, owner: str, where: str, location: Location) -> Spot | None:
        """Find one location; None where it is not there, or not only once.

        Args:
            owner: What names it, such as ``case rotate``.
            where: The file, line and column that names it, where they are known.
            location: What to find.
        """
        found = self.lookup.find(location)
        if isinstance(found, Spot):
            return found
        self._missed[owner, location] = (where or owner, found)
        return None

    def wrong(self, problem: Problem) -> None:
        """Keep something else that is wrong."""
        self._wrong.append(problem)

    def check(self, suite: str) -> None:
        """Refuse a suite, named by its file, of which anything was missed or wrong.

        Raises:
            InputError: with every location that was missed, where it was written.
        """
        # Near misses take long to find in a large corpus, so only those that are told are looked for.
        problems = [
            Problem(where, *self.lookup.explain(location, miss))
            for (_, location), (where, miss) in list(self._missed.items())[:SHOWN]
        ]
        refuse(suite, [*problems, *self._wrong], len(self._missed) + len(self._wrong))


def refuse(suite: str, problems: Sequence[Problem], count: int) -> None:
    """Raise the first problems of a suite, and say how many more there are; nothing where there are none.

    Raises:
        InputError: with the first `SHOWN` of them.
    """
    if not problems:
        return
    shown = list(problems[:SHOWN])
    if more := count - len(shown):
        shown.append(Problem(suite, f"{more} more problems", "none", f"correct the first {SHOWN}"))
    raise InputError(shown)
