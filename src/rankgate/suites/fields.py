"""The keys of one mapping: those that are known, and near misses of those that are not."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from rankgate.suites.positions import Value


class Fields:
    """Takes values out of a mapping by key; keys that are not known are problems."""

    def __init__(
        self, mapping: Value, known: Collection[str], *, moved: Mapping[str, str] | None = None
    ) -> None:
        """Look at the keys.

        Args:
            mapping: Where they stand; anything but a mapping has none.
            known: The keys there are.
            moved: Words that people write by mistake, with the key they mean.
        """
        self.mapping = mapping
        self._values: dict[str, Value] = {}
        for key, value in mapping.pairs():
            if key.raw in known:
                self._values.setdefault(key.raw, value)
            elif key.kind not in {"mapping", "list"}:
                near = (moved or {}).get(key.raw.lower()) or _near(key.raw, known)
                fix = f"did you mean {near}?" if near else ""
                key.wrong(f"one of {', '.join(known)}", fix, found=f"the key {key.shown()}")

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
        value = self.get(key)
        return None if value is None else value.text(expected)

    def number(self, key: str, expected: str = "a number") -> float | None:
        """Take a number."""
        value = self.get(key)
        return None if value is None else value.number(expected)

    def count(self, key: str) -> int | None:
        """Take a whole number from 1 up."""
        value = self.get(key)
        return None if value is None else value.count()

    def flag(self, key: str, *, default: bool) -> bool:
        """Take true or false."""
        value = self.get(key)
        found = None if value is None else value.flag()
        return default if found is None else found

    def texts(self, key: str, expected: str) -> list[str]:
        """Take one text, or a list of them."""
        value = self.get(key)
        return [] if value is None else texts(value, expected)


def texts(value: Value, expected: str) -> list[str]:
    """Take one text, or a list of them."""
    found = [item.text(expected) for item in (value.items() if value.kind == "list" else [value])]
    return [text for text in found if text is not None]


def _near(word: str, known: Collection[str]) -> str | None:
    return next(iter(get_close_matches(word.lower(), known, 1, 0.6)), None)
