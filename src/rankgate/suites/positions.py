"""YAML in which every value knows its line and column.

The parser's events become values directly: its own nodes and their tags cost as much again as the parsing.
Tags make no objects, and a key is a word that is written once.
"""

from __future__ import annotations

import re
from functools import cache
from io import StringIO
from typing import TYPE_CHECKING, Any, NoReturn

from ruamel.yaml import YAML
from ruamel.yaml.composer import ComposerError
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from ruamel.yaml.resolver import implicit_resolvers

from rankgate.errors import Problem
from rankgate.suites.values import Source, Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ruamel.yaml.events import Event

    from rankgate.files.problems import Problems

LIMIT = 20_000_000
"""How many bytes a file may have."""

EXPANSION = 100_000
"""How many values a file may have beyond those it writes, by way of aliases."""

DEPTH = 100
"""How deep values may be nested."""

_TAG = "tag:yaml.org,2002:"
_KINDS = {
    "bool": "flag",
    "float": "number",
    "int": "number",
    "merge": "text",
    "null": "nothing",
    "str": "text",
    "timestamp": "text",
    "value": "text",
}
_VERSION = (1, 2)
_STARTS = {SequenceStartEvent: "list", MappingStartEvent: "mapping"}
_TAGS_OF = {"list": "seq", "mapping": "map"}


def read_yaml(text: str, file: str, problems: Problems) -> Value:
    """Read a file and check what YAML allows and a suite does not; those problems are only gathered.

    Raises:
        FormatError: for what is not YAML, is nested too deeply, or unfolds into far more than it writes.
    """
    composer = _Composer(Source(file, problems))
    try:
        composer.take(_events(text))
    except MarkedYAMLError as error:
        _refuse_syntax(error, file, problems)
    except YAMLError as error:
        said = (str(error).splitlines() or [""])[0]
        problems.add(Problem(file, f"what is not YAML ({said})", "YAML"))
        problems.refuse()
    if not composer.roots:
        problems.add(Problem(file, "an empty file", "a suite", "the least is a list of cases"))
        problems.refuse()
    root = composer.roots[0]
    if composer.aliased:
        _check_size(root)
    if composer.odd:
        for each in _every(root):
            _check(each, composer.tags)
    return root


def _events(text: str) -> Iterator[Event]:
    try:
        yield from YAML(typ="safe", pure=True).parse(StringIO(text))
    except (ValueError, LookupError, AssertionError, AttributeError, TypeError, OverflowError) as error:
        # Of some texts the parser leaves it to Python to say that they are wrong: "\U00110000", "%YAML 1.9".
        raise YAMLError(str(error) or type(error).__name__) from error


class _Composer:
    """Makes values of the events of a file."""

    def __init__(self, source: Source) -> None:
        self.roots: list[Value] = []
        """The value of the document, when it is whole."""
        self.aliased = False
        """Whether a value is repeated by an alias."""
        self.odd = False
        """Whether anything was met that a suite does not allow, and that is to be looked for."""
        self.tags: dict[int, str] = {}
        """The tags that were refused, by the identity of their values."""
        self._source = source
        self._anchors: dict[str, Value] = {}
        self._resolvers = _resolvers(_VERSION)
        # The parts of the collections that are open: those of a mapping are keys and values in turn.
        self._open: list[tuple[Value, list[Value]]] = []
        self._parts = self.roots

    def take(self, events: Iterable[Event]) -> None:
        """Take all events of a file."""
        for event in events:
            kind = type(event)
            if kind is ScalarEvent:
                self._parts.append(self._scalar(event))
            elif kind in _STARTS:
                self._start(_STARTS[kind], event)
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                self._end()
            elif kind is AliasEvent:
                self._alias(event)
            elif kind is DocumentStartEvent:
                self._document(event)

    def _scalar(self, event: Any) -> Value:
        mark, content = event.start_mark, event.value
        line, column = mark.line + 1, mark.column + 1
        if content == "" and not event.style and self._awaits_value():
            # The parser puts a value that is not there before the next thing that is, lines below its key.
            key = self._parts[-1]
            line, column = key.line, key.column
        if event.ctag is not None and str(event.ctag) != "!":
            kind = None
        elif event.implicit[0]:
            kind = self._plain(content)
        else:
            kind = "text"
        value = Value(kind or "text", content, line, column, self._source)
        if kind is None:
            value.kind = self._tagged(value, str(event.ctag), _KINDS)
        if event.anchor is not None:
            self._anchors[event.anchor] = value
        if event.style == '"' and not content.isascii() and _halved(content):
            raise ComposerError(None, None, "found half of a surrogate pair", mark)
        return value

    def _plain(self, content: str) -> str:
        for kind, pattern in self._resolvers.get(content[:1], ()):
            if pattern.match(content):
                return kind
        return "text"

    def _tagged(self, value: Value, tag: str, kinds: Mapping[str, str]) -> str:
        kind = kinds.get(tag.removeprefix(_TAG)) if tag.startswith(_TAG) else None
        if kind is None:
            self.odd = True
            self.tags[id(value)] = tag.replace(_TAG, "!!") if tag.startswith(_TAG) else tag
        return kind or value.kind

    def _awaits_value(self) -> bool:
        return bool(self._open) and self._open[-1][0].kind == "mapping" and len(self._parts) % 2 == 1

    def _start(self, kind: str, event: Any) -> None:
        mark = event.start_mark
        value = Value(kind, [], mark.line + 1, mark.column + 1, self._source)
        if event.ctag is not None and str(event.ctag) != "!":
            self._tagged(value, str(event.ctag), {_TAGS_OF[kind]: kind})
        if event.anchor is not None:
            self._anchors[event.anchor] = value
        if len(self._open) > DEPTH:
            _refuse_depth(value, "values nested too deeply")
        self._parts.append(value)
        self._open.append((value, self._parts))
        self._parts = value.content

    def _end(self) -> None:
        value, around = self._open.pop()
        if value.kind == "mapping":
            keys = self._parts[::2]
            value.content = list(zip(keys, self._parts[1::2], strict=True))
            try:
                self.odd |= len({key.content for key in keys}) < len(keys)
            except TypeError:  # a key that is a list or a mapping
                self.odd = True
        self._parts = around

    def _alias(self, event: Any) -> None:
        if event.anchor not in self._anchors:
            raise ComposerError(None, None, f"found undefined alias {event.anchor!r}", event.start_mark)
        self.aliased = True
        self._parts.append(self._anchors[event.anchor])

    def _document(self, event: Any) -> None:
        if self.roots:
            said = "but found another document"
            raise ComposerError("expected a single document in the stream", None, said, event.start_mark)
        self._resolvers = _resolvers(tuple(event.version or _VERSION))


