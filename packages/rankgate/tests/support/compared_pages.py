"""The page of a comparison of three systems, for a browser to open."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from rankgate.model import Answer, Case
from rankgate.reports.comparison.report import comparison_report
from rankgate.reports.comparison_page.content import ComparedRuns, page_of_runs
from rankgate.reports.comparison_page.model import render_comparison
from rankgate.reports.page.document import own_assets
from support.evaluations import evaluated, target

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.reports.comparison_page.model import ComparisonPage
    from support.evaluations import Evaluated

COUNT = 60
CASES = [Case(f"q{at}", f"question {at}", (target("x"),), category=f"c{at % 3}") for at in range(COUNT)]


def system(lost: range, errored: range = range(0)) -> Evaluated:
    """Answers, of which some lost their relevant hit and some ended in an error."""
    answers: dict[str, list[str] | Answer] = {}
    for at in range(COUNT):
        answers[f"q{at}"] = Answer.ERROR if at in errored else ["y", "z"] if at in lost else ["x", "y"]
    return evaluated(CASES, answers)


@cache
def three() -> ComparisonPage:
    """A page of three systems: one loses 3 queries, one 20 and has 5 errors, one loses none."""
    base = system(range(20, 23))
    compared = []
    for name, other in (("broken", system(range(20, 40), range(5))), ("better", system(range(0)))):
        comparison = other.since(base).comparison
        assert comparison
        runs = (base.run, other.run)
        report = comparison_report(("base", name), comparison, runs, CASES)
        compared.append(ComparedRuns(report, comparison, runs))
    return page_of_runs(base.suite, compared)


def compared_page(folder: Path) -> Path:
    """Write the page of the three to a file."""
    path = folder / "compare.html"
    path.write_text(render_comparison(three(), own_assets()), encoding="utf-8")
    return path
