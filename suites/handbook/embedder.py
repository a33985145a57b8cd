# noqa: INP001 - a file that the configuration names, no package
"""The model that makes vectors for the sweep over the handbook: the one that the reference system brings."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


@cache
def _model() -> Any:
    from rankgate_reference.vectors.models import load_embedder

    return load_embedder("minilm")


def embed(texts: Sequence[str]) -> list[list[float]]:
    """Return one vector for each text."""
    vectors: list[list[float]] = _model().embed(texts).tolist()
    return vectors
