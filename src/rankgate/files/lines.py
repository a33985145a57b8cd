"""Files read line by line, with no more than a line and a piece of the file in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import FormatError, Problem
from rankgate.files.compressed import LIMIT, read_chunks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LONGEST = 1 << 26
"""How many bytes a line may have: 64 MiB."""


def read_lines(path: str | Path, *, longest: int = LONGEST, limit: int = LIMIT) -> Iterator[bytes]:
    """Go through the lines of a file without their ends, uncompressed if it is compressed.

    Raises:
        InputError: for a file that cannot be read.
        FormatError: for a compressed file that is damaged, or a line or a file that passes its limit.
    """
    number, kept, size = 1, [], 0
    for chunk in read_chunks(path, limit=limit):
        first, *rest = chunk.split(b"\n")
        kept.append(first)
        size += len(first)
        _check(path, number, size, longest)
        if rest:
            yield b"".join(kept)
            yield from _checked(rest[:-1], path, number + 1, longest)
            number += len(rest)
            kept, size = [rest[-1]], len(rest[-1])
            _check(path, number, size, longest)
    if size:
        yield b"".join(kept)


def _checked(lines: list[bytes], path: str | Path, number: int, longest: int) -> Iterator[bytes]:
    for line in lines:
        _check(path, number, len(line), longest)
        yield line
        number += 1


def _check(path: str | Path, number: int, size: int, longest: int) -> None:
    if size > longest:
        found = f"a line of more than {longest} bytes"
        raise FormatError(Problem(f"{path}:{number}", found, f"at most {longest}"))
