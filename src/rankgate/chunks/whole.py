"""Every file as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankgate.model.search import Document


class WholeFile:
    """One piece a file."""

    def cut(self, document: Document) -> tuple[Document, ...]:
        """Give the document."""
        return (document,)
