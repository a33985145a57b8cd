"""An MCP server that answers in text alone, as many do: an outline by indentation, a score below each hit."""

from __future__ import annotations

import json
from typing import Any

SECTIONS = {
    "keys": [
        ("n1", "", "Keys", "Keys are for programs."),
        ("n2", "  ", "Rotation", "Rotate a key after 90 days."),
        ("n3", "    ", "By hand", "Rotate it on the page of keys."),
        ("n4", "  ", "Revocation", "End a leaked key."),
    ],
    "hooks": [
        ("n1", "", "Hooks", "Hooks call you."),
        ("n2", "  ", "Retries", "A failed hook is sent again."),
    ],
}


def _found(query: str) -> list[tuple[str, str, str, str, int]]:
    words = query.lower().split()
    hits = [
        (document, node, title, text, sum(word in text.lower() for word in words))
        for document, sections in SECTIONS.items()
        for node, _, title, text in sections
    ]
    return sorted((hit for hit in hits if hit[4]), key=lambda hit: -hit[4])


def search(query: str) -> str:
    """Find sections; each hit stands on four lines."""
    hits = _found(query)
    if not hits:
        return f'No results for "{query}".'
    blocks = [
        f"{rank}. [{document}] {title}\n   File: {document}.md ({node})\n"
        f"   Score: {score}.5\n   Snippet: {text}\n"
        for rank, (document, node, title, text, score) in enumerate(hits, 1)
    ]
    return f"{len(hits)} results:\n\n" + "\n".join(blocks) + "\nCall get_sections to read one."


def search_front_matter(query: str) -> str:
    """Find sections; each is a block with a head."""
    blocks = [
        f"---\npath: {document}.md\nid: {node}\nscore: {score}.0\n---\n{text}\n\n---\n\nSee also the index.\n"
        for document, node, _, text, score in _found(query)
    ]
    return "".join(blocks) or "Nothing."


def search_fenced(query: str) -> str:
    """Find sections; they are JSON between sentences."""
    hits = [{"file": f"{document}.md", "score": score} for document, _, _, _, score in _found(query)]
    return f"Here they are:\n\n```json\n{json.dumps({'hits': hits}, indent=2)}\n```\n\nAsk for more."


def list_documents() -> str:
    """List the documents; a path stands below each."""
    return "2 documents:\n\n" + "\n".join(
        f"* [{name}] {name.title()}\n  path: {name}.md" for name in SECTIONS
    )


def get_outline(document: str) -> str:
    """List the sections of a document, indented."""
    lines = [f"{indent}[{node}] {title}" for node, indent, title, _ in SECTIONS[document]]
    return f"Document: {document}\n\n" + "\n".join(lines)


def get_sections(document: str, options: dict[str, list[str]]) -> str:
    """Read sections of a document."""
    known = {node: (title, text) for node, _, title, text in SECTIONS.get(document, [])}
    wanted = [known[node] for node in options["nodes"] if node in known]
    return "\n\n".join(f"=== {title} ===\n\n{text}" for title, text in wanted) or "Document not found."


def get_below(document: str, node: str) -> str:
    """Read a section and those below it."""
    sections = SECTIONS[document]
    at = next(number for number, one in enumerate(sections) if one[0] == node)
    below = sections[at + 1 :]
    end = next(
        (number for number, one in enumerate(below) if len(one[1]) <= len(sections[at][1])), len(below)
    )
    return "\n\n".join(f"=== {title} ===\n\n{text}" for _, _, title, text in [sections[at], *below[:end]])


def make() -> Any:
    """Return the server, of whichever generation of the SDK there is."""
    import mcp.server

    if hasattr(mcp.server, "MCPServer"):
        server: Any = mcp.server.MCPServer("texts")
    else:
        from importlib import import_module

        server = import_module("mcp.server.fastmcp").FastMCP("texts")
    searches: tuple[Any, ...] = (search, search_front_matter, search_fenced)
    for tool in (*searches, list_documents, get_outline, get_sections, get_below):
        server.add_tool(tool, structured_output=False)
    return server


if __name__ == "__main__":
    make().run()
