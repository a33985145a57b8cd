"""When a hit reaches a target: paths, lines, and the rules that ask for more."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.errors import InputError
from rankgate.locations import Lines
from rankgate.model import Hit, MatchBy, Matching
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.truth.judgments.table import Judgments
from support.builders import at, id_targets, place_targets, run_of, scored

KEYS = place_targets(("q", "keys.py", 10, 50, 1))


def reached(hit: Hit | str, targets: pl.DataFrame = KEYS, **rule: object) -> bool:
    judgments = Judgments.of(targets, matching=Matching(**rule))  # type: ignore[arg-type]
    return scored(judgments, [hit], "hit@1") == [1]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({}, True),
        ({"min_lines": 21}, True),
        ({"min_lines": 22}, False),
        ({"min_fraction": 0.5}, True),
        ({"min_fraction": 21 / 41}, True),
        ({"min_fraction": 0.52}, False),
        ({"iou": 0.4}, True),
        ({"iou": 21 / 51}, True),
        ({"iou": 0.5}, False),
        ({"min_lines": 21, "min_fraction": 0.5, "iou": 0.4}, True),
        ({"min_lines": 21, "min_fraction": 0.5, "iou": 0.5}, False),
        ({"by": MatchBy.PATH}, True),
    ],
)
def test_the_example_of_the_decision_holds_under_each_rule(rule: dict[str, object], expected: bool) -> None:
    """Target 10-50 and hit 30-60: 21 lines in both, 41 in the target, 51 in either."""
    assert reached(at("keys.py", 30, 60), KEYS, **rule) is expected


def test_the_first_line_after_a_target_is_outside_it() -> None:
    assert not reached(at("keys.py", 51, 60))
    assert reached(at("keys.py", 50, 60))
    assert not reached(at("keys.py", 1, 9))
    assert reached(at("keys.py", 1, 10))


def test_a_target_shorter_than_min_lines_is_reached_by_a_hit_that_holds_all_of_it() -> None:
    short = place_targets(("q", "keys.py", 10, 11, 1))
    assert reached(at("keys.py", 1, 20), short, min_lines=5)
    assert not reached(at("keys.py", 11, 20), short, min_lines=5)


spans = st.tuples(st.integers(1, 15), st.integers(0, 12)).map(lambda pair: (pair[0], sum(pair)))


@given(
    target=spans,
    hit=spans,
    min_lines=st.integers(1, 6),
    share=st.sampled_from((0.0, 0.25, 0.5, 1.0)),
    iou=st.sampled_from((0.0, 0.2, 0.5, 1.0)),
)
def test_a_hit_reaches_a_target_when_their_sets_of_lines_say_so(
    target: tuple[int, int], hit: tuple[int, int], min_lines: int, share: float, iou: float
) -> None:
    wanted, shown = (set(range(start, end + 1)) for start, end in (target, hit))
    both, either = len(wanted & shown), len(wanted | shown)
    expected = both >= min(min_lines, len(wanted)) and both >= share * len(wanted) and both >= iou * either
    targets = place_targets(("q", "a.py", *target, 1))
    assert reached(at("a.py", *hit), targets, min_lines=min_lines, min_fraction=share, iou=iou) is expected


def test_a_hit_without_lines_reaches_lines_only_where_paths_are_compared() -> None:
    assert not reached(at("keys.py"))
    assert reached(at("keys.py"), by=MatchBy.PATH)
    assert reached(at("keys.py", 900, 901), by=MatchBy.PATH)
    assert not reached(at("other.py"), by=MatchBy.PATH)


@pytest.mark.parametrize("rule", [{}, {"min_lines": 9}, {"min_fraction": 1.0}, {"iou": 1.0}])
def test_a_whole_file_is_reached_by_any_hit_in_it(rule: dict[str, object]) -> None:
    whole = place_targets(("q", "keys.py", None, None, 1))
    assert reached(at("keys.py", 3, 4), whole, **rule)
    assert reached(at("keys.py"), whole, **rule)
    assert not reached(at("my/keys.py"), whole, **rule)


@pytest.mark.parametrize("path", ["Keys.py", "keys.pyc", "src/keys.py", "keys.py/x", "keys"])
def test_paths_are_compared_whole(path: str) -> None:
    assert not reached(at(path, 10, 50))


@pytest.mark.parametrize("path", ["./keys.py", ".//keys.py"])
def test_spellings_of_one_path_are_one_path(path: str) -> None:
    assert reached(at(path, 10, 50))


def test_a_hit_of_another_query_reaches_nothing() -> None:
    targets = place_targets(("q", "a.py", 1, 9, 1), ("r", "b.py", 1, 9, 1))
    scores = score(Judgments.of(targets), run_of({"q": [at("b.py", 1, 9)], "r": [at("a.py", 1, 9)]}), ["rr"])
    assert scores.per_query("rr") == {"q": 0, "r": 0}


def test_an_id_does_not_reach_a_place_nor_a_place_an_id() -> None:
    assert not reached("keys.py", place_targets(("q", "keys.py", None, None, 1)))
    assert not reached(at("keys.py"), id_targets(("q", "keys.py", 1)))


def test_a_hit_with_an_id_and_a_place_reaches_both_kinds_of_target() -> None:
    targets = pl.concat([id_targets(("q", "doc-1", 1)), KEYS], how="diagonal")
    hit = Hit(id="doc-1", path="keys.py", lines=Lines(10, 12))
    assert scored(targets, [hit], "r", "p") == [1, 1]
    assert scored(targets, [Hit(id="doc-1")], "r") == [0.5]


def test_the_same_location_again_keeps_its_rank_and_gains_nothing() -> None:
    targets = place_targets(("q", "a.py", 1, 10, 1), ("q", "a.py", 11, 20, 1))
    wide = at("a.py", 1, 20)
    assert scored(targets, [wide, wide], "p@2", "p(any)@2", "r", "ap") == [0.5, 0.5, 1, 0.5]


def test_other_lines_of_the_same_file_are_another_location() -> None:
    targets = place_targets(("q", "a.py", 1, 10, 1), ("q", "a.py", 11, 20, 1))
    assert scored(targets, [at("a.py", 1, 20), at("a.py", 1, 19)], "p@2", "ap") == [1, 1]


def test_a_file_without_lines_twice_is_one_location() -> None:
    targets = place_targets(("q", "a.py", None, None, 1))
    assert scored(targets, [at("a.py"), at("a.py")], "p@2", "p(any)@2") == [0.5, 0.5]
    assert scored(targets, [at("a.py"), at("a.py", 3, 4)], "p@2", "p(any)@2") == [0.5, 1]


def test_a_query_in_two_shards_is_refused() -> None:
    judgments = Judgments.of(id_targets(("q1", "a", 1), ("q2", "b", 1)))
    shards = [Shard.of_rankings({"q1": ["a"]}), Shard.of_rankings({"q1": ["x"]})]
    with pytest.raises(InputError, match="a query in two shards"):
        score(judgments, MemoryRun("system", shards), ["rr"])
