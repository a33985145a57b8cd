"""An MCP server as a system: one call of a tool for each query."""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from rankgate.errors import Code, InputError, RankgateError, SystemFailedError, did_you_mean
from rankgate.io.secrets import hidden
from rankgate.io.typed import Count, Seconds
from rankgate.systems.adapter.failures import closed_error, cut_at, printable, told
from rankgate.systems.adapter.launching import Env, Launch, names_of, no_corpus
from rankgate.systems.adapter.mapping import MappedSystem, Mapper, MappingRules
from rankgate.systems.adapter.options import check_options
from rankgate.systems.adapter.portal import Portal
from rankgate.systems.adapter.records import Output
from rankgate.systems.adapter.templates import (
    OF_A_QUERY,
    Template,
    check_filters,
    check_json,
    check_placeholders,
    filled_with,
    placeholders_in,
)
from rankgate.systems.adapter.variables import read_server, variables_in
from rankgate.systems.mcp.connection import either

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from rankgate.io.digests import ContentsReader
    from rankgate.model import Query
    from rankgate.systems.mcp.connection import Client, Connection, Transport


@dataclass(frozen=True, slots=True)
class McpOptions:
    """How a server is reached and asked, and how its answer is read."""

    tool: str
    """The tool that searches."""
    arguments: Mapping[str, object]
    """What it is called with; ``{query}``, ``{k}``, ``{filters}`` and ``{filters.NAME}`` are bound, and
    ``${NAME}`` is read from the environment."""
    command: tuple[str, ...] = ()
    """The program to start, for a server on standard input and output; ``{corpus}`` and ``${NAME}`` are put
    in and never split."""
    url: str | None = None
    """The address, for a server behind streamable HTTP; ``${NAME}`` is read from the environment."""
    output: Literal["structured"] | Output = "structured"
    """Where the hits stand: in the structured content, or in the text; see `records`."""
    hits: str = "@"
    """JMESPath to the list of hits."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """JMESPath inside a hit, by field."""
    pattern: str | None = None
    """For `lines` and `text`: a regular expression with a named group for each field."""
    empty: str | None = None
    """A regular expression that is found in text which says that there are no hits."""
    timeout: Seconds = 30.0
    """Seconds for one call; a server that died or hung is started anew within them, or the call is late."""
    start_timeout: Seconds = 60.0
    """Seconds for a start."""
    max_output: Count = 10_000_000
    """Bytes of one message of the server."""
    cwd: str | None = None
    """The folder the program runs in."""
    env: Env = ()
    """Variables the program needs beside the ordinary ones, such as PATH: names, or a table of values in
    which ``{corpus}`` and ``${NAME}`` are filled."""
    corpus_folder: str | None = None
    """What ``{corpus}`` stands for; by default the folder of the suite's corpus."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers for a URL; ``${NAME}`` is read from the environment."""
    navigate: Mapping[str, Mapping[str, object]] | None = None
    """The tools that list, outline and read documents; see `NavigableMcpSystem`."""

    def __post_init__(self) -> None:
        check_options(
            (
                bool(self.command) != (self.url is not None),
                "command",
                "both or none",
                "one of command and url",
            ),
            (not (self.headers and self.command), "headers", "a command", "headers with a url"),
            (not (self.env and self.url), "env", "a url", "env with a command"),
            (
                self.empty is None or self.output != "structured",
                "empty",
                "structured content",
                "an output that is text",
            ),
            (
                "query" in Template(self.arguments).placeholders,
                "arguments",
                "no {query}",
                "{query} in an argument",
            ),
        )


