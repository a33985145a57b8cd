"""octocode's own truth as a project: its tree from a clone of its public repository, its cases as a suite."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

COMMIT = "b1771ba"
"""The commit that its cases are annotated on."""


def octocode_project(folder: Path, clone: Path, name: str) -> Path:
    """Write octocode's tree and one of its suites, ``code`` or ``docs``, to a folder; return the tree."""
    shared = os.environ.get("RANKGATE_SHARED_DATA")
    if shared is None:
        sys.exit("octocode's cases are not here: set RANKGATE_SHARED_DATA")
    tree = folder / "tree"
    tree.mkdir(parents=True)
    packed = subprocess.run(["git", "-C", clone, "archive", COMMIT], capture_output=True, check=True).stdout
    subprocess.run(["tar", "x", "-C", tree], input=packed, check=True)
    cases = Path(shared) / "code" / "octocode" / f"{name}.csv"
    program = Path(sys.executable).with_name("rankgate")
    subprocess.run(
        [program, "suite", "convert", cases, f"{name}.yaml", "--corpus", "folder:tree"],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    return tree
