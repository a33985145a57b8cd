"""A run of other tools is placed as live answers are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgate import flow
from rankgate.io.records import write_objects
from rankgate.model import System
from rankgate.project.settings import Settings
from rankgate.runs.formats.load import load_run
from rankgate.runs.store.hits import read_hits
from rankgate.suites.formats import load_suite

if TYPE_CHECKING:
    from pathlib import Path

KEYS = "# Keys\n\n## Rotation\n\nRotate the key every ninety days, and when somebody leaves.\n"
SAME = "The same words stand on two pages of it.\n"
ANSWERS: dict[str, list[dict[str, Any]]] = {
    "rotate a key": [
        {"path": "keys.md", "start": 3, "end": 5},
        {"path": "keys.md", "start": 90, "end": 99},
        {"path": "/srv/docs/keys.md", "text": "Rotate the key every ninety days, and when somebody leaves."},
        {"text": "The same words stand on two pages of it."},
        {"id": "keys.md#Rotation"},
    ],
    "same": [
        {"path": "docs/other.md"},
        {"path": "other.md"},
        {"id": "chunk-7"},
        {"path": "other.md", "start_char": 4, "end_char": 9},
        {"text": "Nothing of this stands anywhere in the corpus."},
    ],
}


def test_a_file_of_answers_and_the_answers_themselves_are_placed_alike(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for name, text in {"keys.md": KEYS, "other.md": f"# Other\n\n{SAME}", "third.md": SAME}.items():
        (tmp_path / "docs" / name).write_text(text)
    (tmp_path / "s.yaml").write_text(
        "corpus: docs/\nmetrics: [ndcg@5]\ncases:\n"
        "  - {query: rotate a key, at: keys.md#Rotation}\n  - {query: same, at: other.md}\n"
    )
    suite = load_suite(tmp_path / "s.yaml")
    names = {"rotate a key": "rotate-a-key", "same": "same"}
    lines = [{"query": names[query], "hits": hits} for query, hits in ANSWERS.items()]
    write_objects(tmp_path / "run.jsonl", lines)
    live = flow.evaluate(suite, lambda query, k: ANSWERS[query][:k])
    kept = load_run(tmp_path / "run.jsonl")
    assert not isinstance(kept, System)
    stored = flow.evaluate_suite(suite, kept, Settings(root=tmp_path))

    def rows(result: Any) -> list[tuple[object, ...]]:
        found = read_hits(result.run)
        return [
            (row.rank, row.path, row.start, row.end, row.start_char, row.hit_class, row.strategy, row.copies)
            for query in sorted(found)
            for row in found[query]
        ]

    assert rows(live) == rows(stored)
    assert live["ndcg@5"] == stored["ndcg@5"]
    assert [row[5] for row in rows(live)] == [
        *("exact", "past_end", "exact", "several", "exact"),
        *("no_file", "file", "opaque", "exact", "no_text"),
    ]
    assert live.report.provenance["located"] == stored.report.provenance["located"]
