"""Drawn edits of drawn suites: the file says what it should, and every other line is as it was."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankgate.locations import Location
from rankgate.model import Target
from rankgate.suites.dump import suite_keys
from rankgate.suites.edit import (
    AddTargets,
    DropCase,
    DropTarget,
    DropXFail,
    Move,
    Regrade,
    changed_suite,
    revised_suite,
)
from rankgate.suites.native import parse_suite
from support import drawn_suites
from support.dressed_yaml import Dresser

if TYPE_CHECKING:
    from rankgate.model import Case, Suite
    from rankgate.suites.edit import Edit

PATH = Path("s.yaml")


@dataclass(frozen=True)
class Drawn:
    """A suite as it is written, and what to change in it."""

    text: str
    suite: Suite
    edits: tuple[Edit, ...]


@st.composite
def drawn(draw: st.DrawFn) -> Drawn:
    suite = draw(drawn_suites.suites())
    text = Dresser(draw).text(suite_keys(suite))
    loaded = parse_suite(text.replace("\r\n", "\n"), PATH)
    edits = draw(st.lists(st.sampled_from(_possible(draw, loaded)), min_size=1, max_size=4, unique=True))
    return Drawn(text, loaded, tuple(_compatible(edits)))


def _possible(draw: st.DrawFn, suite: Suite) -> list[Edit]:
    corpus = suite.corpus
    places = corpus is not None and corpus.kind not in {"beir", "jsonl"}
    new = draw(st.lists(drawn_suites.places if places else drawn_suites.ids, min_size=1, max_size=3))
    grades = draw(st.sampled_from([(1.0, False), (2.0, True), (0.5, True)]))
    added = tuple(Target(place, grades[0], source="the engine" if grades[1] else "proposed") for place in new)
    found: list[Edit] = []
    for case in suite.cases:
        found += [AddTargets(case.id, added)] if not case.expects_nothing else []
        single = len({target.location for target in case.targets}) == len(case.targets)
        if single and case.targets_within is None:
            found += [DropTarget(case.id, number) for number in range(len(case.targets))]
        found += [Regrade(case.id, number, 2.0, "person ada") for number in range(len(case.targets))]
        found += [DropXFail(case.id)] if case.xfail else []
        found += [DropCase(case.id)] if len(suite.cases) > 1 else []
        if places:
            moving = [target.location for target in case.targets if target.location.path]
            found += [Move(old, Location.at("moved/here.md:7-9")) for old in moving[:1]]
    return found or [AddTargets(suite.cases[0].id, added)]


def _compatible(edits: list[Edit]) -> list[Edit]:
    """Leave one case at least, do not both add to and take out of one, and change a case in one way."""
    dropped = [edit for edit in edits if isinstance(edit, DropCase)]
    without = {edit.case for edit in dropped[:1]}
    fewer = {edit.case for edit in edits if isinstance(edit, DropTarget)}
    more = {edit.case for edit in edits if isinstance(edit, AddTargets)}
    return [
        edit
        for edit in edits
        if edit not in dropped[1:]
        and not (isinstance(edit, AddTargets | Regrade) and edit.case in without)
        and not (isinstance(edit, AddTargets | Regrade) and edit.case in fewer)
        and not (isinstance(edit, Regrade) and edit.case in more)
    ]


def _hold(one: Drawn) -> int:
    """Make the edits, hold the file to what it should say, and give how many were made."""
    done = revised_suite(one.text, one.suite, one.edits)
    left = {each.edit for each in done.left}
    made = [edit for edit in one.edits if edit not in left]
    again = parse_suite(done.text.replace("\r\n", "\n"), PATH)
    assert again == done.suite == changed_suite(one.suite, made)
    for edit in left:
        assert _may_be_left(one.suite, edit), edit
    if len(set(_starts(one.suite))) == len(one.suite.cases) and not any(
        isinstance(edit, Move) for edit in made
    ):
        gone = {edit.case for edit in made if isinstance(edit, DropCase)}
        touched = {edit.case for edit in made if not isinstance(edit, Move)}
        before = _other_lines(one.text, one.suite, touched)
        after = _other_lines(done.text, again, touched - gone)
        assert _code(before) == _code(after)
        comments = iter(_comments(done.text.split("\n")))
        assert all(comment in comments for comment in _comments(before))
    return len(made)


def _may_be_left(suite: Suite, edit: Edit) -> bool:
    """Tell what cannot be written in place: what else the suite says is named by, or mixed with it."""
    match edit:
        case Move():
            return True  # two places of one case would be one
        case DropCase():
            return _unnamed(suite)
        case AddTargets():
            case = _case(suite, edit.case)
            never = {top.location for top in case.top if top.never}
            return bool(
                case.targets or case.expects_nothing or never & {each.location for each in edit.targets}
            )
        case Regrade():
            return True  # a target that is written in a block
        case DropTarget():
            case = _case(suite, edit.case)
            return case.targets_within is not None or any(target.group for target in case.targets)
        case _:
            return False


def _unnamed(suite: Suite) -> bool:
    return any(case.id.rpartition("-")[2].isdigit() for case in suite.cases)


def _case(suite: Suite, name: str) -> Case:
    return next(case for case in suite.cases if case.id == name)


def _starts(suite: Suite) -> list[int]:
    return [int(case.where.rsplit(":", 2)[1]) - 1 for case in suite.cases]


def _other_lines(text: str, suite: Suite, touched: set[str]) -> list[str]:
    """Give the lines of the file but for those of some cases, up to where the next one begins."""
    lines = text.split("\n")
    starts = _starts(suite)
    kept = lines[: starts[0]]
    for case, start, end in zip(suite.cases, starts, [*starts[1:], len(lines)], strict=True):
        kept += [] if case.id in touched else lines[start:end]
    return kept


def _code(lines: list[str]) -> list[str]:
    return [line for line in lines if line.strip() and not line.strip().startswith("#")]


def _comments(lines: list[str]) -> list[str]:
    return [line for line in lines if line.strip().startswith("#")]


_QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


@settings(max_examples=50, suppress_health_check=_QUIET)
@given(drawn())
def test_drawn_edits_round_trip(one: Drawn) -> None:
    _hold(one)


@pytest.mark.long
def test_a_thousand_edits_round_trip(record_property) -> None:  # type: ignore[no-untyped-def]
    counts = {"edits": 0, "made": 0, "files": 0}

    @settings(max_examples=1000, suppress_health_check=_QUIET, database=None)
    @given(drawn())
    def drawing(one: Drawn) -> None:
        made = _hold(one)
        counts["files"] += 1
        counts["edits"] += len(one.edits)
        counts["made"] += made

    drawing()
    assert counts["made"] >= 1000
    made, edits, files = (f"{counts[name]:,}" for name in ("made", "edits", "files"))
    said = f"{made} of {edits} edits made in {files} files, the rest left and told"
    record_property("figures", said)


def test_the_lines_that_are_held_are_those_of_other_cases() -> None:
    text = "# a\ncases:\n- query: q # b\n  id: x\n- query: r\n"
    suite = parse_suite(text, PATH)
    assert _other_lines(text, suite, {"q"}) == ["# a", "cases:", "- query: r", ""]
    assert "\n".join(_other_lines(text, suite, set())) == text
