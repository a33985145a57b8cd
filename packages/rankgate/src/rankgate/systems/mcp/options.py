"""How an MCP server is reached and asked: the options of a configuration."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - annotations of options are read
from dataclasses import dataclass, field
from typing import Literal

from rankgate.errors import InputError, Problem
from rankgate.systems.adapter.process import unset
from rankgate.systems.adapter.templates import Template


@dataclass(frozen=True, slots=True)
class McpOptions:
    """How a server is reached and asked, and how its answer is read."""

    tool: str
    """The tool that searches."""
    arguments: Mapping[str, object]
    """What it is called with; ``{query}``, ``{k}``, ``{filters}`` and ``{filters.NAME}`` are bound, and
    ``${NAME}`` is read from the environment."""
    command: tuple[str, ...] = ()
    """The program to start, for a server on standard input and output."""
    url: str | None = None
    """The address, for a server behind streamable HTTP; ``${NAME}`` is read from the environment."""
    output: Literal["structured", "json", "jsonl", "lines"] = "structured"
    """Where the hits stand: in the structured content, or in the text as JSON, JSON lines or lines."""
    hits: str = "@"
    """JMESPath to the list of hits."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """JMESPath inside a hit, by field."""
    pattern: str | None = None
    """For lines: a regular expression with a named group for each field."""
    timeout: float = 30.0
    """Seconds for one call; a server that died or hung is started anew within them, or the call is late."""
    start_timeout: float = 60.0
    """Seconds for a start."""
    max_output: int = 10_000_000
    """Bytes of one message of the server."""
    cwd: str | None = None
    """The folder the program runs in."""
    env: tuple[str, ...] = ()
    """Names of variables the program needs beside the ordinary ones, such as PATH."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers for a URL; ``${NAME}`` is read from the environment."""
    navigate: Mapping[str, Mapping[str, object]] | None = None
    """The tools that list, outline and read documents; see `navigation`."""

    def __post_init__(self) -> None:
        checks = (
            (
                bool(self.command) != (self.url is not None),
                "command",
                "both or none",
                "one of command and url",
            ),
            (not (self.headers and self.command), "headers", "a command", "headers with a url"),
            (not (self.env and self.url), "env", "a url", "env with a command"),
            (self.timeout > 0, "timeout", f"{self.timeout:g}", "more than 0"),
            (self.start_timeout > 0, "start_timeout", f"{self.start_timeout:g}", "more than 0"),
            (self.max_output > 0, "max_output", str(self.max_output), "more than 0"),
            (
                "query" in Template(self.arguments).placeholders,
                "arguments",
                "no {query}",
                "{query} in an argument",
            ),
        )
        problems = [Problem(where, found, expected) for good, where, found, expected in checks if not good]
        problems += unset(self.env)
        if problems:
            raise InputError(problems)


@dataclass(frozen=True, slots=True)
class NodesTool:
    """A tool that lists nodes."""

    tool: str
    """Its name."""
    arguments: Mapping[str, object] = field(default_factory=dict)
    """What it is called with; ``{document}`` is bound."""
    nodes: str = "@"
    """JMESPath to the list."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """JMESPath inside a node, by field."""
    output: Literal["structured", "json", "jsonl"] = "structured"
    """Where the list stands."""


@dataclass(frozen=True, slots=True)
class TextTool:
    """A tool that gives text."""

    tool: str
    """Its name."""
    arguments: Mapping[str, object] = field(default_factory=dict)
    """What it is called with; ``{node}`` is bound."""
    text: str | None = None
    """JMESPath to the text in its structured content or JSON; without one, its text is taken as it is."""
    output: Literal["structured", "json", "lines"] = "structured"
    """Where the text stands, where `text` is an expression."""
