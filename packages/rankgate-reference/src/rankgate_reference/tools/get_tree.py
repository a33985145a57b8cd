"""``get_tree``: what a document is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rankgate as rg
from rankgate_reference.answers import NODE, Answer, Page, as_data, counted, line_of, many, place_of, size_of
from rankgate_reference.arguments import Argument
from rankgate_reference.library.library import depth_first
from rankgate_reference.tools.tool import CURSOR, Tool, budget, position

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate_reference.documents.nodes import TreeNode
    from rankgate_reference.tools.tool import Desk

_DEEPEST = 1000


def _answer(desk: Desk, given: Mapping[str, Any]) -> Answer:
    top = desk.finder.node(given["document"])
    nodes = list(depth_first(desk.library.nodes(top.id), top))
    depths, below = _measured(nodes)
    depth, after = _cursor(given["cursor"], len(nodes))
    head = f"{place_of(top)} {line_of(top.title, 100)!r}"
    page = Page(given["budget"], size_of(head))
    depth = depth or given["depth"] or _deepest_that_fits(nodes, depths, page.room)
    chosen = [node for node in nodes if depths[node.id] <= depth]
    shown = []
    for node in chosen[after:]:
        if not page.take(_line(node, depths[node.id], below[node.id] if depths[node.id] == depth else 0)):
            break
        shown.append(node)
    left, at = len(chosen) - after - len(shown), after + len(shown)
    data: dict[str, Any] = {
        "document": nodes[0].path,
        "nodes": [
            {**as_data(node), "parent": node.parent, "depth": depths[node.id], "below": below[node.id]}
            for node in shown
        ],
        "total": len(nodes),
        "left": left,
        "deeper": len(nodes) - len(chosen),
        "next_cursor": f"{depth}:{at}" if left else None,
    }
    lines = [f"{head}: {counted(len(nodes), 'node')}, {len(shown):,} here"]
    lines += page.blocks
    if data["deeper"]:
        hidden = f"{counted(data['deeper'], 'node')} deeper than {depth} left out"
        lines += ["", f"{hidden}: call again with a node's id as document, or with depth={depth + 1}."]
    if left:
        lines += ["", f"{left:,} more: call again with cursor={data['next_cursor']!r}."]
    lines += [
        "",
        "Next: get_node_content(ids=[ID, …]) reads nodes, navigate_tree(node=ID) one and all below it.",
    ]
    return Answer("\n".join(lines), data)


def _measured(nodes: Sequence[TreeNode]) -> tuple[dict[str, int], dict[str, int]]:
    """Return each node's depth below the first, and how many nodes lie below it."""
    depths: dict[str, int] = {}
    below = dict.fromkeys((node.id for node in nodes), 0)
    for node in nodes:
        depths[node.id] = depths.get(node.parent or "", -1) + 1
    for node in reversed(nodes[1:]):
        if node.parent in below:
            below[node.parent] += below[node.id] + 1
    return depths, below


def _deepest_that_fits(nodes: Sequence[TreeNode], depths: Mapping[str, int], room: int) -> int:
    """Find how deep a tree can be shown as a whole; at least the first level below the top."""
    sizes: dict[int, int] = {}
    for node in nodes:
        depth = depths[node.id]
        sizes[depth] = sizes.get(depth, 0) + size_of(_line(node, depth, 9999)) + 1
    taken = 0
    for depth in sorted(sizes):
        taken += sizes[depth]
        if taken > room:
            return max(1, depth - 1)
    return max(1, *sizes)


def _line(node: TreeNode, depth: int, hidden: int) -> str:
    more = f" (+{hidden} below)" if hidden else ""
    lines = f"{node.start}-{max(node.start, node.end)}"
    return f"{'  ' * min(depth, 20)}{node.id}  {node.kind} :{lines}{more}"


def _cursor(cursor: str | None, most: int) -> tuple[int, int]:
    """Read at which depth a tree is shown, and how many nodes of it were."""
    if not cursor:
        return 0, 0
    depth, colon, at = cursor.partition(":")
    if not colon:
        raise rg.InputError(
            rg.Problem("cursor", repr(line_of(cursor, 80)), "next_cursor of an answer to the same call")
        )
    return position(depth, max(_DEEPEST, most)) or 1, position(at, most)


GET_TREE = Tool(
    "get_tree",
    "Get the tree of a document",
    "Show what a document is made of, without its text: the headings of a page, or the classes, functions "
    "and methods of a source file, each with its id and lines, parents before children. Call it before "
    "reading a large file, and to see what stands around a hit. A tree that is too large for the budget is "
    "shown without its deepest levels.",
    (
        Argument(
            "document",
            "text",
            "The id (path) of a document, such as 'docs/install.md'; or any node's id, for what is below it.",
            required=True,
        ),
        Argument(
            "depth",
            "number",
            "How many levels below the top; 0 for as many as fit the budget.",
            0,
            least=0,
            most=_DEEPEST,
        ),
        budget(4000, "what does not fit is counted"),
        Argument("cursor", "text", "next_cursor of the page before; leave it out for the first."),
    ),
    {
        "document": {"type": "string"},
        "nodes": many(
            {
                **NODE,
                "parent": {"type": ["string", "null"]},
                "depth": {"type": "integer"},
                "below": {"type": "integer", "description": "How many nodes lie below it."},
            }
        ),
        "total": {"type": "integer", "description": "How many nodes the whole tree has."},
        "left": {"type": "integer", "description": "How many come after this page."},
        "deeper": {"type": "integer", "description": "How many lie deeper than is shown."},
        "next_cursor": CURSOR,
    },
    _answer,
)
"""The tool."""
