"""YAML and JSON as plain Python data in which every value and key has a position.

Scalars are the text that was written: `Plain` without quotes, `str` with quotes. The models that read the
data decide what is a number. A suite is data, so anchors, aliases, tags and a second document are errors.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

import yaml
from yaml import events

from rankgate.errors import Code, FormatError, Problem
from rankgate.io.text import read_text

LIMIT = 20_000_000
"""The largest file, in bytes."""
DEPTH = 100
"""The deepest nesting."""
VALUES = 1_000_000
"""The largest number of values."""

Mark: TypeAlias = int
"""Line and column, both from 1, in one number: tuples would take half of the time."""
Path_: TypeAlias = tuple[str | int, ...]
"""Keys and indexes that lead to a value."""

LINE: int = 1 << 32
"""What a mark has for each line; the rest is the column."""
_Loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_FLAGS = {
    word: value for value in (True, False) for word in (str(value).lower(), str(value), str(value).upper())
}
_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
# JSON writes a character beyond U+FFFF as two escapes, which YAML does not allow.
_SURROGATES = re.compile(r"(?<!\\)((?:\\\\)*)\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})", re.IGNORECASE)


class Plain(str):
    """A scalar that was written without quotes."""

    __slots__ = ()


class Table(dict[str, Any]):
    """A mapping that knows the positions of its keys and values."""

    __slots__ = ("marks",)
    marks: dict[str, tuple[Mark, Mark]]


class Items(list[Any]):
    """A list that knows the positions of its values."""

    __slots__ = ("marks",)
    marks: list[Mark]


@dataclass(frozen=True, slots=True)
class Document:
    """The data of one file."""

    file: str
    data: Any
    mark: Mark = 0
    """The position of the data; 0 if it is not from a file."""
    problems: tuple[Problem, ...] = ()
    """Duplicate keys."""

    def where(self, path: Path_ = (), *, key: bool = False) -> str:
        """Return ``file:line:column`` of a value, or of its key; steps that do not exist are skipped."""
        value, mark, steps = self.data, self.mark, ""
        for step in path:
            if isinstance(value, dict) and step in value:
                steps += f".{step}"
                if isinstance(value, Table):
                    mark = value.marks[str(step)][0 if key and step == path[-1] else 1]
                value = value[step]
            elif isinstance(value, list) and isinstance(step, int) and step < len(value):
                steps += f"[{step}]"
                mark = value.marks[step] if isinstance(value, Items) else mark
                value = value[step]
        if not mark:
            return f"{self.file}: {steps.removeprefix('.')}" if steps else self.file
        return _where(self.file, mark)

    def get(self, path: Path_) -> Any:
        """Return the value at a path; steps that do not exist are skipped."""
        value = self.data
        for step in path:
            if isinstance(value, dict):
                value = value.get(step, value)
            elif isinstance(value, list) and isinstance(step, int) and step < len(value):
                value = value[step]
        return value


def typed(value: Any) -> Any:
    """Return a value with plain true, false, null and numbers typed; quoted ones are text.

    >>> typed([Plain("true"), Plain("3"), Plain("1.5"), "3", Plain("no"), Plain("007")])
    [True, 3, 1.5, '3', 'no', '007']
    """
    if value.__class__ is Plain:
        if value in _NULLS:
            return None
        if value in _FLAGS:
            return _FLAGS[value]
        number = _NUMBER.fullmatch(value) if len(value) < 400 else None
        if number is None:
            return str(value)
        return float(value) if number[1] or number[2] else int(value)
    if isinstance(value, dict):
        return {key: typed(one) for key, one in value.items()}
    if isinstance(value, list):
        return [typed(one) for one in value]
    return value


def read_yaml(path: str | Path) -> Document:
    """Read a YAML or JSON file.

    Raises:
        InputError: for a file that cannot be read.
        FormatError: for a file that is too large or not UTF-8, and for invalid YAML.
    """
    file = Path(path)
    if file.is_file() and file.stat().st_size > LIMIT:
        size = f"{file.stat().st_size:,} bytes"
        said = (
            f"{path}: the file has {size}, more than the limit of {LIMIT:,}. Split it, or write JSON Lines."
        )
        raise FormatError(Code.TOO_LARGE(str(path), size, f"at most {LIMIT:,}", "", said))
    return parse_yaml(read_text(file, limit=LIMIT).decode(), str(path))


def parse_yaml(text: str, file: str, line: int = 1) -> Document:
    r"""Parse YAML or JSON.

    >>> document = parse_yaml("cases:\n  - query: how\n", "s.yaml")
    >>> document.data, document.where(("cases", 0, "query"))
    ({'cases': [{'query': 'how'}]}, 's.yaml:2:12')

    Args:
        text: The text.
        file: The name of the file, for errors.
        line: The number of the first line.

    Raises:
        FormatError: for invalid YAML.
    """
    if "\\u" in text:
        text = _SURROGATES.sub(_paired, text)
    try:
        return _parsed(_Loader(text), file, (line - 1) * LINE)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = LINE + 1 if mark is None else _mark(mark)
        said = str(error.problem or error.context).replace(" in this context", " here")
        _invalid(file, at + (line - 1) * LINE, f"invalid YAML: {said}", _advice(text, at))
    except yaml.reader.ReaderError as error:
        at = _odd_character(text)
        _invalid(file, at + (line - 1) * LINE, f"invalid YAML: {error.reason}", "Remove the character.")


def _parsed(parser: Any, file: str, before: int) -> Document:  # noqa: C901, PLR0912, PLR0915 - one fast loop
    """Build data from the events of a parser; `before` is added to every mark."""
    get, scalar = parser.get_event, events.ScalarEvent
    problems: list[Problem] = []
    outer: list[tuple[Any, Any]] = []
    here: Any = None  # the collection that is being read, and the key that waits for its value
    key: Any = None
    root, root_mark = Plain(""), before + LINE + 1
    count = documents = 0
    while True:
        event = get()
        kind = event.__class__
        if kind is scalar:
            start = event.start_mark
            mark = (start.line + 1) * LINE + start.column + 1 + before
            count += 1
            if count > VALUES:
                _invalid(file, mark, f"the file has more than {VALUES:,} values", "Split it.")
            if event.anchor is not None or event.tag is not None:
                _refuse_name(event, file, mark)
            # A plain scalar has the style "" or None.
            value: Any = event.value if event.style else Plain(event.value)
        elif kind is events.MappingStartEvent or kind is events.SequenceStartEvent:
            count += 1
            start = event.start_mark
            mark = (start.line + 1) * LINE + start.column + 1 + before
            if event.anchor is not None or event.tag is not None:
                _refuse_name(event, file, mark)
            if len(outer) >= DEPTH:
                _invalid(file, mark, f"values are nested more than {DEPTH} levels deep", "Flatten them.")
            if here.__class__ is Table and key is None:
                _invalid(file, mark, "a key is a list or a mapping", "Put quotes around a text with [ or {.")
            outer.append((here, (key, mark)))
            here = Table() if kind is events.MappingStartEvent else Items()
            here.marks = {} if kind is events.MappingStartEvent else []
            key = None
            continue
        elif kind is events.MappingEndEvent or kind is events.SequenceEndEvent:
            value = here
            here, (key, mark) = outer.pop()
        elif kind is events.AliasEvent:
            mark = _mark(event.start_mark) + before
            fix = "Write the value again, or put quotes around a text that begins with *."
            _invalid(file, mark, f"the alias *{event.anchor} is not supported", fix)
        elif kind is events.DocumentStartEvent:
            documents += 1
            if documents > 1:
                mark = _mark(event.start_mark) + before
                _invalid(file, mark, "a second YAML document begins here", "Write one document per file.")
            continue
        elif kind is events.StreamEndEvent:
            return Document(file, root, root_mark, tuple(problems))
        else:
            continue
        if here is None:
            root, root_mark = value, mark
        elif here.__class__ is Items:
            here.append(value)
            here.marks.append(mark)
        elif key is None:
            key = (str(value), mark)
        else:
            name, name_mark = key
            if name in here:
                first = here.marks[name][0]
                where = _where(file, name_mark)
                shown = f"`{name:.80}`"
                line = first // LINE
                said = f"{where}: the key {shown} occurs twice, first in line {line}. Remove one of them."
                problems.append(Code.REPEATED(where, shown, "each key once", "", said))
            else:
                here[name] = value
                here.marks[name] = (name_mark, mark)
            key = None


def _refuse_name(event: Any, file: str, mark: Mark) -> None:
    if event.anchor is not None:
        fix = "Remove it, or put quotes around a text that begins with &."
        _invalid(file, mark, f"the anchor &{event.anchor} is not supported", fix)
    tag = event.tag.replace("tag:yaml.org,2002:", "!!")
    fix = "Remove it, or put quotes around a text that begins with !."
    _invalid(file, mark, f"the tag {tag} is not supported", fix)


def _invalid(file: str, mark: Mark, problem: str, fix: str) -> NoReturn:
    where = _where(file, mark)
    raise FormatError(Code.BAD_SYNTAX(where, problem, "valid YAML", "", f"{where}: {problem}. {fix}"))


def _mark(mark: Any) -> Mark:
    return int((mark.line + 1) * LINE + mark.column + 1)


def _where(file: str, mark: Mark) -> str:
    return f"{file}:{mark // LINE}:{mark % LINE}"


def _advice(text: str, at: Mark) -> str:
    """Return what most likely repairs the line of a syntax error."""
    lines = text.split("\n")
    line = lines[min(at // LINE, len(lines)) - 1]
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "Indent with spaces, not with tabs."
    if re.match(r"\s*(- )?[\w-]+:(\s|$)", line) and at % LINE > len(line) - len(line.lstrip()) + 1:
        return "Check the indentation, and put quotes around a text that contains `: ` or ` #`."
    return "Put quotes around a text that begins with one of *&!%@`[{|>, and close every bracket and quote."


def _paired(found: re.Match[str]) -> str:
    pair = (int(found[2], 16) - 0xD800) << 10 | (int(found[3], 16) - 0xDC00)
    return f"{found[1]}\\U{pair + 0x10000:08x}"


def _odd_character(text: str) -> Mark:
    """Return the position of the first character that YAML does not allow."""
    found = re.search("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text)
    at = 0 if found is None else found.start()
    return (text.count("\n", 0, at) + 1) * LINE + at - text.rfind("\n", 0, at)
