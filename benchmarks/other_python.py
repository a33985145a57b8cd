"""Measuring an engine whose client is in an environment of its own: the same script, by another Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from support.engine_servers import NotHereError

PYTHON = Path(__file__).parent.parent / ".fixtures" / "elasticsearch7-venv" / "bin" / "python"


def is_elsewhere(kind: str) -> bool:
    """Check whether this Python lacks the client: that of Elasticsearch has its server's generation."""
    if kind != "elasticsearch":
        return False
    try:
        return not version("elasticsearch").startswith("7.")
    except PackageNotFoundError:
        return True


def measured_elsewhere(script: str, *arguments: str) -> list[dict[str, Any]]:
    """Run a script with ``--json``, whose last line is what it measured.

    Raises:
        NotHereError: where there is no such environment, or the script fails in it.
    """
    if not PYTHON.is_file():
        raise NotHereError("no client of Elasticsearch 7; `just test-elasticsearch 7` makes its environment")
    done = subprocess.run(
        [str(PYTHON), script, *arguments, "--json"],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path[:2]))},
        text=True,
        check=False,
    )
    if done.returncode or not done.stdout.strip():
        raise NotHereError(f"{Path(script).name} ended with {done.returncode} under Elasticsearch 7's client")
    found: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return found
