"""YAML in which every value knows its line and column.

The file is only composed, never constructed: tags make no objects, numbers stay as they were written until
someone asks for a number, and an id such as ``007`` is still ``007``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any, NoReturn

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from rankgate.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ruamel.yaml.nodes import Node

    from rankgate.files.problems import Problems

EXPANSION = 100_000
"""How many values a file may have beyond those it writes, by way of aliases."""

DEPTH = 100
"""How deep values may be nested."""

_TAG = "tag:yaml.org,2002:"
_KINDS = {
    f"{_TAG}{name}": kind
    for name, kind in {
        "bool": "flag",
        "float": "number",
        "int": "number",
        "map": "mapping",
        "merge": "text",
        "null": "nothing",
        "seq": "list",
        "str": "text",
        "timestamp": "text",
        "value": "text",
    }.items()
}


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """One value of a file, where it stands, and the list that what is wrong with it goes to."""

    node: Node
    """What the parser made of it."""
    file: str
    """The file, as the user named it."""
    problems: Problems
    """Where problems are gathered."""
    key: Node | None = None
    """The key of a value that was left out, which has no place of its own."""

    @property
    def where(self) -> str:
        """File, line and column, both from 1."""
        mark = (self.key or self.node).start_mark
        return f"{self.file}:{mark.line + 1}:{mark.column + 1}"

    @property
    def kind(self) -> str:
        """Tell what it is: mapping, list, text, number, flag or nothing."""
        return _KINDS.get(str(self.node.tag), "text")

    @property
    def raw(self) -> str:
        """The characters of a scalar, without quotes."""
        return str(self.node.value)

    def wrong(self, expected: str, fix: str = "", *, found: str | None = None) -> None:
        """Say that this value is not what it should be."""
        self.problems.add(Problem(self.where, found or self.shown(), expected, fix))

    def shown(self) -> str:
        """Spell the value for an error."""
        match self.kind:
            case "mapping" | "list" as kind:
                return f"a {kind}" if self.node.value else f"an empty {kind}"
            case "nothing":
                return "nothing"
            case _:
                return repr(self.raw if len(self.raw) <= 80 else self.raw[:79] + "…")

    def items(self) -> list[Value]:
        """Give the values of a list; none where it is something else."""
        return [self._of(node) for node in self.node.value] if self.kind == "list" else []

    def pairs(self) -> list[tuple[Value, Value]]:
        """Give the keys and values of a mapping; none where it is something else."""
        if self.kind != "mapping":
            return []
        return [(self._of(key), self._of(value, key)) for key, value in self.node.value]

    def text(self, expected: str) -> str | None:
        """Take text that is not empty; a number or a date is the text it was written as."""
        if self.kind in {"text", "number", "flag"} and self.raw.strip():
            return self.raw
        fix = "put it in quotes if the word is meant" if self.kind == "nothing" and self.raw else ""
        self.wrong(expected, fix)
        return None

    def number(self, expected: str = "a number") -> float | None:
        """Take a finite number."""
        value = _number(self.raw) if self.kind == "number" else None
        if value is None or not math.isfinite(value):
            fix = "remove the quotes" if self.kind == "text" and _number(self.raw) is not None else ""
            self.wrong(expected, fix)
            return None
        return float(value)

    def count(self, expected: str = "a whole number, 1 or more") -> int | None:
        """Take a whole number from 1 up."""
        value = _number(self.raw) if self.kind == "number" else None
        if isinstance(value, int) and value >= 1:
            return value
        self.wrong(expected)
        return None

    def flag(self) -> bool | None:
        """Take true or false."""
        if self.kind == "flag":
            return self.raw.lower() in {"true", "yes", "on", "y"}
        self.wrong("true or false")
        return None

    def plain(self) -> Any:
        """Give the value as Python's own types."""
        match self.kind:
            case "mapping":
                return {key.raw: value.plain() for key, value in self.pairs()}
            case "list":
                return [item.plain() for item in self.items()]
            case "number":
                value = _number(self.raw)
                return self.raw if value is None or not math.isfinite(value) else value
            case "flag":
                return self.flag()
            case "nothing":
                return None
            case _:
                return self.raw

    def _of(self, node: Node, key: Node | None = None) -> Value:
        # The parser puts a value that is not there before the next thing that is, lines below its key.
        left_out = isinstance(node, ScalarNode) and node.value == "" and not node.style
        return Value(node, self.file, self.problems, key if left_out else None)


