"""The page of each state of a verdict, as ``rankgate test`` writes it in a small project."""

from __future__ import annotations

import shutil
from contextlib import chdir
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.repository import STATE_PROJECT

if TYPE_CHECKING:
    from pathlib import Path

STATES: dict[str, tuple[int, tuple[str, ...]]] = {
    "passed": (0, ("search.yaml",)),
    "failed": (1, ("search.yaml", "--system", "poor")),
    "inconclusive": (4, ("undecided.yaml",)),
    "not enforced": (0, ("search.yaml", "--system", "reported")),
    "no gates": (0, ("measured.yaml",)),
    "system error": (3, ("search.yaml", "--system", "broken")),
    "suite error": (2, ("wrong.yaml",)),
    "internal error": (70, ("search.yaml",)),
}
"""What each state exits with, and the arguments that lead to it."""


def state_pages(folder: Path) -> dict[str, Path]:
    """Write the page of every state, and return where each is."""
    project = shutil.copytree(STATE_PROJECT, folder / "project")
    settings = project / "rankgate.toml"
    reported = '\n[systems.reported]\nfunction = "./app.py:poor"\ngate = false\n'
    settings.write_text(settings.read_text(encoding="utf-8") + reported, encoding="utf-8")
    case = "cases:\n  - {query: revoke once, at: keys.md#Revocation}\n"
    (project / "measured.yaml").write_text(f"corpus: docs/\n{case}", encoding="utf-8")
    pages = {}
    for state, (code, arguments) in STATES.items():
        page = folder / f"{state.replace(' ', '_')}.html"
        with chdir(project), pytest.MonkeyPatch.context() as patch:
            if state == "internal error":
                patch.setattr("rankgate.gates.scored.run_checks", None)
            done = rankgate("test", *arguments, "-o", f"html={page}")
        assert done.code == code, f"{state}: exit {done.code}\n{done.err}"
        pages[state] = page
    return pages
