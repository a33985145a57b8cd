"""What an archive or a commit is made of, before anything of it is believed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from rankgate.errors import FormatError, Problem, escaped

if TYPE_CHECKING:
    from collections.abc import Iterable

UNPACK_YOURSELF = "if you trust it, unpack it yourself and name the folder"
"""What to do about an archive that is refused."""

_LONGEST = 200


class Kind(Enum):
    """What a member is."""

    FILE = "a file"
    FOLDER = "a folder"
    SYMLINK = "a symbolic link"
    HARDLINK = "a hard link"
    SUBMODULE = "a submodule"
    OTHER = "a device, pipe or socket"


@dataclass(frozen=True, slots=True)
class Member:
    """One entry, as the archive names it."""

    name: str
    """The name as written; bytes that are not UTF-8 are surrogates."""
    kind: Kind
    """What it is."""
    chunks: Iterable[bytes] = ()
    """The content of a file; read before the next member is asked for."""
    target: str | None = None
    """Where a link leads, where that is known."""


def refusal(
    where: str, name: str | None, found: str, expected: str, fix: str = UNPACK_YOURSELF
) -> FormatError:
    """Make the error that refuses an archive because of one member, or as a whole."""
    if name is None:
        return FormatError(Problem(where, found, expected, fix))
    short = name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
    return FormatError(Problem(f"{where}, member {escaped(short)!r}", found, expected, fix))
