"""Advice was guessed: "look at synonyms, stemming" for a missing page, for URLs, for no answers at all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.staged_faults import StagedProject

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("tantivy")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StagedProject:
    """Write a project whose search finds everything first."""
    monkeypatch.chdir(tmp_path)
    return StagedProject(tmp_path)


def advice(project: StagedProject) -> str:
    """Return all advice as one text."""
    project.test()
    report = json.loads((project.folder / ".rankgate/search/app/report.json").read_text())
    return json.dumps(report["recommendations"])


def test_a_search_that_answers_nothing_is_told_so(project: StagedProject) -> None:
    project.stage(empty=True)
    said = advice(project)
    assert "0 hits for 12 of 12 queries" in said
    assert "stemming" not in said


def test_a_page_that_is_missing_is_named_with_all_failures_in_it(project: StagedProject) -> None:
    project.stage(not_indexed=["keys.md"])
    said = advice(project)
    assert "no hit of any of 12 queries lies in keys.md, and every failed or weak query expects it" in said
    assert "stemming" not in said


@pytest.mark.parametrize("prefix", ["/srv/site/", "https://docs.example.org/"])
def test_a_wrong_prefix_and_urls_are_said_to_be_that(project: StagedProject, prefix: str) -> None:
    project.stage(prefix=prefix)
    said = advice(project)
    assert "name files that the corpus does not have" in said
    assert "stemming" not in said


def test_an_outage_is_said_once_and_compared_with_nothing(project: StagedProject) -> None:
    project.test()
    rankgate("baseline", "set").printed()
    project.stage(down=True)
    shown = project.test().out
    assert shown.count("- error: ") == 1
    assert "and 11 more queries with the same error" in shown
    assert "worse" not in shown


def test_a_damaged_index_that_was_built_here_is_built_anew(
    project: StagedProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project.folder / "rankgate.toml").write_text(
        'suites = ["search.yaml"]\n[systems.built]\nkind = "tantivy"\nfolder = "indexes"\n'
    )
    assert project.test().code in (0, 1)
    (meta,) = (project.folder / "indexes").rglob("meta.json")
    meta.write_text("{")
    done = project.test()
    assert done.code == 2
    assert "with this version of Tantivy" not in done.err
    assert f"delete {meta.parent.relative_to(project.folder)}" in done.err.replace(f"{project.folder}/", "")
    # What is advised helps.
    for file in meta.parent.iterdir():
        file.unlink()
    meta.parent.rmdir()
    assert project.test().code in (0, 1)
