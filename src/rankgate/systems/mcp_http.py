"""An MCP server behind a URL: the SDK's streamable HTTP, with a size that no answer may pass."""

from __future__ import annotations

import asyncio
import inspect
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rankgate.errors import Problem, SystemFailedError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

_SECONDS = 30.0


class HttpTransport:
    """One connection to a server."""

    noise = 0
    opens_cheaply = True

    def __init__(self, url: str, headers: Mapping[str, str], max_body: int) -> None:
        self._url = url
        self._headers = dict(headers)
        self._max_body = max_body
        self.too_large = ""
        """What was too large, where something was."""
        self.ended = asyncio.Event()
        """Never set: a lost connection shows in the next request."""
        self.hurry = False
        """True where the session is left without telling the server."""

    def last_words(self) -> str:
        """Say nothing: what a server behind a URL says beside its answers is its own."""
        return ""

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
            raise SystemFailedError(Problem("answer", "packed", "one as it is"))
        stream, limit = response.stream, self._max_body
        parts = stream.__aiter__

        async def counted() -> AsyncIterator[bytes]:
            size = 0
            async for chunk in parts():
                size += len(chunk)
                if size > limit:
                    self.too_large = f"more than {limit:,} bytes"
                    raise SystemFailedError(Problem("answer", self.too_large, "less"))
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
