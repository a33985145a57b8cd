"""Answers of user code, in any of the shapes that people return, made into rankings.

An answer is a `Ranking`, or hits in order, best first. A hit is one of::

    "doc-17"                                                an id; whole numbers are ids as well
    ("doc-17", 0.83)                                        an id and a score
    {"path": "auth/keys.md", "lines": "10-50", "score": 1}  any of the keys in `KEYS`
    Hit(id="doc-17")                                        rankgate's own type

Nothing is guessed: what is not listed here is an error that says where it stands.
"""

from __future__ import annotations

import math
import numbers
import operator
import re
from collections.abc import Iterable, Mapping, Sized
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import NoReturn

from rankgate.errors import LocationError, Problem, RankgateError, SystemFailedError, did_you_mean
from rankgate.model.locations import Lines, normal_path, surely_normal
from rankgate.model.search import Hit, Ranking
from rankgate.systems.adapter.failures import shown, told

KEYS = ("id", "path", "start", "end", "lines", "score", "text", "tokens", "matches")
"""What a hit that is a dict may hold."""

_HITS = "a list of hits, best first"
_HIT = f"an id, an (id, score) pair, a dict with {', '.join(KEYS)}, or a Hit"
_LINES = re.compile(r"(\d{1,10})(?:-(\d{1,10}))?", re.ASCII)
_MOST = (1 << 32) - 1
_FRAMES = {"DataFrame", "LazyFrame"}
_PLAIN_KEYS = {"id", "path", "start", "end", "score", "text"}


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
        if isinstance(answer, Ranking):
            hits, dropped = _hits(answer.hits, k)
            return Ranking(hits, _count("answer.tokens", answer.tokens, (1 << 63) - 1)), dropped
        hits, dropped = _hits(answer, k)
        return Ranking(hits), dropped
    except RankgateError:
        raise
    except Exception as error:
        # Objects of user code may raise anything from any method that is called on them.
        raise SystemFailedError(Problem("answer", told(error), _HITS)) from error


def _hits(answer: object, k: int) -> tuple[tuple[Hit, ...], int]:
    if type(answer) is list:
        found = answer[:k]
        dropped = len(answer) - len(found)
    else:
        _check_shape(answer)
        if not isinstance(answer, Iterable):
            _refuse("answer", answer, _HITS, "return a list, empty where nothing is found")
        found = list(islice(iter(answer), k))
        dropped = max(0, len(answer) - k) if isinstance(answer, Sized) else 0
    hits = [_plain_hit(item) or _hit(f"answer[{number}]", item) for number, item in enumerate(found)]
    return tuple(hits), dropped


def _check_shape(answer: object) -> None:
    """Refuse what can be iterated and yet is no list of hits."""
    if answer is None:
        _refuse("answer", answer, _HITS, "return an empty list where nothing is found")
    if isinstance(answer, (str, bytes, bytearray, Hit)):
        _refuse("answer", answer, _HITS, "return a list, with one hit in it for one hit")
    if isinstance(answer, Mapping):
        _refuse("answer", answer, _HITS, "return the list inside it; scores by id become (id, score) pairs")
    if isinstance(answer, AbstractSet) and not hasattr(answer, "mapping"):
        _refuse("answer", answer, _HITS, "a set has no order; return a list")
    if type(answer).__name__ in _FRAMES:
        _refuse("answer", answer, _HITS, "return one of its columns, or its rows as dicts")


def _plain_hit(item: object) -> Hit | None:
    """Make a hit of what most systems return, quickly; None for anything else, good or not.

    Nothing passes that `_hit` would refuse or change. Measured on a busy machine: 2.1 µs a hit instead of
    4.6, where Tantivy takes some 310 µs to give ten.
    """
    if type(item) is str:
        return Hit(item) if item and item.isascii() else None
    if type(item) is not dict or not item.keys() <= _PLAIN_KEYS:
        return None
    name, path, score, text = item.get("id"), item.get("path"), item.get("score"), item.get("text")
    start, end = item.get("start"), item.get("end")
    plain = (
        not (name is None and path is None and text is None)
        and (name is None or (type(name) is str and name != "" and name.isascii()))
        and (path is None or (type(path) is str and surely_normal(path)))
        and (score is None or (type(score) is float and not math.isnan(score)))
        and (text is None or type(text) is str)
    )
    if plain and type(start) is int and type(end) is int and 1 <= start <= end <= _MOST:
        return Hit(name, path, Lines(start, end), score, text)
    return Hit(name, path, None, score, text) if plain and start is None and end is None else None


