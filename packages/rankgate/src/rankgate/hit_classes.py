"""Where a hit ended, and how it got there: the two facts that are stored with every hit."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping


class HitClass(StrEnum):
    """Where a hit is.

    >>> HitClass.EXACT.located, HitClass.NO_FILE.located
    (True, False)
    """

    EXACT = "exact"
    """Lines of a file, or a record of the corpus."""
    FILE = "file"
    """A file, and nothing is known of its lines."""
    SEVERAL = "several"
    """Its text stands in several places."""
    NO_FILE = "no_file"
    """It names a file or a record that the corpus does not have."""
    PAST_END = "past_end"
    """It names lines or characters that its file does not have."""
    NO_TEXT = "no_text"
    """Its text is all there is to go by, and the corpus does not have it."""
    OPAQUE = "opaque"
    """An id, of which nothing more is known; whatever there is where the suite has no corpus."""

    @property
    def located(self) -> bool:
        """Whether it has a place in the corpus, or several."""
        return self in _LOCATED


_LOCATED = frozenset({HitClass.EXACT, HitClass.FILE, HitClass.SEVERAL})


class Strategy(StrEnum):
    """How a hit was located."""

    DECLARED = "declared"
    """By the path and the lines that it declares."""
    UNVERIFIED = "unverified"
    """By the path and lines or characters that it declares, where most of its text is not."""
    CHARACTERS = "characters"
    """By the path and the offsets of characters that it declares."""
    MAP = "map"
    """By a map rule."""
    ID = "id"
    """By its id, which is a location or the id of a record."""
    TEXT = "text"
    """By its text."""
    PART = "part"
    """By most of its text."""
    NONE = "none"
    """It was not located."""


@dataclass(frozen=True, slots=True)
class HitCounts:
    """How many hits of a run ended where, and how they got there."""

    classes: Mapping[str, int] = field(default_factory=dict)
    """By class."""
    strategies: Mapping[str, int] = field(default_factory=dict)
    """By strategy."""

    def __str__(self) -> str:
        """Count hits by where they ended, and by how.

        >>> str(HitCounts({"exact": 22, "no_file": 1}, {"declared": 20, "text": 2, "none": 1}))
        '22 at exact locations, 1 in no file of the corpus; 20 by path and lines, 2 by text'
        """
        parts = (_listed(self.classes, CLASS_WORDS), _listed(self.strategies, STRATEGY_WORDS))
        return "; ".join(filter(None, parts))

    @property
    def located(self) -> int:
        """How many have a place in the corpus.

        >>> HitCounts({"exact": 22, "file": 3, "no_file": 1}).located
        25
        """
        return sum(number for one, number in self.classes.items() if HitClass(one).located)


def _listed(counts: Mapping[str, int], words: Mapping[str, str]) -> str:
    return ", ".join(f"{counts[one]:,} {said}" for one, said in words.items() if counts.get(one))


CLASS_WORDS: Mapping[str, str] = {
    HitClass.EXACT: "at exact locations",
    HitClass.FILE: "in a file only",
    HitClass.SEVERAL: "at several locations",
    HitClass.NO_FILE: "in no file of the corpus",
    HitClass.PAST_END: "outside the lines of their file",
    HitClass.NO_TEXT: "whose text is not in the corpus",
    HitClass.OPAQUE: "known by id alone",
}
"""What reports say of so many hits of a class."""
STRATEGY_WORDS: Mapping[str, str] = {
    Strategy.DECLARED: "by path and lines",
    Strategy.UNVERIFIED: "by lines that do not have the text",
    Strategy.CHARACTERS: "by characters",
    Strategy.MAP: "by map rule",
    Strategy.ID: "by id",
    Strategy.TEXT: "by text",
    Strategy.PART: "by most of the text",
}
"""What they say of so many hits that were located in one way."""


@dataclass(frozen=True, slots=True)
class LocateRules:
    """How a system names locations, where that is not as the corpus does.

    Paths are changed where the corpus does not have them as they are.

    >>> LocateRules(strip_prefix="docs/").path("docs/keys.md"), LocateRules(add_suffix=".md").path("keys")
    ('keys.md', 'keys.md')
    """

    strip_prefix: str = ""
    """What every path begins with before the corpus does."""
    add_prefix: str = ""
    """What the paths of the corpus begin with beside."""
    add_suffix: str = ""
    """What they end with beside, such as ``.md``."""
    ignore_case: bool = False
    """True where capital letters make no difference."""
    lines_from: Literal[0, 1] = 1
    """The number of the first line."""
    start_end: Literal["lines", "characters", "bytes", "utf16"] = "lines"
    """What start and end of a hit count: lines, characters, bytes or utf16."""

    @property
    def counts_lines(self) -> bool:
        """Whether start and end are lines from 1."""
        return self.lines_from == 1 and self.start_end == "lines"

    @property
    def changes_paths(self) -> bool:
        """Whether paths are changed."""
        return bool(self.strip_prefix or self.add_prefix or self.add_suffix or self.ignore_case)

    def path(self, name: str) -> str | None:
        """Return the path that a name stands for; None where it lacks the prefix."""
        if not name.startswith(self.strip_prefix):
            return None
        bare = name[len(self.strip_prefix) :]
        if self.add_suffix:
            bare = bare.split("#")[0].split("?")[0].rstrip("/")
        return f"{self.add_prefix}{bare}{self.add_suffix}"

    def __str__(self) -> str:
        """Write the rules as a configuration has them.

        >>> str(LocateRules(strip_prefix="docs/", ignore_case=True))
        'locate = { strip_prefix = "docs/", ignore_case = true }'
        """
        usual = {one.name: one.default for one in fields(self)}
        given = {name: found for name in usual if (found := getattr(self, name)) != usual[name]}
        return _toml("locate", given) if given else ""


def _toml(name: str, values: Mapping[str, object]) -> str:
    written = (f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items())
    return f"{name} = {{ {', '.join(written)} }}"
