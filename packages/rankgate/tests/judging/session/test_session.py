"""One judge's session: what comes next, what is recorded, the way back, groups, and how far it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.errors import InputError
from rankgate.judging.session.documents import NoDocuments
from rankgate.judging.session.progress import JudgingPace, JudgingProgress
from rankgate.judging.session.queue import Countdown
from rankgate.judging.session.scale import Guidelines
from rankgate.judging.session.session import JudgingSession, JudgingTask, Judgment
from rankgate.judging.units import JudgingUnit
from rankgate.truth.judgments.labels import Label, LabelLog, read_labels
from support.judging_pages import GUIDELINES, HANDBOOK, handbook_units, session_in
from support.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path


def _unit(case: str, at: str, **given: str) -> JudgingUnit:
    path, _, lines = at.partition(":")
    start, _, end = lines.partition("-")
    return JudgingUnit(case, given.get("query", case), at, path, int(start), int(end), "one\ntwo\nthree\n")


UNITS = [
    _unit("rotate", "keys.md:3-5"),
    _unit("rotate", "keys.md:9-11"),
    _unit("revoke", "keys.md:4-6"),
    _unit("clock", "time.md:1-3"),
]


def _opened(folder: Path, units: list[JudgingUnit] | None = None, **task: object) -> JudgingSession:
    suite = folder / "docs.yaml"
    given = JudgingTask(units or UNITS, scale=Guidelines().scale(3), **task)  # type: ignore[arg-type]
    return JudgingSession(given, LabelLog(suite, "ada"), read_labels(suite))


def _said(folder: Path) -> list[tuple[str, str, str, float | None]]:
    labels = read_labels(folder / "docs.yaml").each
    return [(label.case, label.unit[1], label.said, label.grade) for label in labels]


def test_each_passage_comes_once_and_is_on_the_disk_before_the_next(tmp_path: Path) -> None:
    session = _opened(tmp_path)
    for number, unit in enumerate(UNITS):
        assert session.next() == unit
        session.record(unit, Judgment(grade=number % 4, comment=" why "))
        assert len(_said(tmp_path)) == number + 1
    assert session.next() is None
    (label, *_) = read_labels(tmp_path / "docs.yaml").each
    assert (label.judge, label.at, label.grade, label.comment, label.source) == (
        "ada", "keys.md:3-5", 0.0, "why", "person",
    )  # fmt: skip
    assert label.text == UNITS[0].digest
    assert label.time


def test_a_session_goes_on_where_the_log_ends_and_asks_again_what_was_skipped(tmp_path: Path) -> None:
    first = _opened(tmp_path)
    first.record(UNITS[0], Judgment("skip"))
    first.record(UNITS[1], Judgment("unsure"))
    assert first.next() == UNITS[2]
    later = _opened(tmp_path)
    assert later.next() == UNITS[0]
    later.record(UNITS[0], Judgment("skip"))
    assert later.next() == UNITS[2]
    assert (later.progress().judged, later.progress().skipped) == (1, 1)
    assert later.again() == 1
    assert later.next() == UNITS[0]


def test_the_next_but_one_is_known_before_anything_is_said(tmp_path: Path) -> None:
    session = _opened(tmp_path)
    assert session.next(UNITS[0]) == UNITS[1]
    assert session.next(*UNITS) is None
    assert session.next() == UNITS[0]


def test_back_leads_to_the_one_before_and_a_change_takes_its_place(tmp_path: Path) -> None:
    session = _opened(tmp_path)
    assert session.before() is None
    for unit in UNITS[:3]:
        session.record(unit, Judgment(grade=1))
    assert session.before() == UNITS[2]
    assert session.before(UNITS[2]) == UNITS[1]
    assert session.before(UNITS[0]) is None
    session.record(UNITS[1], Judgment(grade=3))
    assert session.before() == UNITS[2]
    assert session.next() == UNITS[3]
    assert ("rotate", "keys.md:9-11", "grade", 3.0) in _said(tmp_path)
    assert len(_said(tmp_path)) == 3
    assert _opened(tmp_path).next() == UNITS[3]


@pytest.mark.parametrize(
    "wrong",
    [
        Judgment(grade=4),
        Judgment(grade=-1),
        Judgment(grade=None),
        Judgment("unsure", grade=1),
        Judgment("skip", grade=0),
        Judgment(grade=1, better=(9, 3)),
        Judgment(grade=1, better=(1, 2)),
        Judgment(grade=1, better=(3, 600)),
        Judgment(grade=1, alternative="keys.md:9-11"),
        Judgment(grade=1, alternative="keys.md:3-5"),
    ],
)
def test_what_the_scale_or_the_file_does_not_have_is_refused_and_not_written(
    wrong: Judgment, tmp_path: Path
) -> None:
    session = _opened(tmp_path)
    with pytest.raises(InputError):
        session.record(UNITS[0], wrong)
    assert _said(tmp_path) == []
    assert session.next() == UNITS[0]


def test_what_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    session = _opened(tmp_path)
    (tmp_path / "judgments").write_text("a file where the folder should be")
    with pytest.raises(OSError, match="judgments"):
        session.record(UNITS[0], Judgment(grade=1))
    assert session.next() == UNITS[0]
    assert session.progress().judged == 0


def test_a_better_location_is_lines_of_the_whole_file(tmp_path: Path) -> None:
    unit = next(
        one for one in handbook_units(40) if one.path and one.path.endswith(".md") and (one.start or 0) > 9
    )
    session = session_in(tmp_path, [unit])
    session.record(unit, Judgment(grade=2, better=(2, 5)))
    (label,) = read_labels(tmp_path / "handbook.yaml").each
    assert label.better == f"{unit.path}:2-5"
    assert label.guidelines == Guidelines(GUIDELINES).digest
    lines = len((HANDBOOK / str(unit.path)).read_text().splitlines())
    with pytest.raises(InputError):
        session.record(unit, Judgment(grade=2, better=(2, lines + 1)))


def test_an_id_has_no_better_location_and_is_written_as_an_id(tmp_path: Path) -> None:
    unit = JudgingUnit("rotate", "rotate", "doc-17:3-4", text="what is known of it")
    session = _opened(tmp_path, [unit])
    with pytest.raises(InputError):
        session.record(unit, Judgment(grade=1, better=(1, 1)))
    session.record(unit, Judgment(grade=1))
    (label,) = read_labels(tmp_path / "docs.yaml").each
    assert (label.id, label.at) == ("doc-17:3-4", None)


def test_alternatives_share_a_group_that_the_earlier_one_gets_too(tmp_path: Path) -> None:
    units = [_unit("rotate", f"keys.md:{at}-{at + 1}") for at in (1, 4, 7, 10, 13)]
    session = _opened(tmp_path, units)
    session.record(units[0], Judgment(grade=2))
    session.record(units[1], Judgment(grade=2, alternative=units[0].location))
    session.record(units[2], Judgment(grade=3))
    session.record(units[3], Judgment(grade=1, alternative=units[2].location))
    session.record(units[4], Judgment(grade=1, alternative=units[1].location))
    groups = {label.at: label.group for label in read_labels(tmp_path / "docs.yaml").each}
    assert [groups[unit.location] for unit in units] == ["a", "a", "b", "b", "a"]
    assert [label.unit[1] for label in session.alternatives(units[4])] == [
        unit.location for unit in reversed(units[:4])
    ]


def test_a_passage_that_is_not_relevant_is_no_alternative(tmp_path: Path) -> None:
    session = _opened(tmp_path)
    session.record(UNITS[0], Judgment(grade=0))
    assert session.alternatives(UNITS[1]) == ()
    with pytest.raises(InputError):
        session.record(UNITS[1], Judgment(grade=1, alternative=UNITS[0].location))


def test_the_same_location_is_shown_after_a_grade_and_sister_queries_must_agree(tmp_path: Path) -> None:
    session = _opened(tmp_path, groups={"rotate": "keys", "revoke": "keys"})
    session.record(UNITS[0], Judgment(grade=3))
    assert session.related(UNITS[2]) == ()
    session.record(UNITS[2], Judgment(grade=1))
    (related,) = session.related(UNITS[2])
    assert (related.query, related.grade, related.sister, related.mismatch) == ("rotate", 3.0, True, True)
    session.record(UNITS[2], Judgment(grade=3))
    assert [one.mismatch for one in session.related(UNITS[2])] == [False]
    session.record(UNITS[3], Judgment(grade=0))
    assert session.related(UNITS[3]) == ()


def test_another_need_may_grade_a_location_as_it_likes(tmp_path: Path) -> None:
    session = _opened(tmp_path)
    session.record(UNITS[0], Judgment(grade=3))
    session.record(UNITS[2], Judgment(grade=0))
    (related,) = session.related(UNITS[2])
    assert (related.sister, related.mismatch) == (False, False)


def test_what_other_judges_said_is_never_shown(tmp_path: Path) -> None:
    suite = tmp_path / "docs.yaml"
    LabelLog(suite, "bob").append(Label("bob", "rotate", "rotate", at="keys.md:3-5", grade=3))
    session = _opened(tmp_path)
    assert session.next() == UNITS[0]
    assert session.label(UNITS[0]) is None
    session.record(UNITS[2], Judgment(grade=0))
    assert session.related(UNITS[2]) == ()


def test_pace_is_the_median_of_the_last_judgments_without_pauses() -> None:
    now = 0.0
    pace = JudgingPace(lambda: now)
    for taken in (4, 6, 5000, 8):
        now += taken
        pace.judged()
    assert pace.seconds == 6
    progress = JudgingProgress(3, 0, 103, Countdown(100, "100 passages remain"), pace.seconds)
    assert (progress.pace, progress.time_left) == ("6 s a judgment", "about 10 minutes left")
    assert JudgingProgress(0, 0, 9, Countdown(9, "9 passages remain")).time_left == ""


def test_grades_are_named_by_the_guidelines_where_they_agree() -> None:
    assert dict(Guidelines(GUIDELINES).scale(3).names) == {
        0: "not relevant", 1: "related", 2: "answers a part of it", 3: "answers it",
    }  # fmt: skip
    assert dict(Guidelines(GUIDELINES).scale(1).names) == {0: "not relevant", 1: "related"}
    shipped = (ROOT / "suites" / "GUIDELINES.md").read_text(encoding="utf-8")
    # Two suites name their grades in one file: no name is better than that of the other suite.
    assert dict(Guidelines(shipped).scale(3).names) == {}
    assert Guidelines(shipped).scale(3, "handbook").names[3] == "answers it"
    assert Guidelines(shipped).scale(3, "operations").names[3] == "calling it does what is asked"


def test_a_text_without_its_file_is_shown_alone(tmp_path: Path) -> None:
    session = _opened(tmp_path, documents=NoDocuments())
    session.record(UNITS[0], Judgment(grade=1, better=(4, 5)))
    (label,) = read_labels(tmp_path / "docs.yaml").each
    assert label.better == "keys.md:4-5"
