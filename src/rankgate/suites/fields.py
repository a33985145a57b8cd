"""The keys of one mapping: those that are known, and near misses of those that are not."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING

from rankgate.files.problems import SHOWN

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from rankgate.suites.values import Value


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
        """Give the value of a key; None where it is not written."""
        return self._values.get(key)

    def items(self) -> list[tuple[str, Value]]:
        """Give the known keys that are written, with their values."""
        return list(self._values.items())

    def text(self, key: str, expected: str) -> str | None:
        """Take text."""
        value = self._values.get(key)
        return None if value is None else value.text(expected)

    def number(self, key: str, expected: str = "a number") -> float | None:
        """Take a number."""
        value = self._values.get(key)
        return None if value is None else value.number(expected)

    def count(self, key: str) -> int | None:
        """Take a whole number from 1 up."""
        value = self._values.get(key)
        return None if value is None else value.count()

    def flag(self, key: str, *, default: bool) -> bool:
        """Take true or false."""
        value = self._values.get(key)
        found = None if value is None else value.flag()
        return default if found is None else found

    def texts(self, key: str, expected: str) -> list[str]:
        """Take one text, or a list of them."""
        value = self._values.get(key)
        return [] if value is None else texts(value, expected)


def texts(value: Value, expected: str) -> list[str]:
    """Take one text, or a list of them."""
    found = [item.text(expected) for item in value.one_or_more()]
    return [text for text in found if text is not None]


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
            near = moved.get(key.raw.lower()) or (_near(key.raw[:80], known) if told else None)
            fix = f"did you mean {near}?" if near else ""
            key.wrong(f"one of {', '.join(known)}", fix, found=f"the key {key.shown()}")
    return values


_set = cache(frozenset[str])


def _near(word: str, known: Collection[str]) -> str | None:
    return next(iter(get_close_matches(word.lower(), known, 1, 0.6)), None)
