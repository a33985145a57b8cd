"""What a Parquet file says of its own sizes, checked before anyone believes it.

Polars makes room for as much as a page says it holds; where a damaged file says 2^61 bytes, the whole process
is ended, which no one can catch. So the sizes are read first: those of every page must fit its column, those
of every column the file, and together they may not be more than a file may become. They are written in
Thrift's compact protocol.
"""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from rankgate.errors import Code, FormatError, InputError
from rankgate.files.compressed import largest_unpacked, too_large

if TYPE_CHECKING:
    from collections.abc import Collection

PAGE = 1 << 28
"""How many bytes a page may become: 256 MiB; writers make pages of about one."""

VALUES = 1 << 27
"""How many values a column may have in a row group."""

TABLE = 1 << 29
"""How many bytes any table may become: 512 MiB, and more where the file is large."""

_MAGIC = b"PAR1"
_VALUE = 16
_RATIO = 200
_LEAST = 12
# The numbers of the fields, from the format's definition.
_GROUPS, _COLUMNS, _META = 4, 1, 3
_PATH, _NUM_VALUES, _PACKED, _DATA, _DICTIONARY = 3, 5, 7, 9, 11
_PAGE_TYPE, _PAGE_UNPACKED, _PAGE_PACKED, _PAGE_V1, _PAGE_WORDS, _PAGE_V2 = 1, 2, 3, 5, 7, 8
_DICTIONARY_PAGE = 2
# The kinds of values in the protocol.
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_INTEGERS = (4, 5, 6)
_DEEPEST = 32


def check_sizes(path: str | Path, columns: Collection[str] | None = None) -> None:
    """Refuse a file whose sizes do not fit each other, or of which too much would become.

    Args:
        path: The file.
        columns: Those that are read, the others are not counted; None for all.

    Raises:
        InputError: for a file that cannot be read.
        FormatError: for what is not Parquet, is damaged, or would become too large.
    """
    try:
        with Path(path).open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            _check(data, str(path), columns)
    except (OSError, ValueError) as error:  # an empty file cannot be mapped
        if isinstance(error, FormatError):
            raise
        found = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(Code.UNREADABLE_FILE(str(path), str(found).lower(), "a Parquet file")) from error


def _check(data: mmap.mmap, where: str, wanted: Collection[str] | None) -> None:
    size = int.from_bytes(data[-8:-4], "little") if len(data) >= _LEAST else -1
    start = len(data) - 8 - size
    if size < 0 or start < 4 or data[-4:] != _MAGIC or data[:4] != _MAGIC:
        raise FormatError(
            Code.DAMAGED_FILE(where, "a file that does not start or end as one", "a Parquet file")
        )
    footer, _ = read_struct(data, start, where)
    largest, becomes = largest_unpacked(len(data), TABLE, _RATIO), 0
    for group in _list(footer, _GROUPS, where):
        for column in _list(group, _COLUMNS, where):
            name, size = _check_column(data, start, column, where)
            becomes += size if wanted is None or name in wanted else 0
            if becomes > largest:
                raise too_large(where, largest)


def _check_column(data: mmap.mmap, limit: int, column: Any, where: str) -> tuple[str, int]:
    """Check a column, and return its name and how many bytes it becomes, a pointer a value at least."""
    meta = column.get(_META) if isinstance(column, dict) else None
    if not isinstance(meta, dict):
        _refuse(where, "a column without sizes")
    values, packed = _number(meta, _NUM_VALUES, where), _number(meta, _PACKED, where)
    at = _number(meta, _DATA, where)
    if meta.get(_DICTIONARY):
        at = min(at, _number(meta, _DICTIONARY, where))
    end = at + packed
    becomes = values * _VALUE
    if values > VALUES or at < 4 or end > limit:
        _refuse(where, f"a column of {values} values from byte {at} to {end}")
    while at < end:
        page, body = read_struct(data, at, where)
        at = body + _number(page, _PAGE_PACKED, where)
        unpacked = _number(page, _PAGE_UNPACKED, where)
        becomes += unpacked
        holds = _values(page, where)
        if page.get(_PAGE_TYPE) != _DICTIONARY_PAGE:
            values -= holds
        if at > end or unpacked > PAGE or holds > VALUES or values < 0:
            _refuse(where, f"a page of {holds} values and {unpacked} bytes up to byte {at}")
    if values:
        _refuse(where, f"pages with {values} values too few")
    path = meta.get(_PATH)
    first = path[0] if isinstance(path, list) and path else b""
    return first.decode(errors="replace") if isinstance(first, bytes) else "", becomes


