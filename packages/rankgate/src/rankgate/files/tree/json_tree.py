"""JSON as the values that a suite is read from; each knows its path, as in ``s.jsonl:17: at[0].grade``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, InputError
from rankgate.files.objects import parse_json
from rankgate.files.tree.values import Source, Value
from rankgate.files.tree.yaml_tree import DEPTH, check_keys

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.files.problems import Problems


class JsonSource(Source):
    """One JSON text. The path of a value is worked out when it is asked for, which is seldom."""

    __slots__ = ("_above", "repeating", "root")

    def __init__(self, file: str, problems: Problems) -> None:
        super().__init__(file, problems)
        self.root: Value | None = None
        self.repeating: list[Value] = []
        self._above: dict[int, tuple[Value, str]] = {}

    def where(self, value: Value) -> str:
        """Return where a value stands: the file, with the line where it has one, and the path."""
        if self.root is None or value is self.root:
            return self.file
        if not self._above:
            # One walk for all that is asked: the text about a suite may have many thousand values.
            self._above = {id(inner): (outer, step) for inner, outer, step in _steps(self.root)}
        steps: list[str] = []
        while value is not self.root and id(value) in self._above:
            value, step = self._above[id(value)]
            steps.append(step)
        path = "".join(reversed(steps)).removeprefix(".")
        return f"{self.file}: {path}" if path else self.file


def read_json(text: str, where: str, problems: Problems, line: int = 1) -> Value | None:
    """Read one JSON text; what is not JSON is a problem, and no value.

    Args:
        text: The JSON.
        where: The file, with the line where it holds a value a line.
        problems: Where problems are gathered.
        line: The line, from 1.
    """
    try:
        found = parse_json(text, object_pairs_hook=_Pairs, parse_int=_Number, parse_float=_Number)
    except (ValueError, RecursionError) as error:
        problems.add(Code.BAD_SYNTAX(where, f"what is not JSON ({str(error)[:200]})", "a JSON object"))
        return None
    return value_of(found, where, problems, line)


def value_of(found: Any, where: str, problems: Problems, line: int = 1) -> Value | None:
    """Make a value of Python's own types; what is nested too deeply is a problem, and no value.

    Raises:
        InputError: for what JSON does not know.
    """
    source = JsonSource(where, problems)
    try:
        source.root = _value(found, line, source, DEPTH)
        for value in source.repeating:
            check_keys(value)
    except RecursionError:
        problems.add(Code.TOO_LARGE(where, "values nested too deeply", f"at most {DEPTH} levels"))
    return source.root


class _Pairs(list[Any]):
    """The keys and values of an object, as they were written, twice where they were written twice."""


class _Number(str):
    """A number as it was written."""

    __slots__ = ()


def _value(found: Any, line: int, source: JsonSource, depth: int) -> Value:
    kind, content = "text", found
    if isinstance(found, str):
        kind = "number" if type(found) is _Number else "text"
    elif isinstance(found, (_Pairs, dict)):
        if depth < 0:
            raise RecursionError
        pairs = found.items() if isinstance(found, dict) else found
        content = [
            (Value("text", key, line, 1, source), _value(item, line, source, depth - 1))
            for key, item in pairs
        ]
        value = Value("mapping", content, line, 1, source)
        if isinstance(found, list) and len({key for key, _ in found}) < len(found):
            source.repeating.append(value)
        return value
    elif isinstance(found, (list, tuple)):
        if depth < 0:
            raise RecursionError
        kind, content = "list", [_value(item, line, source, depth - 1) for item in found]
    elif found is None:
        kind, content = "nothing", ""
    elif isinstance(found, bool):
        kind, content = "flag", "true" if found else "false"
    elif isinstance(found, (int, float)):
        kind, content = "number", repr(found)
    else:
        raise InputError(
            Code.WRONG_VALUE(source.file, f"a {type(found).__name__}", "text, numbers, lists and mappings")
        )
    return Value(kind, content, line, 1, source)


def _steps(root: Value) -> Iterator[tuple[Value, Value, str]]:
    """Go through all values below one, each with what it stands in and the step from there."""
    pending = [root]
    while pending:
        outer = pending.pop()
        for number, item in enumerate(outer.items()):
            yield item, outer, f"[{number}]"
        for key, item in outer.pairs():
            quoted = json.dumps(key.raw[:40], ensure_ascii=False)
            step = f".{key.raw}" if key.raw.isidentifier() else f"[{quoted}]"
            yield key, outer, step
            yield item, outer, step
        pending.extend(outer.items())
        pending.extend(item for _, item in outer.pairs())
