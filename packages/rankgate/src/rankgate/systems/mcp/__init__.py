"""An MCP server as a system."""
