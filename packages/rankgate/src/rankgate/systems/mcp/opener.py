"""The kind `mcp`: an MCP server that a configuration names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.io.typed import read_options
from rankgate.systems.mcp.navigation import NavigableMcpSystem
from rankgate.systems.mcp.system import McpOptions, McpSystem
from rankgate.systems.registry import SystemKind

if TYPE_CHECKING:
    from collections.abc import Mapping

KIND = SystemKind(
    "An MCP server, over stdio or HTTP",
    base="cwd",
    launches=True,
    library="mcp",
    extra="mcp",
    tested="tested with the MCP SDK 1.30 and 2.3",
    options=McpOptions,
)


def open_mcp(name: str, options: Mapping[str, object]) -> McpSystem:
    """Open a server that a configuration names; the entry point of the kind `mcp`.

    Raises:
        InputError: with every option that is unknown or wrong.
        SystemFailedError: where the server does not start.
    """
    given = read_options(McpOptions, options, name)
    if given.navigate is not None:
        return NavigableMcpSystem(given, name=name)
    return McpSystem(given, name=name)
