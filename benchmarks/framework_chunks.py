"""Cut documents as frameworks do, and print where each piece begins and ends: a JSON list a line.

Run by the environment of `requirements/frameworks.txt`: ``python benchmarks/framework_chunks.py FOLDER``.
Pieces are of fixed tokens (tiktoken) or recursive (LangChain), of 200, 400 and 800 tokens, overlapping by
nothing or by half.
"""

from __future__ import annotations

import json
import os
import sys
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES = (200, 400, 800)


def main(folder: Path) -> None:
    """Print every piece: way, tokens, overlap, document, first character, the one behind the last."""
    # llama-index-core carries the files of the encodings, so that nothing is downloaded.
    spec = find_spec("llama_index.core")
    carried = Path(str(spec.origin)).parent / "_static" / "tiktoken_cache"  # type: ignore[union-attr]
    os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(carried))
    for path in sorted(folder.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        for size, half in product(SIZES, (False, True)):
            overlap = size // 2 if half else 0
            for way, pieces in (
                ("tokens", _fixed(text, size, overlap)),
                ("recursive", _recursive(text, size, overlap)),
            ):
                for start, end in pieces:
                    print(json.dumps([way, size, overlap, path.name, start, end]))


def _fixed(text: str, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    import tiktoken

    encoding = tiktoken.get_encoding("cl100k_base")
    tokens = encoding.encode(text, disallowed_special=())
    _, starts = encoding.decode_with_offsets(tokens)
    starts.append(len(text))
    for first in range(0, len(tokens), size - overlap):
        last = min(first + size, len(tokens))
        if starts[last] > starts[first]:
            yield starts[first], starts[last]


def _recursive(text: str, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter.from_tiktoken_encoder(
        "cl100k_base", chunk_size=size, chunk_overlap=overlap, disallowed_special=()
    )
    at = 0
    for piece in splitter.split_text(text):
        # Pieces begin in order; with an overlap the next begins inside the one before, or where it does.
        start = text.index(piece, at)
        yield start, start + len(piece)
        at = start


if __name__ == "__main__":
    main(Path(sys.argv[1]))
