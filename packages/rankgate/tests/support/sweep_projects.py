"""Projects that sweeps are tried on: twenty pages, functions that find them, a count of what was asked."""

from __future__ import annotations

import json
import os
from contextlib import chdir, contextmanager
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from support.commands import rankgate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

APP = """
import json, os, pathlib
NAMES = [f"topic{number:02}" for number in range(20)]
COUNT = pathlib.Path(__file__).with_name("asked.txt")

def _asked(name):
    with COUNT.open("a") as file:
        file.write(name + "\\n")

def _found(query, k, shift):
    at = NAMES.index(query)
    rest = [name for name in NAMES if name != query]
    return [name + ".md" for name in (rest[:shift] + [query] + rest[shift:])[:k]]

def first(query, k):
    _asked("first")
    return _found(query, k, 0)

def second(query, k):
    _asked("second")
    return _found(query, k, 1)

def also_second(query, k):
    _asked("also_second")
    return _found(query, k, 1)

def last_differs(query, k):
    _asked("last_differs")
    found = _found(query, k, 1)
    return [*found[:-1], "nothing.md"]

def twentieth_differs(query, k):
    _asked("twentieth_differs")
    return [*_found(query, 20, 1)[:-1], "nothing.md"][:k]

def broken(query, k):
    raise RuntimeError("no index")
"""
SWEEP = """
metrics = ["rr@10"]
baseline = "second"
k = 10
[variants.first]
set = { function = "app:first" }
[variants.second]
set = { function = "app:second" }
[variants.again]
set = { function = "app:second" }
[variants.also]
set = { function = "app:also_second" }
[variants.tail]
set = { function = "app:last_differs" }
"""
NAMES = [f"topic{number:02}" for number in range(20)]


@contextmanager
def inside_project(folder: Path) -> Iterator[Path]:
    """Write the project, and go there; indexes are kept in a cache of its own."""
    write_project(folder)
    with chdir(folder), patch.dict(os.environ, {"RANKGATE_CACHE": str(folder / "cache")}):
        yield folder


def write_project(folder: Path) -> None:
    """Write the pages, the suite, the module, the configuration and the sweep."""
    (folder / "docs").mkdir()
    for name in [*NAMES, "nothing"]:
        (folder / "docs" / f"{name}.md").write_text(f"# {name}\n")
    write_suite(folder)
    (folder / "app.py").write_text(APP)
    (folder / "rankgate.toml").write_text(
        'suites = ["search.yaml"]\nsystem = "app"\n[systems.app]\nfunction = "app:second"\n'
    )
    (folder / "sweep.toml").write_text(SWEEP)


def write_suite(folder: Path, *, head: str = "", cases: str = "") -> None:
    """Write the suite, with something more at its head or at its end."""
    every = "".join(f"  - {{query: {name}, at: {name}.md}}\n" for name in NAMES)
    (folder / "search.yaml").write_text(f"corpus: docs/\nmetrics: [rr@10]\n{head}cases:\n{every}{cases}")


def swept(*options: str) -> dict[str, Any]:
    """Run a sweep, and return its report."""
    (found,) = json.loads(rankgate("sweep", *options, "--format", "json").printed())["sweeps"]
    return dict(found)


def asked(project: Path) -> list[str]:
    """Return which function was asked, once for every question."""
    file = project / "asked.txt"
    return file.read_text().split() if file.exists() else []


def rows(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the rows of a report, by the names of the variants."""
    return {row["name"]: row for row in found["rows"]}
