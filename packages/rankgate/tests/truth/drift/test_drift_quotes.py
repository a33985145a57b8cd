"""A passage is anchored by what stands there, followed by its words, and linted where it is not one."""

from __future__ import annotations

import pytest

from rankgate.model.locations import Location
from rankgate.model.suite import Case, Suite, Target
from rankgate.truth.anchors import Anchors, AnchorState, compare, updated
from rankgate.truth.drift.find import find_drift
from rankgate.truth.lint import lint
from rankgate.truth.locations.corpus_reader import CorpusReader
from support.memory_corpus import MemoryCorpus

WORDS = "Rotate the API key every 90 days, and when somebody leaves the team or loses a laptop on the way."
PAGE = f"# Keys\n\nFirst of all. {WORDS} Then rest.\n"
OLD = {"keys.md": PAGE, "other.md": "# Other\n\nNothing of the kind stands here.\n"}


def suite_of(*quotes: Location) -> Suite:
    return Suite("s", (Case("a", "how often are keys rotated", tuple(map(Target, quotes))),))


@pytest.mark.parametrize(
    ("path", "new", "status", "why"),
    [
        (None, OLD, "unchanged", ""),
        (None, {**OLD, "keys.md": f"New.\n\n{PAGE}"}, "moved", "its words still find it"),
        (None, {"other.md": OLD["other.md"], "moved.md": PAGE}, "moved", "its words still find it"),
        (
            None,
            {**OLD, "keys.md": PAGE.replace("API key", "**API key**")},
            "edited",
            "the same words, written otherwise",
        ),
        (
            None,
            {**OLD, "keys.md": PAGE.replace("on the way", "at home")},
            "edited",
            "of its words are left",
        ),
        (None, {**OLD, "more.md": PAGE}, "ambiguous", "stand in 2 locations now"),
        (None, {"other.md": OLD["other.md"]}, "gone", "its words are gone"),
        ("keys.md", {**OLD, "more.md": PAGE}, "unchanged", ""),
        (
            "keys.md",
            {"other.md": OLD["other.md"], "moved.md": PAGE},
            "edited",
            "its words stand in another file: correct its path",
        ),
    ],
)
def test_a_passage_is_followed_by_its_words(
    path: str | None, new: dict[str, str], status: str, why: str
) -> None:
    quote = Location.of_quote(WORDS, path)
    drift = find_drift(suite_of(quote), MemoryCorpus(OLD), MemoryCorpus(new))
    (one,) = drift.locations
    assert (one.drift.status.value, why in one.drift.why) == (status, True)
    assert not drift.moves
    if "another file" in why:
        assert one.drift.location == Location.of_quote(WORDS, "moved.md")


def test_the_anchor_of_a_passage_is_what_stands_there_and_not_its_line() -> None:
    suite, old = suite_of(Location.of_quote(WORDS)), MemoryCorpus(OLD)
    kept = updated(compare(suite, CorpusReader(old), Anchors()), suite, old.fingerprint)
    assert list(kept.cases["a"]) == [f'"{WORDS}"']
    for page, state in (
        (PAGE.replace("Then rest", "And more"), AnchorState.MATCHING),
        (PAGE.replace("API key", "API  key"), AnchorState.CHANGED),
    ):
        (one,) = compare(suite, CorpusReader(MemoryCorpus({"keys.md": page})), kept).locations
        assert one.state is state


def test_lint_names_passages_that_stand_several_times_or_in_part() -> None:
    part = Location.of_quote(WORDS.replace("every 90 days", "whenever the calendar says so"))
    suite = suite_of(
        Location.of_quote(WORDS), part, Location.of_quote("Nobody has ever written this sentence.")
    )
    found = {each.rule: each.problem.found for each in lint(suite, MemoryCorpus({**OLD, "more.md": PAGE}))}
    assert found["several-places"].endswith("in 2 locations: keys.md:3, more.md:3")
    assert "stands in" in found["inexact-quote"]
    assert found["unresolved"] == "'\"Nobody has ever written this sentence.\"'"


def test_two_passages_of_one_line_are_not_told_as_one_place() -> None:
    two = (Location.of_quote("First of all."), Location.of_quote("Then rest."))
    case = Case("a", "q", (Target(two[0], 2.0), Target(two[1], 0.0)))
    rules = {each.rule for each in lint(Suite("s", (case,)), MemoryCorpus(OLD))}
    assert not rules & {"contradictory-grades", "unresolved"}
