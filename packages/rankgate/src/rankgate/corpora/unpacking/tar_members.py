"""The members of a tar, read strictly.

The standard library's reader takes a size of gigabytes in an extended header at its word and, in versions
that are still in use, takes quadratic time over one. Here a header is what POSIX and GNU tar write, or the
archive is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, NoReturn

from rankgate.corpora.unpacking.decompression import CHUNK, damage
from rankgate.corpora.unpacking.members import Member, MemberKind, refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.corpora.unpacking.members import UnpackLimits


BLOCK = 512
_ZEROS = bytes(BLOCK)
_KINDS = {
    b"0": MemberKind.FILE,
    b"\0": MemberKind.FILE,
    b"7": MemberKind.FILE,
    b"1": MemberKind.HARDLINK,
    b"2": MemberKind.SYMLINK,
    b"3": MemberKind.OTHER,
    b"4": MemberKind.OTHER,
    b"5": MemberKind.FOLDER,
    b"6": MemberKind.OTHER,
}
_PAX = (b"x", b"X")
_USED = ("path", "linkpath", "size")


@dataclass(frozen=True, slots=True)
class _Header:
    type: bytes
    name: bytes
    link: bytes
    size: int


def looks_like_tar(start: bytes) -> bool:
    """Return from its first block whether a file is a tar; an empty one is two blocks of zeros."""
    return len(start) >= BLOCK and (start[:BLOCK] == _ZEROS or _sum_is_right(start[:BLOCK]))


def tar_members(stream: IO[bytes], where: str, limits: UnpackLimits, packed: int) -> Iterator[Member]:
    """Go through the members of a tar; the content of each is to be read before the next is asked for.

    Args:
        stream: The tar, decompressed.
        where: Its name in errors.
        limits: How much it may hold.
        packed: How many bytes the file has, compressed.

    Raises:
        FormatError: for what is not a whole tar, or passes a limit.
    """
    return _Reading(stream, where, limits, packed).members()


class _Reading:
    def __init__(self, stream: IO[bytes], where: str, limits: UnpackLimits, packed: int) -> None:
        self._stream = stream
        self._where = where
        self._limits = limits
        self._packed = packed
        self._read = 0
        self._left = 0
        self._padding = 0

    def members(self) -> Iterator[Member]:
        while (block := self._take(BLOCK)) != _ZEROS:
            extended: dict[str, bytes] = {}
            header = self._header(block)
            size_of_headers = 0
            while header.type in (*_PAX, b"g", b"L", b"K"):
                size_of_headers += BLOCK + header.size
                if size_of_headers > self._limits.header:
                    self._refuse(f"headers of more than {self._limits.header} bytes", "short headers")
                self._extend(extended, header)
                header = self._header(self._take(BLOCK))
            yield self._member(header, extended)
            for _ in self._content():
                pass
            self._take(self._padding)
        self._check_end()

    def _member(self, header: _Header, extended: dict[str, bytes]) -> Member:
        raw = extended.get("path", header.name)
        name = raw.decode(errors="surrogateescape")
        kind = _KINDS.get(header.type)
        if kind is None:
            found = "a sparse file" if header.type == b"S" else f"a member of type {header.type!r}"
            self._refuse(found, "files, folders and links", name)
        size = self._number(extended["size"], 10) if "size" in extended else header.size
        if kind is MemberKind.FILE and name.endswith("/"):
            # Before POSIX, a folder was a file whose name ends in a slash.
            kind = MemberKind.FOLDER
        if kind in {MemberKind.SYMLINK, MemberKind.HARDLINK} and size:
            self._refuse("a link with content", "a link without", name)
        if kind is not MemberKind.FILE:
            size = 0
        if size > self._limits.one:
            self._refuse(f"{size} bytes", f"at most {self._limits.one}", name)
        self._left, self._padding = size, -size % BLOCK
        target = extended.get("linkpath", header.link).decode(errors="surrogateescape")
        return Member(name, kind, self._content(), target)

    def _content(self) -> Iterator[bytes]:
        while self._left:
            chunk = self._take(min(self._left, CHUNK))
            self._left -= len(chunk)
            yield chunk

    def _extend(self, extended: dict[str, bytes], header: _Header) -> None:
        data = self._take(header.size)
        self._take(-header.size % BLOCK)
        if header.type in (b"L", b"K"):
            extended["path" if header.type == b"L" else "linkpath"] = data.rstrip(b"\0")
            return
        for key, value in self._records(data):
            if key.startswith("GNU.sparse"):
                self._refuse("a sparse file", "files, folders and links")
            if key in _USED and header.type == b"g":
                self._refuse(f"{key!r} for all members at once", "names and sizes of their own")
            if key in _USED:
                extended[key] = value

    def _records(self, data: bytes) -> Iterator[tuple[str, bytes]]:
        """Read ``length key=value`` lines, the length counting itself."""
        at = 0
        while at < len(data):
            space = data.find(b" ", at, at + 10)
            length = self._number(data[at:space], 10) if space > at else 0
            record = data[at : at + length]
            key, equals, value = record[space + 1 - at : -1].partition(b"=")
            if not equals or not key or not record.endswith(b"\n") or len(record) != length:
                self._refuse("a bad extended header", "lines of length, key and value")
            yield key.decode(errors="replace"), value
            at += length

    def _header(self, block: bytes) -> _Header:
        if not _sum_is_right(block):
            self._refuse("a header whose checksum is wrong", "a whole tar", fix="fetch it again")
        name = block[:100].split(b"\0", 1)[0]
        if block[257:263] == b"ustar\0" and (prefix := block[345:500].split(b"\0", 1)[0]):
            name = prefix + b"/" + name
        return _Header(
            block[156:157], name, block[157:257].split(b"\0", 1)[0], self._number(block[124:136], 8)
        )

    def _number(self, field: bytes, base: int) -> int:
        if base == 8 and field[:1] == b"\x80":
            return int.from_bytes(field[1:], "big")
        digits = field.strip(b" \0") or b"0"
        if not digits.isdigit() or len(digits) > 20 or (base == 8 and max(digits) > ord("7")):
            self._refuse("a number that cannot be read", "a size")
        return int(digits, base)

    def _take(self, count: int) -> bytes:
        with damage(self._where):
            data = self._stream.read(count)
        self._read += len(data)
        if len(data) != count:
            self._refuse("an archive that is cut off", "a whole tar", fix="fetch it again")
        self._check_size()
        return data

    def _check_end(self) -> None:
        """Read what follows the end, so that checksums of the compression are checked; it must be zeros."""
        with damage(self._where):
            while rest := self._stream.read(CHUNK):
                self._read += len(rest)
                self._check_size()
                if rest.count(0) != len(rest):
                    self._refuse("content after the end", "zeros, or nothing")

    def _check_size(self) -> None:
        if self._limits.past_ratio(self._read, self._packed):
            found = f"more than {self._limits.ratio} times its size, unpacked"
            self._refuse(found, "an archive of text, which is a few times as large")
        if self._read > self._limits.total + self._limits.members * 2 * BLOCK:
            self._refuse(f"more than {self._limits.total} bytes, unpacked", "fewer")

    def _refuse(self, found: str, expected: str, name: str | None = None, fix: str = "") -> NoReturn:
        error = refusal(self._where, name, found, expected)
        raise refusal(self._where, name, found, expected, fix) if fix else error


def _sum_is_right(block: bytes) -> bool:
    field = block[148:156].strip(b" \0")
    if not field.isdigit() or max(field) > ord("7"):
        return False
    rest = block[:148] + b" " * 8 + block[156:]
    signed = sum(byte - 256 if byte > 127 else byte for byte in rest)
    return int(field, 8) in (sum(rest), signed)
