"""Scores: looked up in any spelling, null where undefined, and whole when written."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from rankgate.errors import ExpressionError, InputError
from rankgate.io.parquet import SCHEMA_KEY, read_table
from rankgate.model import Counts
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.scoring.scores import SCORES, Scores, write_scores
from rankgate.truth.judgments.table import Judgments
from support.builders import at, id_targets, place_targets, run_of

if TYPE_CHECKING:
    from pathlib import Path

METRICS = ["nDCG@10", "mix = 0.5*p@5 + 0.5*rr", "MRR"]


@pytest.fixture(scope="module")
def scores() -> Scores:
    """Five queries: found, half-way down, nothing relevant judged, failed, not in the run."""
    targets = id_targets(("a", "x", 1), ("b", "x", 1), ("c", "x", 0), ("d", "x", 1), ("e", "x", 1))
    targets = targets.with_columns(reviewed=pl.Series([True, False, True, True, True]))
    queries = pl.DataFrame({"query": ["other", "a", "b", "c", "d"], "status": ["ok"] * 4 + ["error"]})
    hits = pl.DataFrame(
        {"query": ["a", "b", "b", "c", "d"], "rank": [1, 1, 2, 1, 1], "id": ["x", "y", "x", "x", "x"]}
    )
    run = MemoryRun("system", [Shard.of(queries, hits)], notes=["odd"])
    return score(Judgments.of(targets, notes=("merged",)), run, METRICS)


@pytest.mark.parametrize("spelling", ["ndcg@10", "nDCG@10", "ndcg_at_10", "ndcg_cut_10"])
def test_a_metric_is_found_in_any_spelling(scores: Scores, spelling: str) -> None:
    assert scores[spelling] == pytest.approx((1 + 1 / log2(3) + 0 + 0) / 4, abs=1e-15)


def test_a_sum_is_found_by_its_title(scores: Scores) -> None:
    assert scores["mix"] == scores["mix = 0.5*p@5 + 0.5*rr"]
    assert scores.per_query("mix")["a"] == pytest.approx(0.6, abs=1e-15)


def test_a_metric_that_was_not_scored_is_an_error_that_lists_those_that_were(scores: Scores) -> None:
    with pytest.raises(InputError) as caught:
        scores["ap"]
    (problem,) = caught.value.problems
    assert (problem.where, problem.found) == ("'ap'", "a metric that was not scored")
    assert problem.expected == "one of ndcg@10, mix, rr"


def test_a_misspelt_metric_is_an_expression_error(scores: Scores) -> None:
    with pytest.raises(ExpressionError, match="did you mean ndcg"):
        scores.per_query("ndgc@10")


def test_the_counts_say_what_became_of_every_query(scores: Scores) -> None:
    assert scores.counts("rr") == Counts(scored=4, undefined=1, unreviewed=1, errored=1, missing=1)
    assert scores.unjudged == 1
    assert scores.notes == ("merged", "odd")


def test_the_frame_has_null_where_a_value_is_undefined(scores: Scores) -> None:
    frame = scores.frame()
    assert frame.columns == ["query", "status", "ndcg@10", "mix", "rr"]
    assert frame["query"].to_list() == ["a", "b", "c", "d", "e"]
    assert frame["status"].to_list() == ["ok", "ok", "ok", "error", "missing"]
    assert frame["rr"].to_list() == [1, 0.5, None, 0, 0]
    assert not frame["rr"].is_nan().any()
    assert list(scores.per_query("rr").values()) == frame["rr"].to_list()


def test_scores_are_read_as_they_were_written(scores: Scores, tmp_path: Path) -> None:
    other = score(Judgments.of(id_targets(("a", "x", 1))), run_of({"a": ["x"]}, "other"), METRICS)
    path = tmp_path / "new" / "scores.parquet"
    write_scores([scores, other], path)
    table = read_table(path, SCORES)
    assert pl.read_parquet_metadata(path)[SCHEMA_KEY] == "1"
    assert table.columns == ["run", "query", "status", "metric", "value", "estimated"]
    assert not table["estimated"].any()
    assert table.height == 5 * 3 + 3
    wide = table.filter(pl.col("run") == "system").drop("run", "estimated")
    wide = wide.pivot("metric", index=["query", "status"], values="value")
    assert_frame_equal(wide, scores.frame(), check_exact=True)
    assert table.filter(pl.col("run") == "other")["value"].to_list() == [1, 0.6, 1]


def test_under_the_trec_rules_nothing_is_undefined() -> None:
    judgments = Judgments.of(id_targets(("a", "x", 1), ("b", "x", 0)))
    trec = score(judgments, run_of({"a": ["x"]}), ["rr", "bpref", "judged@5"], trec=True)
    assert trec.trec
    assert trec.frame().null_count().row(0) == (0,) * 5
    assert (trec["rr"], trec["bpref"]) == (0.5, 0.5)


def test_judgments_without_a_query_have_no_mean() -> None:
    empty = Judgments.of(pl.DataFrame(schema={"query": pl.String, "id": pl.String}))
    scores = score(empty, run_of({"a": ["x"]}), ["rr"])
    assert scores["rr"] is None
    assert scores.counts("rr") == Counts(scored=0)
    assert scores.unjudged == 1


TOGETHER = """
    ndcg ndcg@2 ndcg(gain=exp) ndcg(judged_only) dcg pndcg ap ap(rel=0) ap(rel=2) rr rr(rel=-1) p p(any)@2
    r r(rel=0) hit@1
    f1 rprec rbp bpref judged@2 err(max=3) iou line_p@2 line_r@30tokens r@30tokens tokens_to latency
"""


def test_no_metric_depends_on_what_is_scored_beside_it() -> None:
    """Each alone reads less than all together: no irrelevant targets, no lines, no tokens."""
    rows = [
        ("q", "f.py", 1, 9, 2.0),
        ("q", "f.py", 5, 20, 1.0),
        ("q", "g.py", 1, 3, 0.0),
        ("q", "g.py", 5, 8, -1.0),
    ]
    rows += [("r", "f.py", 1, 9, 0.0), ("r", "f.py", 8, 12, 3.0), ("s", "g.py", 1, 1, -1.0)]
    cases = pl.DataFrame({"query": ["q", "r", "s", "gone"], "exhaustive": [False, True, False, True]})
    judgments = Judgments.of(place_targets(*rows), cases)
    answers = [at("g.py", 1, 9, tokens=9), at("f.py", 1, 9, tokens=9), at("f.py", 6, 30, tokens=20)]
    run = run_of({"q": answers, "r": answers[::-1], "s": answers})
    metrics = TOGETHER.split()
    together = score(judgments, run, metrics)
    for metric in metrics:
        alone = score(judgments, run, [metric])
        assert alone.per_query(metric) == together.per_query(metric), metric


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_gain_that_no_double_holds_is_refused_and_not_nan() -> None:
    judgments = Judgments.of(id_targets(("a", "x", 2000)))
    with pytest.raises(InputError):
        score(judgments, run_of({"a": ["x"]}), ["ndcg(gain=exp)@5"])
