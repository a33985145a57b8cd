"""Structures in Thrift's compact protocol, which Parquet writes its sizes in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgate.errors import FormatError, Problem

if TYPE_CHECKING:
    from mmap import mmap

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_INTEGERS = (4, 5, 6)
_DEEPEST = 32


def read_struct(data: bytes | mmap, at: int, where: str) -> tuple[dict[int, Any], int]:
    """Read a structure, as a mapping of field numbers to values, and where it ends.

    Raises:
        FormatError: for bytes that are no such structure.
    """
    reader = _Reader(data, at)
    try:
        return reader.struct(_DEEPEST), reader.at
    except (IndexError, ValueError, RecursionError) as error:
        raise FormatError(Problem(where, f"bad sizes at byte {reader.at}", "a whole Parquet file")) from error


class _Reader:
    def __init__(self, data: bytes | mmap, at: int) -> None:
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
