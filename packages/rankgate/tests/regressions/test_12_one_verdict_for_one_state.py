"""One state has one verdict: the command line, Python and pytest agree on its code, and on each gate."""

from __future__ import annotations

from contextlib import chdir
from typing import TYPE_CHECKING

import rankgate as rg
from support.commands import rankgate
from support.pytest_sessions import GOOD, SUITE, Project
from support.three_ways import one_verdict

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

TABLE = '[systems.app]\nfunction = "./app.py:search"\n'
LOST = {**GOOD, "retry webhooks": ["keys"]}


def with_baseline(folder: Path, suite: str) -> None:
    """Test what is good, keep it, and break one answer."""
    Project.of(folder, suite)
    with chdir(folder):
        assert rankgate("test", "search.yaml", "--system", "app").code == 0
        assert rankgate("baseline", "set", "search.yaml", "--system", "app").code == 0
    Project.of(folder, suite, LOST)


def test_a_drop_and_a_lost_query_fail_all_three_ways(tmp_path: Path) -> None:
    with_baseline(tmp_path, SUITE.replace("rr >= 0.5", "drop(rr) < 0.1").replace("  - hit@10 >= 0.9\n", ""))
    verdict = one_verdict(tmp_path)
    assert (verdict.state, verdict.exit_code) == ("failed", 1)
    assert {one.gate for one in verdict.gates if one.status == "failed"} == {
        "drop(rr) < 0.1",
        "lost(10 -> absent@10)",
    }


def test_hard_checks_beside_unreviewed_targets_fail_all_three_ways(tmp_path: Path) -> None:
    fresh = "  - {name: fresh, query: rotate a key, id: [{id: keys, reviewed: false}]}\n"
    hard = "  - {name: nothing, query: sign in, expect: empty}\n"
    Project.of(tmp_path, f"cases:\n{fresh}{hard}")
    assert one_verdict(tmp_path).exit_code == 1


def test_errors_that_are_allowed_fail_none_of_the_three(tmp_path: Path) -> None:
    suite = SUITE.replace("  - hit@10 >= 0.9\n", "")
    Project.of(tmp_path, suite, {**GOOD, "retry webhooks": "no index"})
    assert one_verdict(tmp_path).exit_code == 3
    (tmp_path / "rankgate.toml").write_text(f"{TABLE}max_errors = 1\n")
    verdict = one_verdict(tmp_path)
    assert (verdict.state, verdict.exit_code) == ("passed", 0)


def test_gates_of_the_configuration_stand_in_for_the_suites_all_three_ways(tmp_path: Path) -> None:
    Project.of(tmp_path, answers=LOST)
    assert one_verdict(tmp_path).exit_code == 1
    (tmp_path / "rankgate.toml").write_text(f'{TABLE}gates = ["rr >= 0.1"]\n')
    verdict = one_verdict(tmp_path)
    assert verdict.exit_code == 0
    assert [one.gate for one in verdict.gates] == ["rr >= 0.1", "checks = 100%"]


def test_a_system_that_is_only_reported_passes_all_three_ways(tmp_path: Path) -> None:
    Project.of(tmp_path, answers={})
    (tmp_path / "rankgate.toml").write_text(f"{TABLE}gate = false\n")
    verdict = one_verdict(tmp_path)
    assert (verdict.state, verdict.exit_code, verdict.enforced) == ("not enforced", 0, False)


def test_the_configuration_beside_the_suite_counts_wherever_one_stands(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    Project.of(inside, answers=LOST)
    (tmp_path / "rankgate.toml").write_text(
        '[systems.app]\nfunction = "./inside/app.py:search"\ngates = ["rr >= 0"]\n'
    )
    assert one_verdict(tmp_path, "inside/search.yaml").exit_code == 1
    (inside / "rankgate.toml").unlink()
    assert one_verdict(tmp_path, "inside/search.yaml").exit_code == 0


def test_a_function_is_held_against_the_baseline_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Project.of(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert rankgate("test", "search.yaml", "--system", "app:search").code == 0
    assert rankgate("baseline", "set", "search.yaml", "--system", "app:search").code == 0

    def search(query: str, k: int) -> list[str]:
        return LOST.get(query, [])[:k]

    search.__module__, search.__qualname__ = "app", "search"
    verdict = rg.evaluate(rg.load_suite("search.yaml"), search, gates=["rr >= 0"]).verdict
    assert {one.gate: str(one.status) for one in verdict.gates} == {
        "rr >= 0": "passed",
        "checks = 100%": "passed",
        "lost(10 -> absent@10)": "failed",
    }


def test_a_part_of_a_suite_has_no_verdict(tmp_path: Path) -> None:
    project = Project.of(tmp_path)
    assert "exit code" not in project.run("search.yaml", "-k", "keys").out
    assert project.run("search.yaml", "-n", "2").out.count("search.yaml: rankgate: exit code 0") == 1
