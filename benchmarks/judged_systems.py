"""Systems over judged collections, for simulations that hold grades back and hand them out one by one.

SciFact and Chorus are asked of our own engines in several settings. Chorus is ranked over its judged products
alone, so that the grade of every hit is known. SciFact lists only what is relevant: what it does not list
counts as irrelevant, as its published figures have it. The TREC runs are one run each, over judged documents
alone; other systems are made of it by seeded noise on the scores, some with a little of the truth added.
"""

from __future__ import annotations

import csv
import json
import os
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rankgate.model.search import Document, Indexer, Query
from rankgate.systems.registry import open_system
from support.engine_material import scifact

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Rankings = dict[str, list[str]]
Grades = dict[str, dict[str, float]]

ENGINES: tuple[tuple[str, dict[str, object]], ...] = (
    ("bm25s", {"k1": 1.2, "b": 0.75}),
    ("bm25s", {"k1": 0.9, "b": 0.4}),
    ("bm25s", {"k1": 2.5, "b": 0.9}),
    ("bm25s", {"k1": 0.3, "b": 0.0}),
    ("bm25s", {"k1": 1.2, "b": 0.75, "stemmer": "porter", "stopwords": ()}),
    ("tantivy", {}),
    ("tantivy", {"search": {"title": 1.0, "text": 1.0}}),
    ("tantivy", {"search": {"title": 4.0, "text": 1.0}}),
    ("tantivy", {"search": {"title": 0.3, "text": 1.0}}),
    ("lancedb", {}),
    ("sqlite", {}),
)
"""Our own engines, each as one system."""
PERTURBED = 24
"""How many systems are made of one TREC run."""
DEPTH = 1000
"""How many hits an engine is asked for where only judged ones are kept."""
_TEXTS = ("name", "short_description", "supplier")
KEPT = 50
"""How many hits of a system are kept."""


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """A collection with several systems; the grade of every hit is known."""

    name: str
    """What tables call it."""
    grades: Grades
    """Every judgment, by query."""
    systems: tuple[Rankings, ...]
    """What each system answered to every query."""
    complete: bool = False
    """True where what is not listed counts as irrelevant."""

    def grade(self, query: str, document: str) -> float:
        """Return the grade of a hit."""
        return max(0.0, self.grades[query].get(document, 0.0))


def judged_sets(data: Path) -> list[JudgedSet]:
    """Return every collection, engines asked."""
    return [
        scifact_set(data),
        chorus_set(data),
        trec_set(data, "DL19", "runs/dl19", "trec/qrels/qrels.dl19-passage.txt"),
        trec_set(data, "TREC-COVID", "runs/trec-covid", "trec/qrels/qrels.covid-complete.txt"),
    ]


def shared_data() -> Path:
    """Return the folder of the collections, or end where it is not named."""
    data = os.environ.get("RANKGATE_SHARED_DATA")
    if not data:
        sys.exit("RANKGATE_SHARED_DATA does not name the folder with beir, relevance, runs and trec")
    return Path(data)


def scifact_set(data: Path) -> JudgedSet:
    """Return SciFact: 300 claims, mostly one right abstract each."""
    material = scifact(data)
    texts = {query: material.queries[query] for query in material.grades}
    grades = {query: {name: float(g) for name, g in row.items()} for query, row in material.grades.items()}
    systems = tuple(_asked(kind, options, material.documents, texts, KEPT, None) for kind, options in ENGINES)
    return JudgedSet("SciFact", grades, systems, complete=True)


def chorus_set(data: Path) -> JudgedSet:
    """Return Chorus: 135 queries of a shop for electronics, about 27 products graded for each."""
    folder = data / "relevance" / "chorus-electronics"
    grades: Grades = {}
    with (folder / "Broad_Query_Set_rated.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            grades.setdefault(row["query"], {})[row["docid"]] = float(row["rating"])
    documents = tuple(_products(folder))
    texts = {query: query for query in grades}
    systems = tuple(_asked(kind, options, documents, texts, DEPTH, grades) for kind, options in ENGINES)
    return JudgedSet("Chorus", grades, systems)


def _products(folder: Path) -> list[Document]:
    found: dict[str, Document] = {}
    for path in sorted(folder.glob("products-*.json.zip")):
        with zipfile.ZipFile(path) as packed:
            for row in json.loads(packed.read(packed.namelist()[0])):
                text = " ".join(str(row.get(name) or "") for name in _TEXTS)
                found[row["id"]] = Document(row["id"], text, title=str(row.get("title") or ""))
    return list(found.values())


def _asked(
    kind: str,
    options: Mapping[str, object],
    documents: Sequence[Document],
    texts: Mapping[str, str],
    depth: int,
    only: Grades | None,
) -> Rankings:
    """Build an index and ask every query; with `only`, keep the judged hits alone."""
    with tempfile.TemporaryDirectory() as folder:
        system = open_system(kind, {"kind": kind, "folder": folder, **options})
        joined = [Document(one.id, f"{one.title} {one.text}") for one in documents]
        if not isinstance(system, Indexer) or not system.build(
            documents if "search" in options else joined, "judged"
        ):
            raise AssertionError(f"{kind} did not build an index")
        answers = {
            query: [str(hit.id) for hit in system.search(Query(text, depth)).hits]
            for query, text in texts.items()
        }
        if hasattr(system, "close"):
            system.close()
    kept = answers if only is None else {q: [x for x in row if x in only[q]] for q, row in answers.items()}
    return {query: row[:KEPT] for query, row in kept.items()}


def trec_set(data: Path, name: str, run: str, qrels: str) -> JudgedSet:
    """Return a TREC collection: its run over judged documents, and systems made of it by seeded noise."""
    grades: Grades = {}
    for line in (data / qrels).read_text(encoding="utf-8").splitlines():
        query, _, document, grade = line.split()
        grades.setdefault(query, {})[document] = max(0.0, float(grade))
    scores: dict[str, dict[str, float]] = {}
    (path,) = (data / run).iterdir()
    for line in path.read_text(encoding="utf-8").splitlines():
        query, _, document, _, score, _ = line.split()
        if document in grades.get(query, {}):
            scores.setdefault(query, {})[document] = float(score)
    rng = np.random.default_rng(2026)
    systems = [_perturbed(scores, grades, 0.0, 0.0, rng)]
    for _ in range(PERTURBED - 1):
        noise, truth = rng.choice((0.1, 0.2, 0.4, 0.8, 1.6)), rng.choice((0.0, 0.0, 0.1, 0.2, 0.4))
        systems.append(_perturbed(scores, grades, float(noise), float(truth), rng))
    return JudgedSet(name, {query: grades[query] for query in scores}, tuple(systems))


def _perturbed(
    scores: Mapping[str, Mapping[str, float]],
    grades: Grades,
    noise: float,
    truth: float,
    rng: np.random.Generator,
) -> Rankings:
    """Rank by the scores in units of their spread, plus noise, plus a little of the grade."""
    found = {}
    for query, row in scores.items():
        names = list(row)
        values = np.array([row[name] for name in names])
        values = (values - values.mean()) / (values.std() or 1.0)
        graded = np.array([grades[query][name] for name in names])
        values = values + noise * rng.normal(size=len(names)) + truth * graded
        found[query] = [names[at] for at in np.argsort(-values, kind="stable")[:KEPT]]
    return found
