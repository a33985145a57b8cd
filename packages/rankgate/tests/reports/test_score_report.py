"""The report of scores: every number and string worked out once, before anything is laid out."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from rankgate.reports.score import ESTIMATED, ScoreReport, render, score_report
from rankgate.runs.store.schemas import HITS
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.truth.judgments.table import Judgments
from rankgate.wording import NOTHING
from support.builders import id_targets, run_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.runs.store.tables import Run

TARGETS = Judgments.of(id_targets(("q1", "a", 1), ("q2", "a", 1), ("q3", "a", 0)))


def report_of(*runs: Run, metrics: Sequence[str] = ("rr",), per_query: bool = False) -> ScoreReport:
    scores = [score(TARGETS, run, metrics) for run in runs]
    return score_report("qrels", TARGETS, scores, per_query=per_query)


def answers(*first: str) -> Mapping[str, list[str]]:
    return {"q1": list(first), "q2": ["a"], "q3": ["a"]}


def timed(name: str, *times: float) -> MemoryRun:
    table = pl.DataFrame({"query": ["q1", "q2", "q3"], "latency_ms": times})
    return MemoryRun(name, [Shard.of(table, HITS.empty())])


def test_a_value_is_rounded_for_people_and_whole_for_machines() -> None:
    row = report_of(run_of(answers("x", "y", "a"))).rows[0]
    assert row.values == ((1 / 3 + 1) / 2,)
    assert row.texts == ("0.6667",)


def test_what_has_no_value_is_a_dash_for_people_and_null_for_machines() -> None:
    report = report_of(run_of(answers("a")), per_query=True)
    undefined = [row for row in report.queries if row.name == "q3"]
    assert [(row.values, row.texts) for row in undefined] == [((None,), (NOTHING,))]
    nothing = report_of(run_of(answers("a")), metrics=["judged@5", "latency"])
    assert [row.texts for row in nothing.rows] == [("1.0000",), (NOTHING,)]
    assert json.loads(render(nothing, "json"))["runs"][0]["metrics"]["latency.mean"]["value"] is None
    assert "system,all,latency.mean,,0\n" in render(nothing, "csv")
    assert render(nothing, "trec").endswith("latency.mean          \tall\t\n")


def test_the_notes_count_what_a_mean_does_not_show() -> None:
    queries = pl.DataFrame({"query": ["q1", "q3", "extra"], "status": ["timeout", "ok", "ok"]})
    run = MemoryRun("odd", [Shard.of(queries, HITS.empty())], notes=["2 lines merged"])
    assert report_of(run, metrics=["rr", "ap", "judged@5"]).notes == (
        "odd: 2 lines merged",
        "odd: 1 query failed, counted as 0",
        "odd: 1 judged query missing, counted as 0",
        "odd: 1 query without judgments left out",
        "odd: rr, ap not applicable to 1 query",
    )


def test_unreviewed_targets_are_counted() -> None:
    proposed = Judgments.of(id_targets(("q1", "a", 1)).with_columns(reviewed=pl.lit(value=False)))
    report = score_report("q", proposed, [score(proposed, run_of({"q1": ["a"]}), ["rr"])], per_query=False)
    assert report.notes == ("system: 1 query with unreviewed targets",)


def test_a_clean_run_has_no_notes() -> None:
    judgments = Judgments.of(id_targets(("q1", "a", 1)))
    report = score_report("q", judgments, [score(judgments, run_of({"q1": ["a"]}), ["rr"])], per_query=False)
    assert report.notes == ()
    assert report.header[0] == "q: 1 query, 1 judgment"
    assert "note" not in render(report, "table")


def test_large_counts_are_grouped_by_thousands() -> None:
    many = Judgments.of(id_targets(*((f"q{number}", "a", 1) for number in range(1200))))
    report = score_report("q", many, [score(many, run_of({}), ["rr"])], per_query=False)
    assert report.header[0] == "q: 1,200 queries, 1,200 judgments"
    assert report.notes == ("system: 1,200 judged queries missing, counted as 0",)


def test_runs_of_one_name_are_numbered() -> None:
    report = report_of(
        run_of(answers("a"), "same"), run_of(answers("x"), "same"), run_of(answers("a"), "other")
    )
    assert report.runs == ("same #1", "same #2", "other")


@pytest.mark.parametrize("style", ["csv", "json", "table", "trec"])
def test_every_style_ends_with_one_line_feed_and_names_every_run(style: str) -> None:
    text = render(report_of(run_of(answers("a"), "one"), run_of(answers("x"), "two"), per_query=True), style)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert "one" in text
    assert "two" in text
    assert all(line == line.rstrip() for line in text.splitlines() if style == "table")


def test_a_table_does_not_lose_a_name_that_is_wider_than_the_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    name = "n" * 100
    text = render(report_of(run_of(answers("a"), name)), "table")
    assert sum(line.count("n") for line in text.splitlines() if "nnn" in line) >= 100


def test_a_mean_of_a_slice_that_rests_on_estimates_is_marked() -> None:
    scores = score(TARGETS, run_of({"q1": ["a"]}), ["rr"])
    first = np.arange(len(scores.queries)) == 0
    marked = replace(scores, estimated=first)
    slices = pl.Series("shop", np.where(first, "books", "music"))
    report = score_report("qrels", TARGETS, [marked], per_query=False, slices=[slices])
    rows = {row.name: row for row in report.slices}
    assert rows["books"].estimated == (1,)
    assert rows["books"].texts[0].startswith(ESTIMATED)
    assert rows["music"].estimated == (0,)
