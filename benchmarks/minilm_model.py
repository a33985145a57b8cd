"""The embedding model of `just results`, loaded once, so no timing includes its loading."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgate_reference.vectors.embedders.minilm import MiniLM
from rankgate_reference.vectors.kept import kept_vectors

if TYPE_CHECKING:
    from collections.abc import Sequence

MODEL = MiniLM()
"""For the reference system: ``model = "minilm_model:MODEL"``; the same as ``model = "minilm"``."""


def embed(texts: Sequence[str]) -> Any:
    """Return vectors for LanceDB: ``embedder = "minilm_model:embed"``.

    A query, which is one text, is embedded whenever it is asked; documents are kept as the reference system
    keeps those of its nodes.
    """
    return MODEL.embed(texts) if len(texts) == 1 else kept_vectors(MODEL, texts, MODEL.embed)
