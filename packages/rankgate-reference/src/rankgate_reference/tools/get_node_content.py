"""``get_node_content``: the text of nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rankgate as rg
from rankgate_reference.answers import (
    NODE,
    SOME,
    Answer,
    Page,
    as_data,
    counted,
    cut,
    in_call,
    line_of,
    many,
    place_of,
    size_of,
    without_gaps,
)
from rankgate_reference.arguments import Argument
from rankgate_reference.library.library import depth_first
from rankgate_reference.tools.tool import CURSOR, Tool, budget, position

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate_reference.documents.nodes import TreeNode
    from rankgate_reference.tools.tool import Desk

_LISTED = 30
_HINTED = 200
_HINTS = 5


def _answer(desk: Desk, given: Mapping[str, Any]) -> Answer:
    nodes, problems = _found(desk, given["ids"])
    if not nodes or (problems and given["cursor"]):
        # A cursor goes on in the first node: which one that is must be sure.
        raise rg.InputError(problems)
    page, shown = Page(given["budget"]), []
    after = position(given["cursor"], len(nodes[0].text))
    files: dict[str, list[TreeNode]] = {}
    for node in nodes:
        text = node.text[after:]
        if node.path not in files:
            files[node.path] = desk.library.nodes(node.id)
        below, children = _below(files[node.path], node)
        about = _said_of(node, below, children, page.room // 4)
        head = f"=== {node.id}\n{place_of(node)} {node.kind}{about}\n"
        room = page.room - size_of(head) - 1
        said = cut(text, room if page.blocks else max(SOME, room))
        if page.blocks and (room < 0 or (text and not said)):
            break
        page.take(head + without_gaps(said).rstrip("\n"))
        at = after + len(said) if len(said) < len(text) else None
        shown.append(
            {
                **as_data(node),
                "text": said,
                "nodes_below": below,
                "characters_left": len(text) - len(said),
                "next_cursor": None if at is None else str(at),
            }
        )
        after = 0
        if at is not None:
            break
    left = [node.id for node in nodes[len(shown) :]]
    errors = [line_of(str(problem), 400) for problem in problems]
    data = {"nodes": shown, "left_out": left, "errors": errors}
    return Answer("\n".join([*page.blocks, *_more(shown, left, errors)]), data)


def _found(desk: Desk, ids: Sequence[str]) -> tuple[list[TreeNode], list[rg.Problem]]:
    """Find the nodes, each once, and say which are not there."""
    nodes: dict[str, TreeNode] = {}
    problems: list[rg.Problem] = []
    for one in dict.fromkeys(ids):
        try:
            node = desk.finder.node(one, hint=len(problems) < _HINTS)
            nodes.setdefault(node.id, node)
        except rg.InputError as error:
            problems += error.problems
    return list(nodes.values()), problems


def _more(shown: list[dict[str, Any]], left: list[str], errors: list[str]) -> list[str]:
    """Return what was left out, and how to get it."""
    lines = []
    last = shown[-1]
    if last["next_cursor"]:
        go_on = f"call again with ids=[{in_call(last['id'])}], cursor={last['next_cursor']!r}"
        lines += ["", f"{last['characters_left']:,} characters of it left: {go_on}."]
    if left:
        listed = cut(", ".join(left), _HINTED)
        more = ", …" if len(listed) < len(", ".join(left)) else ""
        lines += ["", f"{counted(len(left), 'node')} left out by the budget: {listed}{more}"]
    if errors:
        lines += ["", f"Not found: {cut('; '.join(errors), 2 * _HINTED)}"]
    with_more = [one["id"] for one in shown if one["nodes_below"]]
    if with_more and not left and not last["next_cursor"]:
        lines += ["", f"Next: navigate_tree(node={in_call(with_more[0])}) also reads what is below it."]
    return lines


def _said_of(node: TreeNode, below: int, children: list[str], room: int) -> str:
    if not below:
        return "" if node.text.strip() else "; it has no text"
    own = "its own text" if node.text.strip() else "no text of its own"
    names = ", ".join(children[:_LISTED])
    listed = cut(names, min(600, room))
    listed += ", …" if len(listed) < len(names) or len(children) > _LISTED else ""
    return f"; {own}, without the {counted(below, 'node')} below it\nbelow it: {listed}"


def _below(nodes: Sequence[TreeNode], node: TreeNode) -> tuple[int, list[str]]:
    """Count the nodes below a node, and name those next below it."""
    below = list(depth_first(nodes, node))[1:]
    return len(below), [line_of(one.title, 80) for one in below if one.parent == node.id]


GET_NODE_CONTENT = Tool(
    "get_node_content",
    "Read nodes",
    "Read the text of nodes whose ids you have: from search_documents, find_symbol or get_tree. It is each "
    "node's own text, without the nodes below it: for a class, its docstring and attributes without its "
    "methods; navigate_tree reads all of it. In place of an id, a place such as 'src/app.py:120' reads the "
    "innermost node around that line. Ids that are not there are told, and the others read.",
    (
        Argument(
            "ids",
            "texts",
            "Ids just as another tool gave them, such as ['docs/install.md#Setup', 'src/app.py::App.run'].",
            required=True,
        ),
        budget(4000, "what does not fit is said, with the cursor to go on"),
        Argument("cursor", "text", "Where to go on in the first node: next_cursor of the answer before."),
    ),
    {
        "nodes": many(
            {
                **NODE,
                "text": {"type": "string"},
                "nodes_below": {"type": "integer", "description": "Nodes whose text is not in this one."},
                "characters_left": {"type": "integer", "description": "What the budget cut off."},
                "next_cursor": CURSOR,
            }
        ),
        "left_out": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Ids that the budget had no room for.",
        },
        "errors": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Which ids there are not, where there are others.",
        },
    },
    _answer,
)
"""The tool."""
