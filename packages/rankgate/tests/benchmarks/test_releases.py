"""The data of `just bench-releases`: forty releases, three suites, and decisions that fit them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

import rankgate as rg
from release_decisions import read_decisions
from release_documents import FOLDER, pinned_releases
from release_following import settle

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
    assert suite.corpus.place == f"{name}=={releases[0].version}"
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


def test_targets_are_moved_and_dropped_and_cases_without_any_are_left_out(tmp_path: Path) -> None:
    suite = tmp_path / "suite.yaml"
    suite.write_text(
        "corpus: docs/\n"
        "cases:\n"
        "  - {query: rotate, at: {keys.md#Rotation: 3, old.md: 1}}\n"
        "  - {query: revoke, at: {old.md: 3}}\n"
        "  - {query: how often, quote: {Keys rotate every 90 days.: 3}, path: keys.md}\n"
        "  - {query: merged, at: {a.md#One: 2, a.md#Two: 3}}\n"
    )
    answers = {
        "keys.md#Rotation": "auth/keys.md#Rotation",
        "old.md": None,
        'keys.md "Keys rotate every…"': 'auth/keys.md "Keys rotate every…"',
        "a.md#One": "a.md#Both",
        "a.md#Two": "a.md#Both",
    }
    settle(suite, answers)
    cases = {case["query"]: case for case in yaml.safe_load(suite.read_text())["cases"]}
    assert list(cases) == ["rotate", "how often", "merged"]
    assert cases["rotate"]["at"] == {"auth/keys.md#Rotation": 3}
    assert cases["how often"]["path"] == "auth/keys.md"
    assert cases["merged"]["at"] == {"a.md#Both": 3}
