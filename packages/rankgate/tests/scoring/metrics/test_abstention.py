"""Zero and abstention: queries that return nothing, rightly or not."""

from __future__ import annotations

import polars as pl

from rankgate.model import Answer, Case
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.scoring.expressions import parse
from rankgate.truth.judgments.table import Judgments
from support.builders import id_targets
from support.evaluations import evaluated, target

ANY = (target("right"),)


CASES = [
    Case("found", "a", ANY),
    Case("nothing", "b", ANY),
    Case("silent", "c", expect_empty=True),
    Case("talks", "d", expect_empty=True),
    Case("broken", "e", ANY),
]


ANSWERS = {"found": ["right"], "nothing": [], "silent": [], "talks": ["x"], "broken": Answer.ERROR}


def test_zero_leaves_out_errors_and_queries_without_targets() -> None:
    run = evaluated(CASES, ANSWERS, metrics=("zero",))
    values = {"found": 0, "nothing": 1, "silent": None, "talks": None, "broken": None}
    assert run.scores.per_query("zero") == values
    assert parse("zero").less_is_better


def test_zero_reads_statuses_of_every_shard() -> None:
    table = pl.DataFrame({"query": ["a", "b"], "status": ["timeout", "ok"], "hits": [0, 0]})
    shards = [Shard.of_rankings({"q": ["x"]}), Shard.of(table, Shard.of_rankings({}).hits)]
    targets = Judgments.of(id_targets(("q", "x", 1), ("a", "x", 1), ("b", "x", 1)))
    assert score(targets, MemoryRun("s", shards), ["zero"]).per_query("zero") == {"q": 0, "a": None, "b": 1}


def test_abstention_counts_empty_answers() -> None:
    run = evaluated(CASES, ANSWERS, metrics=("abstention_p", "abstention_r"))
    nothing: dict[str, float | None] = dict.fromkeys(ANSWERS)
    assert run.scores.per_query("abstention_p") == {**nothing, "nothing": 0, "silent": 1}
    assert run.scores.per_query("abstention_r") == {**nothing, "silent": 1, "talks": 0}
    assert (run.scores["abstention_p"], run.scores["abstention_r"]) == (0.5, 0.5)
