"""Judged collections of the shared data: what is relevant for each query, and what a search returned."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path


def trec_lines(path: Path, name: int, grade: int | None = None) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        parts = line.split()
        if grade is None or float(parts[grade]) > 0:
            found.setdefault(parts[0], []).append(parts[name])
    return found


def collection(name: str, data: Path) -> tuple[Mapping[str, list[str]], Mapping[str, list[str]]]:
    """Return the relevant ids and the returned ids of a collection, by query."""
    draw = random.Random(0)
    if name == "scifact":
        judged: dict[str, list[str]] = {}
        for line in (data / "beir/scifact/qrels/test.tsv").read_text().splitlines()[1:]:
            query, document, _ = line.split("\t")
            judged.setdefault(query, []).append(document)
        with (data / "beir/scifact/corpus.jsonl").open() as lines:
            every = [str(json.loads(line)["_id"]) for line in lines]
        return judged, {query: [*draw.sample(every, 9), judged[query][0]] for query in judged}
    if name == "esci":
        text = (data / "relevance/esci-sample/esci_us_judgments.json").read_text()
        rows = json.loads(text)["judgmentRatings"]
        rated = {row["query"]: [one["docId"] for one in row["ratings"]] for row in rows}
        return {query: ids[::2] for query, ids in rated.items()}, rated
    runs, judgments = {
        "cacm": ("cacm/cacm-bm25.txt", "qrels.cacm.txt"),
        "dl19": ("dl19/run.msmarco-v1-passage.bm25-default.dl19.txt", "qrels.dl19-passage.txt"),
        "trec-covid": ("trec-covid/run.beir.bm25-flat.trec-covid.txt", "qrels.covid-complete.txt"),
    }[name]
    judged = trec_lines(data / "trec/qrels" / judgments, 2, 3)
    return judged, {query: ids[:10] for query, ids in trec_lines(data / "runs" / runs, 2).items()}
