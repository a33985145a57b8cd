"""A real HTTP server on this machine that answers from the books of whatever state is under test."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from verdicts.project import served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verdicts.state import State


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def do_GET(self) -> None:
        asked = parse_qs(urlsplit(self.path).query)
        self._answer(asked["q"][0], int(asked["k"][0]), asked.get("mode", [None])[0])

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._answer(body["q"], int(body["k"]), body["mode"])

    def log_message(self, *_: object) -> None:
        pass

    def _answer(self, query: str, k: int, mode: str | None) -> None:
        state = self.server.state
        if state is None:
            return
        status, value = served(state, mode or urlsplit(self.path).path.strip("/"), query, k)
        if not status:
            time.sleep(float(str(value)))
            self.close_connection = True
            return
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    """The server; `state` is what it answers from."""

    daemon_threads = True
    state: State | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Let a client go that did not wait."""


@contextmanager
def serving() -> Iterator[Server]:
    """Serve until the end of the block."""
    with Server(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
