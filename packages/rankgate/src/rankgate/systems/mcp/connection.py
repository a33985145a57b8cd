"""A session with an MCP server, kept by one task, and started again where the server has died."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, Problem, RankgateError, RetriableError, SystemFailedError
from rankgate.io.secrets import hidden
from rankgate.systems.adapter.failures import TimedOutError, closed_error, told

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from contextlib import AbstractAsyncContextManager

_PAGES = 100
_LOST = {-32000, -32600, 408}
_STOPPED = 5.0
_HURRIED = 2.0
_ABANDONED = 0.3
_PING = 1.0

# Without a handler, warnings of the SDK, with addresses in them, would go to standard error.
for _name in ("mcp", "client"):
    logging.getLogger(_name).addHandler(logging.NullHandler())


class Transport(ABC):
    """How messages reach a server."""

    opens_cheaply = False
    """True where a server that was late is reached anew rather than waited for."""

    def __init__(self) -> None:
        self.too_large = ""
        """What was too large, where something was."""
        self.noise = 0
        """How many lines were no messages."""
        self.ended = asyncio.Event()
        """Set once no more messages can come."""
        self.hurry = False
        """True where the server is left at once, without time to end by itself."""

    def last_words(self) -> str:
        """Return what the server said last beside its answers; behind a URL that is its own."""
        return ""

    @abstractmethod
    def streams(self) -> AbstractAsyncContextManager[tuple[Any, Any]]:
        """Start or reach the server, and give the streams that a session reads and writes."""


class Connection:
    """One session. The task that opens it also closes it, as the SDK wants."""

    def __init__(self, transport: Transport, where: str) -> None:
        self.transport = transport
        self.tools: dict[str, Any] = {}
        """What the server offers, by name."""
        self.server: Any = None
        """What it calls itself."""
        self.dead = False
        """True once no call can be answered."""
        self._where = where
        self._session: Any = None
        self._stop = asyncio.Event()
        self._ready = asyncio.Event()
        self._error: BaseException | None = None
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Open the session and list the tools.

        Raises:
            SystemFailedError: where that does not work.
        """
        self._task = asyncio.create_task(self._own())
        try:
            await self._ready.wait()
        except BaseException:
            await self.stop(hurry=True)
            raise
        if self._error is not None or self.dead:
            raise self._failure(self._error)

    async def call(self, tool: str, arguments: Mapping[str, object]) -> Any:
        """Call a tool.

        Raises:
            SystemFailedError: for an error of the protocol; `RetriableError` where the server was lost.
        """
        call = asyncio.create_task(self._session.call_tool(tool, dict(arguments)))
        ended = asyncio.create_task(self.transport.ended.wait())
        try:
            await asyncio.wait({call, ended}, return_when=asyncio.FIRST_COMPLETED)
            if call.done():
                return await call
        except Exception as error:  # noqa: BLE001 - the SDK may raise anything
            if self.transport.ended.is_set() or _code(error) in _LOST:
                self.dead = True
            raise self._failure(error) from None
        finally:
            for task in (call, ended):
                task.cancel()
            # The SDK tells the server of it, which a server that reads nothing more would hold up.
            await asyncio.wait({call, ended}, timeout=_ABANDONED)
        self.dead = True
        raise self._failure(None)

    async def answers(self, seconds: float) -> bool:
        """Return whether the server still answers at all, if only to say that it knows no ping."""
        ping = asyncio.create_task(self._session.send_ping())
        await asyncio.wait({ping}, timeout=seconds)
        if not ping.done():
            ping.cancel()
            await asyncio.wait({ping}, timeout=_ABANDONED)
            return False
        error = None if ping.cancelled() else ping.exception()
        return not ping.cancelled() and (error is None or _code(error) not in {None, *_LOST})

    async def stop(self, *, hurry: bool = False) -> None:
        """Close the session and end the server."""
        self.dead = True
        self.transport.hurry = self.transport.hurry or hurry
        self._stop.set()
        if self._task is None:
            return
        await asyncio.wait({self._task}, timeout=_HURRIED if hurry else _STOPPED)
        if not self._task.done():
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=_STOPPED)

    async def _own(self) -> None:
        from mcp import ClientSession

        try:
            async with self.transport.streams() as (read, write), ClientSession(read, write) as session:
                stop = asyncio.create_task(self._stop.wait())
                ended = asyncio.create_task(self.transport.ended.wait())
                opening = asyncio.create_task(self._open(session))
                try:
                    await asyncio.wait({stop, ended, opening}, return_when=asyncio.FIRST_COMPLETED)
                    if opening.done():
                        await opening
                        self._ready.set()
                        await asyncio.wait({stop, ended}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    # A server that says no more needs no time to end by itself; the next one waits for it.
                    self.transport.hurry = self.transport.hurry or self.transport.ended.is_set()
                    for task in (stop, ended, opening):
                        task.cancel()
                    await asyncio.gather(stop, ended, opening, return_exceptions=True)
        except Exception as error:  # noqa: BLE001 - told by whoever waits
            self._error = error
        finally:
            self.dead = True
            self._ready.set()

    async def _open(self, session: Any) -> None:
        found = await session.initialize()
        self.server = either(found, "server_info", "serverInfo")
        async for tool in _listed(session):
            self.tools[tool.name] = tool
        self._session = session

    def _failure(self, error: BaseException | None) -> SystemFailedError:
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if isinstance(error, RankgateError) and not isinstance(error, SystemFailedError):
            return SystemFailedError(error.problems)
        if isinstance(error, SystemFailedError):
            return error
        if large := self.transport.too_large:
            fix = "raise max_output, or ask for fewer hits"
            return SystemFailedError(Code.ANSWER_TOO_LARGE(self._where, large, "less", fix))
        words = hidden(self.transport.last_words())
        if not self.dead and error is not None:
            return SystemFailedError(Code.WRONG_ANSWER(self._where, told(error), "an answer"))
        said = "; ".join(filter(None, (words, "" if error is None else told(error))))
        found = f"a server that is gone ({said or 'without a word'})"
        return RetriableError(Code.NO_CONNECTION(self._where, found, "an answer"))


class Client:
    """Calls tools of one server, in time; where the server has died, each call starts it once more.

    A server that is late and does not answer a ping either is as good as dead: it is ended and started anew.
    A start that outlasts a call goes on, so that a later call finds the server ready.
    """

    def __init__(self, open_transport: Callable[[], Transport], where: str, start_seconds: float) -> None:
        self._open_transport = open_transport
        self._where = where
        self._start_seconds = start_seconds
        self._connection: Connection | None = None
        self._starting: asyncio.Task[Connection] | None = None
        self._noise_before = 0
        self.closed = False
        """True once nothing is asked any more."""
        self.hung = 0
        """How often the server was given up because it did not answer any more."""

    @property
    def noise(self) -> int:
        """How many lines of the server were no messages, over all its starts."""
        return self._noise_before + (self._connection.transport.noise if self._connection else 0)

    async def alive(self) -> Connection:
        """Return the connection; where there is none, or the server has died, start it.

        Raises:
            SystemFailedError: where it does not start in time.
        """
        if self.closed:
            raise closed_error(self._where)
        if self._starting is None or (self._starting.done() and not self._is_alive()):
            self._starting = asyncio.create_task(self._start())
            self._starting.add_done_callback(_seen)
        return await asyncio.shield(self._starting)

    async def call(self, tool: str, arguments: Mapping[str, object], seconds: float) -> Any:
        """Call a tool and give its result.

        Raises:
            SystemFailedError: for whatever is no result; `TimedOutError` where there is none in time.
        """
        connection = None
        try:
            async with asyncio.timeout(seconds):
                connection = await self.alive()
                return await connection.call(tool, arguments)
        except TimedOutError:
            raise
        except TimeoutError:
            if connection is not None and not connection.dead:
                await self._look_after(connection, min(_PING, seconds / 2))
            raise self._late(seconds, "" if connection else "it is starting") from None

    async def close(self) -> None:
        """End the server."""
        self.closed = True
        if self._starting is not None and not self._starting.done():
            self._starting.cancel()
            await asyncio.wait({self._starting}, timeout=_STOPPED)
        if self._connection is not None:
            await self._connection.stop()

    async def _look_after(self, connection: Connection, seconds: float) -> None:
        """See whether a server that was late is worth another call."""
        if connection.transport.opens_cheaply:
            connection.dead = True
        elif not await connection.answers(seconds) and not connection.dead:
            connection.dead = True
            self.hung += 1

    def _is_alive(self) -> bool:
        return self._connection is not None and not self._connection.dead

    async def _start(self) -> Connection:
        if self._connection is not None:
            await self._connection.stop(hurry=True)
            self._noise_before = self.noise
        connection = self._connection = Connection(self._open_transport(), self._where)
        try:
            async with asyncio.timeout(self._start_seconds):
                await connection.start()
        except TimeoutError:
            raise self._late(self._start_seconds, "") from None
        return connection

    def _late(self, seconds: float, why: str) -> TimedOutError:
        words = self._connection.transport.last_words() if self._connection is not None else ""
        said = "; ".join(part for part in (why, hidden(words)) if part)
        found = f"no answer after {seconds:g} s" + (f" ({said})" if said else "")
        fix = "raise timeout, or look why it hangs"
        return TimedOutError(Problem(self._where, found, "an answer", fix))


def _seen(task: asyncio.Task[Connection]) -> None:
    # A start that fails when no call waits for it any more is told by the next call's own start.
    if not task.cancelled():
        task.exception()


def either(found: object, *names: str) -> Any:
    """Take an attribute under whichever of its names it has; the SDK changed them."""
    for name in names:
        with contextlib.suppress(AttributeError):
            return getattr(found, name)
    return None


def _code(error: BaseException) -> int | None:
    code = getattr(getattr(error, "error", None), "code", None)
    return code if isinstance(code, int) else None


async def _listed(session: Any) -> AsyncIterator[Any]:
    """Go through all pages of the list of tools; a list without an end is cut."""
    from mcp.types import PaginatedRequestParams

    by_cursor = "params" not in inspect.signature(session.list_tools).parameters
    found = await session.list_tools()
    for _ in range(_PAGES):
        for tool in found.tools:
            yield tool
        cursor = either(found, "next_cursor", "nextCursor")
        if not cursor:
            return
        if by_cursor:
            found = await session.list_tools(cursor)
        else:
            found = await session.list_tools(params=PaginatedRequestParams(cursor=cursor))
