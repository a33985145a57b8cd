"""What tests of sweeps share: a project of twenty pages, and a module whose functions find them."""

from __future__ import annotations

from contextlib import chdir
from typing import TYPE_CHECKING

import pytest

from support.sweep_projects import write_project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Write the project, and go there; indexes are kept in a cache of its own."""
    monkeypatch.setenv("RANKGATE_CACHE", str(tmp_path / "cache"))
    write_project(tmp_path)
    with chdir(tmp_path):
        yield tmp_path
