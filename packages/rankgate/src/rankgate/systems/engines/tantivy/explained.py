"""Tantivy's explanations of scores, with the names of fields and terms where it has numbers."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rankgate.model.search import ScoreExplanation

_TERM = re.compile(
    r'(?P<kind>.*?),? product of\.\.\. Term=Term\(field=(?P<field>\d+), type=\w+, (?P<term>".*")\)'
)


def columns_of(place: Path) -> tuple[str, ...]:
    """Return the names of an index's fields, in the order of their numbers; none where nobody can tell."""
    try:
        return tuple(str(field["name"]) for field in json.loads((place / "meta.json").read_bytes())["schema"])
    except (OSError, ValueError, LookupError, TypeError):
        return ()


def term_named(explanation: ScoreExplanation | None, columns: Sequence[str]) -> ScoreExplanation | None:
    """Return an explanation whose terms are named by field and word.

    >>> from rankgate.model.search import ScoreExplanation
    >>> words = 'TermQuery, product of... Term=Term(field=0, type=Str, "key")'
    >>> term_named(ScoreExplanation(1.0, words), ["all"]).words
    'TermQuery all:"key", product of'
    """
    if explanation is None:
        return None
    parts = (term_named(part, columns) for part in explanation.parts)
    words = explanation.words
    if (found := _TERM.fullmatch(words)) and int(found["field"]) < len(columns):
        words = f"{found['kind']} {columns[int(found['field'])]}:{found['term']}, product of"
    return replace(explanation, words=words, parts=tuple(part for part in parts if part is not None))
