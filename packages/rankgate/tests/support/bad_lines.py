"""A bad line to the server of a store: busy servers, cut connections, lost replies, listings of before."""

from __future__ import annotations

import http.client
import random
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.s3_servers import S3Server

_Reply: TypeAlias = tuple[int, list[tuple[str, str]], bytes]
_BUSY: _Reply = (503, [], b"<Error><Code>SlowDown</Code></Error>")
_OWN_HEADERS = ("content-length", "transfer-encoding", "connection")


@dataclass
class BadLine:
    """How a line to a server behaves."""

    refused: float = 0.0
    """The share of requests that a busy server refuses, without having done anything."""
    unheard: float = 0.0
    """The share whose connection is cut before the server has heard of them."""
    unanswered: float = 0.0
    """The share that the server does, and whose reply is lost."""
    cut: float = 0.0
    """The share whose reply is cut in the middle."""
    stale_lists: bool = False
    """True where a listing is what it was when it was first asked for."""
    seed: int = 0
    """What the faults are drawn by."""
    faults: dict[str, int] = field(default_factory=dict)
    """How many of each there were."""
    requests: int = 0
    """How many requests there were."""
    listings: dict[str, _Reply] = field(default_factory=dict)
    """What listings were when they were first asked for."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def draw(self, chance: random.Random) -> str:
        """Return the fault of one request; nothing for none."""
        with self._lock:
            self.requests += 1
            drawn, name = chance.random(), ""
            for name in ("refused", "unheard", "unanswered", "cut", ""):
                drawn -= getattr(self, name) if name else 0
                if drawn < 0:
                    break
            if name:
                self.faults[name] = self.faults.get(name, 0) + 1
            return name


class _Relay(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, to: S3Server, line: BadLine) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.to, self.line, self.chance = urlsplit(to.url), line, random.Random(line.seed)

    def handle_error(self, *_: Any) -> None:
        pass


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Relay

    def do_GET(self) -> None:
        self._relay()

    def do_PUT(self) -> None:
        self._relay()

    def do_HEAD(self) -> None:
        self._relay()

    def do_POST(self) -> None:
        self._relay()

    def do_DELETE(self) -> None:
        self._relay()

    def log_message(self, *_: object) -> None:
        pass

    def _relay(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = self.server.line.draw(self.server.chance)
        if fault == "refused":
            self._send(_BUSY)
        elif fault == "unheard":
            self._hang_up()
        else:
            reply = self._reply(body)
            if fault != "unanswered":
                self._send(reply, len(reply[2]) // 2 if fault == "cut" else None)
            if fault:
                self._hang_up()

    def _reply(self, body: bytes) -> _Reply:
        line = self.server.line
        if not (line.stale_lists and self.command == "GET" and "list-type=2" in self.path):
            return self._asked(body)
        if self.path not in line.listings:
            line.listings[self.path] = self._asked(body)
        return line.listings[self.path]

    def _asked(self, body: bytes) -> _Reply:
        to = self.server.to
        upstream = http.client.HTTPConnection(to.hostname or "", to.port, timeout=60)
        try:
            upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                upstream.putheader(name, value)
            upstream.endheaders(body)
            reply = upstream.getresponse()
            return reply.status, reply.getheaders(), reply.read()
        finally:
            upstream.close()

    def _send(self, reply: _Reply, sent: int | None = None) -> None:
        status, headers, data = reply
        self.send_response_only(status)
        said = [value for name, value in headers if name.lower() == "content-length"]
        for name, value in headers:
            if name.lower() not in _OWN_HEADERS:
                self.send_header(name, value)
        self.send_header("Content-Length", said[0] if self.command == "HEAD" and said else str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data[:sent])

    def _hang_up(self) -> None:
        self.close_connection = True
        self.wfile.flush()
        with suppress(OSError):
            self.connection.shutdown(2)


@contextmanager
def bad_line(server: S3Server, line: BadLine) -> Iterator[S3Server]:
    """Serve what a server serves, over a line that behaves badly."""
    relay = _Relay(server, line)
    thread = threading.Thread(target=relay.serve_forever, daemon=True)
    thread.start()
    try:
        yield replace(server, url=f"http://127.0.0.1:{relay.server_address[1]}")
    finally:
        relay.shutdown()
        relay.server_close()
        thread.join()
