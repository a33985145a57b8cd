"""Models of a hub, through fastembed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgate_reference.vectors.models import LONGEST, normalised, not_installed, sound

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

_DEFAULT = "BAAI/bge-small-en-v1.5"


class FastEmbed:
    """A model that fastembed fetches from a hub when it is first used, and runs by onnxruntime."""

    def __init__(self, model: str = "") -> None:
        try:
            from fastembed import TextEmbedding
        except ImportError as error:
            raise not_installed("fastembed", str(error), "fastembed") from error
        model = model or _DEFAULT
        self.name = f"fastembed/{model}"
        self._model = TextEmbedding(model)
        self.dimensions = len(next(iter(self._model.embed(["dimensions"]))))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector for each text."""
        import numpy as np

        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        made: Iterable[Any] = self._model.embed([sound(text[:LONGEST]) for text in texts])
        return normalised(np.stack(list(made)))
