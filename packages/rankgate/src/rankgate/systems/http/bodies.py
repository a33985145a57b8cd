"""The body of an answer: unpacked, of a bounded size, or the start of it for an error."""

from __future__ import annotations

import time
import zlib
from typing import TYPE_CHECKING

import urllib3

from rankgate.errors import Code, SystemFailedError
from rankgate.systems.adapter.failures import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from urllib3 import BaseHTTPResponse

_CHUNK = 1 << 16
_ERROR_READ = 1 << 16


def read_body(response: BaseHTTPResponse, limit: int, where: str, end: float) -> bytes:
    """Read an answer to its end, unpacked, and no further than the limit; then its connection is free again.

    Args:
        response: The answer.
        limit: The largest number of bytes.
        where: The server, for errors.
        end: When it must have been read, by the monotonic clock.

    Raises:
        SystemFailedError: for one that is larger, or packed in a way that was not asked for.
        TimeoutError: for one that has not ended in time.
    """
    packing = response.headers.get("Content-Encoding", "").strip().lower()
    length = response.headers.get("Content-Length", "")
    if length.isdecimal() and (len(length) > 18 or int(length) > limit):
        raise _too_large(limit, where)
    data = _joined(_pieces(response, end), packing, limit, where)
    response.release_conn()
    return data


def _pieces(response: BaseHTTPResponse, end: float) -> Iterator[bytes]:
    """Read an answer as it arrives; a socket's own time-out starts anew with every byte."""
    while True:
        left = end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        # An answer that ends the connection has let go of it already.
        if (sock := getattr(response.connection, "sock", None)) is not None:
            sock.settimeout(left)
        piece = response.read1(_CHUNK, decode_content=False)
        if not piece:
            return
        yield piece


def _joined(chunks: Iterable[bytes], packing: str, limit: int, where: str) -> bytes:
    if packing not in {"", "identity", "gzip", "x-gzip"}:
        raise SystemFailedError(
            Code.WRONG_ANSWER(where, f"content encoding {printable(packing)!r}", "gzip or none")
        )
    # Pieces, because a buffer that grows is copied on the way and then twice as large.
    pieces, size = [], 0
    for piece in _unpacked(chunks, where) if "gzip" in packing else chunks:
        size += len(piece)
        if size > limit:
            raise _too_large(limit, where)
        pieces.append(piece)
    return b"".join(pieces)


def _too_large(limit: int, where: str) -> SystemFailedError:
    fix = "raise max_body, or ask for fewer hits"
    return SystemFailedError(Code.ANSWER_TOO_LARGE(where, f"more than {limit:,} bytes", "less", fix))


def _unpacked(chunks: Iterable[bytes], where: str) -> Iterator[bytes]:
    """Unpack in small pieces, however well it was packed."""
    unpacking = zlib.decompressobj(wbits=31)
    for chunk in chunks:
        left = chunk
        while left:
            try:
                yield unpacking.decompress(left, _CHUNK)
            except zlib.error:
                raise SystemFailedError(
                    Code.WRONG_ANSWER(where, "what is not gzip", "what Content-Encoding says")
                ) from None
            left = unpacking.unconsumed_tail
        if unpacking.unused_data:
            # What comes after the end would be kept, and may have no end.
            raise SystemFailedError(
                Code.WRONG_ANSWER(where, "more after the end of the gzip data", "a whole answer")
            )
    if not unpacking.eof:
        raise SystemFailedError(Code.WRONG_ANSWER(where, "gzip data without its end", "a whole answer"))


def start_of(response: BaseHTTPResponse) -> bytes:
    """Return the start of an answer, for an error; empty if it cannot be read."""
    packing = response.headers.get("Content-Encoding", "").strip().lower()
    try:
        said = response.read(_ERROR_READ, decode_content=False)
        if "gzip" in packing:
            said = zlib.decompressobj(wbits=31).decompress(said, _ERROR_READ)
        elif packing not in {"", "identity"}:
            return b""
    except (urllib3.exceptions.HTTPError, zlib.error, OSError, ValueError):
        return b""
    return said
