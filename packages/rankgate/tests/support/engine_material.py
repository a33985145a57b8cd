"""What the engines are tried on: the functions of click with 200 queries, and SciFact with its judgments."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from rankgate.chunks.chunking import Chunking
from rankgate.model import Document, Query
from support.sdists import unpacked

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rankgate.model import System


@cache
def functions() -> tuple[Document, ...]:
    """Give the symbols of click's own package, cut by section."""
    root = unpacked("click-8.5.1")
    files = sorted((root / "src").rglob("*.py"))
    whole = [
        Document(name, path.read_text(encoding="utf-8"), {"folder": path.parent.name}, path=name)
        for path in files
        for name in (path.relative_to(root).as_posix(),)
    ]
    return tuple(Chunking("section").cut(whole))


@cache
def queries() -> tuple[str, ...]:
    """Give 200 queries: words of the functions, taken from all over."""
    found = functions()
    texts = []
    for number in range(200):
        document = found[number * len(found) // 200]
        words = sorted({word for word in _words(document.text) if len(word) > 3}) or ["click"]
        texts.append(" ".join(words[(number * 7 + step * 3) % len(words)] for step in range(1 + number % 4)))
    return tuple(texts)


def _words(text: str) -> list[str]:
    return "".join(char if char.isalnum() and char.isascii() else " " for char in text).split()


@dataclass(frozen=True, slots=True)
class Judged:
    """A set with judgments."""

    documents: tuple[Document, ...]
    queries: Mapping[str, str]
    grades: Mapping[str, Mapping[str, int]]

    def ndcg(self, system: System) -> float:
        """Give the mean nDCG@10 of a system, worked out here by the textbook."""
        return sum(self._one(system, name) for name in self.grades) / len(self.grades)

    def _one(self, system: System, name: str) -> float:
        grades = self.grades[name]
        found = [grades.get(str(hit.id), 0) for hit in system.search(Query(self.queries[name], 10)).hits]
        ideal = sorted(grades.values(), reverse=True)[:10]
        return _dcg(found) / _dcg(ideal)


def _dcg(grades: list[int]) -> float:
    return sum(grade / math.log2(rank + 2) for rank, grade in enumerate(grades))


@cache
def scifact(shared_data: Path) -> Judged:
    """Read SciFact: 5,183 abstracts, 300 claims."""
    folder = shared_data / "beir" / "scifact"
    rows = _rows(folder / "corpus.jsonl")
    documents = tuple(Document(row["_id"], row["text"], title=row["title"]) for row in rows)
    asked = {row["_id"]: row["text"] for row in _rows(folder / "queries.jsonl")}
    grades: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        grades.setdefault(query, {})[document] = int(grade)
    return Judged(documents, asked, grades)


def _rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
