"""Real code and documentation: the sdists that `just fixtures` fetches, unpacked once."""

from __future__ import annotations

import os
import secrets
import shutil
import tarfile
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from support.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

FIXTURES = ROOT / ".fixtures"


def unpacked(name: str) -> Path:
    """Give the folder of an sdist such as ``django-5.2.8``; skip where it was not fetched, fail in CI."""
    folder = FIXTURES / name
    if folder.is_dir():
        return folder
    archive = next(
        (file for file in FIXTURES.glob("*.tar.gz") if file.name.lower() == f"{name}.tar.gz"), None
    )
    if archive is None:
        if os.environ.get("CI"):
            pytest.fail(f"the sdist of {name} is not there; `just fixtures` fetches it")
        pytest.skip(f"the sdist of {name} is not there; `just fixtures` fetches it")
    aside = FIXTURES / f".{name}.{secrets.token_hex(4)}"
    with tarfile.open(archive) as tar:
        tar.extractall(aside, filter="data")
    (inside,) = aside.iterdir()
    with suppress(OSError):  # another worker was first
        inside.rename(folder)
    shutil.rmtree(aside)
    return folder
