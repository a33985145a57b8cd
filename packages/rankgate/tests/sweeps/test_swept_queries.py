"""The page of a sweep has every query in every distinct variant, and says so without a script as well."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

import pytest

from rankgate.evaluation.project.named_answers import NamedAnswers, compared_pair
from rankgate.reports.page.document import own_assets
from rankgate.reports.sweep.formats import render
from rankgate.reports.sweep_page.model import NOT_FOUND, render_sweep
from rankgate.runs.store.run_folder import StoredRun
from rankgate.sweeps.comparing.stacked import stacked_comparisons
from rankgate.sweeps.flow import OpenedSweep, SweepOptions
from rankgate.sweeps.sweep_file import read_sweep
from rankgate.truth.locations.resolve import resolve
from support.drawn_sweeps import sweep_project
from support.swept_pages import HOSTILE, QUERIES, VARIANTS, hostile, sample, swept

if TYPE_CHECKING:
    from pathlib import Path


def test_a_variant_that_is_the_same_as_another_has_a_row_and_no_column() -> None:
    page = sample()
    assert len(page.report.rows) == VARIANTS + 1
    assert len(page.columns) == VARIANTS
    names = [row.name for row in page.report.rows]
    assert page.column[names.index("again")] == page.column[names.index("v003")]
    assert page.columns[page.base] == "v000"


def test_queries_say_who_finds_them_alone_and_which_nobody_finds() -> None:
    page = sample()
    assert len(page.asked) == QUERIES
    by_number = {int(query.query.split()[-1]): query for query in page.asked}
    # By the project: 7 and 57 are found by none, 21 by the second variant alone.
    assert all(rank == NOT_FOUND for number in (7, 57) for rank in by_number[number].first)
    only = by_number[21].only
    assert only is not None
    assert page.columns[only] == "v002"
    assert [rank > 0 for rank in by_number[21].first] == [at == only for at in range(VARIANTS)]
    assert page.alone[only] == sum(query.only == only for query in page.asked) >= 1
    # Those that the fewest find come first.
    found = [sum(rank > 0 for rank in query.first) for query in page.asked]
    assert found == sorted(found)


def test_a_ranking_is_read_back_from_its_numbers() -> None:
    page = sample()
    query = next(query for query in page.asked if query.first[page.base] > 0)
    hits = query.rankings[query.ranking[page.base]]
    right = hits[query.first[page.base] - 1]
    assert page.places[right // 4] == query.expected[0]
    assert right % 4 == 1
    assert all(hit % 4 == 0 for hit in hits[: query.first[page.base] - 1])


def test_values_of_queries_have_the_mean_of_the_table() -> None:
    page = sample()
    for row, column in zip(page.report.rows, page.column, strict=True):
        values = [page.scores[query.values[column]][0] for query in page.asked]
        assert sum(values) / len(values) == pytest.approx(row.numbers.means[0], abs=1e-12)


def test_the_front_has_what_nothing_beats() -> None:
    for chart in sample().costs:
        for point in chart.points:
            better = [
                one
                for one in chart.points
                if one.cost <= point.cost
                and one.value >= point.value
                and (one.cost, one.value) != (point.cost, point.value)
            ]
            assert point.front is not bool(better)
    assert [chart.name for chart in sample().costs] == ["latency", "tokens"]


def test_a_sweep_without_costs_has_no_chart_of_them_and_one_variant_alone_has_a_page(tmp_path: Path) -> None:
    page = swept(sweep_project(tmp_path / "one", 1, 8))
    assert page.costs == ()
    assert page.columns == ("v000",)
    assert any(rank > 0 for query in page.asked for rank in query.first)
    assert page.alone == (0,)


def test_without_a_script_the_table_is_read_and_hostile_text_stays_text() -> None:
    page = hostile()
    text = render_sweep([page], own_assets())
    plain = re.search(r"<noscript>(.*?)</noscript>", text, re.DOTALL)
    assert plain is not None
    for row in page.report.rows:
        assert f">{escape(row.name)}" in plain[1]
        assert row.means[0] in plain[1]
    assert escape(page.report.headline) in text
    outside = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    assert "<img" not in outside
    assert "<b " not in outside
    assert HOSTILE[1] not in text
    missed = [query for query in page.asked if max(query.first) <= 0]
    assert all(escape(query.query) in plain[1] for query in missed)
    assert missed


def test_runs_that_are_scored_at_once_compare_as_two_alone_do(tmp_path: Path) -> None:
    folder = sweep_project(tmp_path / "project", 8, 30)
    swept(folder)
    asking = OpenedSweep.of(read_sweep(folder / "sweep.toml")).asking(folder / "search.yaml", SweepOptions())
    runs = [StoredRun.open(path) for path in sorted((asking.folder.path / "runs").iterdir())]
    metrics, judgments = ("ndcg@10", "r@10", "judged@10"), resolve(asking.suite, asking.corpus).judgments
    named = [NamedAnswers(run.folder.name, run) for run in runs]
    together = stacked_comparisons(judgments, runs[0], runs[1:], metrics)
    assert len(together) == 7
    for one, other in zip(together, named[1:], strict=True):
        alone, _ = compared_pair(asking.suite, judgments, (named[0], other), metrics)
        for side in ("before", "after"):
            here, there = getattr(one, side), getattr(alone, side)
            assert here.metrics == there.metrics
            assert here.frame().equals(there.frame())
            assert (here.weights == there.weights).all()
            assert here.depth == there.depth
        for name in ("shared", "first_before", "first_after", "changed", "left_out"):
            assert (getattr(one, name) == getattr(alone, name)).all(), name
        assert one.groups == alone.groups
        assert one.hits_after.grades == alone.hits_after.grades
        assert (one.first_after == 0).any()
    # Some of them give the same answers to some queries.
    assert {bool(one.changed.all()) for one in together} == {True, False}


def test_the_report_says_the_same_of_queries_as_the_page() -> None:
    page = sample()
    missed = {query.query for query in page.asked if max(query.first) <= 0}
    assert set(page.report.unanswered) == missed != set()
    alone = {page.columns[at]: number for at, number in enumerate(page.alone) if number}
    assert {one.variant: len(one.queries) for one in page.report.alone} == alone != {}
    text = render([page.report], "markdown")
    assert f"## Queries that no variant answers: {len(missed)}" in text
    assert all(f"- {query}" in text for query in missed)
    assert "## What each variant alone finds" in text
