"""Line measures: over unions of lines, as sets of lines say."""

from __future__ import annotations

from typing import TypeAlias

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.truth.judgments.table import Judgments
from support.builders import at, id_targets, place_targets, run_of, scored

Span: TypeAlias = tuple[str, int, int]
METRICS = ("iou@3", "line_p@3", "line_r@3")

spans = st.tuples(st.sampled_from(("a.py", "b.py")), st.integers(1, 12), st.integers(0, 9)).map(
    lambda span: (span[0], span[1], span[1] + span[2])
)


def lines(found: list[Span]) -> set[tuple[str, int]]:
    return {(path, line) for path, start, end in found for line in range(start, end + 1)}


def expected(targets: list[Span], hits: list[Span]) -> list[float]:
    wanted, shown = lines(targets), lines(hits)
    both = len(wanted & shown)
    return [both / len(wanted | shown), both / len(shown) if shown else 0.0, both / len(wanted)]


def test_the_example_of_the_decision() -> None:
    """16 lines in both; 35 lines of hits, 20 of targets, 39 in either."""
    targets = place_targets(("q", "a.py", 10, 29, 1))
    hits = [at("a.py", 1, 15), at("a.py", 12, 25), at("b.py", 1, 10)]
    assert scored(targets, hits, *METRICS) == [16 / 39, 16 / 35, 16 / 20]


@given(
    targets=st.lists(spans, min_size=1, max_size=4, unique=True),
    irrelevant=st.lists(spans, max_size=2),
    hits=st.lists(spans, max_size=6),
    k=st.integers(1, 7),
)
def test_line_measures_are_those_of_sets_of_lines(
    targets: list[Span], irrelevant: list[Span], hits: list[Span], k: int
) -> None:
    rows = [("q", *span, 1.0) for span in targets]
    rows += [("q", *span, 0.0) for span in set(irrelevant) - set(targets)]
    values = scored(
        place_targets(*rows), [at(*hit) for hit in hits], f"iou@{k}", f"line_p@{k}", f"line_r@{k}"
    )
    assert values == expected(targets, hits[:k])


def test_queries_do_not_share_lines() -> None:
    targets = place_targets(("q", "a.py", 1, 10, 1), ("r", "a.py", 11, 20, 1))
    run = run_of({"q": [at("a.py", 11, 20)], "r": [at("a.py", 11, 15)]})
    scores = score(Judgments.of(targets), run, ["line_r@5"])
    assert scores.per_query("line_r@5") == {"q": 0, "r": 0.5}


def test_without_a_cut_every_hit_counts_and_a_budget_of_tokens_is_a_cut_too() -> None:
    targets = place_targets(("q", "a.py", 1, 20, 1))
    hits = [at("a.py", 1, 5, tokens=50), at("a.py", 6, 10, tokens=50), at("a.py", 11, 15, tokens=50)]
    assert scored(targets, hits, "line_r", "line_r@2", "line_r@100tokens", "line_r@99tokens") == [
        0.75, 0.5, 0.5, 0.25,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("targets", "hits"),
    [
        (place_targets(("q", "a.py", None, None, 1)), [at("a.py", 1, 2)]),
        (place_targets(("q", "a.py", 1, 2, 0)), [at("a.py", 1, 2)]),
    ],
)
def test_where_targets_have_no_lines_they_are_undefined(targets: pl.DataFrame, hits: list[str]) -> None:
    assert scored(targets, hits, *METRICS) == [None] * 3


@pytest.mark.parametrize(
    ("hits", "expected"),
    [
        ([at("a.py", 1, 2), at("a.py")], [0.5, 0.5, 1]),
        (["an id"], [0, 0, 0]),
        ([at("b.py"), at("a.py", 1, 4), at("b.py"), at("b.py")], [0.5 / 3, 0.5 / 3, 1]),
    ],
)
def test_hits_without_lines_count_against_precision_and_not_against_recall(
    hits: list[str], expected: list[float]
) -> None:
    assert scored(place_targets(("q", "a.py", 1, 2, 1)), hits, *METRICS) == pytest.approx(expected)


def test_nothing_returned_is_zero() -> None:
    assert scored(place_targets(("q", "a.py", 1, 2, 1)), [], *METRICS) == [0, 0, 0]


def test_an_irrelevant_target_without_lines_is_no_matter() -> None:
    targets = place_targets(("q", "a.py", 1, 2, 1), ("q", "b.py", None, None, 0))
    assert scored(targets, [at("a.py", 1, 2)], *METRICS) == [1, 1, 1]


def test_a_query_that_the_run_lacks_scores_zero() -> None:
    targets = place_targets(("q", "a.py", 1, 2, 1), ("gone", "a.py", 1, 2, 1))
    scores = score(Judgments.of(targets), run_of({"q": [at("a.py", 1, 2)]}), METRICS)
    for metric in METRICS:
        assert scores.per_query(metric) == {"q": 1, "gone": 0}
        assert scores.counts(metric).missing == 1


@pytest.mark.parametrize("status", ["error", "timeout"])
def test_the_lines_of_a_query_that_failed_do_not_count(status: str) -> None:
    hits = pl.DataFrame({"query": ["q"], "rank": [1], "path": ["a.py"], "start": [1], "end": [2]})
    shard = Shard.of(pl.DataFrame({"query": ["q"], "status": [status]}), hits)
    scores = score(Judgments.of(place_targets(("q", "a.py", 1, 2, 1))), MemoryRun("s", [shard]), METRICS)
    assert [scores[metric] for metric in METRICS] == [0, 0, 0]


def test_judgments_of_ids_leave_them_undefined() -> None:
    assert scored(id_targets(("q", "a", 1)), [at("a.py", 1, 2)], *METRICS) == [None] * 3
