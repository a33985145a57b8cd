"""Static vectors of tokens from the package wordllama: small and fast."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate_reference.vectors.models import LONGEST, normalised, not_installed, sound, spelled_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

_BATCH = 256


class WordLlama:
    """The mean of the vectors of a text's tokens, which were trained to be averaged.

    Weights and tokenizer are files of the package wordllama, and are read as files: importing it would set up
    logging for the whole process.
    """

    name = "wordllama"
    dimensions = 256

    def __init__(self) -> None:
        spec = find_spec("wordllama")
        if spec is None or not spec.origin:
            raise not_installed("wordllama", "wordllama", "wordllama")
        try:
            from safetensors.numpy import load_file
            from tokenizers import Tokenizer
        except ImportError as error:
            raise not_installed("wordllama", str(error), "wordllama") from error
        import numpy as np

        folder = Path(spec.origin).parent
        weights = load_file(folder / "weights" / f"l2_supercat_{self.dimensions}.safetensors")
        self._rows = weights["embedding.weight"].astype(np.float32)
        self._tokenizer = Tokenizer.from_file(
            str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json")
        )
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector for each text."""
        import numpy as np

        found = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        ready = [sound(spelled_out(text[:LONGEST])) for text in texts]
        for start in range(0, len(ready), _BATCH):
            batch = self._tokenizer.encode_batch(ready[start : start + _BATCH], add_special_tokens=False)
            for at, tokens in enumerate(batch, start):
                if tokens.ids:
                    # Each text by itself: the sum of its rows does not depend on what is beside it.
                    found[at] = self._rows[tokens.ids].mean(axis=0)
        return normalised(found)