@cache
def _resolvers(version: tuple[int, ...]) -> Mapping[str, Sequence[tuple[str, re.Pattern[str]]]]:
    """Tell by its first character what a plain scalar may be, in one version of YAML."""
    found: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
    versions = {known for each in implicit_resolvers for known in each[0]}
    for fitting, tag, pattern, starts in implicit_resolvers:
        kind = _KINDS.get(tag.removeprefix(_TAG))
        if kind and (version if version in versions else _VERSION) in fitting:
            for start in starts:
                found.setdefault(start, []).append((kind, re.compile(pattern.pattern, pattern.flags)))
    return found


def _halved(content: str) -> bool:
    try:
        content.encode()
    except UnicodeEncodeError:
        return True
    return False


def _refuse_syntax(error: MarkedYAMLError, file: str, problems: Problems) -> NoReturn:
    mark = error.problem_mark or error.context_mark
    where = file if mark is None else f"{file}:{mark.line + 1}:{mark.column + 1}"
    said = " ".join(str(part) for part in (error.context, error.problem) if part)
    fix = "text with ': ' or ' #' in it, or that starts with one of *&!%@`[{|>, needs quotes"
    problems.add(Problem(where, f"what is not YAML ({said})", "YAML", fix))
    problems.refuse()


def _refuse_depth(value: Value, found: str) -> NoReturn:
    value.wrong(f"at most {DEPTH} levels", found=found)
    value.source.problems.refuse()


def _check_size(root: Value) -> None:
    """Refuse files that unfold into far more than they write, and values that hold themselves."""
    sizes: dict[int, int] = {}

    def size(value: Value, depth: int) -> int:
        known = sizes.get(id(value))
        if known == 0 or depth > DEPTH:
            _refuse_depth(value, "a value that holds itself" if known == 0 else "values nested too deeply")
        if known is None:
            sizes[id(value)] = 0
            known = sizes[id(value)] = 1 + sum(size(child, depth + 1) for child in _children(value))
        return known

    if size(root, 0) - len(sizes) > EXPANSION:
        root.wrong(
            f"at most {EXPANSION} more values than are written",
            "write the values out",
            found="aliases that unfold into too many values",
        )
        root.source.problems.refuse()


def _children(value: Value) -> list[Value]:
    return value.items() or [part for pair in value.pairs() for part in pair]


def _every(root: Value) -> Iterator[Value]:
    pending = [root]
    seen: set[int] = set()
    while pending:
        value = pending.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        yield value
        pending.extend(reversed(_children(value)))


def _check(value: Value, tags: Mapping[int, str]) -> None:
    if (tag := tags.get(id(value))) is not None:
        value.wrong("a value without a tag", "a suite is data; remove the tag", found=f"the tag {tag}")
    check_keys(value)


def check_keys(value: Value) -> None:
    """Find the keys of a mapping that are written twice, and those that are no words."""
    first: dict[str, Value] = {}
    for key, _ in value.pairs():
        if not isinstance(key.content, str):
            key.wrong("a word as a key", "put quotes around text that starts with [ or {")
        elif key.content in first:
            found = f"{key.shown()} a second time, first in line {first[key.content].line}"
            key.wrong("each key once", found=found)
        else:
            first[key.content] = key
