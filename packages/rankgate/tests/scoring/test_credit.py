"""Credit: each target once, each hit once, and a wider hit never the worse for it."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

import polars as pl
import pytest

from rankgate.scoring.evaluate import score
from rankgate.truth.judgments.table import Judgments
from support.builders import at, id_targets, place_targets, run_of, scored

if TYPE_CHECKING:
    from rankgate.model import Hit

A_AND_B = place_targets(("q", "f.py", 1, 10, 3), ("q", "f.py", 20, 30, 1))


def test_the_wider_hit_of_the_decision_raises_ndcg_and_keeps_precision() -> None:
    narrow = scored(A_AND_B, [at("f.py", 20, 25), at("f.py", 1, 5)], "dcg@2", "ndcg@2", "p@2")
    wide = scored(A_AND_B, [at("f.py", 1, 25), at("f.py", 1, 5)], "dcg@2", "ndcg@2", "p@2")
    assert narrow == pytest.approx([1 + 3 / log2(3), 0.7967, 1], abs=5e-5)
    assert wide == pytest.approx([3, 0.8262, 1], abs=5e-5)


def test_the_group_of_the_decision_is_credited_with_what_was_reached_first() -> None:
    targets = id_targets(("q", "a.md", 2), ("q", "b.md", 3), ("q", "c.md", 1))
    targets = targets.with_columns(group=pl.Series(["g", "g", None]))
    ndcg, recall = scored(targets, ["a.md", "b.md", "c.md"], "ndcg@3", "r@3")
    # 2 + 1/2 is what a first-come loop credits; b.md at rank 2 instead of a.md would be 3/log2(3) + 1/2.
    assert ndcg == pytest.approx((2 + 1 / 2) / (3 + 1 / log2(3)), abs=1e-12)
    assert f"{ndcg:.4f}" == "0.6885"
    assert recall == 1


def test_within_a_group_the_better_alternative_is_credited_where_it_gains_more() -> None:
    targets = id_targets(("q", "a", 1), ("q", "b", 3)).with_columns(group=pl.lit("g"))
    assert scored(targets, ["a", "b"], "dcg@2") == [pytest.approx(3 / log2(3), abs=1e-12)]


def test_err_borrows_the_credit_of_dcg_and_may_fall_when_a_hit_is_added() -> None:
    judgments = Judgments.of(place_targets(("q", "f.py", 1, 10, 3), ("q", "f.py", 20, 30, 2)), max_grade=3)
    both, first = at("f.py", 1, 30), at("f.py", 1, 5)
    assert scored(judgments, [both], "err@5") == [0.875]
    assert scored(judgments, [both, first], "err@5") == [pytest.approx(0.6484, abs=5e-5)]


def test_the_cut_decides_before_the_credit_is_given() -> None:
    """At 1 the wide hit takes the better target; at 2 it leaves it to the hit that can take no other."""
    targets = place_targets(("q", "f.py", 1, 10, 2), ("q", "f.py", 20, 30, 3))
    hits = [at("f.py", 1, 30), at("f.py", 20, 22)]
    assert scored(targets, hits, "dcg@1", "dcg@2", "dcg") == pytest.approx(
        [3, 2 + 3 / log2(3), 2 + 3 / log2(3)], abs=1e-12
    )


def test_alternatives_in_one_hit_count_once() -> None:
    targets = place_targets(("q", "f.py", 1, 10, 1), ("q", "f.py", 20, 30, 3))
    targets = targets.with_columns(group=pl.lit("g"))
    assert scored(targets, [at("f.py", 1, 30)], "dcg", "r", "p", "ap", "ndcg") == [3, 1, 1, 1, 1]


def test_one_query_that_is_tangled_leaves_the_others_as_they_were() -> None:
    tangled = place_targets(("q", "f.py", 1, 10, 1), ("q", "f.py", 11, 20, 1))
    plain = place_targets(("other", "g.py", 1, 10, 2), ("other", "h.py", 1, 10, 1))
    hits: dict[str, list[Hit | str]] = {
        "q": [at("f.py", 1, 20), at("f.py", 1, 3)],
        "other": [at("h.py", 5, 6), at("x.py", 1, 2), at("g.py", 1, 1)],
    }

    metrics = ["ap", "ndcg@3", "p@3"]
    both = score(Judgments.of(pl.concat([tangled, plain])), run_of(hits), metrics)
    alone = score(Judgments.of(plain), run_of({"other": hits["other"]}), metrics)
    for metric in metrics:
        assert both.per_query(metric)["other"] == alone.per_query(metric)["other"]
    assert both.per_query("ap")["q"] == 1
