"""``get_node_content``: the text of nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgate.reference.answers import (
    NODE,
    Answer,
    Page,
    as_data,
    counted,
    cut,
    line_of,
    many,
    place_of,
    size_of,
    without_gaps,
)
from rankgate.reference.arguments import Argument
from rankgate.reference.library import depth_first
from rankgate.reference.tools.tool import CURSOR, Tool, budget, position

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.reference.nodes import TreeNode
    from rankgate.reference.tools.tool import Desk

_LISTED = 30


def _answer(desk: Desk, given: Mapping[str, Any]) -> Answer:
    nodes = [desk.finder.node(one) for one in dict.fromkeys(given["ids"])]
    page, shown = Page(given["budget"]), []
    after = position(given["cursor"], len(nodes[0].text))
    for node in nodes:
        text = node.text[after:]
        below, children = _below(desk, node)
        head = f"=== {node.id}\n{place_of(node)} {node.kind}{_said_of(node, below, children)}\n"
        said = cut(text, page.room - size_of(head) - 1)
        if text and not said and page.blocks:
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
    data = {"nodes": shown, "left_out": left}
    lines = [*page.blocks, *_more(shown, left)]
    return Answer("\n".join(lines), data)


def _more(shown: list[dict[str, Any]], left: list[str]) -> list[str]:
    """Say what was left out, and how to get it."""
    lines = []
    last = shown[-1]
    if last["next_cursor"]:
        go_on = f"call again with ids=[{last['id']!r}], cursor={last['next_cursor']!r}"
        lines += ["", f"{last['characters_left']:,} characters of it left: {go_on}."]
    if left:
        listed = ", ".join(left[:10]) + (", …" if len(left) > 10 else "")
        lines += ["", f"{counted(len(left), 'node')} left out by the budget: {line_of(listed, 200)}"]
    with_more = [one["id"] for one in shown if one["nodes_below"]]
    if with_more and not left and not last["next_cursor"]:
        lines += ["", f"Next: navigate_tree(node={with_more[0]!r}) also reads what is below it."]
    return lines


def _said_of(node: TreeNode, below: int, children: list[str]) -> str:
    if not below:
        return "" if node.text.strip() else "; it has no text"
    own = "its own text" if node.text.strip() else "no text of its own"
    listed = line_of(", ".join(children[:_LISTED]), 600) + (", …" if len(children) > _LISTED else "")
    return f"; {own}, without the {counted(below, 'node')} below it\nbelow it: {listed}"


def _below(desk: Desk, node: TreeNode) -> tuple[int, list[str]]:
    """Count the nodes below a node, and name those next below it."""
    below = list(depth_first(desk.library.nodes(node.id), node))[1:]
    return len(below), [line_of(one.title, 80) for one in below if one.parent == node.id]


GET_NODE_CONTENT = Tool(
    "get_node_content",
    "Read nodes",
    "Read the text of nodes whose ids you have: from search_documents, find_symbol or get_tree. It is each "
    "node's own text, without the nodes below it: for a class, its docstring and attributes without its "
    "methods; navigate_tree reads all of it. In place of an id, a place such as 'src/app.py:120' reads the "
    "innermost node around that line.",
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
    },
    _answer,
)
"""The tool."""
