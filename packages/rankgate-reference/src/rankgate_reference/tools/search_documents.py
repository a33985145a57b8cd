"""``search_documents``: find sections and symbols by words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rankgate as rg
from rankgate_reference.answers import (
    BYTES,
    NODE,
    Answer,
    Page,
    as_data,
    counted,
    cut,
    in_call,
    line_of,
    many,
    size_of,
)
from rankgate_reference.arguments import Argument
from rankgate_reference.excerpts import excerpt
from rankgate_reference.facets import warnings
from rankgate_reference.system import MODES
from rankgate_reference.tools.tool import LEAST_BUDGET, Tool, budget

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate_reference.documents.nodes import TreeNode
    from rankgate_reference.tools.tool import Desk

_A_HIT = 200
_HEAD = 400
_BELOW = 300
_WARNED = 600
_AROUND = "get_tree(document=PATH) for what stands around it"


def _answer(desk: Desk, given: Mapping[str, Any]) -> Answer:
    query = rg.Query(given["query"], given["k"], given["filters"])
    if not query.text.strip():
        raise rg.InputError(rg.Problem("query", "nothing", "words or a name", "list_documents lists all"))
    mode = given["mode"] or desk.mode
    hits = [(hit, node) for hit in desk.search(mode, query).hits if (node := _node(desk, hit))]
    warned = warnings(desk.library, query)
    above = cut("\n".join(f"warning: {line_of(one, 200)}" for one in warned), _WARNED)
    page = Page(given["budget"] or max(LEAST_BUDGET, _A_HIT * max(1, len(hits))), size_of(above) + _BELOW)
    each = page.room // max(1, len(hits)) - 160
    found: list[dict[str, Any]] = []
    for rank, (hit, node) in enumerate(hits, 1):
        lines = hit.lines or node.lines
        said = excerpt(node, query.text, max(0, min(each, _HEAD * BYTES)))
        head = f"{rank}. {node.id}\n   {node.path}:{lines.start}-{lines.end} {node.kind}"
        head += "" if node.symbol or node.kind == "section" else f" - {line_of(node.title, 100)}"
        head += "" if node.text.strip() else "; no text of its own, navigate_tree reads what is below it"
        block = f"{head}\n{_indented(said)}" if said else head
        # Whoever sets no budget wants k hits, however long their paths are.
        if not page.take(block if size_of(block) < page.room else head, always=given["budget"] is None):
            break
        data = {**as_data(node), "start": lines.start, "end": lines.end, "score": hit.score or 0.0}
        found.append({**data, "excerpt": said if page.blocks[-1] == block else ""})
    left = len(hits) - len(found)
    data = {"hits": found, "left_out": left, "mode": mode, "warnings": list(warned)}
    return Answer(_text(query, found, page, left, above), data)


def _node(desk: Desk, hit: rg.Hit) -> TreeNode | None:
    """Return the node of a hit; None where its file was indexed anew a moment ago, and it is gone."""
    try:
        return desk.library.node(hit.id or "")
    except rg.SystemFailedError:
        return None


def _text(query: rg.Query, found: Sequence[Mapping[str, Any]], page: Page, left: int, warned: str) -> str:
    count = len(found)
    asked = repr(line_of(query.text, 80))
    lines = [f"{counted(count, 'node')} for {asked}, best first:" if count else f"Nothing found for {asked}."]
    lines += [warned.rstrip("\n")] if warned else []
    lines += page.blocks
    if left:
        lines += ["", f"{counted(left, 'more hit')} left out: raise budget, or lower k."]
    if count:
        whole = f"get_node_content(ids=[{in_call(found[0]['id'])}]) for the whole text"
        lines += ["", f"Next: {whole}, navigate_tree(node=ID) for it and all below it, {_AROUND}."]
    elif not warned:
        more = ", without filters" if query.filters else ""
        lines.append(f"Try fewer or other words{more}, find_symbol for a name, or list_documents.")
    return "\n".join(lines)


def _indented(text: str) -> str:
    return "\n".join(f"   | {line}".rstrip() for line in text.split("\n"))


SEARCH_DOCUMENTS = Tool(
    "search_documents",
    "Search documents",
    "Find sections of documentation and symbols of code (classes, functions, methods) by words, best first. "
    "Start here for any question. Ask in plain words or with identifiers; words match in all their forms "
    "(query, queries), names also by their parts (getUserName by 'user name'), and beginnings and small "
    "typos where nothing fits exactly. Each hit has an id, path:lines and the lines that fit best; read the "
    "whole with get_node_content. For a name that you know exactly, find_symbol is surer.",
    (
        Argument("query", "text", "What to look for: words, a question, or identifiers.", required=True),
        Argument("k", "number", "How many hits at most.", 10, least=1, most=100),
        Argument(
            "filters",
            "filters",
            'Only nodes with these facets, such as {"language": "python", "kind": ["class", "function"]}: a '
            "list of values means any of them, several facets mean all of them. list_documents says which "
            "facets there are.",
            {},
        ),
        budget(None, f"without it, {_A_HIT} for each hit. Smaller means shorter excerpts, then fewer hits"),
        Argument(
            "mode",
            "text",
            "How to search: lexical by words, vector by meaning, hybrid by both. Leave it out for what the "
            "server was set to.",
            choices=MODES,
        ),
    ),
    {
        "hits": many({**NODE, "score": {"type": "number"}, "excerpt": {"type": "string"}}),
        "left_out": {"type": "integer", "description": "How many hits the budget had no room for."},
        "mode": {"type": "string"},
        "warnings": {"type": "array", "items": {"type": "string"}},
    },
    _answer,
)
"""The tool."""
