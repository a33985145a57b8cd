"""With a baseline, pytest has an item that fails where a query is lost, written or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.commands import rankgate
from support.pytest_sessions import run_pytest
from support.topics import SYSTEM, lose, topics_project

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_lost_query_fails_an_item_that_nobody_wrote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = topics_project(tmp_path, 12, gates="ndcg@10 >= 0.5")
    assert rankgate("test").code == 0
    rankgate("baseline", "set").printed()
    passed = run_pytest(tmp_path, "search.yaml", "-k", "gate")
    assert passed.code == 0, passed.out
    lose(tmp_path, names[0])
    failed = run_pytest(tmp_path, "search.yaml", "-k", "gate")
    assert failed.code == 1
    assert "search.yaml::gate: lost(10 -> absent@10)" in failed.out
    assert (
        "1 of 12 queries lost its relevant hit from the top 10 (about-topic000: rank 1 → not found)"
        in failed.out
    )


def test_a_gate_on_what_another_system_found_leaves_that_item_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = topics_project(tmp_path, 12, gates="'lost(1 -> absent@10) <= 3 against other'")
    with (tmp_path / "rankgate.toml").open("a") as file:
        file.write(f"{SYSTEM.format(name='other')}")
    configuration = (tmp_path / "rankgate.toml").read_text()
    (tmp_path / "rankgate.toml").write_text(f'system = "app"\n{configuration}')
    rankgate("test")
    rankgate("baseline", "set").printed()
    lose(tmp_path, names[0])
    failed = run_pytest(tmp_path, "search.yaml", "-k", "gate")
    assert failed.code == 1
    assert "search.yaml::gate: lost(10 -> absent@10)" in failed.out
    assert rankgate("test").code == 1