def read_yaml(text: str, file: str, problems: Problems) -> Value:
    """Compose a file and check what YAML allows and a suite does not; those problems are only gathered.

    Raises:
        FormatError: for what is not YAML, is nested too deeply, or unfolds into far more than it writes.
    """
    try:
        node = YAML().compose(StringIO(text))
    except MarkedYAMLError as error:
        _refuse_syntax(error, file, problems)
    except YAMLError as error:
        problems.add(Problem(file, f"what is not YAML ({str(error).splitlines()[0]})", "YAML"))
        problems.refuse()
    except RecursionError:
        problems.add(Problem(file, "values nested too deeply", f"at most {DEPTH} levels"))
        problems.refuse()
    if node is None:
        problems.add(Problem(file, "an empty file", "a suite", "the least is a list of cases"))
        problems.refuse()
    value = Value(node, file, problems)
    _check_size(node, value)
    for each in _every(value):
        _check(each)
    return value


def _refuse_syntax(error: MarkedYAMLError, file: str, problems: Problems) -> NoReturn:
    mark = error.problem_mark or error.context_mark
    where = file if mark is None else f"{file}:{mark.line + 1}:{mark.column + 1}"
    said = " ".join(str(part) for part in (error.context, error.problem) if part)
    fix = "text with ': ' or ' #' in it, or that starts with one of *&!%@`[{|>, needs quotes"
    problems.add(Problem(where, f"what is not YAML ({said})", "YAML", fix))
    problems.refuse()


def _check_size(root: Node, value: Value) -> None:
    """Refuse files that unfold into far more than they write, and values that hold themselves."""
    sizes: dict[int, int] = {}

    def size(node: Node, depth: int) -> int:
        known = sizes.get(id(node))
        if known == 0 or depth > DEPTH:
            found = "a value that holds itself" if known == 0 else "values nested too deeply"
            Value(node, value.file, value.problems).wrong(f"at most {DEPTH} levels", found=found)
            value.problems.refuse()
        if known is None:
            sizes[id(node)] = 0
            known = sizes[id(node)] = 1 + sum(size(child, depth + 1) for child in _children(node))
        return known

    if size(root, 0) - len(sizes) > EXPANSION:
        value.wrong(
            f"at most {EXPANSION} more values than are written",
            "write the values out",
            found="aliases that unfold into too many values",
        )
        value.problems.refuse()


def _children(node: Node) -> Iterator[Node]:
    if isinstance(node, MappingNode):
        for key, item in node.value:
            yield key
            yield item
    elif isinstance(node, SequenceNode):
        yield from node.value


def _every(root: Value) -> Iterator[Value]:
    pending = [root]
    seen: set[int] = set()
    while pending:
        value = pending.pop()
        if id(value.node) in seen:
            continue
        seen.add(id(value.node))
        yield value
        inner = value.items() or [part for pair in value.pairs() for part in pair]
        pending.extend(reversed(inner))


def _check(value: Value) -> None:
    tag = str(value.node.tag)
    if tag not in _KINDS:
        short = tag.replace(_TAG, "!!") if tag.startswith(_TAG) else tag
        value.wrong("a value without a tag", "a suite is data; remove the tag", found=f"the tag {short}")
    first: dict[str, Value] = {}
    for key, _ in value.pairs():
        if not isinstance(key.node, ScalarNode):
            key.wrong("a word as a key", "put quotes around text that starts with [ or {")
        elif key.raw in first:
            found = f"{key.shown()} a second time, first in line {first[key.raw].node.start_mark.line + 1}"
            key.wrong("each key once", found=found)
        else:
            first[key.raw] = key


def _number(raw: str) -> int | float | None:
    for read in (lambda text: int(text, 0), int, float):
        try:
            return read(raw)
        except ValueError:
            continue
    return None
