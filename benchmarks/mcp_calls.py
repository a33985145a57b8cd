"""`just bench-mcp`: what asking an MCP server through rankgate costs beside the SDK's own session.

A server of the tests, over standard input and output, which answers at once or after 20 ms. The bare side is
one session of the SDK that calls the tool for one query after another, or for 16 at once, and keeps a list of
the answers; rankgate asks with 1 and with 16 threads over one session, and has the run on the disk. The two
take turns; best and median of the rounds as in `running.py`. ``--rounds 7`` takes so many.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import threading
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contenders import Rankgate, asked, ratios
from rankgate.systems.mcp.opener import open_mcp
from support.repository import SUPPORT

if TYPE_CHECKING:
    from contenders import Answer, Contenders

FOLDER = Path(__file__).parent.parent / ".benchmarks" / "mcp"
SERVER = str(SUPPORT / "mcp_handbook_server.py")
QUERIES = 200
ROUNDS = 41


class BareSession:
    """One session of the SDK, on a loop of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._ended = asyncio.Event()
        self._session: Any = None
        ready = threading.Event()
        self._kept = asyncio.run_coroutine_threadsafe(self._keep(ready), self._loop)
        ready.wait()

    async def _keep(self, ready: threading.Event) -> None:
        from mcp import ClientSession, StdioServerParameters
        from mcp.client.stdio import stdio_client

        async with AsyncExitStack() as stack:
            program = StdioServerParameters(command=sys.executable, args=[SERVER])
            read, write = await stack.enter_async_context(stdio_client(program))
            self._session = await stack.enter_async_context(ClientSession(read, write))
            await self._session.initialize()
            ready.set()
            await self._ended.wait()

    def close(self) -> None:
        """End the server and the loop."""
        self._loop.call_soon_threadsafe(self._ended.set)
        self._kept.result()
        self._loop.call_soon_threadsafe(self._loop.stop)

    def ask_all(self, texts: list[str], seconds: float, at_once: int) -> list[Answer]:
        """Call the tool for every text."""
        return asyncio.run_coroutine_threadsafe(self._ask_all(texts, seconds, at_once), self._loop).result()

    async def _ask_all(self, texts: list[str], seconds: float, at_once: int) -> list[Answer]:
        turns = asyncio.Semaphore(at_once)

        async def ask(text: str) -> Answer:
            async with turns:
                found = await self._session.call_tool("together", {"query": text, "seconds": seconds})
            content = getattr(found, "structured_content", None) or found.structuredContent
            hits: Answer = content["hits"]
            return hits

        return await asyncio.gather(*map(ask, texts))


@dataclass(frozen=True, slots=True)
class Bare:
    """Asks a session of the SDK."""

    session: BareSession
    texts: list[str]
    seconds: float
    at_once: int

    def __call__(self) -> list[Answer]:
        """Ask everything."""
        return self.session.ask_all(self.texts, self.seconds, self.at_once)


def main() -> None:
    """Measure and print."""
    rounds = int(sys.argv[sys.argv.index("--rounds") + 1]) if "--rounds" in sys.argv else ROUNDS
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    texts = [f"word{number}" for number in range(QUERIES)]
    session = BareSession()
    for seconds in (0.0, 0.02):
        arguments = {"query": "{query}", "seconds": seconds}
        fields = {name: name for name in ("path", "start", "end", "score")}
        system = open_mcp(
            "handbook",
            {
                "command": [sys.executable, SERVER],
                "tool": "together",
                "arguments": arguments,
                "hits": "hits",
                "fields": fields,
            },
        )
        for threads in (1, 16):
            print(f"MCP: {QUERIES} queries, {seconds * 1000:g} ms each, at once: {threads}; {rounds} rounds")
            contenders: Contenders = {
                "the SDK's session": Bare(session, texts, seconds, threads),
                "rankgate": Rankgate(system, asked(texts, 10), FOLDER, threads=threads),
            }
            print(f"  rate {1 / ratios(contenders, rounds)['rankgate']:.3f} of the bare session's")
        system.close()
    session.close()
    shutil.rmtree(FOLDER)


if __name__ == "__main__":
    main()
