"""The page of a comparison of three systems, for a browser to open."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from rankgate.model import Answer, Case
from rankgate.reports.comparison_page.content import page_of_pages
from rankgate.reports.comparison_page.model import render_comparison
from rankgate.reports.page.content import page_of
from rankgate.reports.page.document import own_assets
from support.evaluations import evaluated, target

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.reports.comparison_page.model import ComparisonPage
    from rankgate.reports.page.model import ReportPage

COUNT = 60
CASES = [Case(f"q{at}", f"question {at}", (target("x"),), category=f"c{at % 3}") for at in range(COUNT)]


def system(lost: range, errored: range = range(0)) -> ReportPage:
    """A page of answers, of which some lost their relevant hit and some ended in an error."""
    answers: dict[str, list[str] | Answer] = {}
    for at in range(COUNT):
        answers[f"q{at}"] = Answer.ERROR if at in errored else ["y", "z"] if at in lost else ["x", "y"]
    made = evaluated(CASES, answers)
    return page_of(made.scored(), made.report())


@cache
def three() -> ComparisonPage:
    """A page of three systems: one loses 3 queries, one 20 and has 5 errors, one loses none."""
    pages = [system(range(20, 23)), system(range(20, 40), range(5)), system(range(0))]
    return page_of_pages(pages, ["base", "broken", "better"])


def compared_page(folder: Path, page: ComparisonPage | None = None) -> Path:
    """Write a page, or that of the three, to a file."""
    path = folder / "compare.html"
    path.write_text(render_comparison(page or three(), own_assets()), encoding="utf-8")
    return path
