"""What a file of anchors keeps of a text so that it can be found again; nothing of its words is kept."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from rankgate.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.io.problems import Problems


@dataclass(frozen=True, slots=True)
class TextRecord:
    """What finds the text of one location again.

    >>> record = TextRecord("0123456789abcdef", "keys.md", 3, 9, size=5)
    >>> record_text(record)
    '{"text": "0123456789abcdef", "path": "keys.md", "start": 3, "end": 9, "size": 5}'
    """

    text: str
    """The anchor of the text, by which a record and the anchor of a case belong together."""
    path: str
    """The file that it stood in."""
    start: int
    """Its first line."""
    end: int
    """Its last line."""
    size: int
    """How many lines were not blank."""
    name: tuple[str, ...] = ()
    """The whole name of the section or symbol that it was."""
    title: int = 0
    """How many of its lines are the title of a section."""
    digest: str = ""
    """The hash of all lines that are not blank, without indentation."""
    words: str = ""
    """The hash of its words, however they are cut into lines."""
    lines: str = ""
    """The hashes of the lines: of many the first and the last."""
    before: str = ""
    """Those of the last lines before it."""
    behind: str = ""
    """Those of the first lines behind it."""
    copies: int = 1
    """In how many places the same lines stood."""
    bodies: int = 1
    """In how many places what is below the title stood."""
    corpus: str | None = None
    """The fingerprint of the corpus that it stood in; None for that of the file."""


_NUMBERS = ("start", "end", "size", "title", "copies", "bodies")
_LISTS = ("name",)
_DEFAULTS = {each.name: each.default for each in fields(TextRecord)}


def record_text(record: TextRecord) -> str:
    """Format a record as one line of JSON, without what it says by default."""
    given = {name: getattr(record, name) for name in _DEFAULTS}
    return json.dumps(
        {name: value for name, value in given.items() if value != _DEFAULTS[name]}, ensure_ascii=False
    )


def read_records(found: object, where: str, problems: Problems, fix: str) -> dict[str, TextRecord]:
    """Read the records of a file, by location; what is wrong is added to its problems."""
    records: dict[str, TextRecord] = {}
    if not isinstance(found, dict):
        problems.add(Problem(where, f"{found!r:.80}", "an object of locations", fix))
        return records
    for location, given in found.items():
        if not isinstance(given, dict) or not _fits(given):
            problems.add(Problem(f"{where}.{location}", f"{given!r:.80}", "what finds a text again", fix))
            continue
        lists = {name: tuple(given.get(name, ())) for name in _LISTS}
        records[location] = TextRecord(**{**given, **lists})
    return records


def _fits(given: Mapping[str, Any]) -> bool:
    if not {"text", "path", "start", "end", "size"} <= given.keys() <= _DEFAULTS.keys():
        return False
    lists = [given.get(name, []) for name in _LISTS]
    if not all(isinstance(one, list) and all(isinstance(each, str) for each in one) for one in lists):
        return False
    if not all(type(given[key]) is int and given[key] >= 0 for key in _NUMBERS if key in given):
        return False
    texts = given.keys() - {*_LISTS, *_NUMBERS}
    packed = [*(given.get(key, "") for key in ("lines", "before", "behind"))]
    return all(isinstance(given[key], str) for key in texts) and all(map(_is_packed, packed))


def _is_packed(text: str) -> bool:
    """Check whether a text holds whole hashes of four bytes each."""
    import base64

    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except ValueError:
        return False
    return len(data) % 4 == 0
