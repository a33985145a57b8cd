"""Names of members that can be written to a folder on any system, and nowhere else."""

from __future__ import annotations

import os
import re
import unicodedata

from rankgate.model.places import normal_path

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
    r"""Say why a name cannot be trusted, or give None where it can.

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
    """Tell whether a link leads out of the archive: a hard link is named from its top, others from beside.

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
