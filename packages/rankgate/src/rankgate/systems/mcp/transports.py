"""An MCP server that is a program: messages on its pipes, one a line.

The SDK's own transport reads a line of any length, stops at a byte that is not UTF-8, and logs what is no
message. Servers print progress bars, banners and stack traces to standard output, so here such lines are
skipped and counted, a line has a largest size, and what the server says on standard error is kept for errors.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from asyncio.subprocess import PIPE, Process
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import anyio
from mcp.shared.message import SessionMessage

from rankgate.errors import Code, SystemFailedError
from rankgate.systems.adapter.failures import printable, told
from rankgate.systems.adapter.process import ending, last_lines, signal_group
from rankgate.systems.mcp.connection import Transport

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

_CHUNK = 1 << 16
_STDERR_KEPT = 4096
_GRACE = 1.0
_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Program:
    """How a server is started."""

    command: tuple[str, ...]
    """The program and its arguments."""
    cwd: str | None
    """The folder it runs in."""
    env: Mapping[str, str]
    """Its environment."""
    max_message: int
    """Bytes of a message, and of a line that is none."""


class StdioTransport(Transport):
    """One start of a server's program."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self._program = program
        self._errors = bytearray()
        self._process: Process | None = None

    def last_words(self) -> str:
        """Return how the server ended, and what it said last on standard error."""
        code = self._process.returncode if self._process is not None else None
        ended = "" if code is None else ending(code)
        noise = f"{self.noise} lines that are no messages" if self.noise else ""
        said = last_lines(bytes(self._errors))
        return "; ".join(part for part in (self.too_large, ended, noise, said) if part)

    @asynccontextmanager
    async def streams(self) -> AsyncIterator[tuple[Any, Any]]:
        """Start the program and give the streams that a session reads and writes.

        Raises:
            SystemFailedError: where it does not start.
        """
        program = self._program
        try:
            process = await asyncio.create_subprocess_exec(
                *program.command,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                cwd=program.cwd,
                env=dict(program.env),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            where = f"command {printable(program.command[0])!r}"
            raise SystemFailedError(
                Code.NOT_STARTED(where, told(error), "to start", "check command and cwd")
            ) from error
        self._process = process
        sent_in, received = anyio.create_memory_object_stream[Any](16)
        sent, to_write = anyio.create_memory_object_stream[Any](16)
        tasks = [
            asyncio.create_task(self._read(process, sent_in)),
            asyncio.create_task(self._write(process, to_write)),
            asyncio.create_task(self._listen(process)),
        ]
        try:
            yield received, sent
        finally:
            try:
                await self._end(process)
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
            finally:
                # Whoever waits for the end may lose patience; nothing may be left all the same.
                if process.returncode is None:
                    signal_group(process)
                for task in tasks:
                    task.cancel()
                for stream in (sent_in, received, sent, to_write):
                    stream.close()
                # Nothing public closes the pipes that a child of the server may still hold.
                process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001

    async def _read(self, process: Process, messages: Any) -> None:
        rest = bytearray()
        try:
            while process.stdout is not None and (chunk := await process.stdout.read(_CHUNK)):
                rest += chunk
                lines: list[bytearray] = []
                if b"\n" in chunk:
                    *lines, rest = rest.split(b"\n")
                for line in map(bytes, lines):
                    if (message := _parsed(line)) is not None:
                        await messages.send(SessionMessage(message))
                    elif line.strip():
                        self.noise += 1
                if len(rest) > self._program.max_message:
                    self.too_large = f"a line of more than {self._program.max_message:,} bytes"
                    return
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, ConnectionError):
            pass
        finally:
            # The end of a pipe often comes before the program is seen to have ended.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(_exit(process), 0.2)
            self.ended.set()
            messages.close()

    async def _write(self, process: Process, messages: Any) -> None:
        try:
            async for one in messages:
                text = one.message.model_dump_json(by_alias=True, exclude_none=True)
                if process.stdin is not None:
                    process.stdin.write(text.encode() + b"\n")
                    await process.stdin.drain()
        except (ConnectionError, RuntimeError):
            self.ended.set()

    async def _listen(self, process: Process) -> None:
        while process.stderr is not None and (chunk := await process.stderr.read(_CHUNK)):
            self._errors = (self._errors + chunk)[-_STDERR_KEPT:]

    async def _end(self, process: Process) -> None:
        """Let the program end by itself, then end it and every child of it that is left."""
        if process.stdin is not None:
            process.stdin.close()
        if not self.hurry:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(_exit(process), _GRACE)
            if process.returncode is None:
                signal_group(process, "SIGTERM")
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(_exit(process), _GRACE)
        signal_group(process)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(_exit(process), _GRACE)


