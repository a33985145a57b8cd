"""A query that was found among the first ten and is not any more is lost, whatever its rank was."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rankgate import load_suite
from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

APP = """\
def search(query, k):
    return (["noise", {right}] + ["n%d" % n for n in range(20)])[:k]
"""
RIGHT, WRONG = "'d' + query.split()[1]", "'gone'"


def write(project: Path, right: str, head: str = "") -> None:
    (project / "app.py").write_text(APP.format(right=right))
    cases = "".join(f"  - {{query: query {n}, id: d{n}}}\n" for n in range(30))
    (project / "search.yaml").write_text(f"{head}metrics: [rr]\ncases:\n{cases}")
    system = "[systems.app]\nfunction = './app.py:search'\n"
    (project / "rankgate.toml").write_text(f"suites = ['search.yaml']\n{system}")


def test_thirty_of_thirty_that_fell_from_rank_2_to_nowhere_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, RIGHT)
    assert rankgate("test").code == 0
    rankgate("baseline", "set").printed()
    assert rankgate("test").code == 0
    write(tmp_path, WRONG)
    done = rankgate("test", "--report", "json=report.json")
    assert done.code == 1
    assert "30 of 30 queries lost" in done.out
    (lost,) = json.loads((tmp_path / "report.json").read_text())["verdicts"]
    assert lost["gate"] == "lost(10 -> absent@10)"
    assert [(one["query"], one["before"], one["after"]) for one in lost["lost"]] == [
        (f"query-{n}", 2, None) for n in range(30)
    ]


def test_a_suite_that_asks_for_fewer_hits_is_held_to_those(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, RIGHT, "k: 3\n")
    assert rankgate("test").code == 0
    rankgate("baseline", "set").printed()
    write(tmp_path, WRONG, "k: 3\n")
    done = rankgate("test")
    assert (done.code, "lost(3 -> absent@3)" in done.out) == (1, True)


def test_a_gate_that_looks_deeper_than_the_baseline_does_not_hide_what_the_baseline_can_tell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, RIGHT)
    assert rankgate("test").code == 0
    rankgate("baseline", "set").printed()
    deeper = "gates: [lost(3 -> absent@20) = 0]\non_inconclusive: warn\n"
    write(tmp_path, RIGHT, deeper)
    assert rankgate("test").code == 0
    write(tmp_path, WRONG, deeper)
    done = rankgate("test")
    assert (done.code, "30 of 30 queries lost" in done.out) == (1, True)
    # A baseline that is deep enough leaves it to the gate that is written.
    write(tmp_path, RIGHT, deeper)
    rankgate("test")
    rankgate("baseline", "set").printed()
    done = rankgate("test")
    assert (done.code, "absent@10" in done.out) == (0, False)


def test_how_many_may_be_lost_need_not_be_said_in_a_mapping_either(tmp_path: Path) -> None:
    gate = "{metric: lost(5 -> absent@10), where: {category: a}}"
    (tmp_path / "s.yaml").write_text(f"gates: [{gate}]\ncases: [{{query: q, id: a, category: a}}]\n")
    assert [one.text for one in load_suite(tmp_path / "s.yaml").gates] == [
        "lost(5 -> absent@10) where category = a"
    ]
