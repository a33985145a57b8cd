"""``navigate_tree``: the text of a node and of all below it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgate_reference.answers import (
    NODE,
    SOME,
    Answer,
    Page,
    as_data,
    counted,
    cut,
    place_of,
    shape,
    size_of,
    without_gaps,
)
from rankgate_reference.arguments import Argument
from rankgate_reference.library.library import depth_first
from rankgate_reference.tools.tool import CURSOR, Tool, budget, position

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate_reference.tools.tool import Desk


def _answer(desk: Desk, given: Mapping[str, Any]) -> Answer:
    top = desk.finder.node(given["node"])
    below = sum(1 for _ in depth_first(desk.library.nodes(top.id), top)) - 1
    whole = desk.library.subtree(top.id)
    after = position(given["cursor"], len(whole))
    page = Page(given["budget"])
    head = f"=== {top.id}\n{place_of(top)} {top.kind}, with {counted(below, 'node')} below it\n"
    said = cut(whole[after:], max(SOME, page.room - size_of(head) - 1))
    page.take(head + without_gaps(said).rstrip("\n"))
    at = after + len(said)
    left = len(whole) - at
    data = {
        "node": as_data(top),
        "text": said,
        "nodes_below": below,
        "characters_left": left,
        "next_cursor": str(at) if left else None,
    }
    lines = list(page.blocks)
    if left:
        rest = f"{left:,} of {len(whole):,} characters left: call again with cursor={str(at)!r}"
        lines += [
            "",
            f"{rest}, raise budget, or read only the part that you need (get_tree shows the parts).",
        ]
    return Answer("\n".join(lines), data)


NAVIGATE_TREE = Tool(
    "navigate_tree",
    "Read a node and all below it",
    "Read a node with everything below it, depth first: a whole page, a section with its subsections, a "
    "class with its methods. Where that is longer than the budget it is cut, and the answer says how much is "
    "left and how to go on.",
    (
        Argument(
            "node",
            "text",
            "The id of a node, just as another tool gave it; a document's path reads the whole document.",
            required=True,
        ),
        budget(4000, "what does not fit is said, with the cursor to go on"),
        Argument("cursor", "text", "Where to go on: next_cursor of the answer before."),
    ),
    {
        "node": shape(NODE),
        "text": {"type": "string"},
        "nodes_below": {"type": "integer"},
        "characters_left": {"type": "integer", "description": "What the budget cut off."},
        "next_cursor": CURSOR,
    },
    _answer,
)
"""The tool."""
