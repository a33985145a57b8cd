"""The fields that a document has in the indexes that rankgate builds."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankgate.model.search import Document


def record_of(document: Document) -> dict[str, object]:
    """Give the fields that every built index has; half a surrogate pair, which has no bytes, becomes ``?``.

    >>> from rankgate.model.search import Document
    >>> record_of(Document("a.md", "words", path="a.md"))["start"] is None
    True
    """
    lines = document.lines
    return {
        "id": _utf8(document.id),
        "title": _utf8(document.title),
        "text": _utf8(document.text),
        "path": None if document.path is None else _utf8(document.path),
        "start": None if lines is None else lines.start,
        "end": None if lines is None else lines.end,
        "facets": {_utf8(name): _utf8(value) for name, value in document.facets.items()},
    }


def _utf8(text: str) -> str:
    return text.encode(errors="replace").decode()
