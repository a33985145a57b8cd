"""HTTP servers on this machine, in a thread: one that answers well, and every way of answering badly."""

from __future__ import annotations

import gzip
import json
import socket
import ssl
import struct
import threading
import time
import zlib
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ANSWER = {"found": [{"doc": {"name": "a"}, "s": 2.0}, {"doc": {"name": "b"}, "s": 1.0}]}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def log_message(self, *_: object) -> None:
        pass

    def _answer(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        parts = urlsplit(self.path)
        asked = {
            "method": self.command,
            "path": unquote(parts.path),
            "params": parse_qs(parts.query),
            "headers": dict(self.headers),
            "body": json.loads(body) if body else None,
        }
        with self.server.lock:
            self.server.asked.append(asked)
        name, _, rest = parts.path.strip("/").partition("/")
        try:
            getattr(self, f"at_{name.replace('-', '_')}", self.at_search)(rest)
        except OSError:
            self.close_connection = True

    def reply(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for header, value in headers.items():
            self.send_header(header.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def at_search(self, _: str) -> None:
        answer = self.server.answer
        found = answer(self.server.asked[-1]) if callable(answer) else answer
        self.reply(json.dumps(found).encode(), Content_Type="application/json")

    def at_by_query(self, _: str) -> None:
        """Do what the first word of the query says."""
        deed = parse_qs(urlsplit(self.path).query)["q"][0].split()[0]
        getattr(self, f"at_{deed.replace('-', '_')}")("")

    def at_broken(self, _: str) -> None:
        self.reply(b"out of order", 500)

    def at_limited(self, _: str) -> None:
        self.reply(b"too many", 429)

    def at_limited_for_a_second(self, _: str) -> None:
        self.reply(b"too many", 429, Retry_After="1")

    def at_limited_for_an_hour(self, _: str) -> None:
        self.reply(b"too many", 429, Retry_After="3600")

    def at_busy_once(self, _: str) -> None:
        """Answer whoever asks the same a second time."""
        with self.server.lock:
            params = [one["params"] for one in self.server.asked]
        if params.count(parse_qs(urlsplit(self.path).query)) == 1:
            self.reply(b"starting", 503)
        else:
            self.at_search("")

    def at_packed(self, _: str) -> None:
        self.reply(gzip.compress(json.dumps(ANSWER).encode()), Content_Encoding="gzip")

    def at_status(self, code: str) -> None:
        self.reply(b'{"error": "out of order"}', int(code), **self.server.headers)

    def at_drop(self, _: str) -> None:
        self.close_connection = True

    def at_reset(self, _: str) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def at_stall(self, _: str) -> None:
        self.server.ended.wait(30)

    def at_drip(self, _: str) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        self._until_the_end(b" ")

    def at_drip_without_length(self, _: str) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        self._until_the_end(b" ")

    def at_drip_chunks(self, _: str) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        self._until_the_end(b"1\r\n \r\n")

    def _until_the_end(self, piece: bytes) -> None:
        while not self.server.ended.wait(0.05):
            self.wfile.write(piece)

    def at_truncated(self, _: str) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n[]")
        self.close_connection = True

    def at_truncated_chunks(self, _: str) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n[")
        self.close_connection = True

    def at_wrong_chunks(self, _: str) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n[]")
        self.close_connection = True

    def at_garbage(self, _: str) -> None:
        self.wfile.write(b"\x00\x01\x02 no such protocol\r\n\r\n")
        self.close_connection = True

    def at_long_header(self, _: str) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 10_000_000)
        self.close_connection = True

    def at_no_json(self, _: str) -> None:
        self.reply(b"<html>welcome</html>")

    def at_nothing(self, _: str) -> None:
        self.reply(b"", 204)

    def at_deep(self, _: str) -> None:
        self.reply(b"[" * 1_000_000)

    def at_latin1(self, _: str) -> None:
        self.reply('["größe"]'.encode("latin-1"), Content_Type="application/json; charset=iso-8859-1")

    def at_large(self, _: str) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
        for _chunk in range(100):
            self.wfile.write(b" " * 1_000_000)

    def at_endless(self, _: str) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        while not self.server.ended.is_set():
            self.wfile.write(b" " * 1_000_000)

    def at_bomb(self, _: str) -> None:
        packer = zlib.compressobj(9, wbits=31)
        start = packer.compress(b"[") + packer.flush(zlib.Z_FULL_FLUSH)
        block = packer.compress(b" " * 1_000_000) + packer.flush(zlib.Z_FULL_FLUSH)
        self.reply(start + block * 1000, Content_Encoding="gzip")

    def at_gzip_and_more(self, _: str) -> None:
        start = gzip.compress(json.dumps(ANSWER).encode())
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n" + start)
        while not self.server.ended.is_set():
            self.wfile.write(b" " * 1_000_000)

    def at_no_gzip(self, _: str) -> None:
        self.reply(b"[]", Content_Encoding="gzip")

    def at_half_gzip(self, _: str) -> None:
        self.reply(gzip.compress(json.dumps(ANSWER).encode())[:-9], Content_Encoding="gzip")

    def at_brotli(self, _: str) -> None:
        self.reply(b"[]", Content_Encoding="br")

    def at_moved(self, code: str) -> None:
        self.reply(b"", int(code), Location="/search?token=t0k3n")

    def at_away(self, _: str) -> None:
        self.reply(b"", 302, Location="http://other.invalid/search?token=t0k3n")

    def at_around(self, _: str) -> None:
        self.reply(b"", 307, Location="/around")

    def at_nowhere(self, _: str) -> None:
        self.reply(b"", 302, Location="http://[")


class Server(ThreadingHTTPServer):
    """The server, with what it was asked."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.lock = threading.Lock()
        self.asked: list[dict[str, Any]] = []
        self.answer: dict[str, object] | list[object] | Callable[[dict[str, Any]], object] = dict(ANSWER)
        self.headers: dict[str, str] = {}
        self.ended = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_: object) -> None:
        """Clients that hang up in the middle are what is tested here."""


@contextmanager
def serving(certificate: Path | None = None) -> Iterator[Server]:
    server = Server()
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def eventually(condition: Callable[[], bool], seconds: float = 10) -> bool:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
