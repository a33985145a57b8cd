"""The data of `just bench-releases`: forty releases, three suites, and decisions that fit them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

import rankgate as rg
from release_decisions import read_decisions
from release_documents import FOLDER, pinned_releases
from release_following import Places, follow, settle
from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

RELEASES = {"starlette": 20, "flask": 10, "pytest": 10}


@pytest.mark.parametrize("name", RELEASES)
def test_each_suite_has_forty_queries_on_the_first_release_that_is_pinned(name: str) -> None:
    releases = pinned_releases(name)
    assert len(releases) == RELEASES[name]
    suite = rg.load_suite(FOLDER / f"{name}.yaml")
    assert len(suite.cases) == 40
    assert suite.corpus is not None
    assert suite.corpus.place == f"{name}-{releases[0].version}.tar.gz"
    assert suite.corpus.options["sha256"] == releases[0].sha256


@pytest.mark.parametrize("name", RELEASES)
def test_decisions_follow_each_other_from_the_suite_on(name: str) -> None:
    """A location that somebody decided on stands in the suite, or was written by an earlier decision."""
    cases = yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))["cases"]
    known = {at for case in cases for at in case.get("at", ())}
    assert set(read_decisions(name)) <= {each.version for each in pinned_releases(name)[1:]}
    for release in pinned_releases(name):
        decided = read_decisions(name).get(release.version)
        if decided is not None:
            moved = {**decided.proven, **decided.moved}
            written = {*decided.kept, *moved, *decided.gone}
            assert {each for each in written if ' "' not in each} <= known, release.version
            known |= {each for each in moved.values() if ' "' not in each}


PAGES = {
    "keys.md": (
        "# Keys\n\n## Rotation\n\nEvery key is replaced.\nThat is done after 90 days.\n"
        "\n## Limits\n\nTen keys.\n"
    ),
    "old.md": "# Old\n\nHow it was done before.\nNobody does it so any more.\n",
}


def test_what_is_sure_is_written_and_the_rest_as_somebody_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    docs, suite = tmp_path / "docs", tmp_path / "suite.yaml"
    docs.mkdir()
    for name, text in PAGES.items():
        (docs / name).write_text(text)
    suite.write_text(
        "corpus: docs/\n"
        "cases:\n"
        "  - {query: how often, at: {keys.md#Rotation: 3, old.md: 1}}\n"
        "  - {query: how many, at: {keys.md#Limits: 3}}\n"
    )
    rankgate("suite", "fix", suite, "--yes").printed()
    text = PAGES["keys.md"].replace("## Rotation", "## Replacement").replace("Ten keys.", "Twelve keys.")
    (docs / "keys.md").write_text(text)
    (docs / "old.md").unlink()
    changed, unchanged = follow(suite)
    assert {each.old: each.new for each in changed} == {
        "keys.md#Rotation": "keys.md#Replacement",
        "keys.md#Limits": None,
        "old.md": None,
    }
    assert unchanged == 0
    assert settle(suite, {"keys.md#Limits": "keys.md#Limits"}, ["old.md"]) == ""
    cases = rg.load_suite(suite).cases
    assert [str(each.location) for case in cases for each in case.targets] == [
        "keys.md#Replacement",
        "keys.md#Limits",
    ]
    assert follow(suite) == ([], 2)


def test_two_spellings_of_one_place_are_the_same_place(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text(PAGES["keys.md"])
    places = Places.of_folder(tmp_path / "docs")
    assert places.same("keys.md#Rotation", "keys.md#Keys/Rotation")
    assert not places.same("keys.md#Rotation", "keys.md#Limits")
    assert not places.same("keys.md#Rotation", "keys.md#Nowhere")
