"""Issue 21, found 19: names keep vowel signs, advice is right, one fault is told once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.suites.native.cases import slug
from rankgate.truth.facts.words import Spelling
from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

CASES = 96


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/keys.md").write_text("# Keys\n\n## Rotation\n\nEvery 90 days.\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("कुंजी कैसे बदलें?", "कुंजी-कैसे-बदलें"),
        ("วิธีเปลี่ยนคีย์", "วิธีเปลี่ยนคีย์"),
        ("Where's my API_key?", "where-s-my-api-key"),
        ("❤️ love", "love"),
        ("!?", "case"),
    ],
)
def test_a_name_keeps_the_marks_of_its_letters(query: str, name: str) -> None:
    # NFKC takes the Thai sara am apart, as it always did.
    import unicodedata

    assert slug(query) == unicodedata.normalize("NFKC", name)


def test_another_word_is_not_called_a_slip() -> None:
    assert Spelling(["part", "create"]).correction("party") is None
    assert Spelling(["part", "create"]).correction("crete") == "create"


def test_lint_says_that_there_is_no_problem(docs: Path) -> None:
    suite = "corpus: docs\ncases:\n  - {query: how often is it replaced, at: 'keys.md#Rotation'}\n"
    (docs / "search.yaml").write_text(suite, encoding="utf-8")
    assert rankgate("suite", "lint", "search.yaml", "--ignore", "not-anchored").out == "1 case, no problems\n"


@pytest.mark.parametrize("form", ["{path: keys.md, lines: 3-5}", "[{path: keys.md, lines: [3, 5]}]"])
def test_a_location_in_parts_is_told_once_with_its_count_and_the_right_form(docs: Path, form: str) -> None:
    cases = "".join(f"  - {{query: query {number}, at: {form}}}\n" for number in range(CASES))
    (docs / "search.yaml").write_text(f"corpus: docs\ncases:\n{cases}", encoding="utf-8")
    said = rankgate("suite", "lint", "search.yaml").out + rankgate("test", "search.yaml", "-s", "a:b").err
    assert said.count("a location in parts") == 2
    assert f"({CASES} times)" in said
    assert "at: keys.md:3-5" in said
    assert "as the grade" not in said