class McpSystem(MappedSystem[McpOptions, dict[str, object]]):
    """Asks a server. Calls of several threads run at once in one session, which an event loop owns.

    Raises:
        InputError: for options that are wrong, a tool that is not there, or the SDK missing.
        SystemFailedError: where the server does not start.
    """

    kind = "mcp"

    def __init__(self, options: McpOptions, *, name: str = "mcp") -> None:
        super().__init__(options, name)
        self.version: str | None = None
        """What the server says of its version."""
        check_json(options.arguments, f"{name}.arguments")
        check_placeholders(options.arguments, (*OF_A_QUERY, "corpus"), f"{name}.arguments")
        self._variables = self._read_variables()
        self._arguments = Template(self._with_corpus(options.arguments), self._variables)
        output = "json" if options.output == "structured" else options.output
        self._mapper = Mapper(MappingRules.of(options, output), name)
        self._url: str | None = None
        self._headers: dict[str, str] = {}
        if options.url is not None:
            self._url, self._headers = read_server(options.url, options.headers, name)
        launch = Launch(name, options.corpus_folder)
        self._command = launch.command(options.command, "command")
        self._env = launch.environment(options.env)
        self._place = hidden(_place(options, self._url))
        self._portal = Portal()
        # A long command must not crowd the reason out of an error.
        self._where = f"mcp {cut_at(80).repr(self._place)}"
        self._client = self._open_client()
        try:
            self.tools = self._started()
        except BaseException:
            self.close()
            raise

    @property
    def noise_lines(self) -> int:
        """How many lines the server printed that are no messages."""
        return self._client.noise

    @property
    def restarts(self) -> int:
        """How often the server did not answer any more and was started anew."""
        return self._client.hung

    def call(self, tool: str, arguments: Mapping[str, object], output: str) -> bytes:
        """Call any tool of the server and give the part of its result that is asked for.

        Raises:
            SystemFailedError: where there is no such result in time.
        """
        result = self._run(self._client.call(tool, arguments, self._options.timeout))
        return answer_of(result, output, self._where, self._options.max_output)

    def close(self) -> None:
        """End the server and the loop."""
        if not self._client.closed:
            try:
                self._portal.call(self._client.close())
            finally:
                self._portal.close()

    def _add_contents(self, reader: ContentsReader) -> None:
        from rankgate.systems.contents import add_program

        options = self._options
        if self._url is None:
            add_program(reader, options.command, options.cwd, names_of(options.env))

    def _read_variables(self) -> dict[str, str]:
        tables = self._options.navigate or {}
        navigating = {one: table.get("arguments") for one, table in tables.items()}
        return {
            **variables_in(self._options.arguments, f"{self.name}.arguments"),
            **variables_in(navigating, f"{self.name}.navigate"),
        }

    def _with_corpus(self, arguments: Mapping[str, object]) -> Any:
        folder = self._options.corpus_folder
        if folder is None and "corpus" in placeholders_in(arguments):
            raise no_corpus(f"{self.name}.arguments")
        return arguments if folder is None else filled_with(arguments, {"corpus": folder})

    def _request(self, query: Query) -> dict[str, object]:
        check_filters(query, self._arguments.names(), "name it in arguments, as {filters.NAME} or {filters}")
        found: dict[str, object] = self._arguments.filled(query)
        return found

    def _shown(self, request: dict[str, object]) -> str:
        call = f"{self._options.tool} {json.dumps(request, ensure_ascii=False)}"
        return f"{self._place}\n{call}"

    def _answer(self, request: dict[str, object]) -> bytes:
        return self.call(self._options.tool, request, self._options.output)

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        if self._client.closed:
            work.close()
            raise closed_error(self._where)
        try:
            return self._portal.call(work)
        except RankgateError:
            raise
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - the SDK may raise anything
            raise SystemFailedError(Code.SYSTEM_FAILED(self._where, told(error), "an answer")) from None

    def _started(self) -> Mapping[str, Any]:
        connection: Connection = self._run(self._client.alive())
        version = getattr(connection.server, "version", None)
        self.version = printable(version) if isinstance(version, str) and version else None
        check_tool(connection.tools, self._options.tool, self._options.arguments, self.name)
        return connection.tools

    def _open_client(self) -> Client:
        try:
            from rankgate.systems.mcp.connection import Client
            from rankgate.systems.mcp.transports import HttpTransport, Program, StdioTransport
        except ModuleNotFoundError as error:
            said = f'{self.name}: kind = "mcp" needs an extra'
            fix = "pip install 'rankgate[mcp]'"
            raise InputError(
                Code.MISSING_EXTRA(self.name, f"no {error.name}", "the MCP SDK", fix, said)
            ) from error
        options = self._options

        def transport() -> Transport:
            if self._url is not None:
                return HttpTransport(self._url, self._headers, options.max_output)
            return StdioTransport(Program(self._command, options.cwd, self._env, options.max_output))

        return Client(transport, self._where, options.start_timeout)


