"""Text files as bytes that are known to be UTF-8, with a line feed alone at the ends of lines."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from rankgate.errors import Problem
from rankgate.files.compressed import LIMIT, read_bytes
from rankgate.files.problems import Problems

if TYPE_CHECKING:
    from pathlib import Path

_BOM = codecs.BOM_UTF8
_CHUNK = 1 << 24


def read_text(path: str | Path, *, limit: int | None = LIMIT) -> bytes:
    """Read a text file, without its byte order mark and with a line feed alone at the ends of lines.

    Raises:
        FormatError: naming the lines that are not UTF-8 or hold a NUL byte.
    """
    data = read_bytes(path, limit=limit).removeprefix(_BOM)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if b"\0" in data or not _is_utf8(data):
        _refuse(data, str(path))
    return data


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    # Decoded in pieces, so that the text is never in memory a second time.
    decoder = codecs.getincrementaldecoder("utf-8")()
    view = memoryview(data)
    try:
        for start in range(0, len(data), _CHUNK):
            decoder.decode(view[start : start + _CHUNK])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _refuse(data: bytes, path: str) -> None:
    problems = Problems(path)
    for number, line in enumerate(data.split(b"\n"), 1):
        if b"\0" in line:
            fix = "the file is binary, or UTF-16: save it as UTF-8"
            problems.add(Problem(f"{path}:{number}", "a NUL byte", "UTF-8 text", fix))
            continue
        try:
            line.decode()
        except UnicodeDecodeError as error:
            found = f"byte 0x{line[error.start]:02x}, which is not UTF-8"
            problems.add(Problem(f"{path}:{number}", found, "UTF-8 text", "save the file as UTF-8"))
    problems.refuse()
