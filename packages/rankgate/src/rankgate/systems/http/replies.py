"""What a connection says, as `http.client` reads it; more of it than the answer is noted."""

from __future__ import annotations

import io
from typing import Any


def has_unread(connected: Any) -> bool:
    """Check whether TLS has unpacked bytes that nobody has read, which no socket shows any more."""
    # TLS to a server inside TLS to a proxy is no socket, and has not all that one has.
    pending = getattr(getattr(connected, "sslobj", connected), "pending", None)
    return pending is not None and pending() > 0


class Reply(io.RawIOBase):
    """What a connection says, from the start of an answer, of which some may be read already."""

    def __init__(self, data: bytes, connection: Any) -> None:
        """Begin with `data`; where more comes than the answer, `connection.surplus` is set."""
        super().__init__()
        self._data, self._connection = memoryview(data), connection
        self._rest: Any = connection.sock and connection.sock.makefile("rb", buffering=0)
        self._ended = False

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int | None:
        """Read what is there already, then from the connection."""
        if not self._data:
            return 0 if self._ended else self._rest.readinto(buffer)
        size = min(len(buffer), len(self._data))
        buffer[:size], self._data = self._data[:size], self._data[size:]
        return size

    def end(self, reader: io.BufferedReader) -> None:
        """Note whether something is left, without waiting for more of it."""
        self._ended = True
        if reader.peek(1):
            self._connection.surplus = True

    def close(self) -> None:
        """Let the connection go."""
        self._rest.close()
        super().close()

    def makefile(self, _mode: str) -> io.BufferedReader:
        """Return what `http.client` reads of a socket, and closes at the end of the answer."""
        return _Reader(self)


class _Reader(io.BufferedReader):
    raw: Reply

    def close(self) -> None:
        if not self.closed:
            self.raw.end(self)
        super().close()
