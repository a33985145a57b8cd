"""Walking the documents of an MCP server: four of its tools as `documents`, `tree`, `read` and `subtree`.

[systems.docs.navigate]
documents = { tool = "list_documents", nodes = "documents", fields = { id = "id", title = "name" } }
tree = { tool = "get_tree", arguments = { document = "{document}" }, nodes = "nodes", fields = { id = "id" } }
read = { tool = "get_node", arguments = { id = "{node}" }, text = "content" }
subtree = { tool = "get_node", arguments = { id = "{node}", deep = true }, text = "content" }
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from rankgate.errors import Code, InputError, LocationError, Problem, SystemFailedError
from rankgate.io.patterns import compiled_pattern
from rankgate.io.typed import read_options
from rankgate.locations import Lines, Location, normal_path
from rankgate.model import Node
from rankgate.systems.adapter.failures import shown, told
from rankgate.systems.adapter.mapping import compiled, searched
from rankgate.systems.adapter.options import check_options
from rankgate.systems.adapter.records import AnswerReader, Output, ReadingRules, typed_row
from rankgate.systems.adapter.templates import check_json, check_placeholders, filled_with, placeholders_in
from rankgate.systems.mcp.system import McpSystem, check_tool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.systems.adapter.options import Check
    from rankgate.systems.mcp.system import McpOptions

FIELDS = ("id", "title", "path", "start", "end", "parent", "indent")
"""What a node is made of; all but the id may be missing. `indent` says how deep it stands, as a number or as
white space or signs that are counted: its parent is the nearest node before it that is less deep."""

_TOOLS = ("documents", "tree", "read", "subtree")
_BOUND = {
    "documents": (),
    "tree": ("document",),
    "read": ("node", "document"),
    "subtree": ("node", "document"),
}


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
    output: Literal["structured"] | Output = "structured"
    """Where the list stands: in the structured content, or in the text; see `records`."""
    pattern: str | None = None
    """For `lines` and `text`: a regular expression with a named group for each field of a node."""
    empty: str | None = None
    """A regular expression that is found in text which says that there are no nodes."""


@dataclass(frozen=True, slots=True)
class TextTool:
    """A tool that gives text."""

    tool: str
    """Its name."""
    arguments: Mapping[str, object] = field(default_factory=dict)
    """What it is called with; ``{node}`` and the ``{document}`` in whose tree it stands are bound."""
    text: str | None = None
    """JMESPath to the text in its structured content or JSON; without one, its text is taken as it is."""
    output: Literal["structured", "json", "fenced_json", "lines", "text"] = "structured"
    """Where the text stands, where `text` is an expression or there is a `pattern`."""
    pattern: str | None = None
    """For output `text`: a regular expression with a group `text`; what its matches hold follows one another,
    a line apart."""
    empty: str | None = None
    """A regular expression that is found in an answer which says that there is no text."""


class NavigableMcpSystem(McpSystem):
    """A server whose documents can be walked as well as searched."""

    def __init__(self, options: McpOptions, *, name: str = "mcp") -> None:
        tables = dict(options.navigate or {})
        missing = [one for one in _TOOLS if one not in tables]
        unknown = [one for one in tables if one not in _TOOLS]
        if missing or unknown:
            found = f"no {missing[0]}" if missing else f"{unknown[0]}"
            raise InputError(
                Code.MISSING_SETTING(f"{name}.navigate", found, f"the tables {', '.join(_TOOLS)}")
            )
        where = f"{name}.navigate"
        self._nodes = {
            one: _checked_nodes(read_options(NodesTool, tables[one], f"{where}.{one}"), f"{where}.{one}")
            for one in ("documents", "tree")
        }
        self._texts = {
            one: _checked_text(read_options(TextTool, tables[one], f"{where}.{one}"), f"{where}.{one}")
            for one in ("read", "subtree")
        }
        both: dict[str, NodesTool | TextTool] = {**self._nodes, **self._texts}
        for one, used in both.items():
            check_placeholders(used.arguments, _BOUND[one], f"{where}.{one}.arguments")
        self._readers = {one: _reader(used, f"{where}.{one}") for one, used in both.items()}
        self._named_by_document = any(
            "document" in placeholders_in(one.arguments) for one in self._texts.values()
        )
        self._homes: dict[str, tuple[str, str]] = {}
        super().__init__(options, name=name)
        try:
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
        nodes = self._listed("tree", {"document": document})
        if not self._named_by_document:
            return nodes
        # Where a node is asked for with its document, each document may count its nodes from one.
        names = {node.id: _name_in(document, node.id) for node in nodes}
        self._homes.update({name: (document, own) for own, name in names.items()})
        return [
            replace(node, id=names[node.id], parent=names.get(node.parent or "", node.parent))
            for node in nodes
        ]

    def read(self, node: str) -> str:
        """Return one node's own text."""
        return self._text("read", node)

    def subtree(self, node: str) -> str:
        """Return the text of a node and of all below it."""
        return self._text("subtree", node)

    def _listed(self, name: str, values: Mapping[str, str]) -> Sequence[Node]:
        used = self._nodes[name]
        raw = self.call(used.tool, filled_with(used.arguments, values, self._variables), used.output)
        found = self._readers[name].read(raw).value
        if used.pattern is None:
            found = searched(compiled(used.nodes, name), found, f"{name}.nodes")
            if not isinstance(found, list):
                raise SystemFailedError(
                    Code.WRONG_ANSWER(f"{name}.nodes {used.nodes!r}", shown(found), "a list")
                )
            rules = {part: compiled(rule, name) for part, rule in used.fields.items()}
            found = [
                {part: searched(rule, item, f"{name}[{number}].{part}") for part, rule in rules.items()}
                for number, item in enumerate(found)
            ]
        if used.output == "front_matter":
            found = [typed_row(row, f"{name}[{number}]") for number, row in enumerate(found)]
        return _nodes(found, name)

    def _text(self, name: str, node: str) -> str:
        used = self._texts[name]
        arguments = filled_with(used.arguments, self._bound(node), self._variables)
        if used.text is None and used.pattern is None:
            return self.call(used.tool, arguments, "lines").decode()
        found = self._readers[name].read(self.call(used.tool, arguments, used.output)).value
        if used.text is None or (used.empty is not None and found == []):
            return "\n".join(row.get("text", "") for row in found)
        text = searched(compiled(used.text, name), found, f"{name}.text")
        if not isinstance(text, str):
            raise SystemFailedError(Code.WRONG_ANSWER(f"{name}.text {used.text!r}", shown(text), "text"))
        return text

    def _bound(self, node: str) -> dict[str, str]:
        """Return what the placeholders of a node stand for; its document is the one whose tree listed it."""
        document, own = self._homes.get(node, (node, node))
        return {"node": own, "document": document}


