"""Run Chroma's own chunking evaluation, and keep what it retrieved and scored for every question.

    just chroma-retrievals PYTHON

PYTHON is that of an environment outside the project which has the package `chunking_evaluation` with its
corpora and questions (github.com/brandonstarxel/chunking_evaluation), Chroma, and what rankgate-reference
needs for its MiniLM in eight bits. Its recursive and fixed-token splitters cut the five corpora; of each
question the five nearest chunks are kept, with the characters that it places them at and the recall,
precision and IoU that it gives. `tests/parity/test_against_chroma.py` has rankgate's for the same chunks.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

SIZES = ((200, 0), (400, 200))
"""Tokens of cl100k, and how many of them overlap."""
RETRIEVED = 5


def main(out: Path) -> None:
    """Evaluate every splitter, and write what came of it."""
    from chunking_evaluation import GeneralEvaluation
    from chunking_evaluation.chunking import FixedTokenChunker, RecursiveTokenChunker
    from chunking_evaluation.utils import openai_token_count

    kept: dict[str, Any] = {}
    for size, overlap in SIZES:
        given = {"chunk_size": size, "chunk_overlap": overlap}
        splitters = {
            "recursive": RecursiveTokenChunker(**given, length_function=openai_token_count),
            "token": FixedTokenChunker(**given, encoding_name="cl100k_base"),
        }
        for name, splitter in splitters.items():
            kept[f"{name} {size}, {overlap}"] = _evaluated(GeneralEvaluation(), splitter)
            print(name, size, overlap, len(kept[f"{name} {size}, {overlap}"]["retrieved"]), file=sys.stderr)
    with gzip.GzipFile(out, "wb", mtime=0) as packed:
        packed.write(json.dumps(kept, separators=(",", ":")).encode())


def _evaluated(evaluation: Any, splitter: Any) -> dict[str, Any]:
    """Run one evaluation; what goes into its scores and what comes out is noted on the way."""
    noted: dict[str, Any] = {}
    scores = evaluation._scores_from_dataset_and_retrievals  # noqa: SLF001 - what is compared

    def noting(retrieved: Any, counts: Any) -> Any:
        iou, recall, precision = scores(retrieved, counts)
        noted["retrieved"] = [
            [[one["corpus_id"], one["start_index"], one["end_index"]] for one in each[:count]]
            for each, count in zip(retrieved, counts, strict=True)
        ]
        noted.update(iou=list(iou), recall=list(recall), precision=list(precision))
        return iou, recall, precision

    evaluation._scores_from_dataset_and_retrievals = noting  # noqa: SLF001
    # It deletes both first, which newer versions of Chroma refuse where there is nothing to delete.
    for name in ("auto_chunk", "auto_questions"):
        evaluation.chroma_client.get_or_create_collection(name)
    evaluation.run(splitter, _embedding_function(), retrieve=RETRIEVED)
    return noted


def _embedding_function() -> Any:
    from chromadb import EmbeddingFunction

    from rankgate_reference.vectors.embedders.minilm import MiniLM

    class MiniLMEmbedding(EmbeddingFunction):  # type: ignore[misc]
        """MiniLM as Chroma asks for it."""

        def __init__(self) -> None:
            self._model = MiniLM()

        def __call__(self, input: list[str]) -> Any:  # noqa: A002 - Chroma's name
            return [vector.tolist() for vector in self._model.embed(input)]

    return MiniLMEmbedding()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
