"""What engines say of how a score comes about: value, description and details, as Lucene wrote it first."""

from __future__ import annotations

from rankgate.model.search import ScoreExplanation

_DEEPEST = 30
_MOST = 2000
_LONGEST = 300


def explanation_of(data: object) -> ScoreExplanation | None:
    """Read an explanation as OpenSearch, Elasticsearch and Tantivy write it; None where it is none.

    What is deeper than 30 levels, or beyond 2,000 parts, is left out.

    >>> idf = {"value": 1, "description": "idf"}
    >>> explanation_of({"value": 1, "description": "sum of:", "details": [idf]})
    ScoreExplanation(value=1.0, words='sum of:', parts=(ScoreExplanation(value=1.0, words='idf', parts=()),))
    >>> explanation_of("no") is None
    True
    """
    return _read(data, 0, [_MOST])


def _read(data: object, depth: int, room: list[int]) -> ScoreExplanation | None:
    if not isinstance(data, dict) or depth > _DEEPEST or room[0] <= 0:
        return None
    room[0] -= 1
    value, details, context = data.get("value"), data.get("details"), data.get("context")
    words = [str(data.get("description", ""))]
    words += [str(one) for one in context] if isinstance(context, list) else []
    found = (_read(one, depth + 1, room) for one in details) if isinstance(details, list) else ()
    number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    told = " ".join(" ".join(words).split())[:_LONGEST]
    return ScoreExplanation(number, told, tuple(one for one in found if one is not None))
