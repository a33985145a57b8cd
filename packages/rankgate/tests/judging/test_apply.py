"""What judges agree on becomes targets of the suite; no grade of a person is overwritten unseen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.judging.apply import ApplyPlan, planned, write
from rankgate.project.project import Project
from rankgate.suites.asked_suite import asked_suite
from rankgate.suites.formats import load_suite
from rankgate.truth.judgments.labels import Label, LabelLog, read_labels
from rankgate.truth.lookup import CorpusReader
from rankgate.truth.resolve import resolve

if TYPE_CHECKING:
    from pathlib import Path

_SUITE = """# What our search should find.
corpus: docs/
cases:
  - query: rotate a key  # the oldest case
    at:
      keys.md#Rotation: 3
  - query: revoke a key
    source: model
    at: {keys.md#Revoking: 1}
  - query: proposed
    at: keys.md:1-3
    source: proposed
"""
_DOCS = (
    "# Keys\n\nAll about keys.\n\n## Rotation\n\nOnce a day.\n\n## Revoking\n\nNow.\n\n### By hand\n\nSlow.\n"
)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text(_DOCS)
    path = tmp_path / "s.yaml"
    path.write_text(_SUITE.replace("    gone: []\n", ""))
    return path


def _say(suite: Path, judge: str, query: str, at: str, grade: float, **more: object) -> None:
    case = query.replace(" ", "-")
    label = Label(judge, case, query, at=at, grade=grade, **more)  # type: ignore[arg-type]
    LabelLog(suite, judge).append(label)


def _plan(suite: Path, *, sources: tuple[str, ...] = ("person",), overwrite: bool = False) -> ApplyPlan:
    loaded = load_suite(suite)
    reader = CorpusReader(Project.of(suite).corpus(loaded))
    return planned(loaded, read_labels(suite), reader, sources=sources, overwrite=overwrite)


def test_a_grade_becomes_the_smallest_section_with_who_gave_it(suite: Path) -> None:
    time = "2026-11-17T10:00:00Z"
    _say(suite, "ada", "rotate a key", "keys.md:9-11", 1, time=time, guidelines="3f2a91bc55")
    _say(suite, "bob", "rotate a key", "keys.md:9-11", 1, time=time)
    plan = _plan(suite)
    assert [str(one.location) for one in plan.added] == ["keys.md#Revoking/."]
    assert "# the oldest case" in plan.revised.text
    expected = (
        "      keys.md#Rotation: 3\n"
        '      keys.md#Revoking/.: {grade: 1, source: "person bob, 2026-11-17, second opinion ada 1"}\n'
    )
    assert expected in plan.revised.text
    reader = CorpusReader(Project.of(suite).corpus(load_suite(suite)))
    assert not write(load_suite(suite), plan, reader)
    assert load_suite(suite).cases[0].targets[1].grade == 1
    assert not _plan(suite).changes


def test_lines_that_a_judge_chose_stay_these_lines(suite: Path) -> None:
    _say(suite, "ada", "rotate a key", "keys.md:9-11", 2, better="keys.md:15")
    assert [str(one.location) for one in _plan(suite).added] == ["keys.md:15-15"]


def test_a_grade_of_a_person_is_kept_unless_it_is_asked_for(suite: Path) -> None:
    _say(suite, "ada", "rotate a key", "keys.md:5-7", 1)
    plan = _plan(suite)
    assert (plan.changes, [(one.old, one.label.grade) for one in plan.kept]) == (0, [(3, 1)])
    asked = _plan(suite, overwrite=True)
    assert asked.changes == 1
    assert "keys.md#Rotation: {grade: 1, source: " in asked.revised.text


def test_a_grade_of_a_model_gives_way_to_a_person(suite: Path) -> None:
    _say(suite, "ada", "revoke a key", "keys.md:9-15", 3)
    plan = _plan(suite)
    assert [(one.old, one.by) for one in plan.regraded] == [(1, "model")]
    assert plan.revised.suite.cases[1].targets[0].grade == 3


def test_a_proposed_target_that_was_judged_is_reviewed(suite: Path) -> None:
    _say(suite, "ada", "proposed", "keys.md:1-3", 1)
    (target,) = _plan(suite).revised.suite.cases[2].targets
    assert target.reviewed
    assert target.source.startswith("person ada, ")


def test_what_is_disputed_or_irrelevant_is_not_written(suite: Path) -> None:
    _say(suite, "ada", "rotate a key", "keys.md:9-11", 1)
    _say(suite, "bob", "rotate a key", "keys.md:9-11", 2)
    _say(suite, "ada", "rotate a key", "keys.md:1-3", 0)
    plan = _plan(suite)
    assert (plan.changes, len(plan.disputed), plan.irrelevant) == (0, 1, 1)
    _say(suite, "eve", "rotate a key", "keys.md:9-11", 2, settles=True)
    assert [one.label.grade for one in _plan(suite).added] == [2]


def test_what_a_model_said_is_written_only_where_models_are_asked_for(suite: Path) -> None:
    _say(suite, "m", "rotate a key", "keys.md:9-11", 1, source="model", prompt="aa" * 32)
    assert not _plan(suite).added
    (added,) = _plan(suite, sources=("person", "model")).added
    assert added.label.judge == "m"


def test_new_targets_are_anchored_where_the_suite_is(suite: Path) -> None:
    from rankgate.truth.anchors import anchors_path, read_anchors, write_anchors
    from rankgate.truth.follow import Documents, updated_anchors

    corpus = Project.of(suite).corpus(load_suite(suite))
    assert corpus is not None
    anchors = updated_anchors(load_suite(suite), Documents(corpus), None)
    write_anchors(anchors, anchors_path(suite))
    _say(suite, "ada", "rotate a key", "keys.md:9-11", 1)
    assert write(load_suite(suite), _plan(suite), CorpusReader(corpus))
    kept = read_anchors(anchors_path(suite))
    assert kept is not None
    assert "keys.md#Revoking/." in kept.cases["rotate-a-key"]


def test_zeros_of_the_logs_count_as_judged_by_sources_that_gates_trust(suite: Path) -> None:
    def irrelevant() -> list[tuple[str, int, str]]:
        loaded = asked_suite(load_suite(suite))
        found = resolve(loaded, Project.of(suite).corpus(loaded)).judgments.targets
        rows = found.filter(found["grade"] == 0).select("query", "start", "source").rows()
        return [(str(query), int(start), str(source)) for query, start, source in rows]

    assert not irrelevant()
    _say(suite, "ada", "rotate a key", "keys.md:1-3", 0)
    _say(suite, "m", "rotate a key", "keys.md:9-11", 0, source="model")
    assert irrelevant() == [("rotate-a-key", 1, "person")]
    written = suite.read_text()
    suite.write_text(f"gating_sources: model\n{written}")
    assert irrelevant() == [("rotate-a-key", 9, "model m")]
    suite.write_text(f"gating_sources: [person, model]\n{written}")
    assert irrelevant() == [("rotate-a-key", 1, "person"), ("rotate-a-key", 9, "model m")]


def test_a_zero_follows_its_text_and_goes_with_it(suite: Path) -> None:
    from hashlib import sha256

    text = "\n".join(_DOCS.split("\n")[4:7])
    _say(suite, "ada", "revoke a key", "keys.md:5-7", 0, text=sha256(text.encode()).hexdigest())
    docs = suite.parent / "docs" / "keys.md"

    def found() -> tuple[list[int], tuple[str, ...]]:
        loaded = load_suite(suite)
        truth = resolve(loaded, Project.of(suite).corpus(loaded))
        zeros = truth.judgments.targets.filter(truth.judgments.targets["grade"] == 0)
        return zeros["start"].to_list(), truth.notes

    assert found() == ([5], ())
    docs.write_text("New.\n\n" + _DOCS)
    assert found() == ([7], ())
    docs.write_text(_DOCS.replace("Once a day", "Once a week"))
    assert found() == ([], ("1 label whose text has changed since: not counted",))


def test_targets_of_a_source_that_gates_do_not_trust_are_unreviewed_and_told(suite: Path) -> None:
    asked = asked_suite(load_suite(suite))
    assert [target.reviewed for case in asked.cases for target in case.targets] == [True, False, False]
    assert asked.notes == (
        "2 targets have the source model or proposed, which no gate counts (gating_sources: person, import)",
    )
    suite.write_text("gating_sources: model\n" + suite.read_text())
    asked = asked_suite(load_suite(suite))
    assert [target.reviewed for case in asked.cases for target in case.targets] == [False, True, False]


@pytest.mark.parametrize("crlf", [False, True])
@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_targets_are_added_to_json_and_to_lines_that_end_as_on_windows(
    tmp_path: Path, suffix: str, crlf: bool
) -> None:
    import json

    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text(_DOCS)
    path = tmp_path / f"s.{suffix}"
    cases = [{"query": "one", "at": "keys.md#Rotation"}, {"query": "two", "at": {"keys.md#Rotation": 1}}]
    text = json.dumps({"corpus": "docs/", "cases": cases}, indent=1)
    if suffix == "yaml":
        text = "corpus: docs/\ncases:\n- query: one\n  at: keys.md#Rotation\n- query: two\n  at:\n"
        text += "    keys.md#Rotation: 1\n"
    path.write_bytes(text.replace("\n", "\r\n" if crlf else "\n").encode())
    for query in ("one", "two"):
        _say(path, "ada", query, "keys.md:9-11", 2)
    plan = _plan(path)
    write(load_suite(path), plan, CorpusReader(Project.of(path).corpus(load_suite(path))))
    assert [case.targets[1].grade for case in load_suite(path).cases] == [2, 2]
    breaks = path.read_bytes()
    assert breaks.count(b"\r\n") == (breaks.count(b"\n") if crlf else 0)
    assert not _plan(path).changes


_ALIASED = """\
corpus: docs/
cases:
  - query: rotate a key
    at: &known {keys.md#Rotation: 1}
  - query: revoke a key
    at: *known
"""


def test_alternatives_become_a_group_whose_name_is_free(suite: Path) -> None:
    taken = "keys.md#Rotation: {grade: 3, group: a}"
    suite.write_text(suite.read_text().replace("keys.md#Rotation: 3", taken))
    for judge, at in (("ada", "keys.md:9-11"), ("ada", "keys.md:13-15"), ("bob", "keys.md:1-3")):
        _say(suite, judge, "rotate a key", at, 2, group="a")
    plan = _plan(suite)
    assert not plan.revised.left
    groups = {str(one.location): one.group for one in plan.revised.suite.cases[0].targets}
    assert groups.pop("keys.md#Rotation") == "a"
    assert groups == {"keys.md#Revoking/.": "2", "keys.md#By hand": "2", "keys.md#Keys/.": None}


def test_an_alternative_to_a_target_of_the_suite_joins_its_group_or_is_told(suite: Path) -> None:
    _say(suite, "ada", "rotate a key", "keys.md:5-7", 3, group="a")
    _say(suite, "ada", "rotate a key", "keys.md:9-11", 3, group="a")
    plan = _plan(suite)
    assert [(str(new), str(old)) for new, old in plan.apart] == [("keys.md#Revoking/.", "keys.md#Rotation")]
    assert plan.revised.suite.cases[0].targets[1].group is None
    suite.write_text(
        suite.read_text().replace("keys.md#Rotation: 3", "keys.md#Rotation: {grade: 3, group: x}")
    )
    plan = _plan(suite)
    assert not plan.apart
    assert plan.revised.suite.cases[0].targets[1].group == "x"
