"""A git or a pip that never ends does not hold a command for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.corpora import programs
from rankgate.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def hanging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder whose git and pip do not end, which PATH names first."""
    for name in ("git", "pip", "python3"):
        (tmp_path / name).write_text("#!/bin/sh\nexec sleep 60\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(programs, "SECONDS", 0.2)
    return tmp_path


def test_a_git_that_does_not_end_is_an_error(hanging: Path) -> None:
    with pytest.raises(InputError, match="git that did not answer"):
        programs.Git(hanging, "corpus").word("rev-parse", "HEAD")