def _checked_nodes(used: NodesTool, where: str) -> NodesTool:
    groups = () if used.pattern is None else compiled_pattern(used.pattern, f"{where}.pattern").groupindex
    named, rule = {*used.fields, *groups}, "fields" if used.pattern is None else "pattern"
    checks = [
        ("id" in named, f"{where}.{rule}", "no id", f"id, and any of {', '.join(FIELDS[1:])}"),
        (not {"parent", "indent"} <= named, where, "parent and indent", "one of the two"),
        (
            not groups or (not used.fields and used.nodes == "@"),
            where,
            "nodes or fields",
            "the pattern alone",
        ),
    ]
    unknown = [name for name in used.fields if name not in FIELDS]
    checks += [
        (False, f"{where}.fields.{name}", "an unknown field", f"one of {', '.join(FIELDS)}")
        for name in unknown
    ]
    _check(used, checks, (used.nodes, *used.fields.values()), where)
    return used


def _checked_text(used: TextTool, where: str) -> TextTool:
    both = used.text is not None and used.pattern is not None
    rules = () if used.text is None else (used.text,)
    _check(used, [(not both, where, "text and pattern", "one of the two")], rules, where)
    return used


def _check(
    used: NodesTool | TextTool, checks: Sequence[Check], expressions: Sequence[str], where: str
) -> None:
    check_json(used.arguments, f"{where}.arguments")
    wrong: list[Problem] = []
    for one in expressions:
        try:
            compiled(one, where)
        except InputError as error:
            wrong += error.problems
    check_options(*checks, also=wrong)


def _reader(used: NodesTool | TextTool, where: str) -> AnswerReader:
    output: Output = "json" if used.output == "structured" else used.output
    if isinstance(used, NodesTool):
        return AnswerReader(ReadingRules(output, used.pattern, used.empty), FIELDS, where)
    if used.pattern is None:
        # Without a pattern text is taken as it is, unless an expression finds it in JSON.
        output = "json" if used.text is None or output == "text" else output
    return AnswerReader(ReadingRules(output, used.pattern, used.empty), ("text",), where)


def _name_in(document: str, node: str) -> str:
    """Return the name of a node that no node of another document has.

    >>> _name_in("auth/keys.md", "n3"), _name_in("docs:keys", "docs:keys:n3")
    ('auth/keys.md#n3', 'docs:keys:n3')
    """
    return node if node.startswith(document) else f"{document}#{node}"


def _nodes(found: Sequence[Mapping[str, Any]], where: str) -> list[Node]:
    """Make nodes of rows, each below the nearest one before it that is less deep, where rows say how deep."""
    nodes: list[Node] = []
    above: list[tuple[int, str]] = []
    for number, row in enumerate(found):
        node = _node(row, f"{where}[{number}]")
        if (depth := _depth(row.get("indent"), f"{where}[{number}].indent")) is not None:
            while above and above[-1][0] >= depth:
                above.pop()
            node = replace(node, parent=above[-1][1] if above else None)
            above.append((depth, node.id))
        nodes.append(node)
    return nodes


def _depth(indent: object, where: str) -> int | None:
    if indent is None:
        return None
    if isinstance(indent, str):
        return len(indent.expandtabs(4))
    if isinstance(indent, bool) or not isinstance(indent, int):
        raise SystemFailedError(
            Code.WRONG_ANSWER(where, shown(indent), "a number, or the white space before a node")
        )
    return indent


def _node(found: Mapping[str, Any], where: str) -> Node:
    name, title, parent = found.get("id"), found.get("title"), found.get("parent")
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    if not isinstance(name, str) or not name:
        raise SystemFailedError(Code.WRONG_ANSWER(f"{where}.id", shown(name), "an id"))
    try:
        return Node(
            id=name,
            title=title if isinstance(title, str) and title else name,
            location=_location(name, found),
            parent=None if parent is None else str(parent),
        )
    except (LocationError, TypeError) as error:
        raise SystemFailedError(Code.WRONG_ANSWER(where, told(error), "a location")) from error


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
