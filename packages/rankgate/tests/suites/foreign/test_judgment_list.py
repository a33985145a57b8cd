"""Judgment lists of the Search Relevance Workbench."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import FormatError
from support.formats import judged, read

if TYPE_CHECKING:
    from pathlib import Path


def listed(*ratings: dict[str, Any]) -> dict[str, Any]:
    return {"name": "ESCI", "judgmentRatings": [{"query": "towels", "ratings": list(ratings)}]}


def test_ratings_are_numbers_written_as_text(tmp_path: Path) -> None:
    suite = read(
        tmp_path / "a.json", listed({"docId": "B1", "rating": "100.000"}, {"docId": "B2", "rating": 1})
    )
    assert judged(suite) == {"towels": {"B1": 100, "B2": 1}}
    assert suite.name == "ESCI"


def test_a_mapping_compares_numbers_as_numbers(tmp_path: Path) -> None:
    written = listed({"docId": "B1", "rating": "100.000"}, {"docId": "B2", "rating": "0.000"})
    suite = read(tmp_path / "a.json", written, grades={"100": 3, "0": 0})
    assert judged(suite) == {"towels": {"B1": 3, "B2": 0}}
    with pytest.raises(FormatError, match=r"the labels 0.000 \(1\)"):
        read(tmp_path / "a.json", written, grades={"100": 3})


def test_words_are_refused_with_what_to_say(tmp_path: Path) -> None:
    written = listed(*({"docId": label, "rating": label} for label in "ESCI"))
    with pytest.raises(
        FormatError, match=r"labels E \(1\), S \(1\), C \(1\), I \(1\).*--grades E=4,S=3,C=2,I=1"
    ):
        read(tmp_path / "a.json", written)


def test_a_document_without_a_rating_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(
        FormatError, match=r"judgmentRatings\[0\].ratings\[0\]: found a document without a rating"
    ):
        read(tmp_path / "a.json", listed({"docId": "B1"}))
