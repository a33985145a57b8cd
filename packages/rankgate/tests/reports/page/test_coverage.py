"""What a suite asks for in its corpus, beside a count by hand."""

from __future__ import annotations

from random import Random

from rankgate.model import Case, Location, Suite, Target
from rankgate.reports.page import coverage
from rankgate.reports.page.coverage import CorpusNames, coverage_of
from rankgate.truth.judgments.table import Judgments


def _judged(*targets: tuple[str, str, float]) -> Judgments:
    cases = tuple(
        Case(
            name,
            name,
            tuple(Target(Location(path=path), grade=grade) for one, path, grade in targets if one == name),
        )
        for name in dict.fromkeys(name for name, _, _ in targets)
    )
    return Judgments.from_suite(Suite("s", cases))


def test_folders_with_most_unasked_pages_come_first_and_wrong_targets_ask_for_nothing() -> None:
    names = ["a.md", "docs/b.md", "docs/c.md", "docs/d.md", "src/e.py"]
    judged = _judged(
        ("one", "docs/b.md", 1), ("two", "docs/b.md", 2), ("two", "src/e.py", 1), ("two", "a.md", -1)
    )
    found = coverage_of(CorpusNames(names), judged)
    assert found is not None
    assert found.words == "2 of 5 pages are asked for; no query asks for 3"
    rows = [(row.folder, row.documents, row.asked, row.queries, row.unasked) for row in found.folders]
    assert rows == [
        ("docs", 3, 1, 2, ("docs/c.md", "docs/d.md")),
        ("(top)", 1, 0, 0, ("a.md",)),
        ("src", 1, 1, 1, ()),
    ]


def test_every_page_is_in_one_row_however_many_folders_there_are() -> None:
    drawn = Random(4)
    names = [f"{drawn.randrange(9)}/{drawn.randrange(40)}/{number}.md" for number in range(900)]
    asked = set(drawn.sample(names, 120))
    found = coverage_of(
        CorpusNames(names), _judged(*((f"q{at}", name, 1.0) for at, name in enumerate(sorted(asked))))
    )
    assert found is not None
    assert len(found.folders) == 9
    assert sum(row.documents for row in found.folders) == 900
    assert sum(row.asked for row in found.folders) == 120
    listed = {name for row in found.folders for name in row.unasked}
    assert listed == set(names) - asked


def test_more_folders_than_rows_are_put_together_and_names_without_room_are_counted(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(coverage, "MOST_FOLDERS", 5)
    monkeypatch.setattr(coverage, "MOST_LISTED", 30)
    names = [f"f{number % 20}/{number}.md" for number in range(100)]
    found = coverage_of(CorpusNames(names), _judged(("q", names[0], 1.0)))
    assert found is not None
    assert found.folders[0].folder == "other (16 folders)"
    assert len(found.folders) == 5
    assert sum(len(row.unasked) for row in found.folders) == 30
    assert sum(len(row.unasked) + row.more for row in found.folders) == 99


def test_records_have_no_folders() -> None:
    case = Case("q", "q", (Target(Location(id="a/b"), grade=1),))
    found = coverage_of(CorpusNames(["a/b", "c/d"], records=True), Judgments.from_suite(Suite("s", (case,))))
    assert found is not None
    assert found.words == "1 of 2 records is asked for; no query asks for 1"
    assert [(row.documents, row.asked) for row in found.folders] == [(2, 1)]


def test_an_empty_corpus_has_no_map() -> None:
    assert coverage_of(CorpusNames([]), _judged(("q", "a.md", 1.0))) is None
