"""The first sentence of a comparison: its main cause is what adds most to the difference."""

from __future__ import annotations

from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.model import Case
from rankgate.reports.comparison.headline import main_cause
from rankgate.reports.comparison.rankings import ScoredQuery
from rankgate.reports.comparison.report import ComparisonReport
from support.evaluations import evaluated, target

NAMES = "bm25", "hybrid"


def one(before: float, after: float, first: tuple[int, int], *, errored: bool = False) -> ScoredQuery:
    return ScoredQuery(0, "a", before, after, 1.0, first, errored)


@pytest.mark.parametrize(
    ("queries", "words"),
    [
        ([one(1, 0, (1, 0))], "1 query has a relevant hit in the top 10 only in bm25 (−1.0000)"),
        ([one(0, 1, (0, 1))] * 2, "2 queries have a relevant hit in the top 10 only in hybrid (+1.0000)"),
        ([one(0.1, 0, (10, 11))], "1 query has a relevant hit in the top 10 only in bm25 (−0.1000)"),
        ([one(1, 0.5, (1, 2))], "1 query has its first relevant hit further down in hybrid (−0.5000)"),
        ([one(0.5, 1, (2, 1))] * 2, "2 queries have their first relevant hit further up in hybrid (+0.5000)"),
        ([one(1, 0.9, (1, 1))], "1 query has other relevant hits lower in hybrid (−0.1000)"),
        ([one(1, 0, (1, 0), errored=True), one(1, 1, (1, 1))], "1 query changed by an error (−0.5000)"),
    ],
)
def test_a_change_is_told_by_what_became_of_the_first_relevant_hit(
    queries: list[ScoredQuery], words: str
) -> None:
    found = main_cause(queries, NAMES)
    assert found is not None
    assert found.words("") == words


def test_a_gain_is_no_cause_of_a_loss_however_large() -> None:
    queries = [one(0, 0.9, (0, 1)), *[one(1, 0.6, (1, 2))] * 3]
    found = main_cause(queries, NAMES)
    assert found is not None
    assert found.queries == 3
    assert found.part == pytest.approx(-0.3)


@given(
    st.lists(
        st.builds(
            ScoredQuery,
            st.just(0),
            st.just("a"),
            st.floats(0, 1),
            st.floats(0, 1),
            st.floats(0.1, 5),
            st.tuples(st.integers(0, 12), st.integers(0, 12)),
            st.booleans(),
        ),
        max_size=30,
    )
)
def test_the_cause_has_the_sign_of_the_difference_and_is_no_small_part(queries: list[ScoredQuery]) -> None:
    found = main_cause(queries, NAMES)
    total = fsum(query.weight for query in queries)
    mean = fsum(query.weight * query.difference for query in queries) / total if total else 0.0
    if found is None:
        assert abs(mean) <= 1e-8
        return
    # Six classes at most share a difference: the largest is a sixth of it or more.
    assert found.part * mean > 0
    assert abs(found.part) >= abs(mean) / 7 - 1e-12


def test_identical_answers_are_unchanged_and_have_no_interval() -> None:
    cases = [Case(name, name, (target("x"),)) for name in "abcdefgh"]
    same = evaluated(cases, {case.id: ["y", "x"] for case in cases})
    report = same.report(against=same.since(same)).comparison
    assert report is not None
    (row,) = report.rows
    assert (row.finding, row.interval, row.numbers.low, row.numbers.high) == ("unchanged", "–", None, None)
    assert report.headline == "ndcg@10 is unchanged: 0.6309 in both, the same in all 8 queries"


@pytest.mark.parametrize(
    ("names", "sides", "title"),
    [
        (("bm25", "hybrid"), ("bm25", "hybrid"), "Compared with bm25"),
        (("the baseline of app", "app"), ("baseline", "now"), "Compared with the baseline (app)"),
        (("runs/one", "runs/one"), ("before", "after"), "Compared with runs/one"),
    ],
)
def test_columns_have_the_names_of_the_two(
    names: tuple[str, str], sides: tuple[str, str], title: str
) -> None:
    report = ComparisonReport(*names, "")
    assert report.sides == sides
    assert report.title == title
