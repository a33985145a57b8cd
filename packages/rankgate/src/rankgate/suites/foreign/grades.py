"""What the labels of a file are worth: numbers as they are, words only as the reader is told."""

from __future__ import annotations

import shlex
from collections import Counter
from typing import TYPE_CHECKING

from rankgate.errors import Problem
from rankgate.files.tree.json_records import number_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.files.problems import Problems


_SHOWN = 10
_SUGGESTED = 30


class Grades:
    """Turns labels into grades, and keeps those that nobody gave a worth until all have been seen.

    With a mapping every label must be in it; ``100.000`` and 100 are the same label. Without one, numbers are
    taken as they are and words are refused.

    >>> from rankgate.files.problems import Problems
    >>> Grades({"100": 3}, Problems("a.json")).grade("100.000")
    3.0
    """

    def __init__(self, mapping: Mapping[str, float], problems: Problems) -> None:
        self._problems = problems
        self._worth = {_label(label): float(grade) for label, grade in mapping.items()}
        self._mapping = mapping
        self._unknown: Counter[str] = Counter()
        self._numbers: Counter[float] = Counter()

    def __bool__(self) -> bool:
        """Check whether there is a mapping."""
        return bool(self._worth)

    def grade(self, label: object) -> float | None:
        """Return the worth of one label; None for one that has none, which `check` will refuse."""
        known = _label(label)
        if known in self._worth:
            return self._worth[known]
        if not self._worth and isinstance(known, float):
            self._numbers[known] += 1
            return known
        self._unknown[_shown(label)] += 1
        return None

    def check(self) -> None:
        """Add one problem for all the labels without a worth.

        The fix names every label, numbers as what they are, so that it can be followed as it stands.
        """
        if not self._unknown:
            return
        # A mapping must name the numbers too, so those that were taken as they are belong in the first one.
        seen = {**self._unknown, **{spelt(number): count for number, count in self._numbers.items()}}
        shown = ", ".join(f"{name} ({count})" for name, count in list(seen.items())[:_SHOWN])
        more = f" and {len(seen) - _SHOWN} more" if len(seen) > _SHOWN else ""
        words = [name for name in seen if number_of(name) is None]
        worth = dict(zip(words, range(len(words), 0, -1), strict=True))
        pairs = [f"{label}={spelt(grade)}" for label, grade in self._mapping.items()]
        pairs += [f"{name}={worth.get(name, name)}" for name in list(seen)[:_SUGGESTED]]
        said = shlex.quote(",".join(pairs)) + (" …" if len(seen) > _SUGGESTED else "")
        fix = f"{'add them' if self._worth else 'say what each is worth'}: --grades {said}"
        expected = "labels that --grades names" if self._worth else "numbers, or --grades"
        self._problems.add(Problem(self._problems.where, f"the labels {shown}{more}", expected, fix))


def _label(label: object) -> float | str:
    number = None if isinstance(label, bool) else number_of(label)
    return _shown(label) if number is None else number


def _shown(label: object) -> str:
    if label is None or label == "":
        return "(empty)"
    text = str(label).lower() if isinstance(label, bool) else str(label).strip()
    return text[:60]


def spelt(grade: float) -> str:
    """Spell a grade so that it reads back as the same number, whole ones without a point.

    >>> spelt(2.0), spelt(0.1)
    ('2', '0.1')
    """
    number = float(grade)
    return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)
