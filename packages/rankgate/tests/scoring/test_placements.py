"""Where targets ended up: the first hit that reaches each, by the rule that scores go by."""

from __future__ import annotations

import polars as pl

from rankgate.model import MatchBy, Matching
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.placements import placements, reaches
from rankgate.truth.judgments.table import Judgments
from support.builders import at, id_targets, place_targets, run_of


def test_each_target_has_the_rank_of_the_first_hit_that_reaches_it() -> None:
    targets = place_targets(("q", "b.md", None, None, 1), ("q", "a.py", 10, 20, 2), ("q", "c.md", 1, 2, 1))
    hits = [at("a.py", 30, 40), at("a.py", 15, 25), at("a.py", 10, 11), at("b.md", 7, 9)]
    placed = placements(Judgments.of(targets), run_of({"q": hits}))
    assert placed.rows() == [("q", 0, 4), ("q", 1, 2), ("q", 2, None)]


def test_one_hit_may_reach_several_targets_and_one_target_be_reached_by_several_hits() -> None:
    targets = place_targets(("q", "a.py", 1, 10, 1), ("q", "a.py", 20, 30, 3))
    hits = [at("a.py", 1, 40), at("a.py", 25, 26)]
    assert reaches(Judgments.of(targets), run_of({"q": hits})).rows() == [
        ("q", 0, 1),
        ("q", 1, 1),
        ("q", 1, 2),
    ]


def test_alternatives_and_targets_judged_irrelevant_are_placed_too() -> None:
    targets = id_targets(("q", "a", 1), ("q", "b", 2), ("q", "c", 0)).with_columns(
        group=pl.Series(["g", "g", None])
    )
    placed = placements(Judgments.of(targets), run_of({"q": ["c", "b", "a"]}))
    assert placed.rows() == [("q", 0, 3), ("q", 1, 2), ("q", 2, 1)]


def test_queries_of_several_shards_and_without_hits_keep_their_order() -> None:
    targets = id_targets(("z", "a", 1), ("m", "a", 1), ("b", "a", 1))
    shards = [Shard.of_rankings({"b": ["a"], "x": ["a"]}), Shard.of_rankings({"z": ["c", "a"]})]
    placed = placements(Judgments.of(targets), MemoryRun("r", shards))
    assert placed.rows() == [("z", 0, 2), ("m", 0, None), ("b", 0, 1)]


def test_the_matching_of_the_judgments_holds() -> None:
    targets = place_targets(("q", "a.py", 10, 20, 1))
    run = run_of({"q": [at("a.py")]})
    assert placements(Judgments.of(targets), run)["rank"].to_list() == [None]
    by_path = Judgments.of(targets, matching=Matching(by=MatchBy.PATH))
    assert placements(by_path, run)["rank"].to_list() == [1]
