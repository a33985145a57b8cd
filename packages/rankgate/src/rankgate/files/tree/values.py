"""Values of a suite's file: what each is, where it stands, and what may be taken out of it.

YAML and JSON become the same values, so that one reader serves both. Nothing is constructed: numbers stay as
they were written until someone asks for a number, and an id such as ``007`` is still ``007``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from rankgate.errors import Code, did_you_mean
from rankgate.files.problems import SHOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rankgate.files.problems import Problems


_Read = TypeVar("_Read")
_Default = TypeVar("_Default")

LARGEST = 2**31 - 1
"""The largest count of hits or lines; more is a mistake, and fits no column of a table."""

_WORDS = frozenset({"text", "number", "flag"})
_COLLECTIONS = frozenset({"list", "mapping"})


class Source:
    """The file that values stand in, and the list that what is wrong with them goes to."""

    __slots__ = ("file", "problems")

    def __init__(self, file: str, problems: Problems) -> None:
        self.file = file
        self.problems = problems

    def where(self, value: Value) -> str:
        """Return where a value stands: file, line and column, both from 1."""
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
    start: int = 0
    """In YAML, the character it begins at, with its anchor or tag; an alias has its own."""
    end: int = 0
    """The character behind the last thing of it; comments and blank lines that follow are no part of it."""
    style: str = ""
    """The quote, bracket or sign of a block that it begins with; nothing for what is plain or indented."""
    bare: bool = True
    """False where it has an anchor or a tag."""
    repeats: Value | None = None
    """What an alias repeats: its line, column and content are those of that."""

    @property
    def said(self) -> Value:
        """Itself, or what it repeats as an alias."""
        return self if self.repeats is None else self.repeats

    @property
    def flow(self) -> bool:
        """Whether it is a list or a mapping in brackets or braces."""
        return self.kind in _COLLECTIONS and self.said.style != ""

    @property
    def scalar(self) -> bool:
        """Whether it is neither a list nor a mapping."""
        return self.kind not in _COLLECTIONS

    @property
    def where(self) -> str:
        """Where the value stands, for an error."""
        return self.source.where(self)

    @property
    def raw(self) -> str:
        """The characters of a scalar, without quotes; nothing of a list or a mapping."""
        return self.content if isinstance(self.content, str) else ""

    def wrong(
        self, expected: str, fix: str = "", *, found: str | None = None, code: Code | None = None
    ) -> None:
        """Report that this value is not what it should be."""
        self.source.problems.add((code or Code.WRONG_VALUE)(self.where, found or self.shown(), expected, fix))

    def wrong_alike(self, expected: str, fix: str, *, found: str) -> None:
        """Report what may be wrong with very many values in the same way: it is told once, with a count."""
        self.source.problems.add_alike(Code.WRONG_VALUE(self.where, found, expected, fix))

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
        """Return the values of a list; none where it is something else."""
        return self.content if self.kind == "list" else []

    def pairs(self) -> list[tuple[Value, Value]]:
        """Return the keys and values of a mapping; none where it is something else."""
        return self.content if self.kind == "mapping" else []

    def number_of(self, key: str) -> int | None:
        """Return which pair of a mapping has a key; None where it is not written."""
        return next((at for at, (name, _) in enumerate(self.pairs()) if name.raw == key), None)

    def under(self, key: str) -> Value | None:
        """Return the value of a key; None where it is not written."""
        at = self.number_of(key)
        return None if at is None else self.pairs()[at][1]

    def children(self) -> list[Value]:
        """Return the values of a list, or the keys and values of a mapping."""
        return self.items() or [part for pair in self.pairs() for part in pair]

    def spans(self) -> list[tuple[int, int]]:
        """Return where each item of a list, or each pair of a mapping, begins and ends."""
        pairs = [(key.start, max(key.end, value.end)) for key, value in self.pairs()]
        return pairs or [(item.start, item.end) for item in self.items()]

    def one_or_more(self) -> list[Value]:
        """Return the values of a list, or the value itself where it is none."""
        return self.content if self.kind == "list" else [self]

    def listed(self, expected: str, fix: str = "", *, least: int = 0) -> list[Value]:
        """Take the values of a list; anything else, and a shorter list, is a problem and has none."""
        if self.kind == "list" and len(self.content) >= least:
            return self.items()
        self.wrong(expected, fix)
        return []

    def texts(self, expected: str, empty: str = "", fix: str = "") -> tuple[str, ...]:
        """Take one text, or a list of them; an empty list is a problem where `empty` says what to expect."""
        if empty and self.kind == "list" and not self.content:
            self.wrong(empty, fix)
        found = [item.text(expected) for item in self.one_or_more()]
        return tuple([text for text in found if text is not None])

    def choice(self, *words: str) -> str | None:
        """Take one of some words."""
        expected = " or ".join(words)
        text = self.text(expected)
        if text is None or text in words:
            return text
        self.wrong(expected)
        return None

    def text(self, expected: str) -> str | None:
        """Take text that is not empty; a number or a date is the text it was written as."""
        if self.kind in _WORDS and (self.content and not self.content.isspace()):
            found: str = self.content
            return found
        fix = "put it in quotes if the word is meant" if self.kind == "nothing" and self.raw else ""
        self.wrong(expected, fix)
        return None

    def number(
        self, expected: str = "a number", holds: Callable[[float], bool] | None = None
    ) -> float | None:
        """Take a finite number for which something holds."""
        value = _number(self.raw) if self.kind == "number" else None
        if value is None or not _finite(value):
            fix = "remove the quotes" if self.kind == "text" and _number(self.raw) is not None else ""
            self.wrong(expected, fix)
            return None
        if holds is not None and not holds(value):
            self.wrong(expected)
            return None
        return float(value)

    def count(
        self, expected: str = "a whole number, 1 or more", *, least: int = 1, most: int = LARGEST
    ) -> int | None:
        """Take a whole number from 1 up, or from another least."""
        value = _number(self.raw) if self.kind == "number" else None
        if isinstance(value, int) and least <= value <= most:
            return value
        self.wrong(expected)
        return None

    def flag(self) -> bool | None:
        """Take true or false."""
        if self.kind == "flag":
            return self.raw.lower() in {"true", "yes", "on", "y"}
        self.wrong("true or false")
        return None


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


class Fields:
    """Takes values out of a mapping by key; keys that are not known are problems."""

    __slots__ = ("_values", "mapping")

    def __init__(
        self, mapping: Value, known: tuple[str, ...], *, moved: Mapping[str, str] | None = None
    ) -> None:
        """Look at the keys.

        Args:
            mapping: Where they stand; anything but a mapping has none.
            known: The keys there are.
            moved: Words that people write by mistake, with the key they mean.
        """
        self.mapping = mapping
        pairs = mapping.pairs()
        self._values: dict[str, Value] = {key.raw: value for key, value in pairs}
        if len(self._values) < len(pairs) or not _set(known).issuperset(self._values):
            self._values = _checked(pairs, known, moved or {})

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def get(self, key: str) -> Value | None:
        """Return the value of a key; None where it is not written."""
        return self._values.get(key)

    def items(self) -> list[tuple[str, Value]]:
        """Return the known keys that are written, with their values."""
        return list(self._values.items())

    def need(self, key: str, expected: str, holder: str) -> None:
        """Check that a key is written."""
        if key not in self._values:
            self.mapping.wrong(expected, found=f"{holder} without {key}")

    def read(self, key: str, reader: Callable[[Value], _Read | None], default: _Default) -> _Read | _Default:
        """Return what a reader makes of a value; the default where it is not written, or cannot be read."""
        value = self._values.get(key)
        found = None if value is None else reader(value)
        return default if found is None else found

    def text(self, key: str, expected: str) -> str | None:
        """Take text."""
        value = self._values.get(key)
        return None if value is None else value.text(expected)

    def lines(self, key: str, expected: str) -> str | None:
        """Take text that may be written as a block, whose last line break is not meant."""
        text = self.text(key, expected)
        return None if text is None else text.rstrip("\n")

    def flag(self, key: str, *, default: bool) -> bool:
        """Take true or false."""
        return self.read(key, Value.flag, default)


def fields_of(
    value: Value,
    known: tuple[str, ...],
    expected: str,
    fix: str = "",
    *,
    moved: Mapping[str, str] | None = None,
) -> Fields | None:
    """Look at the keys of what should be a mapping; anything else is a problem and has none."""
    if value.kind == "mapping":
        return Fields(value, known, moved=moved)
    value.wrong(expected, fix)
    return None


def _checked(
    pairs: list[tuple[Value, Value]], known: tuple[str, ...], moved: Mapping[str, str]
) -> dict[str, Value]:
    """Take the first value of each known key, and tell what the others were perhaps meant to be."""
    values: dict[str, Value] = {}
    for key, value in pairs:
        if key.kind in {"mapping", "list"}:
            continue
        if key.raw in known:
            values.setdefault(key.raw, value)
        else:
            # Comparing takes its time, so a file of nothing but unknown keys is not compared to its end.
            told = key.source.problems.total < SHOWN
            meant = moved.get(key.raw.lower())
            near = did_you_mean(key.raw[:80].lower(), known) if told else ""
            fix = f"did you mean {meant}?" if meant else near
            found = f"the key {key.shown()}"
            key.wrong(f"one of {', '.join(known)}", fix, found=found, code=Code.UNKNOWN_KEY)
    return values


_set = cache(frozenset[str])
