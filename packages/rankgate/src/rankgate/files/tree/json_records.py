"""JSON files of other tools: every value knows its path, such as ``ratings.json: cases[3].query``.

What a file looks like is told from its first bytes alone, wherever they are cut.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, FormatError
from rankgate.files.compressed import write_text
from rankgate.files.objects import parse_json
from rankgate.files.text import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from rankgate.files.problems import Problems


_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)

LIMIT = 64_000_000
"""How many bytes a suite of another tool may have; larger ones come as BEIR, TREC or Parquet."""


@dataclass(frozen=True, slots=True, eq=False)
class Json:
    """One value, where it stands, and the list that what is wrong with it goes to."""

    value: Any
    """What the parser made of it."""
    file: str
    """The file, with the line where it holds a value a line."""
    problems: Problems
    """Where problems are gathered."""
    path: str = ""
    """The way to it inside the file, such as ``cases[3].query``; empty for the whole."""

    @property
    def where(self) -> str:
        """The file, and the path in it."""
        return f"{self.file}: {self.path}" if self.path else self.file

    def wrong(self, expected: str, fix: str = "", *, found: str | None = None) -> None:
        """Report that this value is not what it should be."""
        self.problems.add(Code.WRONG_VALUE(self.where, found or self.shown(), expected, fix))

    def shown(self) -> str:
        """Spell the value for an error."""
        if self.value is None:
            return "nothing"
        if isinstance(self.value, (dict, list)):
            kind = "an object" if isinstance(self.value, dict) else "a list"
            return kind if self.value else f"an empty {kind.split()[1]}"
        return f"{self.value!r:.80}"

    def at(self, name: str) -> Json:
        """Return what stands under a key; nothing where the key is not there."""
        value = self.value.get(name) if isinstance(self.value, dict) else None
        plain = name if name.isidentifier() else json.dumps(name[:40], ensure_ascii=False)
        return Json(value, self.file, self.problems, f"{self.path}.{plain}" if self.path else plain)

    def get(self, *names: str) -> Json:
        """Return what stands under the first of several spellings of a key that is there and not null."""
        found = [name for name in names if isinstance(self.value, dict) and self.value.get(name) is not None]
        if len(found) > 1:
            self.wrong(f"one of {', '.join(names)}", found=" and ".join(found))
        return self.at(found[0] if found else names[0])

    def __bool__(self) -> bool:
        return self.value is not None

    def items(self, expected: str = "a list") -> list[Json]:
        """Return the items of a list; what is neither a list nor missing is a problem."""
        if self.value is not None and not isinstance(self.value, list):
            self.wrong(expected)
        if not isinstance(self.value, list):
            return []
        return [
            Json(item, self.file, self.problems, f"{self.path}[{n}]") for n, item in enumerate(self.value)
        ]

    def pairs(self) -> list[tuple[str, Json]]:
        """Return the keys and values of an object; none where it is something else."""
        return [(key, self.at(key)) for key in self.value] if isinstance(self.value, dict) else []

    def is_object(self, expected: str = "an object") -> bool:
        """Check whether it is an object; anything else is a problem."""
        if not isinstance(self.value, dict):
            self.wrong(expected)
        return isinstance(self.value, dict)

    def text(self, expected: str, *, required: bool = True) -> str | None:
        """Take text that is not blank; whole numbers are the text they are written as, as ids often are."""
        value = self.value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str) and value.strip():
            return value
        if required or value not in (None, ""):
            self.wrong(expected)
        return None

    def number(self, expected: str = "a number") -> float | None:
        """Take a finite number, or its spelling; None where there is none."""
        number = None if isinstance(self.value, bool) else number_of(self.value)
        if number is None and self.value is not None:
            self.wrong(expected)
        return number

    def count(self, expected: str) -> int | None:
        """Take a whole number from 0 to 2^31 - 1, or its spelling; None where there is none."""
        number = None if isinstance(self.value, bool) else number_of(self.value)
        if number is not None and number.is_integer() and 0 <= number < 1 << 31:
            return int(number)
        if self.value is not None:
            self.wrong(expected)
        return None

    def flag(self) -> bool:
        """Take true or false; false where there is nothing."""
        if self.value is not None and not isinstance(self.value, bool):
            self.wrong("true or false")
        return self.value is True


def number_of(value: object) -> float | None:
    """Take a number, or text that spells one; None for anything else and for what is not finite.

    >>> number_of("100.000"), number_of("relevant"), number_of("1_000")
    (100.0, None, None)
    """
    if isinstance(value, str):
        value = value.strip()
        if len(value) > 400 or not _NUMBER.fullmatch(value):
            return None
    elif not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def read_json(path: Path, problems: Problems) -> Json:
    """Read a file that holds one value.

    Raises:
        FormatError: for what is not JSON, is too large, or says a key twice in one object.
    """
    text = file_text(path)
    value = _parsed(text, str(path), problems)
    problems.check()
    return Json(value, str(path), problems)


def read_records(path: Path, problems: Problems) -> list[Json]:
    """Read a file that holds a list of objects, or objects one a line.

    Raises:
        FormatError: for what is not JSON or is too large.
    """
    text = file_text(path)
    if text.lstrip().startswith("["):
        whole = Json(_parsed(text, str(path), problems), str(path), problems)
        problems.check()
        return [item for item in whole.items() if item.is_object("a record")]
    lines = [(f"{path}:{number}", line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    found = [Json(_parsed(line, where, problems), where, problems) for where, line in lines]
    problems.check()
    records = [item for item in found if item.is_object("a record: a JSON object")]
    problems.check()
    return records


def write_json(path: Path, whole: object) -> None:
    """Write a file that holds one value, indented."""
    write_text(path, [json.dumps(whole, indent=2, ensure_ascii=False) + "\n"])


def file_text(path: Path) -> str:
    """Read a text file that is not too large to be held as Python objects.

    Raises:
        FormatError: for a larger one, and for what is not UTF-8.
    """
    if path.is_file() and path.stat().st_size > LIMIT:
        fix = "split it, or bring it as BEIR, TREC qrels or Parquet"
        raise FormatError(Code.TOO_LARGE(str(path), f"{path.stat().st_size} bytes", f"at most {LIMIT}", fix))
    return read_text(path, limit=LIMIT).decode()


def _parsed(text: str, where: str, problems: Problems) -> object:
    def once(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
        found: dict[str, object] = {}
        for key, value in pairs:
            if key in found:
                problems.add(
                    Code.REPEATED(where, f"the key {key!r:.80} twice in one object", "each key once")
                )
            found[key] = value
        return found

    try:
        value: object = parse_json(text, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        problems.add(Code.BAD_SYNTAX(where, f"what is not JSON ({error!s:.120})", "JSON"))
        return None
    return value


EACH = "[]"
"""Stands in a path for every item of a list."""

_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+)')
_OPENING = {"{": "object", "[": "list"}
_DEPTH = 100


@dataclass(frozen=True, slots=True)
class Shape:
    """The kinds of the values of one JSON document, by the path to them."""

    kinds: Mapping[tuple[str, ...], str]
    """The kind of the first value at a path: object, list, text or other; the root is at ``()``."""

    def kind(self, *path: str) -> str | None:
        """Return what stands at a path; None where nothing does."""
        return self.kinds.get(path)

    def keys(self, *path: str) -> set[str]:
        """List the keys below a path."""
        return {at[-1] for at in self.kinds if len(at) == len(path) + 1 and at[:-1] == path}


@lru_cache(maxsize=4)
def shape_of(start: bytes) -> Shape:
    """Look at the first document in the first bytes of a file; of JSON lines, that is the first line.

    >>> shape = shape_of(b'{"cases": [{"query": {"te')
    >>> shape.kind(), shape.kind("cases", EACH, "query")
    ('object', 'object')
    """
    text = start.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="ignore")
    kinds: dict[tuple[str, ...], str] = {}
    for path, kind in _values(text):
        kinds.setdefault(path, kind)
    return Shape(kinds)


def record(shape: Shape) -> tuple[str, ...] | None:
    """Return the path of the records of a file: a list of objects, or one a line; None for neither."""
    if shape.kind() == "list" and shape.kind(EACH) == "object":
        return (EACH,)
    return () if shape.kind() == "object" else None


def _values(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Go through the values as they open, until the first document ends or the text is cut off."""
    stack: list[tuple[str, str]] = []
    wants_key = False
    for found in _tokens(text):
        if found in "}]":
            if not stack:
                return
            stack.pop()
            wants_key = False
        elif found == ",":
            wants_key = bool(stack) and stack[-1][0] == "{"
        elif wants_key and found.startswith('"'):
            stack[-1] = ("{", _unquoted(found))
            wants_key = False
        elif found != ":":
            path = tuple(name for _, name in stack)
            opening = _OPENING.get(found)
            yield path, opening or ("text" if found.startswith('"') else "other")
            if opening:
                stack.append((found, EACH))
                wants_key = found == "{"
        if (not stack and found != ":") or len(stack) > _DEPTH:
            return


def _tokens(text: str) -> Iterator[str]:
    at = 0
    while token := _TOKEN.match(text, at):
        yield token[1]
        at = token.end()


def _unquoted(text: str) -> str:
    try:
        return str(json.loads(text))
    except ValueError:
        return text[1:-1]
