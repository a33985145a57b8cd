"""What a judge is shown: a query and a passage, without what found it, at which rank and with which score."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankgate.truth.judgments.labels import UnitKey


@dataclass(frozen=True, slots=True)
class JudgingUnit:
    """A passage to be judged for a query: lines of a file, or an id with the text that is known of it.

    >>> unit = JudgingUnit("rotate", "rotate a key", "keys.md:3-9", path="keys.md", start=3, end=9)
    >>> unit.key
    ('rotate', 'keys.md:3-9')
    """

    case: str
    """The id of the case."""
    query: str
    """What it asks."""
    location: str
    """The lines, such as ``keys.md:3-9``, or the opaque id."""
    path: str | None = None
    """The file; None for an id."""
    start: int | None = None
    """The first line that is to be judged; None for an id."""
    end: int | None = None
    """The last one, included."""
    text: str = ""
    """What is judged: the lines, or what is known of the id."""
    outline: tuple[str, ...] = ()
    """The titles or symbols that it lies in, from the outermost on."""

    @property
    def key(self) -> UnitKey:
        """What labels name it by."""
        return self.case, self.location

    @property
    def digest(self) -> str:
        """The digest of its text, which labels keep."""
        return sha256(self.text.encode()).hexdigest()
