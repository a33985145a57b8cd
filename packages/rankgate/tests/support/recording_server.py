"""A search over HTTP in a process of its own that notes when each query came, and can be told to be busy.

    python -m support.recording_server FILE

It prints its port, answers `?q=…` with hits made of the query, and at its end (SIGTERM) writes what came: a
line ``seconds query`` each. A query that ends with ``busy`` gets 429 and ``Retry-After: 1`` the first time.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote_plus

if TYPE_CHECKING:
    from collections.abc import Iterator

SECOND = 1.0


class _Recorder(asyncio.Protocol):
    """Speaks as much HTTP as a search needs; a request is one line and headers, without a body."""

    came: list[tuple[float, str]]
    refused: set[str]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._held = b""

    def data_received(self, data: bytes) -> None:
        now = time.monotonic()
        self._held += data
        while (end := self._held.find(b"\r\n\r\n")) >= 0:
            line, self._held = self._held[: self._held.index(b"\r\n")], self._held[end + 4 :]
            self._answer(now, line.split(b" ")[1].decode())

    def _answer(self, now: float, target: str) -> None:
        query = unquote_plus(target.partition("?q=")[2])
        self.came.append((now, query))
        if query.endswith(" busy") and query not in self.refused:
            self.refused.add(query)
            head, body = "429 Too Many Requests\r\nRetry-After: 1", b"later"
        else:
            found = [{"id": f"{query} {rank}", "score": 1 / (rank + 1), "text": query} for rank in range(10)]
            head, body = "200 OK\r\nContent-Type: application/json", json.dumps({"found": found}).encode()
        text = f"HTTP/1.1 {head}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
        assert isinstance(self._transport, asyncio.Transport)
        self._transport.write(text)


async def _serve(file: Path) -> None:
    came: list[tuple[float, str]] = []
    kind = type("Recorder", (_Recorder,), {"came": came, "refused": set()})
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, ended.set)
    server = await loop.create_server(kind, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)  # noqa: T201 - for whoever started it
    await ended.wait()
    file.write_text("".join(f"{at:.6f} {query}\n" for at, query in came), encoding="utf-8")


class RecordingServer:
    """A server in a process of its own, and afterwards what came to it."""

    def __init__(self, process: subprocess.Popen[str], file: Path, port: int) -> None:
        self._process, self._file, self.port = process, file, port

    def ended(self) -> list[tuple[float, str]]:
        """End it, and return when each query came, in order."""
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(60)
        lines = self._file.read_text(encoding="utf-8").splitlines()
        return [(float(at), query) for at, _, query in (line.partition(" ") for line in lines)]


@contextmanager
def recording_server(folder: Path) -> Iterator[RecordingServer]:
    """Start one; it is killed at the end where it was not ended before."""
    file = folder / "came.txt"
    program = [sys.executable, "-m", "support.recording_server", str(file)]
    paths = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": paths}
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            yield RecordingServer(process, file, int(process.stdout.readline()))
        finally:
            process.kill()


def most_in_a_second(times: list[float], second: float = SECOND) -> int:
    """Return how many of these times lie in the fullest second, wherever it begins."""
    times = sorted(times)
    first = most = 0
    for last, at in enumerate(times):
        while at - times[first] >= second:
            first += 1
        most = max(most, last - first + 1)
    return most


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1])))
