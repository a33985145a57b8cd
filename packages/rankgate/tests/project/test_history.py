"""What is remembered of evaluations: written whole, read with distrust."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from rankgate.model import ExitCode
from rankgate.project.history import HISTORY, Commit, History, Record, checked_out
from rankgate.reports.page.model import PageMetric

if TYPE_CHECKING:
    from pathlib import Path


def _record(number: int) -> Record:
    return Record(
        number=number,
        suite="search",
        system="app",
        mark="✅",
        status="all 3 gates passed",
        exit_code=ExitCode.PASSED,
        time="2026-03-01T10:00:00+00:00",
        commit="a" * 40,
        dirty=True,
        metrics=(PageMetric("rr", ""), PageMetric("tokens_to", "tokens", less=True)),
        values=(0.5, None),
        shown=("0.5000", "–"),
    )


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    History.read(tmp_path).add(_record(1))
    found = History.read(tmp_path)
    assert found.records == (_record(1),)
    assert (found.next_number, found.unreadable) == (2, 0)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_history(data: bytes) -> None:
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / HISTORY).write_bytes(data)
        found = History.read(folder)
        assert found.records == ()
        assert found.unreadable == len([line for line in data.split(b"\n") if line.strip()])


def test_a_project_may_be_a_part_of_a_repository_or_of_none(tmp_path: Path) -> None:
    inside = tmp_path / "repository" / "search"
    inside.mkdir(parents=True)
    assert checked_out(inside) == Commit()

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words],
            cwd=inside.parent, env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout.strip()

    git("init", "--quiet")
    assert checked_out(inside) == Commit()
    (inside / "app.py").write_text("a\n")
    git("add", "--all")
    git("commit", "--quiet", "--message", "first")
    name = git("rev-parse", "HEAD")
    assert checked_out(inside) == Commit(name)
    (inside / "new.py").write_text("not known to git\n")
    assert checked_out(inside) == Commit(name)
    (inside / "app.py").write_text("changed\n")
    assert checked_out(inside) == Commit(name, dirty=True)
