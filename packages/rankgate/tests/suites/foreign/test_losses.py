"""What formats of other tools cannot hold is told as it is, and what they hold is not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import FormatError
from rankgate.model import Location
from rankgate.model.suite import Case, Suite, Target
from rankgate.plugins import listed
from rankgate.suites.foreign.losses import losses
from rankgate.suites.formats import format_named, load_suite
from support.formats import judged

if TYPE_CHECKING:
    from pathlib import Path

MERGING = ["cells", "judgment_list", "quepid"]


def target(place: str, grade: float = 1, **about: Any) -> Target:
    return Target(Location.at(place), grade, source="import", **about)


def written(name: str, path: Path, *cases: Case, **about: Any) -> tuple[str, ...]:
    write: Any = format_named(name).write
    said: tuple[str, ...] = write(Suite("s", cases, **about), path)
    return said


@pytest.mark.parametrize("name", MERGING)
def test_cases_of_one_query_that_become_one_are_counted(tmp_path: Path, name: str) -> None:
    cases = (Case("q", "q", (target("a.md"),)), Case("q-2", "q", (target("b.md"), target("a.md"))))
    lost = written(name, tmp_path / "a", *cases)
    assert "1 case of a query that another case has, merged when read" in lost
    assert judged(load_suite(tmp_path / "a", name)) == {"q": {"a.md": 1, "b.md": 1}}


@pytest.mark.parametrize("name", MERGING)
def test_cases_of_one_query_that_contradict_each_other_are_refused_by_name(tmp_path: Path, name: str) -> None:
    cases = (Case("one", "q", (target("a.md"),)), Case("two", "q", (target("a.md", 2),)))
    with pytest.raises(
        FormatError, match=r"'a\.md' with grade 2 in case 'two', expected one grade.*case 'one'"
    ):
        written(name, tmp_path / "a", *cases)
    assert not (tmp_path / "a").exists()


def test_text_that_only_csv_strips_is_merged_only_there(tmp_path: Path) -> None:
    cases = (Case("q", "q", (target("a.md"),)), Case("q-2", "q ", (target("a.md", 2),)))
    assert not any("merged" in words for words in written("judgment_list", tmp_path / "a", *cases))
    with pytest.raises(FormatError, match="in case 'q-2'"):
        written("quepid", tmp_path / "b", *cases)


def test_ids_are_lost_unless_reading_makes_the_same(tmp_path: Path) -> None:
    cases = (
        Case("keys", "keys", (target("a.md"),)),
        Case("keys-of-mine", "my keys", (target("a.md"),)),
    )
    lost = written("quepid", tmp_path / "a.csv", *cases)
    assert "ids of 1 case left out" in lost
    again = load_suite(tmp_path / "a.csv")
    assert [case.id for case in again.cases] == ["keys", "my-keys"]


def test_losses_name_unlisted_and_no_relevant() -> None:
    suite = Suite("s", (), unlisted="unjudged", no_relevant="zero")
    assert losses(suite, ()) == ("unlisted: unjudged left out", "no_relevant: zero left out")


@pytest.mark.parametrize("name", ["expected", "judgment_list", "labels", "quepid", "rank_eval"])
def test_lines_that_stand_in_ids_are_not_lost(tmp_path: Path, name: str) -> None:
    lost = written(name, tmp_path / "a", Case("q", "q", (target("a.md:1-2"),)))
    assert "1 path written as opaque ids" in lost
    assert not any("line range" in words for words in lost)
    assert judged(load_suite(tmp_path / "a", name)) == {"q": {"a.md:1-2": 1}}


def test_labels_lose_only_cases_without_targets_and_answer(tmp_path: Path) -> None:
    cases = (Case("a", "a", answer="yes"), Case("b", "b"), Case("c", "c", (Target(Location.of_id("x")),)))
    assert written("labels", tmp_path / "a.jsonl", *cases) == ("1 case without a target to write left out",)
    assert [case.id for case in load_suite(tmp_path / "a.jsonl", "labels").cases] == ["a", "c"]


def test_ratings_have_one_result_a_file_with_its_best_grade(tmp_path: Path) -> None:
    cases = (
        Case("q", "q", (target("a.go:1-2"), target("a.go:9-12", 3), target("b.go", 2), target("b.go:4-5"))),
        Case("ids", "ids", (Target(Location.of_id("x"), source="import"),), exhaustive=True),
    )
    lost = written("ratings", tmp_path / "a.json", *cases, metrics=("rr",))
    assert lost == (
        "3 line ranges left out",
        "1 target that names an id, not a file, left out",
        "1 case without a target to write left out",
        "2 targets of a file that another names, merged under the best",
        "the metrics rr left out",
    )
    assert "snippet" not in (tmp_path / "a.json").read_text()
    assert len(json.loads((tmp_path / "a.json").read_text())["cases"]) == 1
    assert judged(load_suite(tmp_path / "a.json")) == {"q": {"a.go": 3, "b.go": 2}}


def test_alternatives_within_one_file_become_the_file(tmp_path: Path) -> None:
    within = (target("a.go:1-2", group="g"), target("a.go:5-6", group="g"))
    lost = written("ratings", tmp_path / "a.json", Case("q", "q", within))
    assert not any("any_of" in words for words in lost)
    lost = written("ratings", tmp_path / "b.json", Case("q", "q", (*within, target("b.go", group="g"))))
    assert "1 any_of group, written as files of their own" in lost


FOREIGN = [
    name
    for name in sorted(listed("rankgate.suite_formats"))
    if name not in {"native", "jsonl"} and format_named(name).write is not None
]


@pytest.mark.parametrize("name", FOREIGN)
def test_a_file_without_any_case_is_not_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(FormatError, match="no case that this format holds"):
        written(name, tmp_path / "a", Case("q", "q"))
    assert not (tmp_path / "a").exists()
