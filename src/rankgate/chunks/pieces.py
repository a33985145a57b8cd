"""One piece of a document."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.model.places import Lines

if TYPE_CHECKING:
    from rankgate.model.search import Document


def piece(document: Document, start: int, end: int, *, title: str = "", kind: str = "") -> Document:
    """Cut lines out of a document; the id says which."""
    text = "\n".join(document.text.split("\n")[start - 1 : end])
    return replace(
        document,
        id=f"{document.id}:{start}-{end}",
        text=text,
        title=title or document.title or str(document.path),
        lines=Lines(start, end),
        facets={**document.facets, "kind": kind} if kind else document.facets,
    )
