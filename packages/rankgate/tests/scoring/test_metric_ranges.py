"""Ranges that metrics of plug-ins declare."""

from __future__ import annotations

from contextlib import chdir
from typing import TYPE_CHECKING

import pytest

from rankgate.plugins import listed
from rankgate.scoring.expressions import GROUP
from support.commands import rankgate
from support.pytest_sessions import GOOD, Project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


OWN = """\
from dataclasses import dataclass
from rankgate.scoring.matches import Column
from rankgate.scoring.metric import Metric
import numpy as np

@dataclass(frozen=True)
class Mine(Metric):
    'Mine: three for each query.'
    name = "mine"
    {limits}

    def values(self, matches):
        return Column(np.full(matches.size, 3.0), np.ones(matches.size, dtype=bool))
"""


SUITE = "metrics: [mine]\ngates: [{gates}]\ncases:\n  - {{query: rotate a key, id: keys}}\n"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    package = tmp_path / "site" / "mine-1.0.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(f"[{GROUP}]\nmine = mine_{tmp_path.name}:Mine\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    listed.cache_clear()
    yield tmp_path / "site" / f"mine_{tmp_path.name}.py"
    listed.cache_clear()


@pytest.mark.parametrize("gate", ["mine >= 2", "drop(mine) < 0.1"])
def test_gate_on_a_metric_without_range_is_exit_code_2(tmp_path: Path, own: Path, gate: str) -> None:
    own.write_text(OWN.format(limits=""))
    Project.of(tmp_path, SUITE.format(gates=f'"{gate}"'), GOOD)
    with chdir(tmp_path):
        done = rankgate("test", "search.yaml")
    assert done.code == 2
    assert "mine, a metric without a range" in done.err
    assert "limits = (0.0, 1.0)" in done.err


def test_value_outside_the_declared_range_is_exit_code_2(tmp_path: Path, own: Path) -> None:
    own.write_text(OWN.format(limits="limits = (0.0, 1.0)"))
    Project.of(tmp_path, SUITE.format(gates=""), GOOD)
    with chdir(tmp_path):
        done = rankgate("test", "search.yaml")
    assert done.code == 2
    assert "values from 3 to 3" in done.err
    assert "0 to 1, the range it declares" in done.err
