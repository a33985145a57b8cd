"""What a program or a server answered, read into values: JSON, or records that rules find in text.

| output | is read as |
|---|---|
| `json`, `jsonl` | one JSON document, or one JSON value a line |
| `fenced_json` | the JSON in the code fences of a text: of one fence its value, of several a list |
| `lines` | a record for each line that a pattern matches; without a pattern, a name a line |
| `text` | a record for each match of a pattern in the whole text, so that one may span lines |
| `front_matter` | a record for each YAML head between ``---``, with what follows it as `text` |

A pattern's named groups are the fields of its records. Text in which nothing is found is an error, because an
error message is text too; what says that there is nothing is declared, as `empty`. A JSON object with a
top-level `error` that is not empty is an error of its query, also with status 200.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from rankgate.errors import Code, FormatError, InputError, SystemFailedError
from rankgate.io.patterns import compiled_pattern
from rankgate.io.yaml import typed
from rankgate.systems.adapter.answers import OFFSET_KEYS
from rankgate.systems.adapter.failures import shortened, shown, told

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping


Output: TypeAlias = Literal["json", "jsonl", "lines", "text", "front_matter", "fenced_json"]
"""What an answer is written as."""

_WHOLE = frozenset({"start", "end", "tokens", *OFFSET_KEYS})
_MATCHED = ("lines", "text")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*")
_HEAD_END = re.compile(r"---[ \t]*\r?")
_JSON_NAMES = ("json", "jsonc", "json5")
_SAY = "say what is answered where nothing is found: empty = '…'"


@dataclass(frozen=True, slots=True)
class ReadingRules:
    """How an answer is read before hits or nodes are taken out of it."""

    output: Output = "json"
    """What it is written as."""
    pattern: str | None = None
    """For `lines` and `text`: a regular expression with a named group for each field."""
    empty: str | None = None
    """A regular expression that is found in text which says that there is nothing."""


class Records(NamedTuple):
    """An answer that was read."""

    value: Any
    """A JSON document, or a list of records."""
    unmatched_rules: tuple[str, ...] = ()
    """The groups that found nothing in any record, and how many lines the pattern left out."""
    unmatched_lines: int = 0
    """How many lines the pattern did not match; of a whole text, those between two matches."""


class _NothingFoundError(SystemFailedError):
    """An answer in which no rule finds anything: an error, unless it says that there is nothing."""


class AnswerReader:
    r"""Rules for reading, checked and compiled.

    Args:
        rules: The rules.
        names: The fields that a pattern's groups may be called.
        where: The system or the tool, for errors.

    Raises:
        InputError: for rules that are wrong.

    >>> rules = ReadingRules("text", r"(?m)^\[(?P<id>\w+)\]\n +Score: (?P<score>[\d.]+)")
    >>> AnswerReader(rules, ("id", "score"), "docs").read(b"1 found\n\n[a1]\n  Score: 3.5\n").value
    [{'id': 'a1', 'score': 3.5}]
    """

    def __init__(self, rules: ReadingRules, names: Collection[str], where: str) -> None:
        self._output = rules.output
        _check(rules, where)
        self._pattern = None if rules.pattern is None else _regex(rules.pattern, names, f"{where}.pattern")
        self._empty = None if rules.empty is None else compiled_pattern(rules.empty, f"{where}.empty")

    def read(self, raw: bytes) -> Records:
        """Read an answer.

        Raises:
            SystemFailedError: for one that is not what the rules say.
        """
        text = _decoded(raw)
        try:
            records = self._read(text)
        except _NothingFoundError as nothing:
            if self._says_empty(text):
                return Records([])
            raise SystemFailedError(nothing.problems) from nothing.__cause__
        if isinstance(records.value, dict) and (error := records.value.get("error")):
            sentence = f"the answer has an error: {_error_text(error)}"
            raise SystemFailedError(Code.WRONG_ANSWER("error", "an error", "an answer", said=sentence))
        return records

    def _read(self, text: str) -> Records:
        if self._output == "json":
            return Records(_json(text, "output", _NothingFoundError))
        if self._output == "jsonl":
            return Records(_json_lines(text))
        if self._output == "fenced_json":
            return Records(_fenced(text))
        if not text.strip():
            return Records([])
        if self._output == "front_matter":
            return Records(list(_blocks(text)) or _nothing(text, "without front matter", _SAY))
        if self._pattern is None:
            return Records([line.strip() for line in text.split("\n") if line.strip()])
        return self._matched(text, self._pattern)

    def _matched(self, text: str, pattern: re.Pattern[str]) -> Records:
        fix = f"correct the pattern, or {_SAY}"
        if self._output == "text":
            return _text_records(text, pattern) or _nothing(text, "which the pattern does not match", fix)
        return _line_records(text, pattern) or _nothing(text, "of which no line matches the pattern", fix)

    def _says_empty(self, text: str) -> bool:
        return self._empty is not None and self._empty.search(text) is not None


def _error_text(error: object) -> str:
    """Shorten the value of a top-level `error` to one line."""
    if isinstance(error, dict) and isinstance(message := error.get("message"), str) and message:
        error = message
    text = error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
    return shortened(" ".join(text.split()))


def typed_row(row: Mapping[str, object], where: str) -> dict[str, object]:
    """Make numbers of the fields that are numbers and were read as text; all else stays what it is.

    >>> typed_row({"id": "007", "start": "12", "score": "0.5"}, "output, line 3")
    {'id': '007', 'start': 12, 'score': 0.5}

    Raises:
        SystemFailedError: for text that is no number.
    """
    return {name: _typed(name, value, where) for name, value in row.items()}


def _typed(name: str, value: object, where: str) -> object:
    convert: Any = int if name in _WHOLE else float if name == "score" else None
    if convert is None or not isinstance(value, str):
        return value
    try:
        return convert(value)
    except ValueError:
        fix = "see the group's pattern"
        raise SystemFailedError(
            Code.WRONG_ANSWER(f"{where}: {name}", shown(value), "a number", fix)
        ) from None


def _check(rules: ReadingRules, where: str) -> None:
    problems = []
    matched = rules.output in _MATCHED
    if not matched and rules.pattern is not None:
        expected = "output = 'lines' or output = 'text'"
        problems.append(Code.CONFLICT(f"{where}.pattern", f"output {rules.output}", expected))
    if rules.output == "text" and rules.pattern is None:
        problems.append(
            Code.MISSING_SETTING(
                where, "output text without a pattern", "pattern = '…', each match of which is one"
            )
        )
    if rules.output == "lines" and rules.empty is not None and rules.pattern is None:
        problems.append(
            Code.MISSING_SETTING(f"{where}.empty", "no pattern", "a pattern, which reads the other answers")
        )
    if problems:
        raise InputError(problems)


def _regex(text: str, known: Collection[str], where: str) -> re.Pattern[str]:
    pattern = compiled_pattern(text, where)
    names = set(pattern.groupindex)
    if not names or names - set(known):
        found = f"the groups {', '.join(sorted(names))}" if names else "no named group"
        fix = "write (?P<path>...)" if "path" in known else f"write (?P<{next(iter(known))}>...)"
        raise InputError(Code.WRONG_PATTERN(where, found, f"named groups of {', '.join(known)}", fix))
    return pattern


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        found = f"the byte 0x{raw[error.start]:02x}, which is not UTF-8"
        raise SystemFailedError(Code.WRONG_ANSWER(f"output, line {line}", found, "UTF-8")) from error


def _nothing(text: str, why: str, fix: str) -> Any:
    # An error message is text too; to take it for an empty answer would hide an outage.
    raise _NothingFoundError(
        Code.WRONG_ANSWER("output", f"{shown(text.strip())}, {why}", "hits, or nothing", fix)
    )


def _text_records(text: str, pattern: re.Pattern[str]) -> Records | None:
    rows, line, at, left = [], 1, 0, 0
    matches = list(pattern.finditer(text))
    for match in matches:
        line, at = line + text.count("\n", at, match.start()), match.start()
        rows.append(_row(match, line))
    # What is around a list is said for people; what is inside it may be a record that was missed.
    for before, after in pairwise(matches):
        inside = text[before.end() : after.start()].split("\n")[1:-1]
        left += sum(1 for one in inside if one.strip())
    said = (f"pattern ({left} lines between matches)",) if left else ()
    return Records(rows, (*_unfound(pattern, rows), *said), left) if rows else None


def _line_records(text: str, pattern: re.Pattern[str]) -> Records | None:
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    found = [(number, pattern.search(line.rstrip("\r"))) for number, line in lines]
    rows = [_row(match, number) for number, match in found if match is not None]
    left = len(lines) - len(rows)
    said = (f"pattern ({left} of {len(lines)} lines)",) if left else ()
    return Records(rows, (*_unfound(pattern, rows), *said), left) if rows else None


def _row(match: Any, line: int) -> dict[str, object]:
    found = {name: text for name, text in match.groupdict().items() if text is not None}
    return typed_row(found, f"output, line {line}")


def _unfound(pattern: re.Pattern[str], rows: list[dict[str, object]]) -> tuple[str, ...]:
    return tuple(f"pattern.{name}" for name in pattern.groupindex if all(name not in row for row in rows))


def _json(text: str, where: str, error_kind: type[SystemFailedError] = SystemFailedError) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        start = "nothing" if not text.strip() else shown(text)
        raise error_kind(Code.WRONG_ANSWER(where, f"{start} ({told(error)})", "JSON")) from error


def _json_lines(text: str) -> list[object]:
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    kinds = [_NothingFoundError, *[SystemFailedError] * len(lines)]
    return [_json(line, f"output, line {at}", kind) for (at, line), kind in zip(lines, kinds, strict=False)]


def _fenced(text: str) -> object:
    """Return the JSON of the fences that are named so; where none is, of those without a name."""
    fences = list(_fences(text))
    named = [one for one in fences if one[0].lower() in _JSON_NAMES] or [one for one in fences if not one[0]]
    if not named:
        _nothing(text, "without a fence of JSON", _SAY)
    values = [_json(body, f"output, line {line}") for _, line, body in named]
    return values[0] if len(values) == 1 else values


def _fences(text: str) -> Iterator[tuple[str, int, str]]:
    """Go through the code fences: the name of each, its first line, and what stands in it."""
    opened: tuple[str, str, int] | None = None
    body: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        fence = _FENCE.fullmatch(line.rstrip("\r"))
        if opened is None:
            if fence is not None:
                opened, body = (fence[1], fence[2], number + 1), []
        elif fence is not None and fence[1].startswith(opened[0]) and not fence[2]:
            yield opened[1], opened[2], "\n".join(body)
            opened = None
        else:
            body.append(line)
    if opened is not None:
        # A fence that nothing closes ends with the text.
        yield opened[1], opened[2], "\n".join(body)


def _blocks(text: str) -> Iterator[dict[str, object]]:
    """Go through the blocks that begin with a YAML head; a rule between paragraphs begins none."""
    lines = text.split("\n")
    marks = [number for number, line in enumerate(lines) if _HEAD_END.fullmatch(line)]
    head, begins, at = None, 0, 0
    while at + 1 < len(marks):
        first, last = marks[at], marks[at + 1]
        found = _head("\n".join(lines[first + 1 : last]), f"output, line {first + 2}")
        if found is None:
            at += 1
            continue
        if head is not None:
            yield {"text": "\n".join(lines[begins:first]).strip(), **head}
        head, begins, at = found, last + 1, at + 2
    if head is not None:
        yield {"text": "\n".join(lines[begins:]).strip(), **head}


def _head(text: str, where: str) -> dict[str, object] | None:
    from rankgate.io.yaml import parse_yaml

    try:
        found = parse_yaml(text, where)
    except FormatError:
        return None
    return _texts(found.data) if isinstance(found.data, dict) and not found.problems else None


def _texts(value: Any) -> Any:
    """Return a value of YAML; a number is text until a field needs it: 007 may be an id."""
    if isinstance(value, dict):
        return {key: _texts(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_texts(one) for one in value]
    return None if typed(value) is None else str(value)
