"""A server whose every byte a test decides."""

from __future__ import annotations

import re
import socket
import ssl
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path
    from typing import TypeAlias

    Answer: TypeAlias = Callable[[bytes], Iterable[bytes]]

PLAIN = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nplain"


class Scripted:
    """A server that answers each request by a function of its bytes, which gives the pieces that are sent."""

    def __init__(self, answer: Answer, *, closes: bool = False, pem: Path | None = None) -> None:
        self.answer, self.closes = answer, closes
        self._tls = None
        if pem is not None:
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._tls.load_cert_chain(pem)
        self.requests: list[bytes] = []
        self.connections = 0
        self._listening = socket.create_server(("127.0.0.1", 0))
        scheme = "https" if self._tls else "http"
        self.url = f"{scheme}://127.0.0.1:{self._listening.getsockname()[1]}/search"
        self._open: list[socket.socket] = []
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def close(self) -> None:
        # Closed alone, it would leave the thread waiting that accepts.
        self._listening.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self._listening.close()
        self.drop()

    def wait_until_closed(self) -> None:
        """Wait until every connection is closed: a request on one that is about to be may be lost."""
        end = time.monotonic() + 10
        while self._open and time.monotonic() < end:
            time.sleep(0.001)

    @property
    def open_connections(self) -> int:
        """How many connections are open."""
        return len(self._open)

    def drop(self) -> None:
        """Close every connection."""
        while self._open:
            with self._open.pop() as one, suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connections += 1
            self._open.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, plain: socket.socket) -> None:
        connection = plain
        try:
            if self._tls is not None:
                connection = self._tls.wrap_socket(plain, server_side=True)
            while request := self._request(connection):
                self.requests.append(request)
                pieces = self.answer(request)
                for number, piece in enumerate(pieces):
                    if number:
                        time.sleep(0.002)
                    connection.sendall(piece)
                if self.closes and pieces != [PLAIN]:
                    return
        except (OSError, ValueError):
            return
        finally:
            connection.close()
            with suppress(ValueError):
                self._open.remove(plain)

    def _request(self, connection: socket.socket) -> bytes:
        data = b""
        while b"\r\n\r\n" not in data:
            if not (piece := connection.recv(1 << 16)):
                return b""
            data += piece
        length = re.search(rb"(?i)content-length: (\d+)", data)
        while length and len(data) < data.index(b"\r\n\r\n") + 4 + int(length[1]):
            data += connection.recv(1 << 16)
        return data


@contextmanager
def scripted(answer: Answer, *, closes: bool = False, pem: Path | None = None) -> Iterator[Scripted]:
    """Start one; with the key and the certificate in `pem` it speaks TLS."""
    server = Scripted(answer, closes=closes, pem=pem)
    try:
        yield server
    finally:
        server.close()
