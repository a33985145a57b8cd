"""A sweep that is killed and run again ends with the table of one that was not; then it asks nothing."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import pytest

from support.killed_sweeps import KilledSweep
from support.sweep_projects import APP, asked, rows, write_project

if TYPE_CHECKING:
    from pathlib import Path

# Whole runs in processes of their own are the same on every Python.
pytestmark = [pytest.mark.once, pytest.mark.skipif(os.name != "posix", reason="no SIGKILL")]

SYSTEMS = """
suites = ["search.yaml"]
system = "app"
[systems.app]
function = "app:second"
[systems.listed]
command = ["sh", "-c", "cat $0/names.txt", "{index}", "{query}"]
prepare = ["sh", "-c", "sleep 0.4; ls {corpus} > {index}/names.txt; sleep 0.2; echo built >> built.txt"]
output = "lines"
pattern = "(?P<path>.+)"
"""
SWEEP = """
metrics = ["rr@10"]
baseline = "second"
held_out = 0.3
[variants.first]
set = { function = "app:first" }
[variants.second]
set = { function = "app:second" }
[variants.tail]
set = { function = "app:last_differs" }
[variants.listed]
system = "listed"
"""
SLOW = APP.replace("def _asked(name):\n", "def _asked(name):\n    import time; time.sleep(0.01)\n")


def sweep_in(folder: Path) -> KilledSweep:
    folder.mkdir()
    write_project(folder)
    (folder / "app.py").write_text(SLOW)
    (folder / "rankgate.toml").write_text(SYSTEMS)
    (folder / "sweep.toml").write_text(SWEEP)
    return KilledSweep(folder, folder / "cache")


def test_a_sweep_that_was_killed_three_times_ends_as_one_that_was_not(tmp_path: Path) -> None:
    whole = sweep_in(tmp_path / "whole").finished()
    assert len(asked(tmp_path / "whole")) == 60
    folder = tmp_path / "killed"
    killed, chance = sweep_in(folder), random.Random(11)
    some = chance.randrange(60)
    building = (folder / ".rankgate" / "prepared" / "indexes").glob
    ways = [
        lambda: any(building("*/building-*/names.txt")),
        lambda: len(asked(folder)) > some,
        lambda: len(asked(folder)) > 40,
    ]
    assert all(killed.kill(way, chance.uniform(0, 0.05)) for way in ways)
    assert killed.finished() == whole
    assert set(rows(whole)) == {"first", "second", "tail", "listed"}
    # What was asked is not asked again, and the index that was half built is not taken for one.
    stored, built = killed.stored(), (folder / "built.txt").read_text()
    (folder / "asked.txt").unlink()
    assert killed.finished() == whole
    assert asked(folder) == []
    assert killed.stored() == stored
    assert (folder / "built.txt").read_text() == built
