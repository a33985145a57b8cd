"""A part of a suite: what a quick look asks. No gate is enforced on it, and nothing of it is kept."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import islice
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rankgate.model import Case, Suite

_WORD = re.compile(r"\w+")
_NAMED = 3


@dataclass(frozen=True, slots=True)
class CaseSelection:
    """Which cases of a suite a quick look asks."""

    limit: int | None = None
    """How many at most, the first ones; None for all."""
    only: tuple[str, ...] = ()
    """Case ids, globs over them, or words of queries, any of which will do; empty for all."""

    def __bool__(self) -> bool:
        """True where it leaves something out, or might."""
        return self.limit is not None or bool(self.only)

    def of(self, suite: Suite) -> Suite:
        """Return the selected part of a suite.

        Raises:
            InputError: where it has no such case, with those that were perhaps meant.
        """
        chosen = self._chosen(suite.cases)
        if not chosen:
            self.refuse([suite])
        return suite_part(suite, chosen)

    def is_in(self, suite: Suite) -> bool:
        """Check whether a suite has such a case."""
        return next(self._matching(suite.cases), None) is not None

    def refuse(self, suites: Sequence[Suite]) -> None:
        """Raise that none of some suites has such a case.

        Raises:
            InputError: always.
        """
        where = ", ".join(suite.path or suite.name for suite in suites)
        if not self.only:
            raise InputError(Code.NO_CASES("--limit", f"no case in {where}", "a suite with cases"))
        cases = [case for suite in suites for case in suite.cases]
        near = did_you_mean(self.only[0], (case.id for case in cases), most=_NAMED)
        near = near or _near_words(self.only[0], cases)
        found = ", ".join(map(repr, self.only))
        expected = f"a case id, a tag, a glob over ids or words of a query in {where}"
        raise InputError(Code.UNKNOWN_CASE("--only", f"{found}, which no case matches", expected, near))

    def _chosen(self, cases: Iterable[Case]) -> tuple[Case, ...]:
        return tuple(islice(self._matching(cases), self.limit))

    def _matching(self, cases: Iterable[Case]) -> Iterator[Case]:
        if not self.only:
            return iter(cases)
        # An id means its case alone, also where other queries have the same words.
        ids = {case.id for case in cases}
        return (case for case in cases if any(_matches(case, one, ids) for one in self.only))


def _matches(case: Case, pattern: str, ids: set[str]) -> bool:
    if pattern in ids:
        return case.id == pattern
    if pattern in case.tags:
        return True
    if any(char in pattern for char in "*?["):
        return fnmatchcase(case.id, pattern)
    words = _words(case.query)
    wanted = _words(pattern)
    return bool(wanted) and all(any(word.startswith(one) for word in words) for one in wanted)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _near_words(pattern: str, cases: Iterable[Case]) -> str:
    """Return the cases that have one of the words, where none has them all; or how to list all."""
    wanted = {*_words(pattern)}
    shared = [case.id for case in cases if wanted & {*_words(case.query)}]
    return f"did you mean {' or '.join(shared[:_NAMED])}?" if shared else ""


def suite_part(suite: Suite, cases: Sequence[Case]) -> Suite:
    """Return a suite with some of its cases, and without scenarios and invariants, which knows the whole.

    What a system builds for a suite is built for the whole, so that a part is answered as the whole is.
    """
    return replace(suite, cases=tuple(cases), scenarios=(), invariants=(), whole=suite.whole or suite)
