"""The commit that a test notes."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from rankgate.project.history import Commit, checked_out

if TYPE_CHECKING:
    from pathlib import Path


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
