"""`compare` showed +0.5 before +1.0, five losses and none of 35 gains, "before / after" for systems."""

from __future__ import annotations

from rankgate.model import Case
from rankgate.reports.comparison.formats import render
from rankgate.reports.comparison.report import ComparisonReport, comparison_report
from support.evaluations import Evaluated, evaluated, target

LOSSES = {"fell-a": (1, 2), "fell-b": (1, 5), "fell-c": (1, 0), "fell-d": (1, 3), "fell-e": (1, 4)}
GAINS = {"rose-a": (2, 1), "rose-b": (0, 1), "rose-c": (3, 1), "rose-d": (4, 1)}
RANKS = LOSSES | GAINS
CASES = [Case(name, name, (target("x"),)) for name in RANKS]


def at_rank(rank: int) -> list[str]:
    others = [f"n{number}" for number in range(10)]
    return [*others[: rank - 1], "x", *others[rank - 1 :]] if rank else others


def side(number: int) -> Evaluated:
    return evaluated(CASES, {name: at_rank(both[number]) for name, both in RANKS.items()}, metrics=["rr"])


def compared() -> ComparisonReport:
    before, after = side(0), side(1)
    held = after.since(before).comparison
    assert held is not None
    return comparison_report(("bm25", "hybrid"), held, (before.run, after.run), CASES)


def test_the_three_largest_losses_come_first_then_the_three_largest_gains() -> None:
    report = compared()
    assert [moved.case for moved in report.moved] == [
        "fell-c", "fell-b", "fell-e",
        "rose-b", "rose-d", "rose-c",
    ]  # fmt: skip
    assert [moved.mark for moved in report.moved] == ["❌"] * 3 + ["✅"] * 3
    assert report.unmoved == "3 more changed in rr (2 worse, 1 better)"


def test_two_systems_stand_under_their_names() -> None:
    for style in ("terminal", "markdown"):
        words = render([compared()], style).replace("|", " ").split()
        assert {"bm25", "hybrid"} <= set(words)
        assert not {"before", "after"} & set(words)


def test_the_first_relevant_rank_of_both_is_said_in_a_few_words() -> None:
    assert compared().moved[0].first == "first relevant: 1 → not found"
