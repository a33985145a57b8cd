"""Write the vectors in the wheel of wordllama as a model2vec folder: ``make_static_model.py FOLDER``.

Run by ``just semble`` in an environment that has both; nothing is downloaded.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path


def main(folder: Path) -> None:
    """Write the model, unless it is there."""
    if (folder / "model.safetensors").is_file():
        return
    package = Path(str(import_module("wordllama").__file__)).parent
    (weights,) = package.glob("weights/*.safetensors")
    (words,) = package.glob("tokenizers/*.json")
    (vectors,) = import_module("safetensors.numpy").load_file(weights).values()
    tokenizer = import_module("tokenizers").Tokenizer.from_file(str(words))
    model = import_module("model2vec").StaticModel(vectors.astype("float32"), tokenizer, normalize=True)
    model.save_pretrained(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
