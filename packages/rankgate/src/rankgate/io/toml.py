"""TOML with the line and column of every key and value.

tomllib parses the file. It has no positions, so a second scan of the text finds them.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from contextlib import suppress
from pathlib import Path
from typing import Any

from rankgate.errors import Code, FormatError, Problem
from rankgate.io.text import read_text
from rankgate.io.yaml import LINE, Document, Items, Mark, Path_, Table

LIMIT = 1 << 20
"""The largest TOML file, in bytes."""
_BLANK = re.compile(r"(?:\s|#[^\n]*)*")
_BASIC, _LITERAL = r'"(?:[^"\\\n]|\\.)*"', r"'[^'\n]*'"
_NAME = re.compile(rf"[\w-]+|{_BASIC}|{_LITERAL}")
_SCALAR = re.compile(
    rf'"""(?:[^\\]|\\.)*?"{{3,5}}|\'\'\'.*?\'{{3,5}}|{_BASIC}|{_LITERAL}|[^\s,\]}}#][^,\]}}#\n]*', re.DOTALL
)
_POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_FIXES = {
    "Invalid value": "Put text in quotes, and write true and false in lower case.",
    "Unclosed array": "Put a comma between two values, and close the array with `]`.",
    "Unclosed inline table": "Close it with `}` in the same line.",
    "Unterminated string": "Close it with a quote.",
    "Unescaped": "Write the text in single quotes, such as '\\d+'.",
    "Expected newline": "Write one key per line, and close every bracket and quote.",
}


def read_toml(path: Path) -> Document:
    """Read a TOML file.

    Raises:
        InputError: for a file that cannot be read.
        FormatError: for invalid TOML.
    """
    return parse_toml(read_text(path, limit=LIMIT).decode(), str(path))


def parse_toml(text: str, file: str) -> Document:
    r"""Parse TOML.

    >>> document = parse_toml("a = 1\n[b]\nc = [\n  2, 3]\n", "x.toml")
    >>> document.where(("b", "c", 1)), document.where(("b", "c"), key=True)
    ('x.toml:4:6', 'x.toml:3:1')

    Args:
        text: The text.
        file: The name of the file, for errors.

    Raises:
        FormatError: for invalid TOML.
    """
    scan = _Scan(text)
    try:
        data = tomllib.loads(text)
        scan.run()
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise FormatError(_syntax_problems(scan, file, error)) from error
    return Document(file, scan.marked(data), LINE + 1)


def _syntax_problems(scan: _Scan, file: str, error: Exception) -> list[Problem]:
    """Return the duplicate keys that the parser stopped at, or else what it says."""
    found = _POSITION.search(str(error))
    words = str(error)[: found.start()] if found else "Values are nested too deeply"
    problems = []
    if words.startswith(("Cannot", "Duplicate")):
        with suppress(AttributeError, IndexError, RecursionError):  # invalid text behind the duplicate key
            scan.run()
        for path, mark in scan.repeated:
            where, name = Document(file, None, mark).where(), path[-1]
            said = f"{where}: the key `{name}` occurs twice, first in line {scan.marks[path][0] // LINE}. "
            problems.append(
                Code.REPEATED(where, str(name), "each key once", "", f"{said}Remove one of them.")
            )
    if not problems:
        line, column = scan.end()
        if found and found[1]:
            line, column = int(found[1]), int(found[2])
        where = Document(file, None, line * LINE + column).where()
        fix = next((fix for start, fix in _FIXES.items() if words.startswith(start)), "")
        said = f"{where}: invalid TOML: {words[:1].lower()}{words[1:]}. {fix}".rstrip()
        problems.append(Code.BAD_SYNTAX(where, words, "valid TOML", "", said))
    return problems


class _Scan:
    """The positions of the keys and values of a text that tomllib can parse."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.marks: dict[Path_, tuple[Mark, Mark]] = {}
        """By path: the position of the key, and of the value."""
        self.repeated: list[tuple[Path_, Mark]] = []
        self._lines = [0, *(found.end() for found in re.finditer("\n", text))]
        self._defined: set[Path_] = set()

    def run(self) -> None:
        """Find every position."""
        table: Path_ = ()
        sizes: dict[Path_, int] = {}  # of arrays of tables
        at = self._skip(0)
        while at < len(self.text):
            if self.text[at] != "[":
                at = self._skip(self._pair(table, at))
                continue
            array, start, table = self.text.startswith("[[", at), self._mark(at), ()
            names, at = self._names(at + 1 + array)
            for number, (name, mark) in enumerate(names, 1):
                table = (*table, name)
                last = number == len(names)
                self._note(table, mark, start, defines=last and not array)
                if last and array:
                    sizes[table] = sizes.get(table, 0) + 1
                if table in sizes:
                    table = (*table, sizes[table] - 1)
                    self._note(table, start, start)
            at = self._skip(at + 1 + array)

    def marked(self, value: Any, path: Path_ = ()) -> Any:
        """Return data with its positions."""
        if isinstance(value, dict):
            table = Table((key, self.marked(one, (*path, key))) for key, one in value.items())
            table.marks = {key: self.marks.get((*path, key), (0, 0)) for key in value}
            return table
        if isinstance(value, list):
            items = Items(self.marked(one, (*path, number)) for number, one in enumerate(value))
            items.marks = [self.marks.get((*path, number), (0, 0))[1] for number in range(len(value))]
            return items
        return value

    def end(self) -> tuple[int, int]:
        """Return the line and the column behind the text."""
        return divmod(self._mark(len(self.text.rstrip())), LINE)

    def _pair(self, path: Path_, at: int) -> int:
        names, at = self._names(at)
        at = self._skip(at + 1)
        for name, mark in names:
            path = (*path, name)
            self._note(path, mark, self._mark(at), defines=name is names[-1][0])
        return self._value(path, at)

    def _value(self, path: Path_, at: int) -> int:
        opened = self.text[at]
        if opened not in "[{":
            return _SCALAR.match(self.text, at).end()  # type: ignore[union-attr]
        number, at = 0, self._skip(at + 1)
        while self.text[at] not in "]}":
            if opened == "{":
                at = self._pair(path, at)
            else:
                self._note((*path, number), self._mark(at), self._mark(at))
                at = self._value((*path, number), at)
            number, at = number + 1, self._skip(at)
            at = self._skip(at + 1) if self.text[at] == "," else at
        return at + 1

    def _names(self, at: int) -> tuple[list[tuple[str, Mark]], int]:
        """Return the parts of a dotted key with their positions, and the offset behind it."""
        names = []
        while True:
            at = self._skip(at)
            found = _NAME.match(self.text, at)
            name = found[0]  # type: ignore[index]
            plain = name.strip("'") if name[0] != '"' else tomllib.loads(f"k = {name}")["k"]
            names.append((plain, self._mark(at)))
            at = self._skip(found.end())  # type: ignore[union-attr]
            if self.text[at] != ".":
                return names, at
            at += 1

    def _note(self, path: Path_, key: Mark, value: Mark, *, defines: bool = False) -> None:
        if defines and path in self._defined and path[:-1] not in dict(self.repeated):
            self.repeated.append((path, key))
        if defines:
            self._defined.add(path)
        self.marks.setdefault(path, (key, value))

    def _skip(self, at: int) -> int:
        return _BLANK.match(self.text, at).end()  # type: ignore[union-attr]

    def _mark(self, at: int) -> Mark:
        line = bisect_right(self._lines, at)
        return line * LINE + at - self._lines[line - 1] + 1
