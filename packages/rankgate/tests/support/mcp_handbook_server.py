"""An MCP server over two pages, written with the SDK: ``mcp_handbook_server.py [--http PORT] [--noise]``.

Works with both generations of the SDK, so that the client can be tried against both.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from typing import Any

PAGES = {
    "keys.md": "# Keys\n\n## Rotation\n\nRotate a key after 90 days.\n\n## Revocation\n\nEnd a leaked key.\n",
    "hooks.md": "# Hooks\n\n## Retries\n\nA failed hook is sent again.\n",
}
NOISE = b'Loading \xff\xfe index...\n{"level": "info"}\n\n[1, 2]\n{broken\n'


def _found(query: str, k: int = 10) -> list[dict[str, Any]]:
    words = query.lower().split()
    hits: list[dict[str, Any]] = []
    for path, text in PAGES.items():
        for number, line in enumerate(text.split("\n"), 1):
            score = float(sum(word in line.lower() for word in words))
            hits += [{"path": path, "line": number, "text": line, "score": score}] if score else []
    return sorted(hits, key=lambda hit: -float(hit["score"]))[:k]


def _nodes(document: str) -> list[dict[str, Any]]:
    lines = enumerate(PAGES[document].split("\n"), 1)
    return [
        {
            "id": f"{document}@{number}",
            "title": line.strip("# "),
            "path": document,
            "start": number,
            "parent": None if line.startswith("# ") else f"{document}@1",
        }
        for number, line in lines
        if line.startswith("#")
    ]


def search(query: str, k: int = 10, language: str | None = None) -> dict[str, Any]:
    """Find lines."""
    return {"hits": _found(query, k), "language": language}


def search_list(query: str) -> list[dict[str, Any]]:
    return _found(query)


def search_json(query: str) -> str:
    return json.dumps(_found(query))


def search_lines(query: str) -> str:
    return "\n".join(f"{hit['path']}:{hit['line']}: {hit['text']}" for hit in _found(query))


def fail(query: str) -> str:
    raise ValueError(f"no index for {query}; token {os.environ.get('HANDBOOK_TOKEN')}")


def slow(query: str) -> dict[str, Any]:
    time.sleep(60)
    return {"hits": [query]}


_under_way: list[str] = []
"""The queries of the calls of `together`, of which none ends before there are enough."""


async def together(query: str, others: int = 1, seconds: float = 0.0) -> dict[str, Any]:
    """Answer once so many calls have come, after some seconds, with how many were under way meanwhile."""
    _under_way.append(query)
    while len(_under_way) < others:
        await asyncio.sleep(0.005)
    await asyncio.sleep(seconds)
    return {"hits": [{"path": f"{query}.md", "start": 1, "end": len(_under_way), "score": 1.0}]}


def crash(query: str) -> dict[str, Any]:
    if query == "well":
        return {"hits": ["alive"]}
    sys.stderr.write(f"out of memory at {os.environ.get('HANDBOOK_TOKEN')}\n")
    sys.stderr.flush()
    os._exit(7)


def environment(query: str) -> dict[str, Any]:
    return {"hits": [{"text": f"{name}={value}"} for name, value in os.environ.items() if query in name]}


def pid(query: str) -> dict[str, Any]:
    return {"hits": [os.getpid(), query]}


def large(query: str) -> dict[str, Any]:
    return {"hits": [f"id {query * 1_000_000}"]}


def list_documents() -> dict[str, Any]:
    return {"documents": [{"id": path, "name": text.split("\n")[0][2:]} for path, text in PAGES.items()]}


def get_tree(document: str) -> dict[str, Any]:
    return {"nodes": _nodes(document)}


def get_text(node: str, below: bool = False) -> str:
    path, _, number = node.partition("@")
    first = int(number or 1)
    later = [one["start"] for one in _nodes(path) if one["start"] > first]
    lines = PAGES[path].split("\n")
    return "\n".join(lines[first - 1 : later[0] - 1 if later and not below else len(lines)])


def make() -> Any:
    import mcp.server

    server: Any
    if hasattr(mcp.server, "MCPServer"):
        server = mcp.server.MCPServer("handbook", version="1.2.3")
    else:
        from importlib import import_module

        server = import_module("mcp.server.fastmcp").FastMCP("handbook")
        server._mcp_server.version = "1.2.3"
    structured: tuple[Any, ...] = (search, search_list, fail, slow, together, crash, environment, pid, large)
    for tool in (*structured, list_documents, get_tree):
        server.add_tool(tool)
    plain: tuple[Any, ...] = (search_json, search_lines, get_text)
    for tool in plain:
        server.add_tool(tool, structured_output=False)
    return server


def serve() -> None:
    if "--noise" in sys.argv:
        sys.stdout.buffer.write(NOISE)
        sys.stdout.flush()
    server = make()
    if "--http" in sys.argv:
        import uvicorn

        port = int(sys.argv[sys.argv.index("--http") + 1])
        uvicorn.run(server.streamable_http_app(), host="127.0.0.1", port=port, log_level="error")
    else:
        server.run()


if __name__ == "__main__":
    serve()
