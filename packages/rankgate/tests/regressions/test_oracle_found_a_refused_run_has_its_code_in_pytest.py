"""A stored run that is refused when it is read: pytest prints the exit code, and fails."""

from __future__ import annotations

from contextlib import chdir
from typing import TYPE_CHECKING

from support.commands import rankgate
from support.pytest_sessions import Project

if TYPE_CHECKING:
    from pathlib import Path


def test_pytest_prints_exit_code_2_for_a_run_whose_hits_were_changed(tmp_path: Path) -> None:
    project = Project.of(tmp_path)
    with chdir(tmp_path):
        assert rankgate("run", "search.yaml", "--system", "app", "-o", "kept").code == 0
        (tmp_path / "rankgate.toml").write_text('[systems.app]\nrun = "kept"\n')
        hits = tmp_path / "kept" / "hits-00000.parquet"
        data = bytearray(hits.read_bytes())
        data[len(data) // 2] ^= 4
        hits.write_bytes(bytes(data))
        assert rankgate("test", "search.yaml").code == 2
    session = project.run("search.yaml")
    assert session.code == 1
    assert "search.yaml: rankgate: exit code 2" in session.out
