"""A baseline says whose it is, and one of another system, another suite or another version is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.topics import lose, topics_project

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def baseline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the baseline of a project."""
    monkeypatch.chdir(tmp_path)
    topics_project(tmp_path, 6, "ndcg@10 >= 0.5")
    assert rankgate("test").code == 0
    rankgate("baseline", "set").printed()
    return tmp_path / "baselines" / "search.app.jsonl"


def headed(path: Path, **said: object) -> None:
    head, rest = path.read_text().split("\n", 1)
    path.write_text(f"{json.dumps({**json.loads(head), **said})}\n{rest}")


@pytest.mark.parametrize(
    ("said", "whose"), [({"system": "other"}, "other on search"), ({"suite": "other"}, "app on other")]
)
@pytest.mark.parametrize("command", [("test",), ("baseline", "show"), ("compare", "baseline", "app")])
def test_a_head_of_another_system_or_suite_is_refused(
    baseline: Path, said: dict[str, object], whose: str, command: tuple[str, ...]
) -> None:
    headed(baseline, **said)
    done = rankgate(*command)
    assert done.code == 2
    assert f"found a baseline of {whose}, expected one of app on search" in done.err
    assert "rankgate baseline set search.yaml --system app" in done.err


def test_what_the_refusal_of_a_head_says_to_do_mends_it(baseline: Path) -> None:
    headed(baseline, system="other")
    assert "delete it, test again, and then: rankgate baseline set" in rankgate("test").err
    # A test that was refused makes no baseline.
    assert rankgate("baseline", "set").code == 2
    baseline.unlink()
    assert rankgate("test").code == 2
    rankgate("baseline", "set", "search.yaml", "--system", "app").printed()
    assert rankgate("test").code == 0


@pytest.mark.parametrize("damage", [b"\xef\xbb\xbf", b"", b"\n"])
def test_a_baseline_that_is_written_otherwise_is_still_one(baseline: Path, damage: bytes) -> None:
    head, rest = baseline.read_bytes().split(b"\n", 1)
    baseline.write_bytes(damage + head.replace(b"{", b"{ ", 1) + b"\n" + rest)
    assert rankgate("test").code == 0
    assert "6 queries compared" in rankgate("compare", baseline, "app").printed()


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('{"baseline":2', '{"baseline":3', "a baseline of version 3"),
        ('{"baseline":2', '{ "baseline": "1"', "a baseline of version '1'"),
        ('"system":"app"}', '"system":"app"', "not JSON"),
        ('"hits":[', '"hits":[7,', "an id or an object"),
    ],
)
@pytest.mark.parametrize("command", [("test",), ("compare", "baselines/search.app.jsonl", "app")])
def test_a_baseline_of_another_version_or_a_damaged_one_is_told(
    baseline: Path, old: str, new: str, told: str, command: tuple[str, ...]
) -> None:
    text = baseline.read_text()
    assert old in text
    baseline.write_text(text.replace(old, new, 1))
    done = rankgate(*command)
    assert done.code == 2
    assert told in done.err


def test_a_baseline_that_is_cut_short_is_told(baseline: Path) -> None:
    baseline.write_bytes(baseline.read_bytes()[:-20])
    lose(baseline.parents[1], "topic000.md")
    assert rankgate("test").code == 2
