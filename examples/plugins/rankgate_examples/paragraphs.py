from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import rankgate as rg


@dataclass(frozen=True)
class Paragraphs:
    """So many paragraphs each; blank lines stand between them."""

    count: int = 1

    def cut(self, document: rg.Document) -> Iterator[rg.Document]:
        pieces, first, found = rg.Pieces(document), 1, 0
        for line in range(1, pieces.count + 1):
            last = line == pieces.count
            if last or (not pieces.blank(line, line) and pieces.blank(line + 1, line + 1)):
                found += 1
                if last or found % self.count == 0:
                    yield pieces.cut(first, line)
                    first = line + 1
