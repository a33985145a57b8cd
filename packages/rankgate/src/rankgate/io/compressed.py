"""Files that may be compressed, with gzip or Zstandard, and how much a packed file may become.

A file that is read tells by its first bytes, a file that is written by its name.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import sys
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from rankgate.errors import Code, FormatError, InputError
from rankgate.io.atomic import replacing

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LIMIT = 1 << 33
"""The largest file, uncompressed, unless the caller says otherwise: 8 GiB."""
RATIO = 50
"""How many times its size a file may become, once it is past `FLOOR`: text becomes 5 to 20 times as large."""
FLOOR = 1 << 25
"""How many bytes any file may become: 32 MiB, of which a table takes up to 1 GiB."""
VARIABLE = "RANKGATE_MAX_UNPACKED"
"""The variable that says how many bytes a packed file may become, whatever its size."""
_SIZE = re.compile(r"(\d+)\s*([kMGT]?)i?B?")
_UNITS = {"": 1, "k": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_CHUNK = 1 << 22


def largest_unpacked(packed: int, floor: int = FLOOR, ratio: int = RATIO) -> int:
    """Return how many bytes a file of so many may become: what `VARIABLE` says, or a multiple of its size.

    Raises:
        InputError: for a variable that is no size.
    """
    said = os.environ.get(VARIABLE)
    if not said:
        return max(floor, ratio * packed)
    size = _SIZE.fullmatch(said.strip())
    if size is None:
        raise InputError(Code.WRONG_VALUE(VARIABLE, repr(said), "a number of bytes, such as 500M or 20G"))
    return int(size[1]) * _UNITS[size[2]]


def too_large(where: str, limit: int) -> FormatError:
    """Return the error that refuses a file which becomes more than it may."""
    fix = f"where the file is to be trusted, set {VARIABLE} to what it may become, such as 20G"
    return FormatError(
        Code.TOO_LARGE(where, f"more than {limit} bytes", f"at most {limit}, uncompressed", fix)
    )


def read_bytes(path: str | Path, *, limit: int | None = LIMIT) -> bytes:
    """Read a file, uncompressed if it is compressed.

    Args:
        path: The file.
        limit: The largest size in bytes, uncompressed; None for any.

    Raises:
        InputError: for a file that cannot be read.
        FormatError: for a file that is too large, and for a compressed file that is damaged.
    """
    with _reading(path, limit) as stream:
        if isinstance(stream, io.FileIO):
            return stream.readall()
        return b"".join(_chunks(stream, path, limit))


def read_chunks(path: str | Path, *, limit: int | None = LIMIT) -> Iterator[bytes]:
    """Iterate over a file in pieces of a few megabytes, uncompressed if it is compressed.

    Raises:
        InputError: for a file that cannot be read.
        FormatError: for a file that is too large, and for a compressed file that is damaged.
    """
    with _reading(path, limit) as stream:
        yield from _chunks(stream, path, limit)


def _chunks(stream: IO[bytes], path: str | Path, limit: int | None) -> Iterator[bytes]:
    size = 0
    if limit is not None and not isinstance(stream, io.FileIO):
        limit = _limit(path, limit)
    while chunk := stream.read(_CHUNK):
        size += len(chunk)
        if limit is not None and size > limit:
            raise too_large(str(path), limit)
        yield chunk


def _limit(path: str | Path, limit: int) -> int:
    """Return what a compressed file may become: what the caller said, or less for a small file."""
    largest = largest_unpacked(Path(path).stat().st_size)
    # A person who names a size means it, unless the caller has a limit of its own.
    return largest if limit == LIMIT and os.environ.get(VARIABLE) else min(limit, largest)


def read_start(path: str | Path, size: int = 4096) -> bytes:
    """Read the first bytes of a file, uncompressed if it is compressed.

    Raises:
        InputError: for a file that cannot be read.
        FormatError: for a compressed file that is damaged.
    """
    with _reading(path) as stream:
        return stream.read(size)


def write_text(path: str | Path, chunks: Iterable[bytes | str]) -> None:
    """Write text as UTF-8, compressed if the name ends in ``.gz`` or ``.zst``, whole or not at all."""
    path = Path(path)
    with replacing(path) as aside, aside.open("xb") as file, _compressing(file, path.suffix) as stream:
        for chunk in chunks:
            stream.write(chunk.encode() if isinstance(chunk, str) else chunk)


def _compressing(file: IO[bytes], suffix: str) -> IO[bytes]:
    if suffix == ".gz":
        # Without a time and a name in the header, equal content gives equal bytes.
        return cast(
            "IO[bytes]", gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=6, mtime=0)
        )
    if suffix == ".zst":
        return cast("IO[bytes]", zstd.ZstdFile(file, "wb"))
    return file


@contextmanager
def _reading(path: str | Path, limit: int | None = None) -> Iterator[IO[bytes]]:
    try:
        mode = Path(path).stat().st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # a pipe or a device may never end
            said = f"{path}: this is not a regular file. Write the data to a file."
            raise InputError(Code.UNREADABLE_FILE(str(path), "not a regular file", "a file", "", said))
        file = Path(path).open("rb", buffering=0)  # noqa: SIM115 - closed below; only the opening is meant here
    except OSError as error:
        found = (error.strerror or str(error)).lower()
        raise InputError(Code.UNREADABLE_FILE(str(path), found, "a file that can be read")) from error
    with file:
        start = file.read(4)
        file.seek(0)
        if start.startswith(_GZIP):
            kind, stream = "gzip", cast("IO[bytes]", gzip.GzipFile(fileobj=file))
        elif start.startswith(_ZSTD):
            kind, stream = "Zstandard", cast("IO[bytes]", zstd.ZstdFile(file))
        else:
            kind, stream = "plain", cast("IO[bytes]", file)
            size = os.fstat(file.fileno()).st_size
            if limit is not None and size > limit:
                said = f"{path}: the file has {size:,} bytes, more than the limit of {limit:,}. Split it."
                raise FormatError(Code.TOO_LARGE(str(path), f"{size:,} bytes", "", "", said))
        try:
            yield stream
        except (OSError, EOFError, zlib.error, zstd.ZstdError) as error:
            fix = "the file is cut off or damaged; fetch it again"
            found = f"bad {kind} data ({error})"
            raise FormatError(Code.DAMAGED_FILE(str(path), found, f"whole {kind} data", fix)) from error
