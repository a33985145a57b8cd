"""Answers in the usual shapes, made into columns without an object for each hit.

Nearly all answers are lists in which every hit is alike: ids, or dicts of the same keys with Python's own
types. Such a list is turned and checked a column at a time. Whatever is not plainly right is left for
`answers.py`, which looks at hits one by one and says what is wrong with which: nothing is refused here.
"""

from __future__ import annotations

from functools import lru_cache
from math import isfinite
from operator import itemgetter, le
from typing import TYPE_CHECKING, Any, cast

from rankgate.locations import surely_normal
from rankgate.model import ColumnRanking

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_LAST = (1 << 31) - 1
_KEPT = 1 << 16
"""How many paths are remembered: most come back in the answers to other queries."""
_STRINGS, _DICTS, _NUMBERS, _INTEGERS = {str}, {dict}, {float}, {int}
PLAIN = frozenset({"id", "path", "start", "end", "score", "text"})
"""The fields that are read by columns; a hit with any other is read by itself."""
_normal: dict[Any, str] = {}


def columns_of(answer: list[Any], k: int) -> ColumnRanking | None:
    """Return at most `k` hits by columns; None for an answer that is to be read hit by hit.

    >>> columns_of([{"path": "a.md", "score": 2.0}, {"path": "b.md", "score": 1.0}], 10).columns
    {'path': ['a.md', 'b.md'], 'score': (2.0, 1.0)}
    >>> columns_of(["a", "b"], 1).columns, columns_of(["a", 5], 10)
    ({'id': ['a']}, None)
    """
    rows = answer[:k]
    kinds = set(map(type, rows))
    if kinds == _STRINGS:
        return ColumnRanking.of({"id": rows}, len(rows)) if _are_ids(rows) else None
    if kinds != _DICTS:
        return None
    shape = _shape(tuple(rows[0]))
    if shape is None:
        return None
    names, turned = shape
    try:
        columns = dict(zip(names, turned(rows), strict=False))
    except KeyError:
        return None
    # No row has fewer keys than these; where one has more, so has the sum.
    return checked_columns(columns, len(rows)) if sum(map(len, rows)) == len(names) * len(rows) else None


@lru_cache(maxsize=256)
def _shape(keys: tuple[object, ...]) -> tuple[tuple[str, ...], Callable[..., Iterable[Any]]] | None:
    """Return the keys of a hit, and what turns rows of them into columns; None for other than plain keys."""
    names = tuple(key for key in keys if type(key) is str and key in PLAIN)
    if len(names) < len(keys) or not names:
        return None
    get = itemgetter(*names)
    if len(names) == 1:
        return names, lambda rows: [tuple(map(get, rows))]
    return names, lambda rows: zip(*map(get, rows), strict=False)


def checked_columns(columns: dict[str, Any], size: int) -> ColumnRanking | None:
    """Return columns whose values are plainly right; None where any may not be.

    Args:
        columns: Some of `PLAIN`, each with a value for every hit; what is None for all is taken out.
        size: How many hits there are, at least one.
    """
    for name in [name for name in columns if columns[name][0] is None]:
        if columns[name].count(None) < size:
            return None
        del columns[name]
    get = columns.get
    if (path := get("path")) is not None:
        columns["path"] = path = _normal_paths(path)
        if path is None:
            return None
    if (ids := get("id")) is not None and not (set(map(type, ids)) == _STRINGS and _are_ids(ids)):
        return None
    if (text := get("text")) is not None and set(map(type, text)) != _STRINGS:
        return None
    if (score := get("score")) is not None and not (
        set(map(type, score)) == _NUMBERS and isfinite(sum(score))
    ):
        return None
    start, end = get("start"), get("end")
    if start is None and end is None:
        return None if ids is path is text is None else ColumnRanking.of(columns, size)
    good = start is not None and end is not None and path is not None and _are_lines(start, end)
    return ColumnRanking.of(columns, size) if good else None


def _are_lines(start: Any, end: Any) -> bool:
    # No line has the number 0: a start of 0 counts something else.
    return (
        set(map(type, start + end)) == _INTEGERS
        and min(start) >= 1
        and max(end) <= _LAST
        and all(map(le, start, end))
    )


def _are_ids(column: Sequence[str]) -> bool:
    whole = "".join(column)
    if not whole.isascii():
        try:
            whole.encode()
        except UnicodeEncodeError:
            return False
    return all(column)


def _normal_paths(column: Sequence[Any]) -> list[str] | None:
    """Return paths that are surely normal, each the same object wherever it comes back; else None."""
    try:
        found = list(map(_normal.get, column))
    except TypeError:
        return None
    if None not in found:
        return cast("list[str]", found)
    if set(map(type, column)) != _STRINGS or not all(map(surely_normal, column)):
        return None
    if len(_normal) > _KEPT:
        _normal.clear()
    return [_normal.setdefault(path, path) for path in column]
