"""What is read blind says nothing of who found it, and grades come back to the passages that were shown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import pool_batches
from pool_batches import batches_of, take_in, write_batches
from rankgate.judging.pool.candidates import PoolCandidate, Vote
from rankgate.judging.units import JudgingUnit
from rankgate.truth.judgments.labels import read_labels
from suite_pools import read_hits, write_hits

if TYPE_CHECKING:
    from pathlib import Path

UNITS = [
    JudgingUnit("rotate", "rotate a key", "keys.md:3-4", "keys.md", 3, 4, "Rotate:\nonce a day.", ("Keys",)),
    JudgingUnit("rotate", "rotate a key", "other.md:1-1", "other.md", 1, 1, "Other."),
    JudgingUnit("find", "find a user", "findUser", text="GET /user"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    suite = tmp_path / "suites" / "small"
    suite.mkdir(parents=True)
    (suite / "GUIDELINES.md").write_text("0 to 3\n")
    (suite / "small.yaml").write_text("name: small\ncases: [{query: q, id: a}]\n")
    monkeypatch.setattr(pool_batches, "SUITES", tmp_path / "suites")
    assert write_batches("small", UNITS, tmp_path / "read") == 2
    return tmp_path


def said(folder: Path, grades: dict[str, object]) -> Path:
    out = folder / "out"
    out.mkdir(exist_ok=True)
    rows = {name: {"grade": grade, "reason": "why"} for name, grade in grades.items()}
    (out / "batch-01.json").write_text(json.dumps(rows))
    return out


def test_a_page_has_the_lines_of_each_passage_under_its_query(folder: Path) -> None:
    page = (folder / "read" / "batch-01.md").read_text()
    assert page.startswith("# small, batch 01: 3 passages\n\n## Query: rotate a key\n")
    assert page.count("## Query:") == 2
    assert "### small-01-01: keys.md:3-4 (in Keys)\n\n     3  Rotate:\n     4  once a day.\n" in page


def test_grades_become_labels_of_the_passages_once(folder: Path) -> None:
    out = said(folder, {"small-01-01": 3, "small-01-02": 0, "small-01-03": 1})
    found = take_in("small", folder / "read", out, "reader-a")
    assert dict(found) == {3: 1, 0: 1, 1: 1}
    labels = read_labels(folder / "suites" / "small" / "small.yaml").of("reader-a")
    assert [(one.unit, one.grade, one.text) for one in labels] == [
        (unit.key, grade, unit.digest) for unit, grade in zip(UNITS, (3, 0, 1), strict=True)
    ]
    assert {(one.source, one.comment) for one in labels} == {("model", "why")}
    assert not take_in("small", folder / "read", out, "reader-a")


@pytest.mark.parametrize(
    ("grades", "told"),
    [
        ({"small-01-01": 3, "small-01-02": 0}, "without a grade: small-01-03"),
        ({"small-01-01": 3, "small-01-02": 0, "small-01-03": 4}, "a grade that is none: small-01-03"),
        ({f"small-01-0{at}": 0 for at in range(1, 5)}, "not in the batch: small-01-04"),
    ],
)
def test_a_batch_that_is_not_whole_writes_nothing(folder: Path, grades: dict[str, object], told: str) -> None:
    with pytest.raises(SystemExit, match=told):
        take_in("small", folder / "read", said(folder, grades), "reader-a")
    assert not (folder / "suites" / "small" / "judgments").exists()


def test_the_passages_of_a_query_are_in_one_batch() -> None:
    units = [JudgingUnit(case, case, str(at)) for case in "abcdef" for at in range(25)]
    batches = batches_of(units)
    assert [unit for batch in batches for unit in batch] == units
    assert [sorted({unit.case for unit in batch}) for batch in batches] == [
        ["a", "b"],
        ["c", "d"],
        ["e", "f"],
    ]


def test_hits_that_were_kept_are_read_as_they_were(tmp_path: Path) -> None:
    hits = [
        PoolCandidate("rotate", Vote("sqlite", 2), "keys.md", 3, 4),
        PoolCandidate("find", Vote("bm25s", 1), id="findUser"),
    ]
    write_hits(tmp_path / "hits", hits)
    assert read_hits(tmp_path / "hits") == hits
