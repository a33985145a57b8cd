"""``find_symbol``: where a name is defined."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rankgate as rg
from rankgate_reference.answers import NODE, Answer, as_data, counted, in_call, line_of, many, place_of
from rankgate_reference.arguments import Argument
from rankgate_reference.excerpts import signature
from rankgate_reference.tools.tool import CURSOR, Tool, position

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate_reference.tools.tool import Desk

_NEAR = 5
_PARTS = 20
_FIT = {"exact": "", "suffix": "", "prefix": " (begins so)", "end": ""}


def _answer(desk: Desk, given: Mapping[str, Any]) -> Answer:
    name = given["name"]
    fits, called = desk.library.symbols(name), name
    if not fits:
        fits, called = _by_end(desk, name)
    after = position(given["cursor"], len(fits))
    page = fits[after : after + given["k"]]
    nodes = [(fit, desk.library.node(one)) for fit, one in page]
    left = len(fits) - after - len(nodes)
    data = {
        "symbols": [{**as_data(node), "fit": fit, "signature": signature(node)} for fit, node in nodes],
        "total": len(fits),
        "left": left,
        "next_cursor": str(after + len(nodes)) if left else None,
    }
    if not fits:
        return Answer(_nothing(desk, name), data)
    lines = []
    if called != name:
        lines += [
            f"No symbol is called {line_of(name, 80)!r}; it may be inherited or imported from elsewhere."
        ]
    shown = f"{len(nodes):,} here, the surest first:"
    lines += [f"{counted(len(fits), 'symbol')} for {line_of(called, 80)!r}, {shown}"]
    for fit, node in nodes:
        lines.append(f"{node.id}  {node.kind} {place_of(node)}{_FIT[fit]}\n   | {signature(node)}")
    if left:
        lines += ["", f"{left:,} more: call again with cursor={data['next_cursor']!r}, or qualify the name."]
    if nodes:
        first = f"get_node_content(ids=[{in_call(nodes[0][1].id)}])"
        lines += ["", f"Next: {first}, or navigate_tree for a class with its methods."]
    return Answer("\n".join(lines), data)


def _by_end(desk: Desk, name: str) -> tuple[list[tuple[str, str]], str]:
    """Find what a qualified name ends with: ``Flask.route`` is inherited, ``flask.Flask`` imported.

    The longest end that is a name counts; files in a folder that the name begins with come first.
    """
    parts = [part for part in name.strip().replace("::", ".").removesuffix("()").split(".") if part]
    for cut in range(1, min(len(parts), _PARTS)):
        end = ".".join(parts[cut:])
        found = [one for fit, one in desk.library.symbols(end) if fit != "prefix"]
        if found:
            folder = "/".join(parts[:cut])
            found.sort(key=lambda one: f"/{folder}/" not in f"/{one}")
            return [("end", one) for one in found], end
    return [], name


def _nothing(desk: Desk, name: str) -> str:
    said = f"No symbol is called {line_of(name, 80)!r} or begins so."
    near = [hit.id for hit in desk.library.search(rg.Query(name[:200], _NEAR)).hits if hit.id]
    found = f" Nodes that have it in their text or nearly so: {', '.join(near)}." if near else ""
    return f"{said}{found}\n\nNext: search_documents looks for words in all texts."


FIND_SYMBOL = Tool(
    "find_symbol",
    "Find a symbol",
    "Find where a class, function, method or other symbol is defined, by its name: 'send', 'Client.send', or "
    "with its module, 'http.client.Client.send'. Exact names come first, then names that end so, then names "
    "that begin so; case does not count where nothing fits better. Where none fits, as for an inherited "
    "method, it gives what the name ends with. It finds definitions, not uses: for uses "
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
                "fit": {"type": "string", "enum": ["exact", "suffix", "prefix", "end"]},
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
