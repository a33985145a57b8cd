"""What an archive or a commit is made of, before anything of it is believed: members, names, limits."""

from __future__ import annotations

import os
import re
import unicodedata
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from rankgate.errors import Code, FormatError, escaped
from rankgate.files.compressed import largest_unpacked
from rankgate.model.locations import normal_path

if TYPE_CHECKING:
    from collections.abc import Iterable


UNPACK_YOURSELF = "if you trust it, unpack it yourself and name the folder"
"""What to do about an archive that is refused."""

_LONGEST = 200


class MemberKind(Enum):
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
    kind: MemberKind
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
        return FormatError(Code.UNSAFE_ARCHIVE(where, found, expected, fix))
    short = name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
    return FormatError(Code.UNSAFE_ARCHIVE(f"{where}, member {escaped(short)!r}", found, expected, fix))


@dataclass(frozen=True, slots=True)
class UnpackLimits:
    """Bounds that are checked while an archive is unpacked, whatever its headers say."""

    members: int = 250_000
    """How many files, folders and links."""
    one: int = 1 << 30
    """How many bytes one file may have: 1 GiB."""
    total: int = 1 << 32
    """How many bytes all files may have: 4 GiB."""
    ratio: int = 200
    """How many times its size an archive may unpack to, once it is past `floor`."""
    floor: int = 100_000_000
    """How many bytes are unpacked before `ratio` counts: small archives of zeros are harmless."""
    header: int = 1 << 20
    """How many bytes the headers of one member may have: 1 MiB."""
    directory: int = 1 << 25
    """How many bytes the list of members at the end of a zip may have: 32 MiB."""

    def past_ratio(self, unpacked: int, packed: int) -> bool:
        """Check whether so many bytes are too many to come out of an archive of that size."""
        return unpacked > largest_unpacked(packed, self.floor, self.ratio)


LIMITS = UnpackLimits()
"""What holds unless a test says otherwise."""


SEGMENT = 255
"""How many bytes one part of a path may have."""
LONGEST = 1024
"""How many bytes a whole path may have."""
DEEPEST = 64
"""How many parts a path may have."""

_DRIVE = re.compile("[A-Za-z]:")
_WINDOWS = re.compile(
    r'[<>:"|?*]|[. ](?:/|\Z)|(?:^|/)(?:con|prn|aux|nul|com\d|lpt\d)(?:[./]|\Z)', re.IGNORECASE
)


def wrong_with(name: str, *, windows: bool = os.name == "nt") -> str | None:
    r"""Return why a name cannot be trusted, or give None where it can.

    >>> wrong_with("docs/a.md"), wrong_with("..\\a.md")
    (None, 'a path that climbs with ..')
    """
    slashed = name.replace("\\", "/")
    segments = [part for part in slashed.split("/") if part not in {"", "."}]
    encoded = [len(part.encode(errors="surrogateescape")) for part in segments]
    rules = (
        ("a control character in its name", any(unicodedata.category(char) == "Cc" for char in name)),
        ("a network path", slashed.startswith("//")),
        ("an absolute path", slashed.startswith("/")),
        ("a path that climbs with ..", ".." in segments),
        ("a drive letter", bool(segments) and _DRIVE.match(segments[0]) is not None),
        (f"a name longer than {SEGMENT} bytes", max(encoded, default=0) > SEGMENT),
        (f"a path longer than {LONGEST} bytes", sum(encoded) + len(encoded) > LONGEST),
        (f"a path of more than {DEEPEST} folders", len(segments) > DEEPEST),
        ("a name that Windows does not allow", windows and _WINDOWS.search("/".join(segments)) is not None),
    )
    return next((reason for reason, holds in rules if holds), None)


def leads_out(name: str, target: str, *, from_top: bool) -> bool:
    """Check whether a link leads out of the archive: a hard link is named from its top, others from beside.

    >>> leads_out("docs/a.md", "../b.md", from_top=False), leads_out("docs/a.md", "../../b", from_top=False)
    (False, True)
    """
    slashed = target.replace("\\", "/")
    if not slashed or slashed.startswith("/") or _DRIVE.match(slashed) or "\0" in slashed:
        return True
    depth = 0 if from_top else len(normal_path(name).split("/")) - 1
    for part in slashed.split("/"):
        depth += (part not in {"", ".", ".."}) - (part == "..")
        if depth < 0:
            return True
    return False


class Names:
    """The names that were seen, so that none is written twice however it is spelt."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[str, bool]] = {}
        self._folders: set[str] = set()

    def clash(self, path: str, *, folder: bool) -> str | None:
        """Take a normalised path; say what it clashes with, or give None."""
        parent = path.rpartition("/")[0]
        if parent and parent not in self._folders:
            parts = parent.split("/")
            for count in range(1, len(parts) + 1):
                if reason := self._take("/".join(parts[:count]), folder=True):
                    return reason
        return self._take(path, folder=folder)

    def _take(self, path: str, *, folder: bool) -> str | None:
        key = unicodedata.normalize("NFC", path.casefold())
        known = self._seen.get(key)
        if known is None:
            self._seen[key] = (path, folder)
            if folder:
                self._folders.add(path)
            return None
        spelt, was_folder = known
        if spelt != path:
            return f"a name that differs only in case from {spelt!r}"
        if folder != was_folder:
            return "a file and a folder of one name"
        return None if folder else "a second file of that name"
