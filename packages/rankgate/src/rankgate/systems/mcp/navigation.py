"""Walking the documents of an MCP server: four of its tools as `documents`, `tree`, `read` and `subtree`.

[systems.docs.navigate]
documents = { tool = "list_documents", nodes = "documents", fields = { id = "id", title = "name" } }
tree = { tool = "get_tree", arguments = { document = "{document}" }, nodes = "nodes", fields = { id = "id" } }
read = { tool = "get_node", arguments = { id = "{node}" }, text = "content" }
subtree = { tool = "get_node", arguments = { id = "{node}", deep = true }, text = "content" }
"""

from __future__ import annotations

import json
from collections.abc import Mapping  # noqa: TC003 - annotations of options are read
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from rankgate.errors import InputError, LocationError, Problem, SystemFailedError
from rankgate.model.locations import Lines, Location, normal_path
from rankgate.model.search import Node
from rankgate.systems.adapter.failures import shown, told
from rankgate.systems.adapter.mapping import compiled, searched
from rankgate.systems.adapter.options import read_options
from rankgate.systems.adapter.templates import check_json, filled_with
from rankgate.systems.mcp.system import McpSystem, check_tool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from _typeshed import DataclassInstance

    from rankgate.systems.mcp.system import McpOptions

    T = TypeVar("T", bound=DataclassInstance)

FIELDS = ("id", "title", "path", "start", "end", "parent")
"""What a node is made of; all but the id may be missing."""

_TOOLS = ("documents", "tree", "read", "subtree")


@dataclass(frozen=True, slots=True)
class NodesTool:
    """A tool that lists nodes."""

    tool: str
    """Its name."""
    arguments: Mapping[str, object] = field(default_factory=dict)
    """What it is called with; ``{document}`` is bound."""
    nodes: str = "@"
    """JMESPath to the list."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """JMESPath inside a node, by field."""
    output: Literal["structured", "json", "jsonl"] = "structured"
    """Where the list stands."""


@dataclass(frozen=True, slots=True)
class TextTool:
    """A tool that gives text."""

    tool: str
    """Its name."""
    arguments: Mapping[str, object] = field(default_factory=dict)
    """What it is called with; ``{node}`` is bound."""
    text: str | None = None
    """JMESPath to the text in its structured content or JSON; without one, its text is taken as it is."""
    output: Literal["structured", "json", "lines"] = "structured"
    """Where the text stands, where `text` is an expression."""


class NavigableMcpSystem(McpSystem):
    """A server whose documents can be walked as well as searched."""

    def __init__(self, options: McpOptions, *, name: str = "mcp") -> None:
        tables = dict(options.navigate or {})
        missing = [one for one in _TOOLS if one not in tables]
        unknown = [one for one in tables if one not in _TOOLS]
        if missing or unknown:
            found = f"no {missing[0]}" if missing else f"{unknown[0]}"
            raise InputError(Problem(f"{name}.navigate", found, f"the tables {', '.join(_TOOLS)}"))
        where = f"{name}.navigate"
        self._nodes = {
            one: _checked(read_options(NodesTool, tables[one], f"{where}.{one}"), f"{where}.{one}")
            for one in ("documents", "tree")
        }
        self._texts = {
            one: _checked(read_options(TextTool, tables[one], f"{where}.{one}"), f"{where}.{one}")
            for one in ("read", "subtree")
        }
        super().__init__(options, name=name)
        try:
            both: dict[str, NodesTool | TextTool] = {**self._nodes, **self._texts}
            for one, used in both.items():
                check_tool(self.tools, used.tool, used.arguments, f"{where}.{one}")
        except BaseException:
            self.close()
            raise

    def documents(self) -> Sequence[Node]:
        """List the roots."""
        return self._listed("documents", {})

    def tree(self, document: str) -> Sequence[Node]:
        """List a document's nodes, in the order in which the server gives them."""
        return self._listed("tree", {"document": document})

    def read(self, node: str) -> str:
        """Return one node's own text."""
        return self._text("read", node)

    def subtree(self, node: str) -> str:
        """Return the text of a node and of all below it."""
        return self._text("subtree", node)

    def _listed(self, name: str, values: Mapping[str, str]) -> Sequence[Node]:
        used = self._nodes[name]
        raw = self.call(used.tool, filled_with(used.arguments, values, self._variables), used.output)
        found = searched(compiled(used.nodes, name), _document(raw, used.output, name), f"{name}.nodes")
        if not isinstance(found, list):
            raise SystemFailedError(Problem(f"{name}.nodes {used.nodes!r}", shown(found), "a list"))
        rules = {part: compiled(rule, name) for part, rule in used.fields.items()}
        return [_node(rules, item, f"{name}[{number}]") for number, item in enumerate(found)]

    def _text(self, name: str, node: str) -> str:
        used = self._texts[name]
        output = "lines" if used.text is None else used.output
        raw = self.call(used.tool, filled_with(used.arguments, {"node": node}, self._variables), output)
        if used.text is None:
            return raw.decode()
        text = searched(compiled(used.text, name), _document(raw, output, name), f"{name}.text")
        if not isinstance(text, str):
            raise SystemFailedError(Problem(f"{name}.text {used.text!r}", shown(text), "text"))
        return text


def _checked(used: T, where: str) -> T:
    problems = []
    check_json(getattr(used, "arguments", None), f"{where}.arguments")
    fields = getattr(used, "fields", None)
    if fields is not None and "id" not in fields:
        problems.append(Problem(f"{where}.fields", "no id", "id, and any of title, path, start, end, parent"))
    problems += [
        Problem(f"{where}.fields.{name}", "an unknown field", f"one of {', '.join(FIELDS)}")
        for name in fields or ()
        if name not in FIELDS
    ]
    rules = [getattr(used, "nodes", None), getattr(used, "text", None), *(fields or {}).values()]
    for rule in (one for one in rules if one is not None):
        try:
            compiled(rule, where)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return used


def _document(raw: bytes, output: str, where: str) -> object:
    try:
        text = raw.decode()
        if output == "jsonl":
            return [json.loads(line) for line in text.split("\n") if line.strip()]
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SystemFailedError(Problem(where, told(error), "JSON")) from error


def _node(rules: Mapping[str, Any], item: object, where: str) -> Node:
    found = {name: searched(rule, item, f"{where}.{name}") for name, rule in rules.items()}
    name, title, parent = found.get("id"), found.get("title"), found.get("parent")
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    if not isinstance(name, str) or not name:
        raise SystemFailedError(Problem(f"{where}.id", shown(name), "an id"))
    try:
        return Node(
            id=name,
            title=title if isinstance(title, str) and title else name,
            location=_location(name, found),
            parent=None if parent is None else str(parent),
        )
    except (LocationError, TypeError) as error:
        raise SystemFailedError(Problem(where, told(error), "a place")) from error


def _location(name: str, found: Mapping[str, Any]) -> Location:
    path, start, end = found.get("path"), found.get("start"), found.get("end")
    if path is None:
        return Location.of_id(name)
    if not isinstance(path, str):
        raise TypeError(f"path {shown(path)}")
    whole = [number for number in (start, end) if number is not None]
    if any(isinstance(number, bool) or not isinstance(number, int) for number in whole):
        raise TypeError(f"lines {shown(whole)}")
    lines = None if start is None else Lines(start, start if end is None else end)
    return Location(path=normal_path(path), lines=lines)
