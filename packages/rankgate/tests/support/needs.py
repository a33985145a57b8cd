"""Servers and environments that an acceptance transcript needs, each started once per worker.

A transcript names one of them in a line ``<!-- needs: opensearch -->``. It then has the marker
`real`, and its commands find the server by the variable in `VARIABLES`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from support.repository import FIXTURES

if TYPE_CHECKING:
    from contextlib import ExitStack
    from pathlib import Path

VARIABLES = {
    "opensearch": "OPENSEARCH_URL",
    "elasticsearch": "ELASTICSEARCH_URL",
    "postgres": "POSTGRES_DSN",
    "mcp-servers": "",
    "frameworks": "",
}
"""The needs, each with the variable that has its URL.

`mcp-servers` are programs below `$FIXTURES/mcp-venv/bin` and `$FIXTURES/npm/node_modules`. With `frameworks`,
the commands run in the environment that has LangChain, LlamaIndex and Haystack.
"""


def started(need: str, stack: ExitStack) -> str:
    """Start a server, and return its URL; empty if the need is no server."""
    if need == "opensearch":
        from support.opensearch_server import Cluster

        return stack.enter_context(Cluster()).urls[0]
    if need == "elasticsearch":
        import elasticsearch

        from support.elasticsearch_server import Server

        return stack.enter_context(Server(elasticsearch.__version__[0])).url
    if need == "postgres":
        from support.postgres_server import postgres_server

        return stack.enter_context(postgres_server())
    if need == "mcp-servers":
        _installed(FIXTURES / "mcp-venv" / "bin" / "python", "just mcp-servers")
        _installed(FIXTURES / "npm" / "node_modules", "just mcp-servers")
    return ""


def python_of(need: str) -> Path | None:
    """Return the Python that runs the commands, or None for the one of the tests."""
    if need != "frameworks":
        return None
    return _installed(FIXTURES / "frameworks-venv" / "bin" / "python", "just frameworks")


def _installed(path: Path, recipe: str) -> Path:
    if not path.exists():
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"{recipe} was not run")
    return path
