"""Queries that consist only of words of their target's title or name: how many a suite has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.project.opening import open_corpus
from rankgate.suites.formats import load_suite
from rankgate.truth.lint import lint

if TYPE_CHECKING:
    from pathlib import Path

PAGE = "# Keys\n\nAbout keys.\n\n## Rotating a key\n\nReplace it twice a year.\n\n## Limits\n\nTen at most.\n"
CODE = "class KeyStore:\n    def revoke_key(self):\n        '''Take it away.'''\n        return 1\n"
OTHERS = [f"how many of them may somebody have, number {count}" for count in range(12)]


def findings(folder: Path, *cases: str) -> list[str]:
    (folder / "docs").mkdir(exist_ok=True)
    (folder / "docs" / "keys.md").write_text(PAGE)
    (folder / "docs" / "store.py").write_text(CODE)
    others = [f"- {{query: '{query}', at: 'keys.md#Limits'}}" for query in OTHERS]
    (folder / "s.yaml").write_text("corpus: docs\ncases:\n" + "\n".join([*others, *cases]) + "\n")
    suite = load_suite(folder / "s.yaml")
    found = lint(suite, open_corpus(suite, None), rules=("title-words",))
    return [finding.problem.found for finding in found]


NAMED = (
    "- {query: rotate key, at: 'keys.md#Rotating a key'}",
    "- {query: revoke the key, at: 'store.py::KeyStore.revoke_key'}",
    "- {query: limits of keys, at: 'keys.md#Limits'}",
    "- {query: the keys, at: keys.md}",
)


def test_more_than_a_fifth_is_told_once_for_the_suite(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, *NAMED)
    expected = "4 of 16 queries with only words of a target's title or name: 'rotate key', 'revoke the key', "
    assert found.startswith(expected)


@pytest.mark.parametrize("left", range(4))
def test_a_fifth_is_natural(tmp_path: Path, left: int) -> None:
    assert findings(tmp_path, *(case for place, case in enumerate(NAMED) if place != left)) == []


@pytest.mark.parametrize("mark", ["category: exact", "category: symbol", "tags: [wording=exact]"])
def test_cases_that_are_meant_to_use_a_name_do_not_count(tmp_path: Path, mark: str) -> None:
    marked = [case.replace("}", f", {mark}}}") for case in NAMED]
    assert findings(tmp_path, *marked) == []


def test_a_word_more_is_a_query_of_its_own(tmp_path: Path) -> None:
    longer = [case.replace("query: ", "query: yearly ") for case in NAMED]
    assert findings(tmp_path, *longer) == []


def test_few_queries_have_no_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.OTHERS", OTHERS[:3])
    assert findings(tmp_path, *NAMED) == []


def test_signs_above_and_below_letters_are_parts_of_words(tmp_path: Path) -> None:
    """Cut at its vowel signs, a query in Hindi has little left, which stands in many titles."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# बदलाव\n\nText.\n\n# कुंजी बदलें\n\nText.\n", encoding="utf-8")
    other = [f"- {{query: कुंजी कैसे बदलें {name}, at: 'a.md#बदलाव'}}" for name in "abcd"]
    assert findings(tmp_path, *other) == []
    same = ["- {query: बदलें कुंजी, at: 'a.md#कुंजी बदलें'}"] * 4
    same = [case.replace("{", f"{{name: c{number}, ", 1) for number, case in enumerate(same)]
    assert len(findings(tmp_path, *same)) == 1
