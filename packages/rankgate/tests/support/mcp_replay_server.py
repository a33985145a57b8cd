"""An MCP server that answers as another did: ``mcp_replay_server.py TRANSCRIPT`` replays its recorded calls.

A transcript has a line for each exchange, ``{"request": …, "response": …}``, as JSON-RPC has them. A call
that was not recorded is an error of the tool.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any


def exchanges(transcript: Path) -> list[dict[str, Any]]:
    opened = gzip.open if transcript.suffix == ".gz" else open
    with opened(transcript, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def recorded(transcript: Path) -> dict[str, str]:
    """Return the texts that tools answered, by tool and arguments."""
    found = {}
    for one in exchanges(transcript):
        if one["request"]["method"] == "tools/call":
            asked = one["request"]["params"]
            blocks = one["response"]["result"]["content"]
            found[_key(asked["name"], asked["arguments"])] = "\n".join(block["text"] for block in blocks)
    return found


def _key(tool: str, arguments: dict[str, Any]) -> str:
    given = {name: value for name, value in arguments.items() if value not in (None, {})}
    return f"{tool} {json.dumps(given, sort_keys=True)}"


def make(transcript: Path) -> Any:
    """Return the server, of whichever generation of the SDK there is; its tools are those of treenav."""
    import mcp.server

    if hasattr(mcp.server, "MCPServer"):
        server: Any = mcp.server.MCPServer("replay")
    else:
        from importlib import import_module

        server = import_module("mcp.server.fastmcp").FastMCP("replay")
    answers = recorded(transcript)

    def answer(tool: str, **arguments: Any) -> str:
        key = _key(tool, arguments)
        if key not in answers:
            raise ValueError(f"not recorded: {key}")
        return answers[key]

    def list_documents(limit: int | None = None) -> str:
        return answer("list_documents", limit=limit)

    def search_documents(
        query: str, limit: int | None = None, filters: dict[str, list[str]] | None = None
    ) -> str:
        return answer("search_documents", query=query, limit=limit, filters=filters)

    def get_tree(doc_id: str) -> str:
        return answer("get_tree", doc_id=doc_id)

    def get_node_content(doc_id: str, node_ids: list[str]) -> str:
        return answer("get_node_content", doc_id=doc_id, node_ids=node_ids)

    def navigate_tree(doc_id: str, node_id: str) -> str:
        return answer("navigate_tree", doc_id=doc_id, node_id=node_id)

    tools: tuple[Any, ...] = (list_documents, search_documents, get_tree, get_node_content, navigate_tree)
    for tool in tools:
        server.add_tool(tool, structured_output=False)
    return server


if __name__ == "__main__":
    make(Path(sys.argv[1])).run()
