"""Lines written into TOML files of users: all else stays as it was, and what it says is checked before."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

from rankgate.files.atomic import replacing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


def read_toml_text(path: Path) -> str:
    """Read a file with its own ends of lines."""
    with path.open(encoding="utf-8", newline="") as file:
        return file.read()


def write_first_that_says(path: Path, texts: Iterable[str], wanted: Mapping[str, object]) -> bool:
    """Write the first of several texts that says what is wanted and nothing else.

    Returns:
        False where none of them does; the file is then as it was.
    """
    for text in texts:
        try:
            found = tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            continue
        if found == wanted:
            with replacing(path) as aside, aside.open("w", encoding="utf-8", newline="") as file:
                file.write(text)
            return True
    return False
