"""Where the real judgments and runs are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    folder = os.environ.get("RANKGATE_SHARED_DATA")
    if not folder:
        pytest.skip("RANKGATE_SHARED_DATA does not name the folder of real judgments and runs")
    path = Path(folder)
    if not path.is_dir():
        pytest.fail(f"RANKGATE_SHARED_DATA names {folder}, which is no folder")
    return path
