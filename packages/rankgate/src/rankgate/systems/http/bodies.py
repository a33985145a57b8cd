"""The body of an answer: unpacked, of a bounded size, or the start of it for an error."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import urllib3

from rankgate.errors import Code, SystemFailedError
from rankgate.systems.adapter.failures import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from urllib3 import BaseHTTPResponse

_CHUNK = 1 << 16
_ERROR_SHOWN = 2000


def read_body(response: BaseHTTPResponse, limit: int, where: str) -> bytes:
    """Read an answer to its end, unpacked, and no further than the limit; then its connection is free again.

    Raises:
        SystemFailedError: for one that is larger, or packed in a way that was not asked for.
    """
    packing = response.headers.get("Content-Encoding", "").strip().lower()
    length = response.headers.get("Content-Length", "")
    if length.isdecimal() and (len(length) > 18 or int(length) > limit):
        raise _too_large(limit, where)
    data = joined_body(response.stream(_CHUNK, decode_content=False), packing, limit, where)
    response.release_conn()
    return data


def joined_body(chunks: Iterable[bytes], packing: str, limit: int, where: str) -> bytes:
    """Put the pieces of an answer together, unpacked, and no further than the limit.

    Raises:
        SystemFailedError: for one that is larger, or packed in a way that was not asked for.
    """
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


def start_of(response: BaseHTTPResponse) -> str:
    """Return the start of an answer, for an error; the status is told even where that cannot be read.

    Where more follows it ends with "…", by which the start of a secret that was cut is known.
    """
    packing = response.headers.get("Content-Encoding", "").strip().lower()
    try:
        said = response.read(_ERROR_SHOWN + 1, decode_content=False)
        if "gzip" in packing:
            said = zlib.decompressobj(wbits=31).decompress(said, _ERROR_SHOWN + 1)
        elif packing not in {"", "identity"}:
            return ""
    except (urllib3.exceptions.HTTPError, zlib.error, OSError, ValueError):
        return ""
    cut = "…" if len(said) > _ERROR_SHOWN else ""
    return said[:_ERROR_SHOWN].decode(errors="replace") + cut
