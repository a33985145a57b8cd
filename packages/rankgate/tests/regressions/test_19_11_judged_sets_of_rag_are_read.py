"""The judged data of RAG is read in the shapes that its tools document, linted and scored."""

from __future__ import annotations

import csv
import io
import json
import os
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rankgate.model.suite import CorpusSource
from rankgate.suites.formats import ReadOptions, format_of, load_suite
from support.commands import rankgate

if TYPE_CHECKING:
    from collections.abc import Mapping

FIRST = "Rotate the API key every 90 days, and when somebody leaves the team."
SECOND = "A delivery that failed is tried again for a day."
KEYS, HOOKS = f"# Keys\n\n{FIRST}\n\n# Again\n\n{FIRST}\n", f"# Hooks\n\n{SECOND}\n"
ASKED = ("how often are keys rotated", "what happens to a failed delivery")
ANSWERS = ("every 90 days", "it is tried again")
APP = f"""\
TEXTS = {{"keys.md:7-7": {FIRST!r}, "hooks.md:3-3": {SECOND!r}}}
def search(query, k):
    at = "keys.md:7-7" if "keys" in query else "hooks.md:3-3"
    path, lines = at.split(":")
    start, end = map(int, lines.split("-"))
    return [{{"path": path, "start": start, "end": end, "text": TEXTS[at]}}]
def wrong(query, k):
    return search("" if "keys" in query else "keys", k)
"""


