"""The best of many equal variants is not called better, and its worth is measured without what chose it.

`just bench-sweeps` does the same over 2,000 sweeps, with bounds that are as tight as they are stated.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np
import pytest

from rankgate.reports.compare import Finding
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.run_folder import StoredRun
from rankgate.runs.store.run_writer import RunWriter
from rankgate.runs.store.tables import Shard
from rankgate.sweeps.asking import AskedVariant
from rankgate.sweeps.held_out import held_out_report, split
from rankgate.sweeps.table import compared_family, sweep_table
from rankgate.sweeps.variants import Variant
from rankgate.truth.resolve import resolve
from support.simulated_sweeps import (
    HELD_OUT,
    METRIC,
    comparisons,
    drawn_ranks,
    equal_sweeps,
    mean_and_error,
    simulated,
    simulated_suite,
)

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.model import Suite
    from rankgate.scoring.matches import Ints


def test_holm_holds_the_error_that_raw_p_does_not_and_the_held_out_worth_has_no_bias() -> None:
    found = list(equal_sweeps(60, 50))
    # Of 60 sweeps, three standard errors above 5 % are 13.4 %.
    assert fmean(one.holm for one in found) <= 0.134
    assert fmean(one.raw for one in found) >= 0.2
    apparent, measured = (
        mean_and_error([getattr(one, name) for one in found]) for name in ("apparent", "measured")
    )
    assert apparent[0] > 4 * apparent[1]
    assert abs(measured[0]) < 3 * measured[1]


def test_what_is_simulated_is_what_a_sweep_of_stored_runs_says(tmp_path: Path) -> None:
    suite, seed, lost = simulated_suite(40), 5, np.array([0.1, 0.0, 0.3, 0.05])
    ranks = drawn_ranks(np.random.default_rng([20_261, seed]), len(suite.cases), lost)
    parts = split(suite, HELD_OUT, seed)
    asked = [stored(suite, row, tmp_path / f"v{at}") for at, row in enumerate(ranks)]
    table = sweep_table(parts.seen, resolve(parts.seen, None).judgments, asked, [], "v0", [METRIC])
    report = held_out_report(parts, table, None, [METRIC], tmp_path, seed)
    seen = [at for at, case in enumerate(suite.cases) if case in parts.seen.cases]
    assert [one.metric for one in table.compared] == compared_family(comparisons(parts.seen, ranks[:, seen]))
    drawn = simulated(suite, lost, seed)
    assert report is not None
    compared = [one for one in table.compared if one.metric is not None]
    best = max(compared, key=lambda one: one.metric.difference if one.metric else 0.0)
    assert report.winner == best.asked.variant.name
    assert drawn.apparent - drawn.measured == pytest.approx(report.shrinkage, abs=1e-12)
    assert drawn.marked is any(one.metric.finding is Finding.BETTER for one in compared if one.metric)


def stored(suite: Suite, ranks: Ints, folder: Path) -> AskedVariant:
    """A run in which each target is at its rank, of ten hits."""
    answers = {
        case.id: [f"right{number}" if at == rank else f"other{at}" for at in range(1, 11)]
        for number, (case, rank) in enumerate(zip(suite.cases, ranks.tolist(), strict=True))
    }
    with RunWriter(folder, Manifest(folder.name, k=10)) as writer:
        writer.add(Shard.of_rankings(answers))
    return AskedVariant(Variant(folder.name), StoredRun.open(folder))
