"""The plugin is found by its entry point, can be turned off, and costs little if it is not used."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
import tomllib
from typing import TYPE_CHECKING

import pytest

from support.pytest_sessions import SOURCE, Project, run_pytest
from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PROJECT = ROOT / "packages" / "rankgate" / "pyproject.toml"
HEAVY = {"numpy", "polars", "rich", "asyncio", "markdown_it", "jmespath", "click"}
FEW = """
import json, sys
import pytest
before = set(sys.modules)
import rankgate.pytest_plugin
print(json.dumps(sorted(set(sys.modules) - before)))
"""
TIMED = """
import time
import pytest
start = time.perf_counter()
import rankgate.pytest_plugin
print((time.perf_counter() - start) * 1000)
"""


def alone(code: str) -> str:
    """Run some Python in a process of its own."""
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    return done.stdout


def installed(folder: Path) -> Path:
    """Install what pyproject.toml says pytest should find, and nothing else."""
    points = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["entry-points"]["pytest11"]
    info = folder / "site" / "pytest_rankgate_here-1.0.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pytest-rankgate-here\nVersion: 1.0\n")
    lines = [f"{name} = {target}\n" for name, target in points.items()]
    (info / "entry_points.txt").write_text("[pytest11]\n" + "".join(lines))
    return info.parent


def session(project: Project, *args: str) -> subprocess.CompletedProcess[str]:
    """Run pytest with every plugin that is installed."""
    from importlib.metadata import entry_points

    # Installed from this tree, it is found already, and must not be found twice.
    here = any(point.name == "rankgate" for point in entry_points(group="pytest11"))
    paths = [str(SOURCE), *([] if here else [str(installed(project.folder))])]
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *args],
        cwd=project.folder,
        env={**env, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_pytest_finds_the_plugin_by_its_entry_point(tmp_path: Path) -> None:
    done = session(Project.of(tmp_path), "search.yaml")
    assert "7 passed" in done.stdout, done.stdout + done.stderr


def test_the_plugin_can_be_turned_off(tmp_path: Path) -> None:
    done = session(Project.of(tmp_path), "-p", "no:rankgate", "search.yaml")
    assert "7 passed" not in done.stdout
    refused = session(Project(tmp_path), "-p", "no:rankgate", "--rankgate-system=app")
    assert "unrecognized arguments: --rankgate-system" in refused.stderr


def test_a_session_without_suites_imports_nothing_heavy(tmp_path: Path) -> None:
    project = Project.of(tmp_path)
    (tmp_path / "test_few.py").write_text(
        "import sys\n"
        "def test_few():\n"
        f"    assert {HEAVY - {'asyncio', 'click', 'rich'}!r}.isdisjoint(sys.modules)\n"
        "    assert 'rankgate.pytest_plugin' in sys.modules\n"
        "    assert 'rankgate.flow' not in sys.modules\n"
        "    assert 'rankgate.project' not in sys.modules\n"
    )
    done = run_pytest(project.folder, "test_few.py", fresh=True)
    assert done.code == 0, done.out


def test_importing_the_plugin_imports_nothing_heavy() -> None:
    new = {name for name in json.loads(alone(FEW)) if not name.startswith("rankgate")}
    assert new.isdisjoint(HEAVY)


def test_importing_the_plugin_takes_milliseconds(record_property: Callable[[str, object], None]) -> None:
    times = [float(alone(TIMED)) for _ in range(5)]
    record_property("figures", f"importing the plugin: {statistics.median(times):.1f} ms")
    assert min(times) < 50


@pytest.mark.once
def test_an_unused_plugin_is_hardly_felt(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    (tmp_path / "test_one.py").write_text("def test_one(): pass\n")
    taken: dict[bool, list[float]] = {True: [], False: []}
    more = float("inf")
    for _ in range(12):
        for used in (True, False):
            start = time.perf_counter()
            plugins = ("rankgate.pytest_plugin",) * used
            done = run_pytest(tmp_path, "test_one.py", plugins=plugins, fresh=True)
            taken[used].append(time.perf_counter() - start)
            assert done.code == 0
        more = (min(taken[True]) - min(taken[False])) * 1000
        if len(taken[True]) >= 4 and more < 200:
            break
    record_property("figures", f"an unused plugin adds {more:.0f} ms to a session")
    assert more < 200
