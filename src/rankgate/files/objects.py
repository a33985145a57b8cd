"""Files of JSON objects, one a line."""

from __future__ import annotations

import codecs
import json
import re
from typing import TYPE_CHECKING, Any, NoReturn

from rankgate.errors import Problem
from rankgate.files.compressed import write_text
from rankgate.files.lines import read_lines
from rankgate.files.text import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from rankgate.files.problems import Problems


def read_objects(path: str | Path, problems: Problems) -> Iterator[tuple[str, dict[str, Any]]]:
    """Go through the objects of a file, each with its place (``file:line``); empty lines are skipped.

    Lines that hold something else are added to the problems and skipped.
    """
    for number, line in enumerate(read_text(path).split(b"\n"), 1):
        where = f"{path}:{number}"
        if line.strip() and (found := _object(line, where, problems)) is not None:
            yield where, found


def stream_objects(path: str | Path, problems: Problems) -> Iterator[tuple[str, dict[str, Any]]]:
    """Go through the objects of a file as `read_objects` does, with no more than a line in memory."""
    for number, line in enumerate(read_lines(path), 1):
        where = f"{path}:{number}"
        text = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
        if not text.strip():
            continue
        if b"\0" in text:
            fix = "the file is binary, or UTF-16: save it as UTF-8"
            problems.add(Problem(where, "a NUL byte", "UTF-8 text", fix))
        elif (found := _object(text, where, problems)) is not None:
            yield where, found


def looks_like_objects(start: bytes) -> bool:
    """Tell from the first bytes of a file whether it holds JSON objects; an id may start with a brace too."""
    line, end, _ = start.lstrip().partition(b"\n")
    return re.match(rb'\{\s*["}]', line) is not None and (not end or line.rstrip().endswith(b"}"))


def write_objects(path: str | Path, objects: Iterable[Mapping[str, Any]]) -> None:
    """Write one object a line; fields that are None are left out."""
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(", ", ": ")).encode
    write_text(
        path,
        (encode({key: value for key, value in item.items() if value is not None}) + "\n" for item in objects),
    )


class Fields:
    """Takes typed fields out of an object and tells what does not fit."""

    def __init__(self, found: Mapping[str, Any], where: str, problems: Problems) -> None:
        self._found = found
        self._where = where
        self._problems = problems

    def text(self, name: str, *, required: bool = False) -> str | None:
        """Take a string, or None where there is none."""
        value = self._found.get(name)
        if isinstance(value, str) and (value or not required):
            return value
        if value is not None or required:
            self._wrong(name, "a string")
        return None

    def number(self, name: str) -> float | None:
        """Take a number, or None where there is none."""
        value = self._found.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= 1.8e308:
            return float(value)
        if value is not None:
            self._wrong(name, "a number")
        return None

    def count(self, name: str, *, bits: int = 32) -> int | None:
        """Take a whole number from 0 up, or None where there is none."""
        value = self._found.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << bits:
            return value
        if value is not None:
            self._wrong(name, f"a whole number from 0 to {(1 << bits) - 1}")
        return None

    def flag(self, name: str) -> bool | None:
        """Take true or false, or None where there is none."""
        value = self._found.get(name)
        if isinstance(value, bool):
            return value
        if value is not None:
            self._wrong(name, "true or false")
        return None

    def _wrong(self, name: str, expected: str) -> None:
        value = self._found.get(name)
        found = "nothing" if value is None else f"{value!r:.80}"
        self._problems.add(Problem(f"{self._where}: {name}", found, expected))


def _object(line: bytes, where: str, problems: Problems) -> dict[str, Any] | None:
    try:
        found = json.loads(line, parse_constant=_no_constant)
        if b"\\u" in line:
            # An escape can name half of a surrogate pair, which no file could hold.
            json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        problems.add(Problem(where, f"what is not JSON ({error})", "a JSON object"))
        return None
    if isinstance(found, dict):
        return found
    problems.add(Problem(where, f"a {type(found).__name__}", "a JSON object"))
    return None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
