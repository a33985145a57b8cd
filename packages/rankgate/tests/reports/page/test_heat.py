"""The heat of slices: every metric in every slice, small ones as one, with what changed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rankgate.model import Case
from rankgate.reports.page.comparison import compare_pages
from rankgate.reports.page.content import page_of
from support.evaluations import evaluated, target

if TYPE_CHECKING:
    from rankgate.reports.page.model import PageSlice, ReportPage

CASES = tuple(
    Case(
        f"q{n:02}",
        f"query {n}",
        (target("right"),),
        category="exact" if n < 6 else "fuzzy" if n < 12 else f"rare {n}",
        tags=frozenset({"language=python"} if n % 2 else {"slow"}),
        weight=1.0,
    )
    for n in range(16)
)


def page(lost: int, now_lost: int | None = None) -> ReportPage:
    """A page on which some queries find nothing, with a baseline where it is said how many did then."""
    made = evaluated(CASES, answers(lost), metrics=("rr",))
    against = None if now_lost is None else made.since(evaluated(CASES, answers(now_lost), metrics=("rr",)))
    return page_of(made.scored(against=against), made.report(against=against))


def answers(lost: int) -> dict[str, list[str]]:
    return {case.id: ["wrong"] if at < lost else ["right"] for at, case in enumerate(CASES)}


def row(found: ReportPage, key: str, name: str) -> PageSlice:
    return next(one for one in found.heat if (one.key, one.name) == (key, name))


def test_every_key_and_value_has_a_row_and_small_ones_are_one() -> None:
    found = page(3)
    assert [(one.key, one.name, one.cases) for one in found.heat] == [
        ("category", "exact", 6),
        ("category", "fuzzy", 6),
        ("category", "other (4 slices)", 4),
        ("tag", "slow", 8),
        ("language", "python", 8),
        ("language", "(none)", 8),
    ]
    other = row(found, "category", "other (4 slices)")
    assert other.pooled == ("rare 12", "rare 13", "rare 14", "rare 15")
    assert other.thin


def test_a_cell_has_its_value_and_how_good_that_is() -> None:
    found = page(3)
    (cell,) = row(found, "category", "exact").cells
    assert (cell.shown, cell.number, cell.heat, cell.change) == ("0.5000", 0.5, 0.5, "")
    assert row(found, "category", "fuzzy").cells[0].heat == 1.0


def test_with_a_baseline_it_says_what_changed() -> None:
    found = page(3, 0)
    changed = {one.name: (one.cells[0].change, one.cells[0].way) for one in found.heat}
    assert changed["exact"] == ("−0.5000", "worse")
    assert changed["fuzzy"] == ("=", "")


def test_two_pages_have_the_heat_of_the_later_against_the_earlier() -> None:
    assert compare_pages(page(0), page(3), ("before", "after")).heat == page(3, 0).heat


@pytest.mark.parametrize("weight", [1.0, 100.0])
def test_a_slice_needs_five_effective_cases(weight: float) -> None:
    cases = tuple(replace(case, weight=weight if at == 0 else 1.0) for at, case in enumerate(CASES))
    made = evaluated(cases, answers(0), metrics=("rr",))
    names = [one.name for one in page_of(made.scored(), made.report()).heat if one.key == "category"]
    assert ("exact" in names) == (weight == 1.0)
