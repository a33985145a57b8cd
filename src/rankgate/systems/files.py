"""Files that an option names: SQL, a body, a request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem
from rankgate.systems.failures import printable

if TYPE_CHECKING:
    from pathlib import Path


def read_text(path: Path, where: str) -> str:
    """Read a file of text in UTF-8; a mark at its beginning that says so is no part of it.

    Args:
        path: The file.
        where: The option, for errors.

    Raises:
        InputError: for a file that cannot be read, and one that is no text.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        found = printable(f"{path} ({reason})")
        raise InputError(Problem(where, found, "a file of text in UTF-8 that can be read")) from error
