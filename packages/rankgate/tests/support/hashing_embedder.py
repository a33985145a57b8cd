"""A small embedder that needs no model and is the same everywhere: counts of hashed words."""

from __future__ import annotations

import zlib

SIZE = 64


def embed(texts: list[str]) -> list[list[float]]:
    """Count the words of each text in buckets; no vector is all zeros."""
    vectors = []
    for text in texts:
        vector = [0.0] * SIZE
        vector[0] = 0.01
        for word in "".join(char if char.isalnum() else " " for char in text.lower()).split():
            vector[zlib.crc32(word.encode()) % SIZE] += 1.0
        vectors.append(vector)
    return vectors


def wrong(texts: list[str]) -> list[list[float]]:
    """Give a vector too few."""
    return embed(texts)[1:]
