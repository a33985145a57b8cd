"""A hit that reports another number of matches than its target keeps part of the gain, if a suite says so."""

from __future__ import annotations

from dataclasses import replace
from math import log2
from typing import TYPE_CHECKING

import polars as pl
import pytest

from rankgate.model import Hit, Lines, Matching
from rankgate.runs.store.tables import Shard
from rankgate.scoring.evaluate import score
from rankgate.truth.judgments.table import Judgments
from support.builders import run_of, scored

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HALF = Matching(miscounted=0.5)


def judged(*rows: dict[str, object], matching: Matching = HALF, exhaustive: bool = False) -> Judgments:
    """Judge the targets of query `q`."""
    table = pl.DataFrame([{"query": "q", **row} for row in rows], infer_schema_length=None)
    cases = pl.DataFrame({"query": ["q"], "exhaustive": [exhaustive]})
    return Judgments.of(table, cases, matching=matching)


TWO = ({"id": "a", "grade": 2, "matches": 5}, {"id": "b", "grade": 1, "matches": 1})


def test_a_wrong_count_on_the_first_hit_halves_its_gain() -> None:
    hits = [Hit(id="a", matches=4), Hit(id="b", matches=1)]
    dcg, ndcg = scored(judged(*TWO), hits, "dcg", "ndcg")
    assert dcg == pytest.approx((2 * 0.5) / 1 + 1 / log2(3), abs=1e-12)
    assert ndcg == pytest.approx((1 + 1 / log2(3)) / (2 + 1 / log2(3)), abs=1e-12)
    assert ndcg == pytest.approx(0.6199, abs=5e-5)
    assert scored(judged(*TWO), hits, "ndcg(gain=exp)") == [pytest.approx(0.5869, abs=5e-5)]


def test_a_count_that_is_not_reported_is_a_wrong_one() -> None:
    assert scored(judged(*TWO), ["a", Hit(id="b", matches=1)], "dcg") == [pytest.approx(1 + 1 / log2(3))]


@pytest.mark.parametrize("matching", [Matching(), Matching(miscounted=1.0)])
def test_counts_mean_nothing_unless_the_suite_says_so(matching: Matching) -> None:
    hits: list[Hit | str] = [Hit(id="a", matches=4), "b"]
    assert scored(judged(*TWO, matching=matching), hits, "ndcg") == [1]


def test_a_target_that_declares_no_count_takes_any() -> None:
    targets = judged({"id": "a", "grade": 2}, {"id": "b", "grade": 1, "matches": 1})
    assert scored(targets, [Hit(id="a", matches=9), Hit(id="b", matches=1)], "ndcg") == [1]


def test_the_hit_still_reaches_the_target() -> None:
    names = ("r", "hit@1", "rr", "p@2", "p(any)@2", "ap", "rprec", "rbp", "f1", "ap(rel=2)", "rr(rel=2)")
    wrong = [Hit(id="a", matches=4), Hit(id="b", matches=7)]
    right = [Hit(id="a", matches=5), Hit(id="b", matches=1)]
    assert scored(judged(*TWO), wrong, *names) == scored(judged(*TWO), right, *names)


def test_no_hit_of_the_wrong_count_is_charged_for() -> None:
    target = judged({"id": "a", "grade": 2, "matches": 5}, exhaustive=True)
    assert scored(target, [Hit(id="a", matches=4)], "pndcg") == [0.5]


def test_what_is_kept_is_a_part_of_the_gain_and_not_of_the_grade() -> None:
    hits = [Hit(id="a", matches=4)]
    assert scored(judged(TWO[0]), hits, "dcg(gain=exp)") == [(2**2 - 1) * 0.5]
    assert scored(judged(TWO[0]), hits, "err(max=2)") == [(2**2 - 1) / 2**2 * 0.5]


def test_a_later_hit_of_the_right_count_is_credited_if_it_gains_more() -> None:
    target = judged({"path": "a.py", "grade": 1, "matches": 5})
    hits = [Hit(path="a.py", lines=Lines(1, 2), matches=3), Hit(path="a.py", lines=Lines(8, 9), matches=5)]
    assert scored(target, hits, "dcg", "rr", "p@2") == [1 / log2(3), 1, 0.5]
    most = replace(target, matching=Matching(miscounted=0.9))
    assert scored(most, hits, "dcg") == [0.9]


def test_of_alternatives_that_one_hit_reaches_the_one_it_gains_most_by_counts() -> None:
    """The best grade is 3 at half its gain; linear gain prefers the 2, exponential gain the 3."""
    group = {"path": "a.py", "group": "g"}
    targets = judged(
        {**group, "start": 1, "end": 5, "grade": 3, "matches": 7},
        {**group, "start": 4, "end": 9, "grade": 2, "matches": None},
    )
    hit = [Hit(path="a.py", lines=Lines(4, 5), matches=1)]
    assert scored(targets, hit, "dcg", "dcg(gain=exp)", "rr(rel=3)") == [2, (2**3 - 1) * 0.5, 1]


def test_nothing_is_kept_at_0() -> None:
    target = judged(TWO[0], matching=Matching(miscounted=0.0))
    assert scored(target, ["a"], "ndcg", "dcg", "err(max=2)", "r") == [0, 0, 0, 1]


def test_how_many_hits_lost_gain_is_noted() -> None:
    hits: list[Hit | str] = [Hit(id="a", matches=4), "b"]
    said = "another number of matches than the target, or none"
    two = score(judged(*TWO), run_of({"q": hits}), ["ndcg"]).notes
    assert two == (f"2 hits report {said}: they keep 0.5 of the gain",)
    one = score(judged(*TWO), run_of({"q": hits[:1]}), ["ndcg"]).notes
    assert one == (f"1 hit reports {said}: it keeps 0.5 of the gain",)
    assert score(judged(*TWO, matching=Matching()), run_of({"q": hits}), ["ndcg"]).notes == ()


def test_counts_are_read_only_where_they_decide_something() -> None:
    class Watched:
        name = "watched"

        def __init__(self) -> None:
            self.columns: set[str] = set()

        def shards(self) -> Iterator[Watched]:
            yield self

        @property
        def queries(self) -> pl.DataFrame:
            return self._shard.queries

        @property
        def _shard(self) -> Shard:
            return Shard.of_rankings({"q": ["a"]})

        def scan_hits(self, columns: Sequence[str]) -> pl.LazyFrame:
            self.columns |= set(columns)
            return self._shard.scan_hits(columns)

    def columns_read(targets: Judgments) -> set[str]:
        run = Watched()
        score(targets, run, ["ndcg"])
        return run.columns

    assert columns_read(judged(*TWO, matching=Matching())) == {"query", "rank", "id", "copies"}
    assert columns_read(judged({"id": "a"})) == {"query", "rank", "id", "copies"}
    assert columns_read(judged(*TWO)) == {"query", "rank", "id", "copies", "matches"}
