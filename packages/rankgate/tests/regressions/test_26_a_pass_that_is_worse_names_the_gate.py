"""A pass that is worse than its baseline, which no gate holds, names the gate that would have failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

NAMES = [f"page{number}" for number in range(12)]
SUITE = "metrics: [ndcg@10]\ngates:\n- ndcg@10 >= 0.3\ncases:\n" + "".join(
    f"- query: where is {name}\n  id: {name}\n" for name in NAMES
)
FIRST = "def search(query, k):\n    return [query.split()[-1], 'a', 'b', 'c', 'd']\n"
FIFTH = "def search(query, k):\n    return ['a', 'b', 'c', 'd', query.split()[-1]]\n"
SAID = "ndcg@10 is worse than in the baseline, and no gate holds it: drop(ndcg@10) <= 0 in search.yaml would."


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "search.yaml").write_text(SUITE)
    (tmp_path / "app.py").write_text(FIRST)
    (tmp_path / "rankgate.toml").write_text('[systems.app]\nfunction = "./app.py:search"\n')
    assert rankgate("test", "search.yaml").code == 0
    rankgate("baseline", "set", "search.yaml").printed()
    return tmp_path


def test_a_pass_that_is_worse_names_the_gate_and_that_gate_fails(project: Path) -> None:
    (project / "app.py").write_text(FIFTH)
    done = rankgate("test", "search.yaml")
    assert done.code == 0
    assert SAID in " ".join(done.out.split())
    (project / "search.yaml").write_text(SUITE.replace("cases:", "- drop(ndcg@10) <= 0\ncases:"))
    held = rankgate("test", "search.yaml")
    assert held.code == 1
    assert "no gate holds it" not in held.out


def test_a_pass_that_is_the_same_says_nothing_of_it(project: Path) -> None:
    assert "no gate holds it" not in rankgate("test", "search.yaml").out
    assert project.is_dir()
