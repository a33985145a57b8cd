"""The texts of targets and results."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rankgate.errors import InputError
from rankgate.truth.lookup import CorpusReader, Spot

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHORTEST_COPY = 40
"""How many letters a text has at least that is called a copy of another."""
_HEADING = re.compile(r"\A(?:#{1,6}[^\n]*\n|[^\n]+\n[=\-~^\"]{3,}\n)\s*")


def target_text(reader: CorpusReader, row: Mapping[str, Any]) -> str | None:
    """Read the text of a target of the judgments, or of a hit; None where the corpus does not have it.

    Args:
        reader: What reads the corpus.
        row: Its id, path, start and end.
    """
    spot = Spot(row["id"], row["path"], row["start"], row["end"], "")
    try:
        return reader.text(spot)
    except (KeyError, InputError):
        # A file that changed meanwhile: nothing is certain of it.
        return None


def same_text(reader: CorpusReader, one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Check whether a location has the whole text of another, headings and white space aside.

    Args:
        reader: What reads the corpus.
        one: The location of the text.
        other: Where it may stand as well.
    """
    if overlapping(one, other):
        return False
    text, elsewhere = target_text(reader, one), target_text(reader, other)
    if text is None or elsewhere is None:
        return False
    body = _folded(_HEADING.sub("", text.strip()))
    return len(body) >= _SHORTEST_COPY and body in _folded(elsewhere)


def overlapping(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Check whether two locations have anything in common: lines of a file, or an id where there is none."""
    if one["path"] != other["path"] or (one["path"] is None and one["id"] != other["id"]):
        return False
    if one["start"] is None or other["start"] is None:
        return True
    return bool(one["start"] <= other["end"] and other["start"] <= one["end"])


def _folded(text: str) -> str:
    return " ".join(text.split())
