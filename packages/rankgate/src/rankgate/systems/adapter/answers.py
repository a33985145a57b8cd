"""Answers of user code, in any of the shapes that people return, made into rankings.

An answer is a `Ranking`, or hits in order, best first. A hit is one of::

    "doc-17"                                                an id; whole numbers are ids as well
    ("doc-17", 0.83)                                        an id and a score
    {"path": "auth/keys.md", "lines": "10-50", "score": 1}  any of the keys in `KEYS`
    Hit(id="doc-17")                                        rankgate's own type

Nothing is guessed: what is not listed here is an error that says where it stands. Nearly all values are of
Python's own types, which are told by their exact type before anything else is tried.
"""

from __future__ import annotations

import math
import numbers
import operator
import re
from collections.abc import Iterable, Mapping, Sized
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import islice
from math import isfinite
from typing import NoReturn

from rankgate.errors import Code, RankgateError, SystemFailedError, did_you_mean
from rankgate.locations import Characters, Lines, Unit, is_path, normal_path, surely_normal
from rankgate.model import Hit, Ranking
from rankgate.systems.adapter.columns import columns_of
from rankgate.systems.adapter.failures import shown, told

_OFFSETS: Mapping[str, Unit] = {"char": "characters", "byte": "bytes", "utf16": "utf16"}
OFFSET_KEYS = tuple(f"{end}_{unit}" for unit in _OFFSETS for end in ("start", "end"))
"""The keys of offsets, by what they count."""
KEYS = ("id", "path", "start", "end", "lines", "score", "text", "tokens", "fields", *OFFSET_KEYS)
"""What a hit that is a dict may hold."""

_HITS = "a list of hits, best first"
_HIT = "an id, an (id, score) pair, a dict with id, path, start, end, lines, score, text or others, or a Hit"
_LINES = re.compile(r"(\d{1,10})(?:-(\d{1,10}))?", re.ASCII)
_MOST = (1 << 32) - 1
_LAST = (1 << 31) - 1
_FRAMES = {"DataFrame", "LazyFrame"}
_KNOWN = frozenset(KEYS)
_OFFSET_NAMES = frozenset({"characters", *OFFSET_KEYS})


def ranking_of(answer: object, k: int) -> tuple[Ranking, int]:
    """Make a ranking of at most `k` hits of whatever a system returned, and count what was over `k`.

    An iterator is read for `k` hits and no further, so nothing of it is ever over.

    >>> ranking, over = ranking_of(["a", ("b", 0.5), "c"], 2)
    >>> [(hit.id, hit.score) for hit in ranking.hits], over
    ([('a', None), ('b', 0.5)], 1)

    Raises:
        SystemFailedError: for everything that is not an answer.
    """
    try:
        if type(answer) is list and (plain := columns_of(answer, k)) is not None:
            return plain, max(0, len(answer) - k)
        if isinstance(answer, Ranking):
            hits, dropped = _hits(answer.hits, k)
            return Ranking(hits, _count(".tokens", answer.tokens, (1 << 63) - 1)), dropped
        hits, dropped = _hits(answer, k)
        return Ranking(hits), dropped
    except _RefusedError as refused:
        raise SystemFailedError(Code.WRONG_ANSWER(f"answer{refused.where}", *refused.args)) from None
    except RankgateError:
        raise
    except Exception as error:
        # Objects of user code may raise anything from any method that is called on them.
        raise SystemFailedError(Code.WRONG_ANSWER("answer", told(error), _HITS)) from error


class _RefusedError(Exception):
    """What is no part of an answer; where it stands is put together only then, since few hits are refused."""

    def __init__(self, where: str, found: str, expected: str, fix: str) -> None:
        super().__init__(found, expected, fix)
        self.where = where


