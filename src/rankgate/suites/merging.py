"""Formats that know a case by its query alone: its cases of one query are one when they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import Problem
from rankgate.files.problems import Problems
from rankgate.suites.quoting import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from rankgate.model.suite import Case

Rows = tuple["Case", list[tuple[str, float]]]
"""A case, and its targets as they are written, with their grades."""


def merged(written: Iterable[Rows], path: Path, plain: Callable[[str], str] = str) -> tuple[str, ...]:
    """Tell how many cases become part of another when they are read.

    Args:
        written: The cases with what is written of them.
        path: The file they go to.
        plain: How the format's reader takes a text; that of CSV strips it.

    Raises:
        FormatError: for a target that gets two grades so, which no reader takes.
    """
    problems = Problems(str(path))
    first: dict[str, Case] = {}
    said: dict[tuple[str, str], tuple[float, str]] = {}
    more = 0
    for case, targets in written:
        query = plain(case.query)
        more += first.setdefault(query, case) is not case
        for name, grade in targets:
            before, other = said.setdefault((query, plain(name)), (grade, case.id))
            if before != grade:
                found = f"{quoted(name)} with grade {grade:g} in case {quoted(case.id)}"
                expected = f"one grade a query; case {quoted(other)} of the same query has {before:g}"
                fix = "decide which is right, or write a format that keeps cases apart"
                problems.add(Problem(str(path), found, expected, fix))
    problems.check()
    words = f"{more} case{'' if more == 1 else 's'} of a query that another case has, merged when read"
    return (words,) if more else ()
