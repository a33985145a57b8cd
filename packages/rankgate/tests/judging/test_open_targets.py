"""Targets that mending leaves to people are in the pool, where they may be in the documents of today."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.judging.opened import opened_session
from rankgate.judging.pool.gather import PoolWishes, gathered
from rankgate.judging.session.session import Judgment
from rankgate.project.project import Project
from rankgate.suites.formats import load_suite
from rankgate.truth.judgments.labels import read_labels
from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

_SUITE = """\
corpus: docs/
cases:
  - {query: rotate, at: {keys.md#Rotation: 1}}
  - {query: revoke, at: {keys.md#Revoking: 1}}
  - {query: limits, at: {limits.md#Limits: 1}}
"""
_TEXTS = {
    "Rotation": "Keys are rotated once a day.\nThe old key stays valid for an hour.\nThen it is refused.",
    "Revoking": "A key that leaked is revoked at once.\nWhoever uses it gets the code 401.\nTell the owner.",
    "Limits": "Ten requests a second are allowed.\nMore are refused with the code 429.\nWait and try again.",
}


def _page(*titles: str, **other: str) -> str:
    sections = (f"## {title}\n\n{other.get(title, _TEXTS[title])}\n\n" for title in titles)
    return "# Page\n\nWords before.\n\n" + "".join(sections)


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "keys.md").write_text(_page("Rotation", "Revoking"))
    (docs / "limits.md").write_text(_page("Limits"))
    (docs / "other.md").write_text("# Other\n\nNothing to see.\n")
    (tmp_path / "app.py").write_text(
        "def search(query, k):\n    return [{'path': 'other.md', 'start': 1, 'end': 3}]\n"
    )
    (tmp_path / "rankgate.toml").write_text(
        'suites = ["s.yaml"]\n[systems.app]\nfunction = "./app.py:search"\n'
    )
    path = tmp_path / "s.yaml"
    path.write_text(_SUITE)
    assert rankgate("suite", "fix", "s.yaml", "--yes").code == 0
    assert rankgate("test", "s.yaml").code == 0
    return path


def _pool(suite: Path, **how: object) -> tuple[dict[str, set[str]], tuple[str, ...]]:
    rankgate("test", "s.yaml")
    project = Project.of(suite)
    wishes = PoolWishes("ada", plain=False, **how)  # type: ignore[arg-type]
    pool = gathered(project, project.suite(suite), read_labels(suite), wishes).pool
    found: dict[str, set[str]] = {}
    for one in pool.units:
        if one.unit.path != "other.md":
            found.setdefault(one.unit.case, set()).add(one.unit.location)
    return found, pool.notes


def test_nothing_is_added_while_the_documents_are_as_they_were_anchored(suite: Path) -> None:
    assert _pool(suite) == ({}, ())


def test_an_edited_text_is_judged_where_it_is_until_anybody_has(suite: Path) -> None:
    docs = suite.parent / "docs"
    words = _TEXTS["Rotation"].replace("once a day", "every ninety days").replace("an hour", "a week")
    (docs / "keys.md").write_text(_page("Rotation", "Revoking", Rotation=words))
    found, notes = _pool(suite)
    assert found == {"rotate": {"keys.md:5-10"}}
    assert notes == ("1 target that `rankgate suite fix` left open",)
    project = Project.of(suite)
    session, _ = opened_session(project, project.suite(suite), PoolWishes("ada", plain=False))
    unit = next(unit for unit in session.task.units if unit.case == "rotate" and unit.path == "keys.md")
    session.record(unit, Judgment(grade=1))
    # One judgment of the new text is enough, of whomever.
    assert _pool(suite)[0] == {}


def test_a_target_whose_page_is_gone_is_looked_for_where_its_words_are(suite: Path) -> None:
    docs = suite.parent / "docs"
    (docs / "limits.md").unlink()
    kept = "\n".join(_TEXTS["Limits"].split("\n")[:2])
    (docs / "quota.md").write_text(f"# Quota\n\n## Requests\n\n{kept}\nAsk for more if you need it.\n")
    found, notes = _pool(suite)
    assert list(found) == ["limits"]
    assert all(location.startswith("quota.md:") for location in found["limits"])
    assert "1 target that `rankgate suite fix` left open" in notes
    project = Project.of(suite)
    session, _ = opened_session(project, project.suite(suite), PoolWishes("ada", plain=False))
    for unit in session.task.units:
        session.record(unit, Judgment(grade=int(unit.path == "quota.md")))
    assert rankgate("judge", "apply", "s.yaml", "--accept").code == 0
    assert [str(one.location) for one in load_suite(suite).cases[2].targets][1].startswith("quota.md")


def test_a_model_is_asked_for_hits_alone(suite: Path) -> None:
    docs = suite.parent / "docs"
    words = _TEXTS["Rotation"].replace("once a day", "every ninety days").replace("an hour", "a week")
    (docs / "keys.md").write_text(_page("Rotation", "Revoking", Rotation=words))
    assert _pool(suite, mending=False)[0] == {}
