"""Archives made by hand: every header says what a test wants it to say."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import zipfile
from typing import TYPE_CHECKING

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

BLOCK = 512
END = bytes(2 * BLOCK)
COMPRESSIONS: Mapping[str, Callable[[bytes], bytes]] = {
    "tar": bytes,
    "tar.gz": lambda data: gzip.compress(data, mtime=0),
    "tar.bz2": bz2.compress,
    "tar.xz": lzma.compress,
    "tar.zst": zstd.compress,
}
"""How a tar may be compressed, by the usual ending."""


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % BLOCK)


def header(
    name: str | bytes,
    size: int | bytes = 0,
    kind: bytes = b"0",
    link: str = "",
    magic: bytes = b"ustar\x0000",
    prefix: bytes = b"",
) -> bytes:
    """Make one header of a tar; its checksum is right."""
    encoded = name if isinstance(name, bytes) else name.encode()
    length = size if isinstance(size, bytes) else b"%011o\0" % size
    block = bytearray(BLOCK)
    block[0 : len(encoded)] = encoded
    block[100:108] = b"0004755\0"
    block[124:136] = length.ljust(12, b"\0")[:12]
    block[148:156] = b" " * 8
    block[156:157] = kind
    block[157 : 157 + len(link)] = link.encode()
    block[257 : 257 + len(magic)] = magic
    block[345 : 345 + len(prefix)] = prefix
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block[:BLOCK])


def member(name: str | bytes, data: bytes = b"text\n", kind: bytes = b"0", link: str = "") -> bytes:
    """Make one member of a tar, header and content."""
    return header(name, len(data), kind, link) + padded(data)


def pax(records: Mapping[str, str | bytes], kind: bytes = b"x") -> bytes:
    """Make an extended header."""
    lines = b""
    for key, value in records.items():
        rest = b" " + key.encode() + b"=" + (value if isinstance(value, bytes) else value.encode()) + b"\n"
        length = len(rest) + 1
        while len(rest) + len(str(length)) != length:
            length = len(rest) + len(str(length))
        lines += str(length).encode() + rest
    return member("pax", lines, kind)


def tar_of(*members: bytes) -> bytes:
    return b"".join(members) + END


def tar_with(files: Mapping[str, bytes | str]) -> bytes:
    contents = {name: data.encode() if isinstance(data, str) else data for name, data in files.items()}
    return tar_of(*(member(name, data) for name, data in contents.items()))


def zip_with(files: Mapping[str, bytes | str], mode: int = 0, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Make a zip; `mode` says what the files are, such as links."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            info.create_system = 3
            info.compress_type = method
            archive.writestr(info, data)
    return out.getvalue()
