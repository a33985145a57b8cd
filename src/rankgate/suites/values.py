"""Values of a suite's file: what each is, where it stands, and what may be taken out of it.

YAML and JSON become the same values, so that one reader serves both. Nothing is constructed: numbers stay as
they were written until someone asks for a number, and an id such as ``007`` is still ``007``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankgate.errors import Problem

if TYPE_CHECKING:
    from rankgate.files.problems import Problems

LARGEST = 2**31 - 1
"""The largest count of hits, lines or matches; more is a mistake, and fits no column of a table."""

_WORDS = frozenset({"text", "number", "flag"})


class Source:
    """The file that values stand in, and the list that what is wrong with them goes to."""

    __slots__ = ("file", "problems")

    def __init__(self, file: str, problems: Problems) -> None:
        self.file = file
        self.problems = problems

    def where(self, value: Value) -> str:
        """Name the place of a value: file, line and column, both from 1."""
        return f"{self.file}:{value.line}:{value.column}"


# A case has some twenty values, so they are made once, and not frozen, which takes three times as long.
@dataclass(slots=True, eq=False)
class Value:
    """One value of a file."""

    kind: str
    """What it is: mapping, list, text, number, flag or nothing."""
    content: Any
    """The pairs of a mapping, the values of a list, the characters of anything else, without quotes."""
    line: int
    """The line it stands in, from 1; of a value that was left out, that of its key."""
    column: int
    """The column, from 1."""
    source: Source
    """The file."""

    @property
    def where(self) -> str:
        """The place of the value, for an error."""
        return self.source.where(self)

    @property
    def raw(self) -> str:
        """The characters of a scalar, without quotes; nothing of a list or a mapping."""
        return self.content if isinstance(self.content, str) else ""

    def wrong(self, expected: str, fix: str = "", *, found: str | None = None) -> None:
        """Say that this value is not what it should be."""
        self.source.problems.add(Problem(self.where, found or self.shown(), expected, fix))

    def shown(self) -> str:
        """Spell the value for an error."""
        match self.kind:
            case "mapping" | "list" as kind:
                return f"a {kind}" if self.content else f"an empty {kind}"
            case "nothing":
                return "nothing"
            case _:
                return repr(self.raw if len(self.raw) <= 80 else self.raw[:79] + "…")

    def items(self) -> list[Value]:
        """Give the values of a list; none where it is something else."""
        return self.content if self.kind == "list" else []

    def pairs(self) -> list[tuple[Value, Value]]:
        """Give the keys and values of a mapping; none where it is something else."""
        return self.content if self.kind == "mapping" else []

    def one_or_more(self) -> list[Value]:
        """Give the values of a list, or the value itself where it is none."""
        return self.content if self.kind == "list" else [self]

    def text(self, expected: str) -> str | None:
        """Take text that is not empty; a number or a date is the text it was written as."""
        if self.kind in _WORDS and (self.content and not self.content.isspace()):
            found: str = self.content
            return found
        fix = "put it in quotes if the word is meant" if self.kind == "nothing" and self.raw else ""
        self.wrong(expected, fix)
        return None

    def number(self, expected: str = "a number") -> float | None:
        """Take a finite number."""
        value = _number(self.raw) if self.kind == "number" else None
        if value is None or not _finite(value):
            fix = "remove the quotes" if self.kind == "text" and _number(self.raw) is not None else ""
            self.wrong(expected, fix)
            return None
        return float(value)

    def count(self, expected: str = "a whole number, 1 or more", *, least: int = 1) -> int | None:
        """Take a whole number from 1 up, or from another least."""
        value = _number(self.raw) if self.kind == "number" else None
        if isinstance(value, int) and least <= value <= LARGEST:
            return value
        self.wrong(expected)
        return None

    def flag(self) -> bool | None:
        """Take true or false."""
        if self.kind == "flag":
            return self.raw.lower() in {"true", "yes", "on", "y"}
        self.wrong("true or false")
        return None

    def plain(self) -> Any:
        """Give the value as Python's own types."""
        match self.kind:
            case "mapping":
                return {key.raw: value.plain() for key, value in self.pairs()}
            case "list":
                return [item.plain() for item in self.items()]
            case "number":
                value = _number(self.raw)
                return self.raw if value is None or not _finite(value) else value
            case "flag":
                return self.flag()
            case "nothing":
                return None
            case _:
                return self.raw


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond the floats
        return False


def _number(raw: str) -> int | float | None:
    for read in (lambda text: int(text, 0), int, float):
        try:
            return read(raw)
        except ValueError:
            continue
    return None
