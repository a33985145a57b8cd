"""What a judge is told: the grades there are, what each means, and the guidelines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAMED = re.compile(
    r"""^[ \t]{0,8}(?:
        \|[ \t]*[*`_]{0,3}(?P<cell>\d{1,2})[*`_]{0,3}[ \t]*\|[ \t]*(?P<column>[^|\n]+)
        |[-*+][ \t]+[*`_]{0,3}(?P<item>\d{1,2})[*`_]{0,3}[ \t]*[:=–—-][*`_]{0,3}[ \t]*(?P<words>[^\n]+)
    )""",
    re.MULTILINE | re.VERBOSE,
)
_SHORT = 60


@dataclass(frozen=True, slots=True)
class GradeScale:
    """The grades that may be given: whole numbers from 0 to the top of the suite's scale.

    >>> GradeScale(2).grades
    (0, 1, 2)
    """

    top: int = 1
    """The highest grade."""
    names: Mapping[int, str] = field(default_factory=dict)
    """What each means, in a few words; those without a name are shown as numbers."""

    @property
    def grades(self) -> tuple[int, ...]:
        """Every grade, the lowest first."""
        return tuple(range(self.top + 1))

    def label(self, grade: float) -> str:
        """Write a grade for people.

        >>> GradeScale(1, {1: "answers it"}).label(1), GradeScale(1).label(0)
        ('1, answers it', '0')
        """
        name = self.names.get(int(grade), "") if grade == int(grade) else ""
        return f"{grade:g}, {name}" if name else f"{grade:g}"


@dataclass(frozen=True, slots=True)
class Guidelines:
    """The text that says how to grade."""

    text: str = ""
    """Markdown; empty where there is none."""

    @property
    def digest(self) -> str | None:
        """The digest that labels keep; None without guidelines."""
        return sha256(self.text.encode()).hexdigest() if self.text else None

    def scale(self, top: int, suite: str = "") -> GradeScale:
        r"""Return a scale with the names that a table or list of the guidelines gives the grades.

        Guidelines of several suites may stand in one file: a section that is called as the suite is the one
        that counts. Otherwise a grade that is named in two ways has no name.

        >>> Guidelines("| 1 | related | x |").scale(1).names
        {1: 'related'}
        >>> Guidelines("- **0**: wrong; nothing to do with it").scale(1).names
        {0: 'wrong'}
        >>> Guidelines("# docs\n- 1: good\n# code\n- 1: runs").scale(1, "code").names
        {1: 'runs'}
        """
        found: dict[int, set[str]] = {}
        for one in _NAMED.finditer(self._section(suite) or self.text):
            grade, words = one["cell"] or one["item"], one["column"] or one["words"]
            found.setdefault(int(grade), set()).add(_few_words(words))
        names = {grade: min(words) for grade, words in sorted(found.items()) if len(words) == 1}
        return GradeScale(top, {grade: words for grade, words in names.items() if words and grade <= top})

    def _section(self, title: str) -> str:
        """Return what stands below a heading, up to the next of its level; empty where there is none."""
        heading = re.search(rf"^(#{{1,6}})[ \t]+{re.escape(title)}[ \t]*$", self.text, re.MULTILINE)
        if not title or heading is None:
            return ""
        rest = self.text[heading.end() :]
        return re.split(rf"^#{{1,{len(heading[1])}}}[ \t]", rest, maxsplit=1, flags=re.MULTILINE)[0]


def _few_words(text: str) -> str:
    """Return the beginning of an explanation, up to its first full stop, colon or semicolon."""
    words = re.split(r"[.:;](?:\s|$)", text.strip().strip("*`_"), maxsplit=1)[0].strip()
    return words if len(words) <= _SHORT else words[: _SHORT - 1].rsplit(" ", 1)[0] + "…"
