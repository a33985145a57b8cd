"""``find_symbol``: where a name is defined."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rankgate as rg
from rankgate.reference.answers import NODE, Answer, as_data, counted, line_of, many, place_of
from rankgate.reference.arguments import Argument
from rankgate.reference.tools.tool import CURSOR, Tool, position

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.reference.nodes import TreeNode
    from rankgate.reference.tools.tool import Desk

_NEAR = 5
_FIT = {"exact": "", "suffix": "", "prefix": " (begins so)"}


def _answer(desk: Desk, given: Mapping[str, Any]) -> Answer:
    name = given["name"]
    fits = desk.library.symbols(name)
    after = position(given["cursor"], len(fits))
    page = fits[after : after + given["k"]]
    nodes = [(fit, desk.library.node(one)) for fit, one in page]
    left = len(fits) - after - len(nodes)
    data = {
        "symbols": [{**as_data(node), "fit": fit, "signature": _signature(node)} for fit, node in nodes],
        "total": len(fits),
        "left": left,
        "next_cursor": str(after + len(nodes)) if left else None,
    }
    if not fits:
        return Answer(_nothing(desk, name), data)
    lines = [
        f"{counted(len(fits), 'symbol')} for {line_of(name, 80)!r}, {len(nodes):,} here, the surest first:"
    ]
    for fit, node in nodes:
        lines.append(f"{node.id}  {node.kind} {place_of(node)}{_FIT[fit]}\n   | {_signature(node)}")
    if left:
        lines += ["", f"{left:,} more: call again with cursor={data['next_cursor']!r}, or qualify the name."]
    if nodes:
        first = f"get_node_content(ids=[{nodes[0][1].id!r}])"
        lines += ["", f"Next: {first}, or navigate_tree for a class with its methods."]
    return Answer("\n".join(lines), data)


def _nothing(desk: Desk, name: str) -> str:
    said = f"No symbol is called {line_of(name, 80)!r} or begins so."
    near = [hit.id for hit in desk.library.search(rg.Query(name[:200], _NEAR)).hits if hit.id]
    found = f" Nodes that have it in their text or nearly so: {', '.join(near)}." if near else ""
    return f"{said}{found}\n\nNext: search_documents looks for words in all texts."


def _signature(node: TreeNode) -> str:
    """Give the line that says most: the first that is no decorator and no comment."""
    lines = [line.strip() for line in node.text[:20_000].split("\n") if line.strip()]
    own = (line for line in lines if not line.startswith(("@", "#", "//", "/*", "*")))
    return line_of(next(own, lines[0] if lines else ""))


FIND_SYMBOL = Tool(
    "find_symbol",
    "Find a symbol",
    "Find where a class, function, method or other symbol is defined, by its name: 'send', 'Client.send', or "
    "with its module, 'http.client.Client.send'. Exact names come first, then names that end so, then names "
    "that begin so; case does not count where nothing fits better. It finds definitions, not uses: for uses "
    "call search_documents with the name.",
    (
        Argument("name", "text", "The name, as in code; no pattern.", required=True),
        Argument("k", "number", "How many at most.", 20, least=1, most=500),
        Argument("cursor", "text", "next_cursor of the page before; leave it out for the first."),
    ),
    {
        "symbols": many(
            {
                **NODE,
                "fit": {"type": "string", "enum": ["exact", "suffix", "prefix"]},
                "signature": {"type": "string"},
            }
        ),
        "total": {"type": "integer"},
        "left": {"type": "integer"},
        "next_cursor": CURSOR,
    },
    _answer,
)
"""The tool."""
