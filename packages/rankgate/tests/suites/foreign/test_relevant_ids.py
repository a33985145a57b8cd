"""Questions whose metadata names the relevant ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import FormatError
from support.formats import judged, lines, read

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("question", ["query", "question", "input", "inputs"])
@pytest.mark.parametrize(
    "labels",
    [
        {"metadata": {"relevantIds": ["a", "b"]}},
        {"relevant_doc_ids": ["a", "b"]},
        {"labels": {"evidence_ids": ["a", "b"]}},
        {"reference": {"evidence": [{"id": "a"}, {"source": "b"}]}},
        {"expected": {"answerCorpusIds": ["a", "b"]}},
    ],
)
def test_labels_stand_in_the_record_or_one_level_down(
    tmp_path: Path, question: str, labels: dict[str, Any]
) -> None:
    records = [{question: "why?", **labels}]
    assert judged(read(tmp_path / "a.json", records)) == {"why?": {"a": 1, "b": 1}}
    assert judged(read(tmp_path / "a.jsonl", lines(records))) == {"why?": {"a": 1, "b": 1}}


def test_several_fields_of_labels_are_refused_unless_one_is_chosen(tmp_path: Path) -> None:
    records = [{"query": "q", "metadata": {"relevantIds": ["a"], "relevantChunkIds": ["a#1"]}}]
    with pytest.raises(FormatError, match=r"the fields relevantIds, relevantChunkIds.*--option field="):
        read(tmp_path / "a.json", records)
    suite = read(tmp_path / "a.json", records, field="relevantChunkIds")
    assert judged(suite) == {"q": {"a#1": 1}}
    assert any("break when" in note for note in suite.notes)
    assert any("'relevantIds' left out in 1 record" in note for note in suite.notes)
    with pytest.raises(FormatError, match="expected evidence"):
        read(tmp_path / "a.json", records, field="evidence")


def test_the_answer_the_category_and_tags_are_kept(tmp_path: Path) -> None:
    record = {
        "id": 7,
        "question": "who?",
        "answer": "she",
        "metadata": {"relevantIds": ["a"], "category": "multi-hop", "tags": ["x"], "difficulty": 3},
    }
    other = {"question": "when?", "answer": "then", "metadata": {}}
    suite = read(tmp_path / "a.json", [record, other])
    case = suite.cases[0]
    assert (case.id, case.answer, case.category, case.tags) == ("7", "she", "multi-hop", frozenset({"x"}))
    assert (suite.cases[1].answer, suite.cases[1].targets) == ("then", ())
    assert suite.notes == (
        "1 case with an expected answer and no labels",
        "field 'difficulty' left out 1 time",
    )


def test_labels_of_their_own_worth_are_graded(tmp_path: Path) -> None:
    records = [{"query": "q", "metadata": {"relevantIds": {"a": "high", "b": "low"}}}]
    with pytest.raises(FormatError, match="--grades high=2,low=1"):
        read(tmp_path / "a.json", records)
    suite = read(tmp_path / "a.json", records, grades={"high": 5, "low": 1})
    assert judged(suite) == {"q": {"a": 5, "b": 1}}
