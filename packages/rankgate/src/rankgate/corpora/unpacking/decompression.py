"""A stream of bytes out of a compressed one, told by its first bytes, within bounds of memory."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import sys
import zlib
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, cast

from rankgate.corpora.unpacking.members import refusal
from rankgate.errors import RankgateError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import WriteableBuffer

MEMORY = 1 << 28
"""How much memory an xz stream may ask for: 256 MiB; ``xz -9`` asks for 65."""

CHUNK = 1 << 16
"""How many bytes are read at a time."""

_FETCH_AGAIN = "it is cut off or damaged; fetch it again"


def decompressed(file: IO[bytes]) -> IO[bytes]:
    """Return the content of a gzip, bzip2, xz or Zstandard file; any other file as it is."""
    start = file.read(6)
    file.seek(0)
    if start.startswith(b"\x1f\x8b"):
        return cast(IO[bytes], gzip.GzipFile(fileobj=file))
    if start.startswith(b"BZh"):
        return cast(IO[bytes], bz2.BZ2File(file))
    if start.startswith(b"\xfd7zXZ\0"):
        return io.BufferedReader(_Xz(file), CHUNK)
    if start.startswith(b"\x28\xb5\x2f\xfd"):
        return cast(IO[bytes], zstd.ZstdFile(file))
    return file


@contextmanager
def damage(where: str) -> Iterator[None]:
    """Turn whatever a damaged archive raises while it is read into the error that refuses it."""
    try:
        yield
    except RankgateError:
        raise
    except (EOFError, zlib.error, lzma.LZMAError, zstd.ZstdError, OSError, ArithmeticError) as error:
        raise refusal(where, None, f"bad data ({error})", "a whole archive", _FETCH_AGAIN) from error
    except (ValueError, LookupError, RuntimeError, struct.error) as error:
        raise refusal(where, None, f"a bad header ({error})", "a whole archive", _FETCH_AGAIN) from error


class _Xz(io.RawIOBase):
    """Reads xz; the standard library's own file has no bound of memory."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._held = b""
        self._stream = self._new()

    @staticmethod
    def _new() -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MEMORY)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        while True:
            if self._stream.eof and not self._next_stream():
                return 0
            data = b""
            if self._stream.needs_input:
                data, self._held = self._held or self._file.read(CHUNK), b""
                if not data:
                    raise EOFError("the xz stream is cut off")
            if found := self._stream.decompress(data, len(view)):
                view[: len(found)] = found
                return len(found)

    def _next_stream(self) -> bool:
        """Go on to the next of several streams; zeros may stand between them."""
        rest = self._stream.unused_data.lstrip(b"\0")
        while not rest:
            more = self._file.read(CHUNK)
            if not more:
                return False
            rest = more.lstrip(b"\0")
        self._stream = self._new()
        self._held = rest
        return True