def table(*rows: Mapping[str, object]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    for row in rows:
        writer.writerow(
            {key: value if isinstance(value, str) else json.dumps(value) for key, value in row.items()}
        )
    return out.getvalue()


def _reference(text: str, whole: str) -> dict[str, object]:
    start = whole.rindex(text)
    return {"content": text, "start_index": start, "end_index": start + len(text)}


SETS: dict[str, tuple[str, str]] = {
    "chroma": (
        "questions_df.csv",
        table(
            {"question": ASKED[0], "references": [_reference(FIRST, KEYS)], "corpus_id": "keys"},
            {"question": ASKED[1], "references": [_reference(SECOND, HOOKS)], "corpus_id": "hooks"},
        ),
    ),
    "squad": (
        "dev.json",
        json.dumps(
            {
                "version": "v2.0",
                "data": [
                    {
                        "title": "Handbook",
                        "paragraphs": [
                            {
                                "context": text,
                                "qas": [
                                    {
                                        "id": f"q{at}",
                                        "question": ASKED[at],
                                        "answers": [{"text": ANSWERS[at], "answer_start": 0}],
                                        "is_impossible": False,
                                    },
                                    {"id": f"n{at}", "question": "?!", "answers": [], "is_impossible": True},
                                ],
                            }
                            for at, text in enumerate((FIRST, SECOND))
                        ],
                    }
                ],
            }
        ),
    ),
    "ragas": (
        "testset.csv",
        table(
            *(
                {
                    "user_input": ASKED[at],
                    "reference_contexts": str([text]),
                    "reference": ANSWERS[at],
                    "synthesizer_name": "single_hop_specific_query_synthesizer",
                }
                for at, text in enumerate((FIRST, SECOND))
            )
        ),
    ),
    "deepeval": (
        "goldens.json",
        json.dumps(
            [
                {
                    "input": ASKED[at],
                    "actual_output": None,
                    "expected_output": ANSWERS[at],
                    "context": [text],
                    "source_file": ["keys.md", "/home/me/hooks.md"][at],
                }
                for at, text in enumerate((FIRST, SECOND))
            ]
        ),
    ),
    "llama_index": (
        "qa_dataset.json",
        json.dumps(
            {
                "queries": {"q-1": ASKED[0], "q-2": ASKED[1]},
                "corpus": {"node-1": FIRST, "node-2": SECOND},
                "relevant_docs": {"q-1": ["node-1"], "q-2": ["node-2"]},
                "mode": "text",
            }
        ),
    ),
    "promptfoo": (
        "promptfooconfig.yaml",
        f"""\
prompts: ['{{{{query}}}}']
providers: [python:rag.py]
tests:
  - vars: {{query: {ASKED[0]}}}
    assert:
      - {{type: contains-all, value: [keys.md]}}
      - {{type: latency, threshold: 900}}
  - vars: {{query: {ASKED[1]}, context: some text}}
    assert:
      - {{type: context-recall, value: is tried again, threshold: 0.8}}
""",
    ),
    "langsmith": (
        "examples.jsonl",
        "".join(
            json.dumps(
                {
                    "id": f"e{at}",
                    "inputs": {"question": ASKED[at]},
                    "outputs": {"answer": text},
                    "dataset_id": "d",
                    "metadata": {"split": "base"},
                }
            )
            + "\n"
            for at, text in enumerate(("every 90 days", "is tried again"))
        ),
    ),
    "langfuse": (
        "items.json",
        json.dumps(
            {
                "data": [
                    {
                        "id": f"i{at}",
                        "status": "ACTIVE" if at < 2 else "ARCHIVED",
                        "input": {"query": (*ASKED, "gone")[at]},
                        "expectedOutput": text,
                        "metadata": None,
                        "datasetName": "handbook",
                        "createdAt": "2026-01-01T00:00:00Z",
                    }
                    for at, text in enumerate(("every 90 days", "is tried again", "gone"))
                ],
                "meta": {"page": 1, "totalPages": 1},
            }
        ),
    ),
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    files = {"docs/keys.md": KEYS, "docs/hooks.md": HOOKS, "app.py": APP}
    files |= dict(SETS.values())
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", SETS)
def test_a_set_is_recognised_by_its_content_read_linted_and_scored(project: Path, name: str) -> None:
    file = SETS[name][0]
    with chdir(project):
        assert format_of(Path(file)).name == name
        assert rankgate("suite", "convert", file, "s.yaml", "--corpus", "docs/").code == 0
        text = Path("s.yaml").read_text(encoding="utf-8")
        Path("s.yaml").write_text(
            f"metrics: [rr]\ngates: [rr >= 1]\nallow_estimated: true\n{text}", encoding="utf-8"
        )
        linted = rankgate("suite", "lint", "s.yaml")
        assert linted.code == 0, linted.out
        assert len(load_suite("s.yaml").cases) == 2
        assert rankgate("test", "s.yaml", "--system", "./app.py:search").code == 0
        assert rankgate("test", "s.yaml", "--system", "./app.py:wrong").code == 1


def test_an_offset_says_which_copy_of_a_reference_is_meant(project: Path) -> None:
    from rankgate.evaluation.project.opening import open_corpus
    from rankgate.truth.locations.resolve import resolve

    with chdir(project):
        suite = load_suite("questions_df.csv", reading=ReadOptions(corpus=CorpusSource("docs")))
        rows = (
            resolve(suite, open_corpus(suite, None))
            .judgments.targets.select("path", "start", "start_char")
            .rows()
        )
    assert rows == [("keys.md", 7, KEYS.rindex(FIRST)), ("hooks.md", 3, HOOKS.index(SECOND))]


def test_any_records_are_read_by_the_names_of_their_fields(project: Path) -> None:
    records = [{"q": ASKED[0], "gold": {"passages": [{"text": FIRST}], "file": "keys"}}]
    (project / "own.json").write_text(json.dumps({"items": records}), encoding="utf-8")
    options = {"query": "q", "quotes": "gold.passages", "path": "{gold.file}.md", "records": "items"}
    suite = load_suite(project / "own.json", "mapped", ReadOptions(options=options))
    (target,) = suite.cases[0].targets
    assert (target.location.quote, target.location.path) == (FIRST, "keys.md")


def test_a_cell_of_csv_may_hold_several_passages_or_an_assertion(tmp_path: Path) -> None:
    golden = {"input": ASKED[0], "expected_output": ANSWERS[0], "context": f"{FIRST}|{SECOND}"}
    (tmp_path / "goldens.csv").write_text(table(golden), encoding="utf-8")
    suite = load_suite(tmp_path / "goldens.csv", reading=ReadOptions(options={"separator": "|"}))
    assert [target.location.quote for target in suite.cases[0].targets] == [FIRST, SECOND]
    cells = ("similar(0.8): every 90 days", "every 90 days", "contains-all: keys.md", "llm-rubric: is polite")
    rows = [{"question": f"{ASKED[0]} {at}", "__expected": cell} for at, cell in enumerate(cells)]
    (tmp_path / "tests.csv").write_text(table(*rows), encoding="utf-8")
    found = load_suite(tmp_path / "tests.csv")
    assert [case.answer for case in found.cases] == ["every 90 days", "every 90 days", None]
    assert [str(target.location) for target in found.cases[2].targets] == ["keys.md"]
    assert "1 query without judgments left out" in found.notes


@pytest.mark.skipif("RANKGATE_SHARED_DATA" not in os.environ, reason="RANKGATE_SHARED_DATA is not set")
def test_every_reference_of_the_chunking_evaluation_is_found_to_the_character() -> None:
    from rankgate.evaluation.project.opening import open_corpus
    from rankgate.truth.locations.resolve import resolve

    file = Path(os.environ["RANKGATE_SHARED_DATA"], "chroma", "questions_df.csv")
    suite = load_suite(file, reading=ReadOptions(corpus=CorpusSource("corpora")))
    targets = resolve(suite, open_corpus(suite, None)).judgments.targets
    found: dict[str, set[tuple[int, int]]] = {}
    for query, start, end in targets.select("query", "start_char", "end_char").rows():
        found.setdefault(query, set()).add((start, end))
    with file.open(newline="", encoding="utf-8") as source:
        rows = list(csv.DictReader(source))
    assert (len(suite.cases), targets.height) == (472, 790)
    for case, row in zip(suite.cases, rows, strict=True):
        for one in json.loads(row["references"]):
            words = one["content"]
            start = one["start_index"] + len(words) - len(words.lstrip())
            assert (start, start + len(words.strip())) in found[case.id]
