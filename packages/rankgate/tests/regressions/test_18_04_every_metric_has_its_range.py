"""Every metric declares its range: statistics go by it, and no gate takes a metric without one."""

from __future__ import annotations

import json
from contextlib import chdir
from typing import TYPE_CHECKING

import numpy as np
import pytest

from rankgate.plugins import listed
from rankgate.scoring.comparison import compare
from rankgate.scoring.evaluate import score
from rankgate.scoring.expressions import GROUP, parse
from rankgate.truth.judgments.table import Judgments
from support.builders import id_targets, run_of
from support.commands import rankgate
from support.pytest_sessions import GOOD, Project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PEERS = 48
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


def floor(metric: str) -> float:
    """Compare answers that are all the same, and return what so few queries cannot show."""
    names = [f"q{number}" for number in range(PEERS)]
    judgments = Judgments.of(id_targets(*((name, "a", 1.0) for name in names)))
    run = run_of({name: ["a"] for name in names})
    scores = score(judgments, run, [metric])
    compared = compare(judgments, (run, scores), (run, scores))
    return float(compared.paired(scores.metrics[0].label, np.ones(PEERS, dtype=bool)).high or 0.0)


def test_a_sum_of_twice_a_metric_may_move_twice_as_far() -> None:
    assert floor("2*p@5") == pytest.approx(2 * floor("p@5"))
    assert floor("p@5 - rr") == pytest.approx(2 * floor("p@5"))


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("ndcg@10", "0 to 1"),
        ("2*p@5", "0 to 2"),
        ("p@5 - 0.5*rr", "-0.5 to 1"),
        ("0.5*dcg@10 + rr", "0 or more"),
        ("rr - dcg@10", "1 or less"),
        ("pndcg@1", "-1 to 1"),
        ("latency.p95", "0 or more"),
        ("tokens_to@4000tokens", "0 to 4000"),
    ],
)
def test_ranges_follow_weights_signs_and_parameters(metric: str, expected: str) -> None:
    assert str(parse(metric).range) == expected


def test_every_metric_is_listed_with_range_direction_depth_and_what_failure_costs() -> None:
    known = json.loads(rankgate("list", "metrics", "--format", "json").printed())
    ours = [one for one in known if one["name"] in listed(GROUP)]
    assert len(ours) == len(listed(GROUP))
    for one in ours:
        assert one["range"] is not None, one["name"]
        assert one["better"] == ("less" if one["name"] in ("latency", "tokens_to", "zero") else "more")
        assert one["depth"]
        assert one["failure"]
    text = rankgate("list", "metrics", "tokens_to").printed()
    assert "Range:     0 to 8000\n  Direction: less is better" in text
    assert "Failure:   the whole budget where the recall is not reached within it" in text


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
def test_a_metric_without_a_range_is_refused_in_a_gate_with_what_to_add(
    tmp_path: Path, own: Path, gate: str
) -> None:
    own.write_text(OWN.format(limits=""))
    Project.of(tmp_path, SUITE.format(gates=f'"{gate}"'), GOOD)
    with chdir(tmp_path):
        done = rankgate("test", "search.yaml")
    assert done.code == 2
    assert "mine, which declares no range" in done.err
    assert "limits = (0.0, 1.0)" in done.err


def test_a_metric_without_a_range_is_reported(tmp_path: Path, own: Path) -> None:
    own.write_text(OWN.format(limits=""))
    Project.of(tmp_path, SUITE.format(gates=""), GOOD)
    with chdir(tmp_path):
        done = rankgate("test", "search.yaml")
    assert done.code == 0, done.out + done.err
    assert "mine" in done.out


def test_a_metric_that_leaves_its_range_is_refused(tmp_path: Path, own: Path) -> None:
    own.write_text(OWN.format(limits="limits = (0.0, 1.0)"))
    Project.of(tmp_path, SUITE.format(gates=""), GOOD)
    with chdir(tmp_path):
        done = rankgate("test", "search.yaml")
    assert done.code == 2
    assert "values from 3 to 3" in done.err
    assert "0 to 1, the range it declares" in done.err


def test_a_time_is_still_held_to_a_bound(tmp_path: Path) -> None:
    suite = 'gates: ["latency.p95 < 20000ms"]\ncases:\n  - {query: rotate a key, id: keys}\n'
    Project.of(tmp_path, suite, GOOD)
    with chdir(tmp_path):
        assert rankgate("test", "search.yaml").code == 0
