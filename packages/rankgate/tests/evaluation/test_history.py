"""What is remembered of evaluations: written whole, read with distrust, bounded in bytes as well."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from rankgate.evaluation.history import records as history
from rankgate.evaluation.history.records import HISTORY, Commit, History, Record, checked_out
from rankgate.model import ExitCode
from rankgate.reports.page.model import PageMetric

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


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
    History.read(tmp_path).add(_record(1), b"page")
    found = History.read(tmp_path)
    assert found.records == (_record(1),)
    assert (found.next_number, found.forgotten, found.unreadable) == (2, 0, 0)
    assert found.page(found.records[0]).read_bytes() == b"page"


def test_pages_take_no_more_than_their_room_and_two_are_always_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "ROOM", 50)
    for number in range(1, 7):
        found = History.read(tmp_path)
        found.add(_record(found.next_number), b"x" * (12 if number < 6 else 100))
        kept = sorted(path.name[:6] for path in (tmp_path / "pages").iterdir())
        assert (
            kept
            == [f"{one:06}" for one in range(max(1, number - 3), number + 1)][-(2 if number == 6 else 4) :]
        )
    assert len(History.read(tmp_path).records) == 6


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
