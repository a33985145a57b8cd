"""What a suite says about its corpus, and where it may point: inside the project."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError, Problem, did_you_mean, escaped
from rankgate.model.locations import normal_path

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rankgate.model.suite import CorpusSource


SELECTION_KEYS = ("include", "exclude")
"""The options that every corpus of files has, whatever its kind."""
_SHA256 = re.compile("[0-9a-f]{64}", re.IGNORECASE)


def named(source: CorpusSource) -> str:
    """Name a source in an error, on one line and not too long.

    >>> from rankgate.model import CorpusSource
    >>> named(CorpusSource("docs.tar.gz", "archive"))
    'corpus archive docs.tar.gz'
    """
    place = source.place if len(source.place) <= 200 else source.place[:199] + "…"
    return escaped(f"corpus {source.kind} {place}")


def check_options(source: CorpusSource, known: Sequence[str], lists: Sequence[str] = ()) -> None:
    """Check that every option is known, and that only those of `lists` have several values.

    Raises:
        InputError: with every option that is unknown or of another form.
    """
    problems: list[Problem] = []
    for key, value in source.options.items():
        if key not in known:
            expected = f"one of {', '.join(known)}" if known else "none"
            found = f"the option {escaped(key[:80])!r}"
            problems.append(Code.UNKNOWN_KEY(named(source), found, expected, did_you_mean(key, known)))
        elif not isinstance(value, str) and key not in lists:
            problems.append(Code.WRONG_VALUE(f"{named(source)}: {key}", "a list", "one value"))
        elif not value or (not isinstance(value, str) and "" in value):
            problems.append(Code.WRONG_VALUE(f"{named(source)}: {key}", "nothing", "a value"))
    if problems:
        raise InputError(problems)


def one(source: CorpusSource, key: str) -> str | None:
    """Return an option of one value, or None where it is not there."""
    value = source.options.get(key)
    return value if value is None or isinstance(value, str) else value[0]


def under_of(source: CorpusSource) -> str:
    """Return the folder inside that is meant, normalised; empty for all of it.

    Raises:
        LocationError: for a path that is absolute or climbs.
    """
    under = one(source, "under")
    if under is None or under in {".", "./"}:
        return ""
    return normal_path(under)


def sha256_of(source: CorpusSource) -> str | None:
    """Return the hash that a source is pinned to, in lower case.

    Raises:
        InputError: for what is no SHA-256 in hexadecimal.
    """
    value = one(source, "sha256")
    if value is not None and not _SHA256.fullmatch(value):
        found = repr(value if len(value) <= 80 else value[:79] + "…")
        expected = "a SHA-256, 64 hexadecimal digits"
        raise InputError(Code.WRONG_VALUE(f"{named(source)}: sha256", found, expected))
    return None if value is None else value.lower()


OUTSIDE = "move it there, or set corpora_outside = true in rankgate.toml"
"""What to do about a corpus outside the project."""

_RELATIVE = "the corpus of a suite is relative to the suite's file"


def folder_inside(folder: Path, root: Path, expected: str = "a folder of text files") -> Path:
    """Return a folder with every link resolved.

    Raises:
        InputError: for what is not there, is no folder, or lies outside `root`.
    """
    found = _inside(folder, root, "a folder")
    if not found.is_dir():
        what = "a file" if found.exists() else "no such folder"
        raise InputError(Code.NO_SUCH_FILE(f"corpus {folder}", what, expected, _RELATIVE))
    return found


def file_inside(file: Path, root: Path, expected: str) -> Path:
    """Return a file with every link resolved.

    Raises:
        InputError: for what is not there, is no file, or lies outside `root`.
    """
    found = _inside(file, root, "a file")
    if not found.is_file():
        what = "a folder" if found.is_dir() else "what is no file" if found.exists() else "no such file"
        raise InputError(Code.NO_SUCH_FILE(f"corpus {file}", what, expected, _RELATIVE))
    return found


def _inside(given: Path, root: Path, what: str) -> Path:
    try:
        found, top = given.resolve(), root.resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(
            Code.WRONG_VALUE(f"corpus {str(given)!r}", f"no path ({error})", what, _RELATIVE)
        ) from error
    if not found.is_relative_to(top):
        raise InputError(
            Code.OUTSIDE_PROJECT(
                f"corpus {given}", f"{found}, outside the project", f"{what} in {top}", OUTSIDE
            )
        )
    return found