def _hits(answer: object, k: int) -> tuple[tuple[Hit, ...], int]:
    if not isinstance(answer, list):
        _check_shape(answer)
    if not isinstance(answer, (list, Iterable)):
        _refuse("", answer, _HITS, "return a list, empty where nothing is found")
    hits: list[Hit] = []
    try:
        for item in list(islice(answer, k)):
            hits.append(_hit(item))  # noqa: PERF401 - their number says which one is refused
    except _RefusedError as refused:
        refused.where = f"[{len(hits)}]{refused.where}"
        raise
    return tuple(hits), max(0, len(answer) - k) if isinstance(answer, (list, Sized)) else 0


def _check_shape(answer: object) -> None:
    """Refuse what can be iterated and yet is no list of hits."""
    if answer is None:
        _refuse("", answer, _HITS, "return an empty list where nothing is found")
    if isinstance(answer, (str, bytes, bytearray, Hit)):
        _refuse("", answer, _HITS, "return a list, with one hit in it for one hit")
    if isinstance(answer, Mapping):
        _refuse("", answer, _HITS, "return the list inside it; scores by id become (id, score) pairs")
    if isinstance(answer, AbstractSet) and not hasattr(answer, "mapping"):
        _refuse("", answer, _HITS, "a set has no order; return a list")
    if type(answer).__name__ in _FRAMES:
        _refuse("", answer, _HITS, "return one of its columns, or its rows as dicts")


def _hit(item: object) -> Hit:
    if type(item) is str and item and item.isascii():
        return Hit(item)
    if isinstance(item, str):
        return Hit(_id("", item))
    if isinstance(item, Hit):
        return _hit_of_fields({name: getattr(item, name) for name in Hit.__dataclass_fields__})
    if isinstance(item, (dict, Mapping)):
        if not item.keys() <= _KNOWN:
            key = next(key for key in item if key not in KEYS)
            fix = did_you_mean(str(key), KEYS, otherwise="leave the others out")
            _refuse_text("", f"the key {shown(key)}", f"the keys {', '.join(KEYS)}", fix)
        return _hit_of_fields(item)
    if isinstance(item, (tuple, list)):
        if len(item) != 2:
            _refuse("", item, _HIT)
        return Hit(_id("[0]", item[0]), score=_score("[1]", item[1]))
    if not _is_id(item):
        _refuse("", item, _HIT, "turn each result into its id, or into a dict of what is known of it")
    return Hit(_id("", item))


def _hit_of_fields(fields: Mapping[str, object]) -> Hit:
    get = fields.get
    name, path, text, score = get("id"), get("path"), get("text"), get("score")
    lines, start, end, tokens = get("lines"), get("start"), get("end"), get("tokens")
    if name is None and path is None and text is None:
        _refuse_text("", "a hit without id, path and text", "at least one of them")
    if text is not None and not isinstance(text, str):
        _refuse(".text", text, "a string")
    if lines is None and type(start) is int and start == 0:
        # No line has that number: it counts something else, of which whoever places the hit may know.
        return _unnumbered(fields)
    return Hit(
        None if name is None else _id(".id", name),
        path if path is None or (type(path) is str and surely_normal(path)) else _path(path),
        None if lines is None and start is None and end is None else _lines(lines, start, end),
        score if score is None or (type(score) is float and isfinite(score)) else _score(".score", score),
        None if text is None else str.__str__(text),
        None if tokens is None else _count(".tokens", tokens, _MOST),
        None if _OFFSET_NAMES.isdisjoint(fields) else _characters(fields, text),
        None if (more := get("fields")) is None else _fields(more),
    )


def _fields(value: object) -> dict[str, object]:
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        _refuse(".fields", value, "a mapping of names and values, such as {'title': 'Lamp', 'price': 12.5}")
    return dict(value)


def _unnumbered(fields: Mapping[str, object]) -> Hit:
    """Read a hit whose start is 0, and keep start and end as they are."""
    hit = _hit_of_fields({name: value for name, value in fields.items() if name not in ("start", "end")})
    end = fields.get("end")
    behind = _count(".end", 0 if end is None else end, _LAST)
    return replace(hit, characters=hit.characters or Characters(0, behind or 0, "unknown"))


