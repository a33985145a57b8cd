"""Parts of two states are not joined, and neither a part nor an unfinished run passes for a whole one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.commands import rankgate
from support.numbered import APP, numbered_suite, write_here

SUITE = numbered_suite(6, "metrics: [rr]\ngates: [rr >= 0.9]\n")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_here(SUITE)


def test_parts_of_two_states_of_the_code_are_not_joined() -> None:
    rankgate("run", "search.yaml", "-s", "app", "-o", "p1", "--shard", "1/2").printed()
    Path("app.py").write_text(APP + "# another state\n")
    rankgate("run", "search.yaml", "-s", "app", "-o", "p2", "--shard", "2/2").printed()
    assert "app.py was changed" in rankgate("runs", "merge", "p1", "p2", "-o", "out").refused()
    assert not Path("out/manifest.json").exists()


def test_parts_of_two_states_of_the_suite_are_not_joined() -> None:
    rankgate("run", "search.yaml", "-s", "app", "-o", "p1", "--shard", "1/2").printed()
    Path("search.yaml").write_text(SUITE.replace("number 5", "number 55\n    name: number-5"))
    rankgate("run", "search.yaml", "-s", "app", "-o", "p2", "--shard", "2/2").printed()
    assert "the questions were changed" in rankgate("runs", "merge", "p1", "p2", "-o", "out").refused()


def readers() -> list[tuple[str, ...]]:
    return [
        ("test", "search.yaml", "-s", "stored"),
        ("compare", "out", "whole", "--suite", "search.yaml"),
        ("score", "-q", "qrels.txt", "-r", "out"),
        ("baseline", "set", "search.yaml", "-s", "app", "--run", "out"),
        ("suite", "update", "search.yaml", "-s", "app", "--run", "out"),
    ]


def test_a_part_is_no_run_to_test() -> None:
    Path("qrels.txt").write_text("number-0 0 d0 1\n")
    rankgate("run", "search.yaml", "-s", "app", "-o", "whole").printed()
    rankgate("run", "search.yaml", "-s", "app", "-o", "out", "--shard", "1/2").printed()
    for reader in readers():
        said = rankgate(*reader).refused()
        assert "part 1/2 of a run, expected a whole run" in said, reader
        assert "rankgate runs merge" in said


def test_an_unfinished_run_is_no_run_to_test() -> None:
    Path("qrels.txt").write_text("number-0 0 d0 1\n")
    for folder in ("whole", "out"):
        rankgate("run", "search.yaml", "-s", "app", "-o", folder).printed()
    path = Path("out/manifest.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), "finished": None}))
    for reader in readers():
        said = rankgate(*reader).refused()
        assert "a run that is not finished, expected a whole run" in said, reader
        assert "--resume" in said