async def _exit(process: Process) -> None:
    # Process.wait also waits for pipes, which a child of the server may hold open.
    while process.returncode is None:
        await asyncio.sleep(0.01)


def _parsed(line: bytes) -> Any:
    """Read a message; None for what is none."""
    if not line.lstrip().startswith(b"{"):
        return None
    types = import_module("mcp.types")
    adapter = getattr(types, "jsonrpc_message_adapter", None)
    try:
        if adapter is not None:
            return adapter.validate_json(line, by_name=False)
        return types.JSONRPCMessage.model_validate_json(line)
    except ValueError:
        return None


class HttpTransport(Transport):
    """One connection to a server; one that is lost shows in the next request, so it never ends by itself."""

    opens_cheaply = True

    def __init__(self, url: str, headers: Mapping[str, str], max_body: int) -> None:
        super().__init__()
        self._url = url
        self._headers = dict(headers)
        self._max_body = max_body

    @asynccontextmanager
    async def streams(self) -> AsyncIterator[tuple[Any, Any]]:
        """Connect and give the streams that a session reads and writes."""
        module = import_module("mcp.client.streamable_http")
        opener = getattr(module, "streamable_http_client", None)
        async with AsyncExitStack() as stack:
            if opener is not None:
                client = await stack.enter_async_context(self._client(module.create_mcp_http_client))
                takes = inspect.signature(opener).parameters
                more = {"max_sse_event_size": self._max_body} if "max_sse_event_size" in takes else {}
                found = opener(self._url, http_client=client, **more)
            else:
                found = module.streamablehttp_client(
                    self._url, httpx_client_factory=lambda **_: self._client(module.create_mcp_http_client)
                )
            streams = await stack.enter_async_context(found)
            yield streams[0], streams[1]

    def _client(self, make: Any) -> Any:
        """Make the SDK's kind of client, whichever library it is from, without the environment's proxies."""
        kind = inspect.signature(make).return_annotation
        if isinstance(kind, str):
            kind = vars(import_module(make.__module__))[kind.partition(".")[0]].AsyncClient
        # Packed answers cannot be counted before they are unpacked, so none are asked for.
        return kind(
            headers={"Accept-Encoding": "identity", **self._headers},
            timeout=_SECONDS,
            trust_env=False,
            event_hooks={"response": [self._bounded]},
        )

    async def _bounded(self, response: Any) -> None:
        if response.headers.get("content-encoding", "identity").lower() not in ("", "identity"):
            await response.aclose()
            raise SystemFailedError(Code.WRONG_ANSWER("answer", "packed", "one as it is"))
        stream, limit = response.stream, self._max_body
        parts = stream.__aiter__

        async def counted() -> AsyncIterator[bytes]:
            size = 0
            async for chunk in parts():
                size += len(chunk)
                if size > limit:
                    self.too_large = f"more than {limit:,} bytes"
                    raise SystemFailedError(Code.ANSWER_TOO_LARGE("answer", self.too_large, "less"))
                yield chunk

        library = import_module(type(response).__module__.partition(".")[0])
        response.stream = _counted(stream, counted, library.AsyncByteStream)


def _counted(stream: Any, parts: Any, kind: Any) -> Any:
    """Wrap a body; the library wants an object of its own kind."""

    class Counted(kind):  # type: ignore[misc]
        def __aiter__(self) -> AsyncIterator[bytes]:
            found: AsyncIterator[bytes] = parts()
            return found

        async def aclose(self) -> None:
            await stream.aclose()

    return Counted()
