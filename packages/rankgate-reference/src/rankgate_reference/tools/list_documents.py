"""``list_documents``: what is there."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING, Any

import rankgate as rg
from rankgate_reference.answers import NODE, Answer, as_data, counted, line_of, many
from rankgate_reference.arguments import Argument
from rankgate_reference.facets import warnings
from rankgate_reference.tools.tool import CURSOR, Tool

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate_reference.documents.nodes import TreeNode
    from rankgate_reference.tools.tool import Desk

_FOLDERS = 40
_NOTES = 10
_VALUES = 10
_KINDS = "document, section, class, function, method and so on (of nodes)"


def _answer(desk: Desk, given: Mapping[str, Any]) -> Answer:
    prefix, filters, limit = given["path_prefix"], given["filters"], given["limit"]
    prefix = prefix if desk.library.records else prefix.lstrip("./")
    there = desk.library.documents_without_text
    chosen = [node for node in there if node.path.startswith(prefix) and _passes(node, filters)]
    warned = warnings(desk.library, rg.Query("", filters=filters))
    after = bisect_right([node.path for node in chosen], given["cursor"]) if given["cursor"] else 0
    shown = chosen[after : after + limit]
    left = len(chosen) - after - len(shown)
    first = not given["cursor"]
    folders = _folders(chosen, prefix) if first and left else _folders(there, "") if not chosen else []
    notes = list(desk.library.notes) if first and not prefix and not filters else []
    data = {
        "documents": [
            {**as_data(node), "facets": {key: list(value) for key, value in node.facets.items()}}
            for node in shown
        ],
        "total": len(chosen),
        "left": left,
        "next_cursor": shown[-1].path if left and shown else None,
        "folders": [{"path_prefix": folder, "documents": count} for folder, count in folders],
        "facets": _facets(chosen) if first else {},
        "warnings": list(warned),
        "notes": notes[:_NOTES] + ([f"and {len(notes) - _NOTES} more"] if len(notes) > _NOTES else []),
    }
    return Answer(_text(data, len(there)), data)


def _text(data: Mapping[str, Any], all_there: int) -> str:
    shown = data["documents"]
    there = f"{counted(data['total'], 'document')} of {all_there:,}"
    lines = [f"{there}, {len(shown):,} of them here:" if shown else f"No more documents; {there} in all."]
    if not data["total"]:
        lines = [f"No document of {all_there:,} is so."]
    lines += [f"warning: {warning}" for warning in data["warnings"]]
    lines += [_line(one) for one in shown]
    if data["folders"]:
        listed = ", ".join(f"{one['path_prefix']} ({one['documents']:,})" for one in data["folders"])
        lines += ["", f"Folders, to narrow it with path_prefix: {listed}"]
    if data["notes"]:
        lines += ["", f"Not indexed, or not as it should be: {'; '.join(data['notes'])}"]
    if data["left"]:
        lines += ["", f"{data['left']:,} more: call again with cursor={data['next_cursor']!r}."]
    if data["facets"]:
        listed = "; ".join(f"{key}: {_values(values)}" for key, values in data["facets"].items())
        lines += ["", f"Facets to filter by, with their documents: {listed}; kind: {_KINDS}"]
    lines += ["", "Next: get_tree(document=ID) for what is in one, search_documents for what is in all."]
    return "\n".join(lines)


def _values(values: Mapping[str, int]) -> str:
    return ", ".join(f"{line_of(value, 40)} ({count:,})" for value, count in values.items())


def _facets(nodes: Sequence[TreeNode]) -> dict[str, dict[str, int]]:
    """Count the documents that have each value, the commonest first; of all but kinds, which nodes have."""
    counts: dict[str, Counter[str]] = {}
    for node in nodes:
        for key, values in node.facets.items():
            counts.setdefault(key, Counter()).update(set(values))
    counts.pop("kind", None)
    common = sorted(counts, key=lambda key: (-counts[key].total(), key))[:_VALUES]
    return {
        key: dict(sorted(counts[key].items(), key=lambda one: (-one[1], one[0]))[:_VALUES]) for key in common
    }


def _line(one: Mapping[str, Any]) -> str:
    names = (one["path"], one["path"].rpartition("/")[2])
    title = "" if one["title"] in names else f" - {line_of(one['title'], 100)}"
    where = "" if one["id"] == one["path"] else f" ({one['path']})"
    return f"{one['id']}{where}:1-{one['end']}{title}"


def _passes(node: TreeNode, filters: Mapping[str, Sequence[str]]) -> bool:
    return all(set(values).intersection(node.facets.get(key, ())) for key, values in filters.items())


def _folders(nodes: Sequence[TreeNode], prefix: str) -> list[tuple[str, int]]:
    """Count the documents in each folder that lies next below a prefix, the fullest first."""
    above = prefix[: prefix.rfind("/") + 1]
    counts: Counter[str] = Counter()
    for node in nodes:
        folder, slash, _ = node.path[len(above) :].partition("/")
        if slash:
            counts[f"{above}{folder}/"] += 1
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:_FOLDERS]


LIST_DOCUMENTS = Tool(
    "list_documents",
    "List documents",
    "List the files that can be searched, in the order of their paths, a page at a time. Call it to see what "
    "is there or to find a file by its folder; to find something by its content call search_documents "
    "instead. The first page also counts the documents by folder and by facet.",
    (
        Argument("path_prefix", "text", "Only files whose path begins so, such as 'docs/'.", ""),
        Argument(
            "filters",
            "filters",
            'Only files with these facets, such as {"language": "python"}; a list of values means any of '
            "them, several facets mean all of them.",
            {},
        ),
        Argument("limit", "number", "How many to list at most.", 50, least=1, most=10_000),
        Argument("cursor", "text", "next_cursor of the page before; leave it out for the first."),
    ),
    {
        "documents": many({**NODE, "facets": {"type": "object"}}),
        "total": {"type": "integer", "description": "How many there are on all pages."},
        "left": {"type": "integer", "description": "How many come after this page."},
        "next_cursor": CURSOR,
        "folders": many({"path_prefix": {"type": "string"}, "documents": {"type": "integer"}}),
        "facets": {"type": "object", "description": "How many documents have each value of each facet."},
        "warnings": {"type": "array", "items": {"type": "string"}},
        "notes": {"type": "array", "items": {"type": "string"}},
    },
    _answer,
)
"""The tool."""