def _place(options: McpOptions, url: str | None) -> str:
    """Return the server, without the query string of its URL."""
    if url is not None:
        parts = urlsplit(url)
        return f"{parts.scheme}://{parts.netloc}{parts.path}"
    return shlex.join(options.command)


def answer_of(result: Any, output: str, where: str, limit: int) -> bytes:
    """Return the part of a tool's result that holds the hits.

    Several blocks of text are the items of a list, as servers of the SDK return lists; for lines they follow
    one another.

    Raises:
        SystemFailedError: for an error of the tool, and a result that has no such part.
    """
    texts = [block.text for block in result.content if getattr(block, "type", None) == "text"]
    others = len(result.content) - len(texts)
    if either(result, "is_error", "isError"):
        said = " ".join(" ".join(texts).split()) or "without a word"
        raise SystemFailedError(
            Code.TOOL_FAILED(where, f"an error of the tool ({printable(said)})", "an answer")
        )
    structured = either(result, "structured_content", "structuredContent")
    if output == "structured":
        if structured is None:
            fix = (
                "write output = 'json' where its text is JSON, else output = 'text' or 'lines' and a pattern"
            )
            raise SystemFailedError(Code.WRONG_ANSWER(where, "no structured content", "some", fix))
        raw = json.dumps(structured, ensure_ascii=False).encode(errors="replace")
    elif not texts and others:
        raise SystemFailedError(Code.WRONG_ANSWER(where, f"{others} blocks that are not text", "text"))
    elif output == "json":
        raw = (texts[0] if len(texts) == 1 else f"[{','.join(texts)}]").encode(errors="replace")
    else:
        raw = "\n".join(texts).encode(errors="replace")
    if len(raw) > limit:
        raise SystemFailedError(
            Code.ANSWER_TOO_LARGE(where, f"more than {limit:,} bytes", "less", "raise max_output")
        )
    return raw


def check_tool(tools: Mapping[str, Any], tool: str, arguments: Mapping[str, object], where: str) -> None:
    """Compare what will be asked with what the server says it takes.

    A server ignores an argument that it does not know, so a misspelt one would be lost in silence.

    Raises:
        InputError: for a tool that is not there, and arguments that are unknown or missing.
    """
    if tool not in tools:
        there = ", ".join(sorted(tools)) or "none"
        raise InputError(
            Code.UNKNOWN_TOOL(
                f"{where}.tool", repr(tool), f"a tool of the server: {there}", did_you_mean(tool, tools)
            )
        )
    schema = either(tools[tool], "input_schema", "inputSchema")
    if not isinstance(schema, dict):
        return
    known = schema.get("properties")
    required = schema.get("required")
    problems = []
    if isinstance(known, dict) and known and not schema.get("additionalProperties"):
        problems += [
            Code.UNKNOWN_TOOL(
                f"{where}.arguments.{name}",
                f"what {tool} does not take",
                f"one of {', '.join(known)}",
                did_you_mean(name, known),
            )
            for name in arguments
            if name not in known
        ]
    if isinstance(required, list):
        problems += [
            Code.UNKNOWN_TOOL(f"{where}.arguments", f"no {name}", f"what {tool} requires")
            for name in required
            if isinstance(name, str) and name not in arguments
        ]
    if problems:
        raise InputError(problems)