def _characters(fields: Mapping[str, object], text: str | None) -> Characters | None:
    """Read offsets; of characters the start will do where the text is there."""
    known: Characters | None = fields.get("characters")  # type: ignore[assignment]  # of a Hit
    for name, unit in _OFFSETS.items():
        first, behind = fields.get(f"start_{name}"), fields.get(f"end_{name}")
        if first is None and behind is None:
            continue
        where = f".start_{name}"
        start = _count(where, first, _MOST)
        if start is None:
            _refuse_text(where, "an end without a start", "both")
        end = _count(f".end_{name}", behind, _MOST)
        if end is None and unit == "characters" and text is not None:
            end = start + len(text)
        if end is None or not start <= end <= _LAST:
            _refuse_text(where, f"offsets {start}-{end}", "0 <= start <= end, the end excluded")
        if known is not None:
            _refuse_text("", "offsets in two units", "one of them")
        known = Characters(start, end, unit)
    return known


def _is_id(value: object) -> bool:
    return isinstance(value, (str, int, numbers.Integral)) and not isinstance(value, bool)


def _id(where: str, value: object) -> str:
    if type(value) is str and value and value.isascii():
        return value
    if isinstance(value, str):
        # Subclasses, such as those of NumPy, become plain strings.
        name = str.__str__(value)
    elif _is_id(value):
        name = str(operator.index(value))  # type: ignore[arg-type]
    else:
        _refuse(where, value, "an id: a string or a whole number")
    if not name:
        _refuse_text(where, "an empty id", "a name")
    try:
        name.encode()
    except UnicodeEncodeError:
        _refuse(where, name, "text that UTF-8 can hold", "half of a surrogate pair is no character")
    return name


def _path(value: object) -> str:
    if not isinstance(value, str):
        _refuse(".path", value, "a path as a string", "write str(path)")
    name = _id(".path", value)
    # An absolute path or a URL is for map rules; where none fits, the report says what would.
    return normal_path(name) if "://" not in name and is_path(name) else name


def _score(where: str, value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (float, numbers.Real)):
        _refuse(where, value, "a number or None")
    try:
        score = float(value)
    except OverflowError:
        _refuse_text(where, "a number that no float can hold", "a number or None")
    if math.isnan(score):
        _refuse_text(where, "NaN", "a number or None")
    return score


def _lines(lines: object, start: object, end: object) -> Lines:
    if lines is None and type(start) is int and type(end) is int and 1 <= start <= end <= _LAST:
        return Lines(start, end)
    if lines is not None and (start is not None or end is not None):
        _refuse_text("", "lines beside start or end", "one way to name them")
    if lines is not None:
        return _range(".lines", *_ends(lines))
    if start is None:
        _refuse_text("", "an end without a start", "both, or start alone for one line")
    return _range(".start", start, start if end is None else end)


def _ends(lines: object) -> tuple[object, object]:
    if isinstance(lines, Lines):
        return lines.start, lines.end
    if isinstance(lines, str) and (match := _LINES.fullmatch(lines)):
        return int(match[1]), int(match[2] or match[1])
    if not isinstance(lines, (list, tuple)) or len(lines) != 2:
        _refuse(".lines", lines, "'10-50', '10', [10, 50] or Lines(10, 50)")
    return lines[0], lines[1]


def _range(where: str, start: object, end: object) -> Lines:
    first, last = _count(where, start, _LAST), _count(where, end, _LAST)
    if first is None or last is None or not 1 <= first <= last:
        expected = "1 <= start <= end"
        _refuse_text(where, f"lines {first}-{last}", expected, "lines count from 1, both ends included")
    return Lines(first, last)


def _count(where: str, value: object, most: int) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, numbers.Integral)):
        _refuse(where, value, "a whole number")
    number = operator.index(value)
    if not 0 <= number <= most:
        _refuse(where, value, f"a whole number from 0 to {most}")
    return number


def _refuse(where: str, value: object, expected: str, fix: str = "") -> NoReturn:
    _refuse_text(where, shown(value), expected, fix)


def _refuse_text(where: str, found: str, expected: str, fix: str = "") -> NoReturn:
    raise _RefusedError(where, found, expected, fix)
