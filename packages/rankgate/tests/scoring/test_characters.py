"""Where both sides know characters, these decide: one line may be a whole paragraph."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.model import Matching
from rankgate.runs.store.schemas import HITS, QUERIES
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.truth.judgments.table import Judgments

Range = tuple[int, int]


def judged(*targets: Range | None, **matching: object) -> Judgments:
    """Judge passages of the one line of a file; None is the line itself."""
    rows = [
        {
            "query": "q",
            "path": "a.md",
            "start": 1,
            "end": 1,
            "grade": 1.0,
            "start_char": None,
            "end_char": None,
        }
        | ({} if one is None else {"start_char": one[0], "end_char": one[1]})
        for one in targets
    ]
    return Judgments.of(pl.DataFrame(rows), matching=Matching(**matching))  # type: ignore[arg-type]


def run_of(*hits: Range | None) -> MemoryRun:
    rows = [
        {"query": "q", "rank": rank, "path": "a.md", "start": 1, "end": 1}
        | ({} if one is None else {"start_char": one[0], "end_char": one[1]})
        for rank, one in enumerate(hits, 1)
    ]
    queries = QUERIES.conform(pl.DataFrame({"query": ["q"], "hits": [len(rows)]}), "test")
    return MemoryRun("run", [Shard.of(queries, pl.DataFrame(rows, schema=HITS.types))])


@pytest.mark.parametrize(
    ("target", "hit", "reached"),
    [
        ((10, 20), (15, 30), 1),
        ((10, 20), (20, 30), 0),
        ((10, 20), (0, 10), 0),
        ((10, 20), None, 1),
        (None, (15, 30), 1),
        (None, None, 1),
    ],
)
def test_a_piece_of_a_line_reaches_a_passage_that_it_shares_characters_with(
    target: Range | None, hit: Range | None, reached: int
) -> None:
    other = (900, 901)
    found = score(judged(target, other), run_of(hit), ["hit@1"])["hit@1"]
    assert found == (1 if hit is None else reached)


def test_the_rules_of_a_suite_hold_for_characters() -> None:
    for rule, reached in (({"min_fraction": 0.5}, 1), ({"min_fraction": 0.6}, 0), ({"iou": 0.5}, 0)):
        assert score(judged((10, 20), **rule), run_of((15, 30)), ["hit@1"])["hit@1"] == reached


def test_two_pieces_of_one_line_are_two_locations() -> None:
    found = score(judged((0, 10), (50, 60)), run_of((0, 20), (40, 70)), ["r@2", "p@2"])
    assert (found["r@2"], found["p@2"]) == (1, 1)


def test_line_measures_count_characters_where_all_have_them() -> None:
    found = score(judged((0, 10)), run_of((5, 25)), ["line_r@1", "line_p@1", "iou@1"])
    assert (found["line_r@1"], found["line_p@1"]) == (0.5, 0.25)
    assert found["iou@1"] == pytest.approx(5 / 25)
    mixed = score(judged((0, 10)), run_of((5, 25), None), ["line_r@2"])
    assert mixed["line_r@2"] == 1


RANGES = st.tuples(st.integers(0, 30), st.integers(1, 10)).map(lambda one: (one[0], sum(one)))


@given(st.lists(RANGES, min_size=1, max_size=3, unique=True), st.lists(RANGES, min_size=1, max_size=4))
def test_recall_of_characters_is_that_of_sets_of_them(targets: list[Range], hits: list[Range]) -> None:
    wanted = set().union(*(range(*one) for one in targets))
    shown = set().union(*(range(*one) for one in hits))
    found = score(judged(*targets), run_of(*hits), ["line_r@9", "line_p@9"])
    assert found["line_r@9"] == pytest.approx(len(wanted & shown) / len(wanted))
    assert found["line_p@9"] == pytest.approx(len(wanted & shown) / len(shown))
