"""At most one suite in twenty passes where the true drop is the margin or more; more in bench-bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from rankgate.errors import InputError
from rankgate.scoring.paired.bounds import upper_bound
from rankgate.scoring.paired.drop import DropBounds
from rankgate.scoring.paired.paired import Paired
from support.drawn_drops import CELLS, KINDS, MIXTURES, most_wrong, pass_rate, reference_chance
from support.margin_scans import members_as_queries, partly_lost, weighted, whole_losses, worst

if TYPE_CHECKING:
    from pathlib import Path

    from support.drawn_drops import Mixture

MARGINS = np.round(np.arange(0.01, 0.2005, 0.005), 3)
SIZES = pytest.mark.parametrize("queries", [20, 48, 100, 150])
MIXED = pytest.mark.parametrize("mixture", MIXTURES, ids=lambda mixture: mixture.name)
SETS = 100


@pytest.mark.parametrize("queries", [10, 11, 29, 48, 59, 149, 200, 500, 1000])
def test_whole_losses_at_every_rate_from_the_margin_on(queries: int) -> None:
    assert worst(whole_losses(queries, MARGINS)).share <= 0.05


@SIZES
def test_whole_losses_of_weighted_queries(queries: int) -> None:
    found = (weighted(queries, margin, by_heavy=part) for margin in (0.1, 0.2) for part in (0.0, 0.5, 1.0))
    assert worst(found).share <= 0.05


def test_the_mean_weight_for_the_query_that_was_not_seen_would_be_wrong() -> None:
    assert weighted(150, 0.05, top_weight=None).share == pytest.approx(0.239, abs=0.001)
    assert weighted(150, 0.05).share <= 0.05
    with pytest.raises(InputError, match="weight out of range"):
        upper_bound([0.0, 0.0], 1.0, weights=[10.0, 1.0], top_weight=5.5)


@SIZES
def test_groups_that_are_lost_whole_or_by_half(queries: int) -> None:
    found = (partly_lost(queries, margin, half=half) for margin in (0.05, 0.1) for half in (0.0, 0.5, 1.0))
    assert worst(found).share <= 0.05


@pytest.mark.parametrize(
    ("groups", "margin", "share"),
    [(20, 0.1, 0.296), (48, 0.05, 0.279), (100, 0.05, 0.25), (150, 0.05, 0.245)],
)
def test_members_of_groups_as_if_independent_would_be_wrong(groups: int, margin: float, share: float) -> None:
    assert members_as_queries(groups, margin).share == pytest.approx(share, abs=0.001)
    assert partly_lost(groups, margin, half=0.0).share <= 0.05


def test_members_of_a_group_count_as_one_value() -> None:
    """What the scans of groups take for granted."""
    labels = [0] * 6 + [1] * 6 + [2, 3, 4]
    drop = DropBounds.of(Paired.of([1.0] * 6 + [0.5] * 6 + [0.0, 0.0, 1.0], groups=labels), 1.0)
    assert drop is not None
    assert drop.at_most == upper_bound([1.0, 0.5, 0.0, 0.0, 1.0], 1.0)


@MIXED
@pytest.mark.parametrize("kind", KINDS)
def test_drawn_drops_at_the_margin_seldom_pass(mixture: Mixture, kind: str) -> None:
    for cell in CELLS[1:4:2]:
        assert pass_rate(kind, mixture, cell, cell[1], SETS).own <= most_wrong(SETS)


@MIXED
@pytest.mark.parametrize("kind", KINDS)
def test_a_system_that_is_as_good_passes_as_often_as_by_the_reference(
    shared_data: Path, mixture: Mixture, kind: str
) -> None:
    reference = reference_chance(shared_data)
    if reference is None:
        pytest.skip("no design/statistics_reference.py lies beside RANKGATE_SHARED_DATA")
    for drop in (0.0, 0.025):
        found = pass_rate(kind, mixture, (150, 0.05), drop, 30, reference=reference)
        assert found.own == found.reference
