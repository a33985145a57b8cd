"""Embedders for tests: a real model need not be installed."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgate_reference.vectors.models import normalised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate_reference.documents.nodes import TreeNode


class Letters:
    """Texts with the same words, in any order, have the same vector."""

    name = "letters"
    dimensions = 64

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str]) -> Any:
        """Count words by their hash."""
        self.embedded += texts
        found = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for at, text in enumerate(texts):
            for word in text.lower().split():
                found[at, zlib.crc32(word.encode(errors="replace")) % self.dimensions] += 1
        return normalised(found)


LETTERS = Letters()
"""One that is made already."""


class Faulty(Letters):
    """Gives vectors of another length than it says."""

    dimensions = 8

    def embed(self, texts: Sequence[str]) -> Any:
        """Give too short vectors."""
        return np.zeros((len(texts), 3), dtype=np.float32)


class Loud(Letters):
    """Gives vectors of any length, as lists, and no number for what it cannot say."""

    name = "loud"

    def embed(self, texts: Sequence[str]) -> Any:
        """Make vectors longer, the longer the text is."""
        found = super().embed(texts)
        return [
            [float("nan") if "unspeakable" in text else float(one) * (2 + len(text)) for one in vector]
            for text, vector in zip(texts, found, strict=True)
        ]


class NoEmbedder:
    """Is none."""


def backwards(_query: str, nodes: Sequence[TreeNode]) -> list[int]:
    """Order nodes the other way round."""
    return list(range(len(nodes)))[::-1]


def second_only(_query: str, _nodes: Sequence[TreeNode]) -> list[int]:
    """Name only the second."""
    return [1]


def beyond(_query: str, nodes: Sequence[TreeNode]) -> list[int]:
    """Name a position that is not there."""
    return [len(nodes)]
