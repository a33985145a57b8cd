"""What accepting would hide: figures of the same answers under two truths, computed by hand here."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from rankgate.gates.checks import Checks
from rankgate.gates.judge import JudgingRules
from rankgate.gates.language import parse_gates
from rankgate.model import Case, GateText, Location, Suite, Target, XFail
from rankgate.project.review.impact import ONLY, JudgedSuite, ReviewRules, hidden, judged
from support.builders import run_of

TODAY = date(2026, 3, 1)
RUN = run_of({"a": ["x", "right"], "b": ["right"], "c": ["new"], "d": ["x", "x2", "right"]})


def of(name: str, *, grade: float = 1.0, reviewed: bool = True) -> Target:
    return Target(Location.of_id(name), grade, reviewed=reviewed)


CASES = (
    Case("a", "a", (of("right"),)),
    Case("b", "b", (of("right"),)),
    Case("c", "c"),
    Case("d", "d", (of("right"), of("lost"))),
)


def under(cases: tuple[Case, ...], *gates: str) -> JudgedSuite:
    suite = Suite("s", cases, metrics=("rr", "r@10"))
    texts = tuple(GateText(gate) for gate in gates)
    cut = tuple(gate.at_depth(10) for gate in parse_gates(texts, suite.metrics))
    judging = JudgingRules(cut, ("rr@10", "r@10"), TODAY)
    rules = ReviewRules(judging, Checks(), lambda _: {})
    return judged(suite, None, RUN, rules)


def test_figures_stand_side_by_side_and_say_why_they_differ() -> None:
    fewer = (*CASES[:3], replace(CASES[3], targets=(of("right"),)))
    found = hidden(under(CASES), under(fewer))
    # Recall of d: 1 of 2 targets, then 1 of 1; the mean over a, b and d: (1 + 1 + 0.5) / 3, then 1.
    assert list(found.lines()) == [f"r@10 0.8333 → 1.0000 {ONLY}"]
    assert [(each.metric, each.before, each.after) for each in found.figures] == [
        ("rr@10", (1 / 2 + 1 + 1 / 3) / 3, (1 / 2 + 1 + 1 / 3) / 3),
        ("r@10", 2.5 / 3, 1.0),
    ]


def test_a_gate_that_would_change_its_verdict_is_named() -> None:
    fewer = (*CASES[:3], replace(CASES[3], targets=(of("right"),)))
    gates = ("r@10 >= 0.9", "rr >= 0.1")
    lines = list(hidden(under(CASES, *gates), under(fewer, *gates)).lines())
    assert lines[1] == (
        "look twice: gate r@10 >= 0.9: failed (0.8333 < 0.9: 3 queries (1 not applicable)) → "
        "passed (1.0000 >= 0.9: 3 queries (1 not applicable))"
    )
    assert len(lines) == 2


def test_targets_of_the_engine_move_the_figures_and_no_gate() -> None:
    more = (*CASES[:2], replace(CASES[2], targets=(of("new", reviewed=False),)), CASES[3])
    found = hidden(under(CASES, "rr >= 0.7"), under(more, "rr >= 0.7"))
    assert list(found.lines()) == [
        f"rr@10 0.6111 → 0.7083 (3 → 4 queries) {ONLY}",
        f"r@10 0.8333 → 0.8750 (3 → 4 queries) {ONLY}",
        "0 → 1 unreviewed target, which no gate counts",
    ]


def test_a_case_that_gates_would_no_longer_count_is_named() -> None:
    more = (replace(CASES[0], targets=(of("x", reviewed=False),)), *CASES[1:])
    lines = list(hidden(under(CASES, "rr >= 0.7"), under(more, "rr >= 0.7")).lines())
    assert "1 case that gates counted would not count: a" in lines
    assert any(line.startswith("gate rr >= 0.7: still failed: 0.6111") for line in lines)


def test_a_case_with_one_more_target_that_nobody_reviewed_still_counts() -> None:
    more = (replace(CASES[0], targets=(*CASES[0].targets, of("x", reviewed=False))), *CASES[1:])
    lines = list(hidden(under(CASES, "rr >= 0.7"), under(more, "rr >= 0.7")).lines())
    assert not any("would not count" in line for line in lines)
    # The hit that reaches only the new target is left out of what gates score, and the right one moves up.
    assert lines[1].startswith("look twice: gate rr >= 0.7: failed (0.6111 < 0.7")
    assert "passed (0.7778 >= 0.7: 3 queries (1 not applicable))" in lines[1]


def test_an_xfail_taken_out_changes_gates_and_no_figure() -> None:
    known = (replace(CASES[0], xfail=XFail("later", date(2099, 1, 1))), *CASES[1:])
    lines = list(hidden(under(known, "rr >= 0.66"), under(CASES, "rr >= 0.66")).lines())
    assert lines[0] == "no figure changes (rr@10 0.6111, r@10 0.8333)"
    assert lines[1].startswith("gate rr >= 0.66: passed (0.6667 >= 0.66")
    assert "→ failed (0.6111 < 0.66" in lines[1]


def test_a_case_that_goes_is_named() -> None:
    found = hidden(under(CASES), under(CASES[1:]))
    assert found.gone == ("a",)
    assert "1 case would not be asked any more: a" in list(found.lines())


def test_gates_that_would_judge_nothing_are_told() -> None:
    known = tuple(replace(case, category="k" if case.id == "d" else None) for case in CASES)
    gate = "rr >= 0.1 where category = k"
    lines = list(hidden(under(known, gate), under(known[:3], gate)).lines())
    assert any(line.startswith("the gates would be refused: ") for line in lines)
