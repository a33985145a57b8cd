"""The sweep over the handbook: 24 variants or more in one file, one table however often it is killed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from rankgate.project.find import configuration_for
from rankgate.suites.formats import load_suite
from rankgate.sweeps.sweep_file import find_sweep
from rankgate.sweeps.variants import variants_of
from support.killed_sweeps import KilledSweep, moments, taken_sizes

FOLDER = Path(__file__).parents[4] / "suites" / "handbook"
KILLS = 20


def test_it_has_24_variants_of_engine_chunker_weights_and_fusion() -> None:
    sweep = find_sweep(FOLDER)
    found = variants_of(sweep, configuration_for(sweep.path))
    assert len({str((one.system, one.table)) for one in found.every}) == len(found.asked) >= 24
    assert [axis.name for axis in sweep.axes] == ["engine", "chunks", "fields", "fusion"]
    assert sweep.baseline in {one.name for one in found.every}


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="no SIGKILL")
def test_killed_20_times_it_ends_with_the_same_table(tmp_path: Path) -> None:
    whole, killed = (copied(tmp_path / name) for name in ("whole", "killed"))
    expected = whole.finished(1200)
    assert len(expected["rows"]) >= 24
    sizes = taken_sizes(expected)
    ran = [killed.kill(lambda: True, moment) for moment in moments(7, KILLS, 25.0)]
    assert sum(ran) >= KILLS // 2
    found = killed.finished(1200)
    # LanceDB writes the same documents into a few bytes more or less whenever it builds, killed or not.
    assert taken_sizes(found) == {name: pytest.approx(size, rel=0.05) for name, size in sizes.items()}
    assert found == expected
    stored = killed.stored()
    again = killed.finished(1200)
    taken_sizes(again)
    assert again == expected
    # Nothing failed, so that nothing is asked again: every answer is the one that was kept.
    assert [row["errors"] for row in again["rows"]] == [0] * len(again["rows"])
    categories = find_sweep(FOLDER).categories
    cases = sum(case.category in categories for case in load_suite(FOLDER / "handbook.yaml").cases)
    assert len(stored) == cases * len(again["rows"]) > 0
    assert killed.stored() == stored


def copied(folder: Path) -> KilledSweep:
    """Copy the suite, so that nothing is written beside it, with indexes of its own."""
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns(".rankgate", "baselines"))
    shutil.copy(FOLDER.parent / "GUIDELINES.md", folder.parent)
    return KilledSweep(folder, folder.with_name(f"{folder.name}-cache"))