def _values(page: dict[int, Any], where: str) -> int:
    for name in (_PAGE_V1, _PAGE_WORDS, _PAGE_V2):
        if isinstance(head := page.get(name), dict):
            numbers = [value for value in head.values() if type(value) is int]
            if any(not 0 <= number <= max(PAGE, VALUES) for number in numbers):
                _refuse(where, "a page with a number out of all bounds")
            return _number(head, 1, where)
    return 0


def _number(found: dict[int, Any], name: int, where: str) -> int:
    value = found.get(name)
    if type(value) is not int or value < 0:
        _refuse(where, f"{value!r} as a size")
    return value


def _list(found: Any, name: int, where: str) -> list[Any]:
    value = found.get(name) if isinstance(found, dict) else None
    if not isinstance(value, list):
        _refuse(where, "a footer without row groups or columns")
    return value


def _refuse(where: str, found: str) -> NoReturn:
    fix = "the file is damaged; write or fetch it again"
    raise FormatError(Code.DAMAGED_FILE(where, found, "sizes that fit each other", fix))


def read_struct(data: bytes | mmap.mmap, at: int, where: str) -> tuple[dict[int, Any], int]:
    """Read a structure, as a mapping of field numbers to values, and where it ends.

    Raises:
        FormatError: for bytes that are no such structure.
    """
    reader = _Reader(data, at)
    try:
        return reader.struct(_DEEPEST), reader.at
    except (IndexError, ValueError, RecursionError) as error:
        raise FormatError(
            Code.DAMAGED_FILE(where, f"bad sizes at byte {reader.at}", "a whole Parquet file")
        ) from error


class _Reader:
    def __init__(self, data: bytes | mmap.mmap, at: int) -> None:
        self.at = at
        self._data = data

    def struct(self, depth: int) -> dict[int, Any]:
        if depth < 0:
            raise ValueError("too deep")
        found: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._integer()
            kind = head & 0x0F
            found[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind, depth)
        return found

    def _value(self, kind: int, depth: int) -> Any:
        if kind in _INTEGERS:
            return self._integer()
        if kind == _BINARY:
            return self._bytes(self._unsigned())
        if kind in (_LIST, _SET):
            head = self._byte()
            size = head >> 4 if head >> 4 < 15 else self._unsigned()
            return [self._item(head & 0x0F, depth) for _ in range(self._checked(size))]
        if kind == _MAP:
            size = self._checked(self._unsigned())
            kinds = self._byte() if size else 0
            return [(self._item(kinds >> 4, depth), self._item(kinds & 15, depth)) for _ in range(size)]
        if kind == _STRUCT:
            return self.struct(depth - 1)
        if kind in (_BYTE, _DOUBLE):
            return self._bytes(1 if kind == _BYTE else 8)
        raise ValueError("an unknown kind")

    def _item(self, kind: int, depth: int) -> Any:
        return self._byte() == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind, depth)

    def _byte(self) -> int:
        value = self._data[self.at]
        self.at += 1
        return value

    def _bytes(self, size: int) -> bytes:
        start, self.at = self.at, self.at + self._checked(size)
        return self._data[start : self.at]

    def _checked(self, size: int) -> int:
        # An item has a byte at least, so that a size beyond the end is a lie that would cost memory.
        if size > len(self._data) - self.at:
            raise ValueError("beyond the end")
        return size

    def _unsigned(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 0x80:
            value |= (byte & 0x7F) << shift
            shift += 7
            if shift > 63:
                raise ValueError("a number that does not end")
        return value | byte << shift

    def _integer(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)
