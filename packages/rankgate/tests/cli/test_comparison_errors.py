"""Errors that leave a comparison without values: exit codes 3 and 4."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


APP = """\
def search(query, k):
    if query == {broken!r}:
        raise RuntimeError("the index is gone")
    return ["d" + query.split()[1]]
"""


def write(project: Path, broken: str, gate: str, allowed: int = 0) -> None:
    (project / "app.py").write_text(APP.format(broken=broken))
    cases = "".join(f"  - {{query: query {n}, id: d{n}}}\n" for n in range(10))
    (project / "search.yaml").write_text(f"metrics: [zero]\ngates: ['{gate}']\ncases:\n{cases}")
    system = f"[systems.app]\nfunction = './app.py:search'\nmax_errors = {allowed}\n"
    (project / "rankgate.toml").write_text(f"suites = ['search.yaml']\n{system}")


def test_error_beside_a_comparison_is_exit_code_3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = "drop(zero) < 0.1"
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "none", gate)
    assert rankgate("test").code == 0
    rankgate("baseline", "set").printed()
    write(tmp_path, "query 3", gate)
    done = rankgate("test")
    assert done.code == 3
    assert "1 query before alone, where the system did not answer" in " ".join(done.out.split())


def test_allowed_error_makes_a_comparison_inconclusive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    gates = "drop(zero) < 0.1', 'lost(1 -> absent@1) <= 1"
    write(tmp_path, "none", gates)
    assert rankgate("test").code == 0
    rankgate("baseline", "set").printed()
    write(tmp_path, "query 3", gates, allowed=1)
    assert rankgate("test").code == 4
