"""A heading or a class means all below it; with ``/.`` its own text alone, wherever a location is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import rankgate as rg
from rankgate.corpora.folder import FolderCorpus
from rankgate.model.locations import Location
from rankgate.suites.native.dump import write_native
from rankgate.truth.anchors import Anchors, compare, updated
from rankgate.truth.locations.corpus_reader import CorpusReader
from rankgate.truth.locations.lookup import Lookup, Spot
from rankgate.truth.locations.resolve import with_lines

if TYPE_CHECKING:
    from pathlib import Path

PAGE = "# Keys\n\nAll.\n\n## Rotation\n\nEvery 90 days.\n\n### Emergencies\n\nAt once.\n\n## Logs\n\nKept.\n"
CODE = """\
class Store:
    size = 1

    # Adds one.
    def put(self):
        pass

    last = 2


def f(): pass
"""
SUITE = """\
corpus: docs/
cases:
  - query: how often
    at: {keys.md#Rotation/.: 3, 'store.py::Store/.': 1}
    top: {at: keys.md#Rotation/., within: 1}
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text(PAGE, encoding="utf-8")
    (tmp_path / "docs" / "store.py").write_text(CODE, encoding="utf-8")
    path = tmp_path / "search.yaml"
    path.write_text(SUITE, encoding="utf-8")
    return path


def opened(suite: Path, folder: str = "docs") -> FolderCorpus:
    return FolderCorpus.open(suite.parent / folder, root=suite.parent)


@pytest.mark.parametrize(
    ("at", "lines"),
    [
        ("keys.md#Rotation", (5, 12)),
        ("keys.md#Rotation/.", (5, 8)),
        ("keys.md#Keys/Rotation/.", (5, 8)),
        ("keys.md#Keys/.", (1, 4)),
        ("keys.md#Logs/.", (13, 15)),
        ("store.py::Store", (1, 8)),
        ("store.py::Store/.", (1, 3)),
        ("store.py::f/.", (11, 11)),
    ],
)
def test_the_own_text_ends_before_what_is_below(suite: Path, at: str, lines: tuple[int, int]) -> None:
    found = Lookup(opened(suite)).find(Location.at(at))
    assert isinstance(found, Spot)
    assert (found.start, found.end) == lines


@pytest.mark.parametrize(("lines", "value"), [("7-7", 1.0), ("11-11", 0.0)])
def test_only_the_own_text_is_credited_and_checked(suite: Path, lines: str, value: float) -> None:
    result = rg.evaluate(rg.load_suite(suite), lambda _query, _k: [f"keys.md:{lines}"], metrics=["rr(rel=3)"])
    assert result["rr(rel=3)"] == value
    told = [
        reason for failure in result.failures for reason in failure.reasons if "keys.md#Rotation/." in reason
    ]
    assert bool(told) is (value == 0)


def test_a_suite_is_written_as_it_was_read(suite: Path, tmp_path: Path) -> None:
    loaded = rg.load_suite(suite)
    again = tmp_path / "again.yaml"
    write_native(loaded, again)
    assert [case.targets for case in rg.load_suite(again).cases] == [case.targets for case in loaded.cases]
    assert [case.top for case in rg.load_suite(again).cases] == [case.top for case in loaded.cases]
    assert "keys.md#Rotation/." in again.read_text(encoding="utf-8")


def test_formats_that_know_lines_get_the_lines_of_the_own_text(suite: Path) -> None:
    lines = with_lines(rg.load_suite(suite), opened(suite))
    assert [str(one.location) for one in lines.cases[0].targets] == ["keys.md:5-8", "store.py:1-3"]


def test_what_changes_below_changes_no_anchor(suite: Path) -> None:
    loaded, corpus = rg.load_suite(suite), opened(suite)
    before = updated(compare(loaded, CorpusReader(corpus), Anchors()), loaded, corpus.fingerprint)
    (suite.parent / "new").mkdir()
    (suite.parent / "new" / "keys.md").write_text(PAGE.replace("At once", "Now"), encoding="utf-8")
    (suite.parent / "new" / "store.py").write_text(
        CODE.replace("pass\n\n    last", "return 1\n\n    last"), encoding="utf-8"
    )
    after = compare(loaded, CorpusReader(opened(suite, "new")), before)
    assert [one.state.value for one in after.locations] == ["matching", "matching"]
