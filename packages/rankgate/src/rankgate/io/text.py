"""Text files: whole, as bytes that are known to be UTF-8, or line by line with no more than one in memory."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from rankgate.errors import Code, FormatError, InputError, escaped
from rankgate.io.compressed import LIMIT, read_bytes, read_chunks
from rankgate.io.problems import Problems

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OUTSIDE = "Move it there, or set corpora_outside = true in rankgate.toml."
"""The fix for a path outside the project."""
LONGEST = 1 << 26
"""How many bytes a line may have: 64 MiB."""
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


def project_path(
    path: Path,
    root: Path,
    where: str,
    expected: str,
    *,
    folder: bool = False,
    largest: int | None = None,
    outside: str = OUTSIDE,
) -> Path:
    """Return a path that a suite names, with every link resolved: a file or folder inside the project.

    Args:
        path: The path, joined to the folder of the suite.
        root: The folder that it must be in.
        where: The key that names it, for errors.
        expected: What it should be, such as "an archive".
        folder: True for a folder, and otherwise a regular file.
        largest: The size of the largest file, in bytes; None for any.
        outside: What to do about a path outside the root.

    Raises:
        InputError: for anything else.
        FormatError: for a file that is too large.
    """
    try:
        where, found, top = escaped(where), path.resolve(), root.resolve()
        is_right = found.is_dir() if folder else found.is_file()
        size = found.stat().st_size if is_right else 0
    except (OSError, ValueError, RuntimeError) as error:
        said = f"{where}: invalid path: {error}. Write the path of {expected}."
        raise InputError(Code.WRONG_VALUE(where, "invalid path", expected, "", said)) from error
    shown = escaped(str(found))
    if not found.is_relative_to(top):
        said = f"{where}: {shown} is outside the project, {top}. {outside}"
        raise InputError(Code.OUTSIDE_PROJECT(where, "a path outside the project", "", "", said))
    if not is_right:
        other = "is a folder" if found.is_dir() else f"is not a {'folder' if folder else 'regular file'}"
        problem = other if found.exists() else "does not exist"
        fix = f"Name {expected}, relative to the file of the suite."
        said = f"{where}: {shown} {problem}. {fix}"
        raise InputError(Code.NO_SUCH_FILE(where, problem, expected, "", said))
    if largest is not None and size > largest:
        said = f"{where}: {shown} has {size:,} bytes, more than the limit of {largest:,}."
        raise FormatError(Code.TOO_LARGE(where, f"{size:,} bytes", f"at most {largest:,}", "", said))
    return found


def made_inside(folder: Path, root: Path) -> Path:
    """Make a folder below the project, which no symbolic link may lead out of.

    Raises:
        InputError: for a folder outside the project.
    """
    if not (found := folder.resolve()).is_relative_to(top := root.resolve()):
        said = f"{folder}: a symbolic link leads to {found}, outside the project, {top}. Remove the link."
        raise InputError(Code.OUTSIDE_PROJECT(str(folder), "a link", "", "", said))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def read_lines(path: str | Path, *, longest: int = LONGEST, limit: int = LIMIT) -> Iterator[bytes]:
    """Iterate over the lines of a file without their ends, uncompressed if it is compressed.

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
            problems.add(Code.NOT_UTF8(f"{path}:{number}", "a NUL byte", "UTF-8 text", fix))
            continue
        try:
            line.decode()
        except UnicodeDecodeError as error:
            found = f"byte 0x{line[error.start]:02x}, which is not UTF-8"
            problems.add(Code.NOT_UTF8(f"{path}:{number}", found, "UTF-8 text", "save the file as UTF-8"))
    problems.refuse()


def _checked(lines: list[bytes], path: str | Path, number: int, longest: int) -> Iterator[bytes]:
    for line in lines:
        _check(path, number, len(line), longest)
        yield line
        number += 1


def _check(path: str | Path, number: int, size: int, longest: int) -> None:
    if size > longest:
        found = f"a line of more than {longest} bytes"
        raise FormatError(Code.TOO_LARGE(f"{path}:{number}", found, f"at most {longest}"))


def split_lines(text: str) -> list[str]:
    r"""Split a text at line feeds only, as corpora count lines.

    >>> split_lines("a\n\nb"), split_lines("a\n"), split_lines("")
    (['a', '', 'b'], ['a'], [])
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines
