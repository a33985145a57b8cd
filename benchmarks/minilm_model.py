"""The model of all vectors in `just results`, opened once, so that no time holds its loading."""

from __future__ import annotations

from rankgate_reference.vectors.embedders.minilm import MiniLM

MODEL = MiniLM()
"""For the reference system: ``model = "minilm_model:MODEL"``; the same as ``model = "minilm"``."""
embed = MODEL.embed
"""For LanceDB: ``embedder = "minilm_model:embed"``."""
