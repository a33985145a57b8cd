"""What is proposed for a suite beside what a system answered, and what never is."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

import pytest

from rankgate import flow
from rankgate.locations import Location
from rankgate.model import Case, CorpusSource, Suite, Target, Top, XFail
from rankgate.project.settings import Settings
from rankgate.suite_update import Category, SuiteUpdate, plan
from rankgate.suites.edit import AddTargets, DropCase, DropTarget, DropXFail, Move
from rankgate.truth.anchors import Anchors
from rankgate.truth.follow import Documents, updated_anchors
from rankgate.truth.lookup import CorpusReader
from support.builders import at, run_of
from support.memory_corpus import MemoryCorpus

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.model import Hit
    from rankgate.suite_update import Plan

TODAY = date(2026, 3, 1)
FILES = {
    "keys.md": "# Keys\n\n## Rotation\nEvery 90 days.\n\n## Revocation\nAt once.\n",
    "hooks.md": "# Hooks\n\n## Retries\nFor a day.\n\nlast\n",
}
SOON, PAST = XFail("no synonyms", date(2026, 12, 31)), XFail("no synonyms", date(2026, 1, 1))


def place(text: str, grade: float = 1.0, *, source: str = "person", reviewed: bool = True) -> Target:
    return Target(Location.at(text), grade, source=source, reviewed=reviewed)


def planned(
    cases: Sequence[Case],
    hits: Mapping[str, Sequence[Hit | str]] | None = None,
    *,
    files: Mapping[str, str] = FILES,
    before: Mapping[str, str] | None = None,
    records: bool = False,
) -> Plan:
    """Plan for some cases, anchored in the files before; without hits the suite is not tested."""
    suite = Suite("s", tuple(cases), corpus=CorpusSource("docs/"), path="s.yaml")
    corpus = MemoryCorpus(files, records=records)
    run = run_of({case.id: (hits or {}).get(case.id, []) for case in cases})
    always = [replace(case.xfail, until=None) if case.xfail else None for case in cases]
    asked = tuple(replace(case, xfail=xfail) for case, xfail in zip(cases, always, strict=True))
    evaluation = flow.evaluate_suite(
        replace(suite, cases=asked), run, Settings(gates=(), today=TODAY, corpus=corpus)
    )
    old = None if before is None else Documents(MemoryCorpus(before))
    anchors = Anchors() if old is None else updated_anchors(suite, old, None)
    results = {case.name: case for case in evaluation.report.cases}
    reader = CorpusReader(corpus)
    return plan(SuiteUpdate(suite, "", "app", evaluation, results, reader, anchors, TODAY))


def test_a_case_without_targets_gets_the_first_hits_and_nobody_counts_them() -> None:
    hits = {"c": [at("keys.md", 3, 5), at("keys.md", 3, 5), at("nowhere.md"), at("hooks.md")]}
    (change,) = planned([Case("c", "q")], hits).changes
    expected = tuple(Target(Location.at(text), source="proposed by app") for text in ("keys.md:3-5",))
    assert (change.category, change.edit) == (Category.CREATE, AddTargets("c", expected))
    assert "first results of app" in change.why


def test_every_proposal_of_the_engine_is_unreviewed_and_says_where_it_comes_from() -> None:
    cases = [Case("a", "q"), Case("b", "r", answer="every 90 days")]
    cases.append(Case("c", "s", (place("keys.md", source="proposed"),)))
    hits = {name: [at("keys.md", 3, 4), at("hooks.md", 1, 2)] for name in "abc"}
    found = planned(cases, hits).of(Category.CREATE)
    assert [change.case for change in found] == ["a", "b", "c"]
    targets = [
        target for change in found if isinstance(change.edit, AddTargets) for target in change.edit.targets
    ]
    assert len(targets) == 6
    assert {target.source for target in targets} == {"proposed by app", "proposed"}


@pytest.mark.parametrize(
    "case",
    [
        Case("c", "q", (place("hooks.md:3-4"),)),
        Case("c", "q", (place("hooks.md:3-4", 0),)),
        Case("c", "q", top=(Top(Location.at("hooks.md:3-4")),)),
        Case("c", "q", (place("hooks.md:3-4", source="proposed by other"),)),
    ],
)
def test_what_the_engine_returns_is_never_put_in_the_place_of_what_was_expected(case: Case) -> None:
    assert planned([case], {"c": [at("keys.md", 3, 4)]}).changes == ()


def test_hits_where_nothing_should_be_are_only_shown() -> None:
    found = planned(
        [Case("c", "q", expect_empty=True), Case("d", "r", (place("keys.md"),))],
        {"c": [at("keys.md", 3, 4), "x"]},
    )
    assert found.changes == ()
    (remark,) = found.remarks
    assert "app returned keys.md:3-4, x" in remark.what


def test_an_exhaustive_case_is_left_to_a_person() -> None:
    found = planned([Case("c", "q", exhaustive=True)], {"c": ["keys.md"]})
    assert (found.changes, len(found.remarks)) == ((), 1)


@pytest.mark.parametrize("xfail", [SOON, PAST])
def test_an_xfail_that_passes_is_taken_out(xfail: XFail) -> None:
    case = Case("c", "q", (place("keys.md#Rotation"),), xfail=xfail)
    (change,) = planned([case], {"c": [at("keys.md", 3, 4)]}).changes
    assert (change.category, change.edit) == (Category.FIX, DropXFail("c"))


def test_an_xfail_that_fails_stays_and_one_that_ended_is_shown() -> None:
    cases = [
        Case(name, name, (place("keys.md#Rotation"),), xfail=xfail)
        for name, xfail in (("a", SOON), ("b", PAST))
    ]
    found = planned(cases, {"a": [at("hooks.md")], "b": [at("hooks.md")]})
    assert found.changes == ()
    assert [remark.case for remark in found.remarks] == ["b"]
    assert "expired on 2026-01-01, and it still fails" in found.remarks[0].what


def test_an_xfail_that_passes_by_what_nobody_has_reviewed_stays() -> None:
    case = Case("c", "q", (place("keys.md:3-4", source="proposed by app"),), xfail=SOON)
    assert planned([case], {"c": [at("keys.md", 3, 4)]}).changes == ()


def test_a_case_that_gets_targets_loses_none_at_once() -> None:
    saved = Case("c", "q", (place("hooks.md", source="proposed"),))
    (change,) = planned([saved], {"c": [at("keys.md", 3, 4)]}).changes
    assert isinstance(change.edit, AddTargets)


def test_a_case_that_goes_takes_its_other_changes_with_it() -> None:
    targets = (place("keys.md"), place("keys.md"))
    found = planned([Case("a", "q", targets), Case("b", "q", targets)]).changes
    assert [change.edit for change in found] == [DropTarget("a", 1), DropCase("b")]


def test_a_top_that_is_not_met_keeps_its_xfail() -> None:
    case = Case(
        "c", "q", (place("keys.md#Rotation"),), top=(Top(Location.at("keys.md#Rotation")),), xfail=SOON
    )
    assert planned([case], {"c": [at("hooks.md"), at("keys.md", 3, 4)]}).changes == ()
    (change,) = planned([case], {"c": [at("keys.md", 3, 4)]}).changes
    assert change.edit == DropXFail("c")


def test_one_place_said_twice_is_said_once_and_what_a_person_said_stays() -> None:
    targets = (
        place("keys.md:3-5", source="proposed by app"),
        place("keys.md#Rotation"),
        place("keys.md:3-5"),
    )
    (one, other) = planned([Case("c", "q", targets)]).changes
    assert {one.edit, other.edit} == {DropTarget("c", 0), DropTarget("c", 2)}
    assert {one.category, other.category} == {Category.TRIM}


def test_a_case_that_asks_and_expects_the_same_again_goes() -> None:
    targets = (place("keys.md", 2), place("hooks.md"))
    cases = [Case("a", "q", targets), Case("b", "q  ", targets[::-1], notes="n"), Case("c", "q", targets[:1])]
    cases.append(Case("d", "q", targets, category="x"))
    (change,) = planned(cases).changes
    assert (change.category, change.edit) == (Category.TRIM, DropCase("b"))


def test_only_proposals_of_this_engine_go_when_it_does_not_return_them() -> None:
    targets = (
        place("keys.md:3-4", source="proposed by app"),
        place("keys.md:6-7", source="proposed by app"),
        place("hooks.md:1-2", source="app"),
        place("hooks.md:3-4", source="proposed by other"),
        place("hooks.md:6-6", source="proposed by ada"),
    )
    found = planned([Case("c", "q", targets)], {"c": [at("keys.md", 6, 6)]}).changes
    assert [change.edit for change in found] == [DropTarget("c", 0)]


LINES = "## Rotation\nEvery 90 days.\n"


def test_lines_whose_text_went_elsewhere_follow_it_by_their_anchor() -> None:
    files = {**FILES, "keys.md": "new\nlines\n" + FILES["keys.md"]}
    cases = [Case(name, name, (place("keys.md:3-4"),)) for name in "ab"]
    (change,) = planned(cases, {}, files=files, before=FILES).changes
    assert (change.category, change.edit) == (
        Category.FIX,
        Move(Location.at("keys.md:3-4"), Location.at("keys.md:5-6")),
    )
    assert "and for 1 other case" in change.what
    assert change.sources == (Location.at("keys.md:5-6"),)


def test_blank_lines_are_not_followed() -> None:
    files, before = {"keys.md": "one\ntwo\n\n\nthree\n"}, {"keys.md": "\n\nthree\n"}
    found = planned([Case("c", "q", (place("keys.md:1-2"),))], {}, files=files, before=before)
    assert found.changes == ()


def test_a_section_and_a_file_are_followed_too() -> None:
    section = LINES + "By hand, or by the service.\n"
    before = {"keys.md": "# Keys\n\n" + section, "hooks.md": FILES["hooks.md"]}
    files = {"new.md": "# Top\n\n" + section + "\n", "hooks2.md": FILES["hooks.md"]}
    cases = [Case("a", "q", (place("keys.md#Rotation"),)), Case("b", "r", (place("hooks.md"),))]
    found = planned(cases, files=files, before=before).changes
    assert [change.edit for change in found] == [
        Move(Location.at("keys.md#Rotation"), Location.at("new.md#Rotation")),
        Move(Location.at("hooks.md"), Location.at("hooks2.md")),
    ]


def test_a_text_that_stands_twice_or_nowhere_is_only_shown() -> None:
    files = {**FILES, "keys.md": "x\n" + LINES + LINES}
    case = Case("c", "q", (place("keys.md:1-2"),))
    found = planned([case], {}, files=files, before={**FILES, "keys.md": LINES})
    assert found.changes == ()
    assert "is at 2 locations" in found.remarks[0].what
    found = planned([case], {}, before={**FILES, "keys.md": "another text\nof two lines"})
    assert found.changes == ()
    assert "is not the one that was judged" in found.remarks[0].what


def test_a_target_goes_where_its_file_and_its_text_are_gone_but_never_the_last() -> None:
    lost = place("old.md:1-2")
    cases = [Case("a", "q", (lost, place("keys.md"))), Case("b", "r", (lost,))]
    found = planned(cases, before={**FILES, "old.md": "long\ngone"})
    assert [(change.category, change.edit) for change in found.changes] == [
        (Category.TRIM, DropTarget("a", 0))
    ]
    assert [remark.case for remark in found.remarks] == ["b"]


def test_a_place_that_is_lost_without_an_anchor_is_only_shown() -> None:
    found = planned([Case("a", "q", (place("kes.md:1-2"), place("keys.md")))])
    assert found.changes == ()
    assert "no anchor" in found.remarks[0].what
    assert "Did you mean keys.md" in found.remarks[0].what


def test_a_record_that_is_gone_is_trimmed() -> None:
    targets = (Target(Location.of_id("d1")), Target(Location.of_id("d9")))
    found = planned([Case("a", "q", targets)], files={"d1": "one"}, records=True)
    assert [change.edit for change in found.changes] == [DropTarget("a", 1)]


def test_only_some_cases_may_be_looked_at() -> None:
    found = planned([Case("a", "q"), Case("b", "r")], {"a": [at("keys.md")], "b": [at("keys.md")]})
    assert [change.case for change in found.only(["b"]).changes] == ["b"]
    assert found.only([]) is found