def _hit(where: str, item: object) -> Hit:
    if isinstance(item, Hit):
        return _hit_of_fields(where, {name: getattr(item, name) for name in Hit.__dataclass_fields__})
    if isinstance(item, Mapping):
        return _hit_of_fields(where, _known(where, item))
    if isinstance(item, (tuple, list)):
        if len(item) != 2:
            _refuse(where, item, _HIT)
        return Hit(id=_id(f"{where}[0]", item[0]), score=_score(f"{where}[1]", item[1]))
    if not _is_id(item):
        _refuse(where, item, _HIT, "turn each result into its id, or into a dict of what is known of it")
    return Hit(id=_id(where, item))


def _known(where: str, item: Mapping[object, object]) -> dict[str, object]:
    fields: dict[str, object] = {}
    for key, value in item.items():
        if key not in KEYS:
            fix = did_you_mean(str(key), KEYS, otherwise="leave the others out")
            _refuse_text(where, f"the key {shown(key)}", f"the keys {', '.join(KEYS)}", fix)
        fields[str(key)] = value
    return fields


def _hit_of_fields(where: str, fields: Mapping[str, object]) -> Hit:
    name, path, text = fields.get("id"), fields.get("path"), fields.get("text")
    if name is None and path is None and text is None:
        _refuse_text(where, "a hit without id, path and text", "at least one of them")
    if text is not None and not isinstance(text, str):
        _refuse(f"{where}.text", text, "a string")
    return Hit(
        id=None if name is None else _id(f"{where}.id", name),
        path=None if path is None else _path(f"{where}.path", path),
        lines=_lines(where, fields),
        score=_score(f"{where}.score", fields.get("score")),
        text=None if text is None else str.__str__(text),
        tokens=_count(f"{where}.tokens", fields.get("tokens"), _MOST),
        matches=_count(f"{where}.matches", fields.get("matches"), _MOST),
    )


def _is_id(value: object) -> bool:
    return isinstance(value, (str, numbers.Integral)) and not isinstance(value, bool)


def _id(where: str, value: object) -> str:
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


def _path(where: str, value: object) -> str:
    if not isinstance(value, str):
        _refuse(where, value, "a path as a string", "write str(path)")
    try:
        return normal_path(_id(where, value))
    except LocationError:
        fix = "leave the corpus's own folder off; for a URL, return it as the id and map it"
        _refuse(where, value, "a path inside the corpus: relative, without ..", fix)


def _score(where: str, value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        _refuse(where, value, "a number or None")
    try:
        score = float(value)
    except OverflowError:
        _refuse_text(where, "a number that no float can hold", "a number or None")
    if math.isnan(score):
        _refuse_text(where, "NaN", "a number or None")
    return score


def _lines(where: str, fields: Mapping[str, object]) -> Lines | None:
    lines, start, end = fields.get("lines"), fields.get("start"), fields.get("end")
    if lines is not None and (start is not None or end is not None):
        _refuse_text(where, "lines beside start or end", "one way to name them")
    if lines is not None:
        return _range(f"{where}.lines", *_ends(f"{where}.lines", lines))
    if start is None and end is None:
        return None
    if start is None:
        _refuse_text(where, "an end without a start", "both, or start alone for one line")
    return _range(f"{where}.start", start, start if end is None else end)


def _ends(where: str, lines: object) -> tuple[object, object]:
    if isinstance(lines, Lines):
        return lines.start, lines.end
    if isinstance(lines, str) and (match := _LINES.fullmatch(lines)):
        return int(match[1]), int(match[2] or match[1])
    if not isinstance(lines, (list, tuple)) or len(lines) != 2:
        _refuse(where, lines, "'10-50', '10', [10, 50] or Lines(10, 50)")
    return lines[0], lines[1]


def _range(where: str, start: object, end: object) -> Lines:
    first, last = _count(where, start, _MOST), _count(where, end, _MOST)
    if first is None or last is None or not 1 <= first <= last:
        expected = "1 <= start <= end"
        _refuse_text(where, f"lines {first}-{last}", expected, "lines count from 1, both ends included")
    return Lines(first, last)


def _count(where: str, value: object, most: int) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        _refuse(where, value, "a whole number")
    number = operator.index(value)
    if not 0 <= number <= most:
        _refuse(where, value, f"a whole number from 0 to {most}")
    return number


def _refuse(where: str, value: object, expected: str, fix: str = "") -> NoReturn:
    _refuse_text(where, shown(value), expected, fix)


def _refuse_text(where: str, found: str, expected: str, fix: str = "") -> NoReturn:
    raise SystemFailedError(Problem(where, found, expected, fix))
