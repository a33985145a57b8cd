"""The transition matrix: every compared query that has something relevant to find is in one cell, once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from rankgate.model import Answer, Case
from rankgate.reports.comparison.transitions import BANDS, FirstRanks, transitions_of
from rankgate.reports.evaluation import json_report
from support.evaluations import evaluated, target

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rankgate.reports.comparison.transitions import Transitions
    from rankgate.reports.evaluation.report import EvaluationReport

    Answers = Mapping[str, list[str] | Answer]

FILLERS = tuple(f"n{at}" for at in range(20))


def at_rank(rank: int) -> list[str]:
    """Return hits of which the one at a rank is relevant; 0 for none."""
    return [*FILLERS[: rank - 1], "x"] if rank else [*FILLERS[:10]]


def report_of(cases: list[Case], before: Answers, after: Answers) -> EvaluationReport:
    was, now = (evaluated(cases, answers) for answers in (before, after))
    return now.report(against=now.since(was))


def matrix(report: EvaluationReport) -> Transitions:
    assert report.comparison is not None
    return report.comparison.transitions


def filled(found: Transitions) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the cells that have queries."""
    return {(cell.before, cell.after): cell.cases for cell in found.cells if cell.count}


def test_a_query_is_in_the_cell_of_its_ranks_before_and_after() -> None:
    ranks = {
        "kept": (1, 1),
        "fell": (1, 2),
        "deep": (3, 4),
        "lost": (10, 0),
        "beyond": (10, 11),
        "won": (0, 1),
    }
    cases = [Case(name, name, (target("x"),)) for name in ranks]
    before, after = ({name: at_rank(both[side]) for name, both in ranks.items()} for side in (0, 1))
    found = matrix(report_of(cases, before, after))
    assert filled(found) == {
        ("1", "1"): ("kept",),
        ("1", "2–3"): ("fell",),
        ("2–3", "4–10"): ("deep",),
        ("4–10", "absent"): ("lost", "beyond"),
        ("absent", "1"): ("won",),
    }
    assert [cell.after for cell in found.row("1")] == list(BANDS)
    assert found.words == "first relevant hit further down in 4, further up in 1"


def test_a_query_without_an_answer_is_in_no_cell_and_is_named() -> None:
    cases = [Case(name, name, (target("x"),)) for name in ("a", "b", "c")]
    found = matrix(
        report_of(
            cases,
            {"a": ["x"], "b": ["x"], "c": Answer.TIMEOUT},
            {"a": ["x"], "b": Answer.ERROR, "c": ["x"]},
        )
    )
    assert filled(found) == {("1", "1"): ("a",)}
    assert found.errored == ("b", "c")


def test_a_query_that_must_find_nothing_is_not_counted() -> None:
    cases = [Case("a", "a", (target("x"),)), Case("none", "none", expect_empty=True)]
    found = matrix(report_of(cases, {"a": ["x"], "none": []}, {"a": ["x"], "none": []}))
    assert filled(found) == {("1", "1"): ("a",)}


def test_a_query_that_was_not_asked_before_is_not_counted() -> None:
    cases = [Case(name, name, (target("x"),)) for name in ("a", "new")]
    found = matrix(report_of(cases, {"a": ["x"]}, {"a": ["x"], "new": ["x"]}))
    assert filled(found) == {("1", "1"): ("a",)}


def test_it_stands_in_the_json_report_and_is_read_back(tmp_path: Path) -> None:
    cases = [Case("a", "a", (target("x"),))]
    report = report_of(cases, {"a": ["x"]}, {"a": ["y", "x"]})
    path = tmp_path / "report.json"
    path.write_text(json_report.render(report), encoding="utf-8")
    written = json.loads(path.read_text(encoding="utf-8"))["comparison"]["transitions"]
    (cell,) = (one for one in written["cells"] if one["count"])
    assert cell == {"before": "1", "after": "2–3", "count": 1, "cases": ["a"]}
    (read,) = json_report.read(path)
    assert matrix(read) == matrix(report)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), st.booleans()), max_size=60))
def test_every_query_stands_in_one_cell_or_among_the_errors(drawn: list[tuple[int, int, bool]]) -> None:
    ranks = [FirstRanks(str(at), *one) for at, one in enumerate(drawn)]
    found = transitions_of(ranks)
    named = [case for cell in found.cells for case in cell.cases]
    assert sorted([*named, *found.errored], key=int) == [one.case for one in ranks]
    assert [cell.count for cell in found.cells] == [len(cell.cases) for cell in found.cells]
    assert len(found.cells) == (len(BANDS) ** 2 if drawn else 0)
