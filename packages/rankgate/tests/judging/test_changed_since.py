"""Labels hold for the query and the text that a judge saw: what changed since is judged again, and told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.judging.opened import opened_session
from rankgate.judging.pool.gather import PoolWishes, gathered
from rankgate.judging.session.session import Judgment
from rankgate.project.project import Project
from rankgate.suites.formats import load_suite
from rankgate.truth.judgments.labels import Label, LabelLog, read_labels
from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

_SUITE = """\
corpus: docs/
metrics: [ndcg@5]
cases:
  - {query: rotate a key, at: {keys.md#Rotation: 1}}
"""
_DOCS = "# Keys\n\nAll about keys.\n\n## Rotation\n\nOnce a day.\n\n## Revoking\n\nNow.\n"
_APP = """\
from pathlib import Path

def search(query, k):
    text = Path("docs/keys.md").read_text().split("\\n")
    starts = [at for at, line in enumerate(text, 1) if line.startswith("#")]
    return [{"path": "keys.md", "start": at, "end": at + 2} for at in starts][:k]
"""


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text(_DOCS)
    (tmp_path / "app.py").write_text(_APP)
    (tmp_path / "rankgate.toml").write_text(
        'suites = ["s.yaml"]\n[systems.app]\nfunction = "./app.py:search"\n'
    )
    path = tmp_path / "s.yaml"
    path.write_text(_SUITE)
    _test()
    return path


def _test() -> str:
    done = rankgate("test", "s.yaml", "--details")
    assert done.code == 0, done.err
    return " ".join(done.out.split())


def _judge_all(suite: Path, grade: int, judge: str = "ada") -> list[str]:
    """Judge whatever is open, as a judge does, and return it."""
    project = Project.of(suite)
    session, _ = opened_session(project, project.suite(suite), PoolWishes(judge, plain=False))
    seen = []
    while (unit := session.next()) is not None:
        session.record(unit, Judgment(grade=grade))
        seen.append(unit.location)
    return sorted(seen)


def test_what_was_said_of_other_words_is_not_counted_told_and_judged_again(suite: Path) -> None:
    assert _judge_all(suite, 0) == ["keys.md:1-3", "keys.md:9-11"]
    assert not _judge_all(suite, 0)
    assert "changed since" not in _test()
    suite.write_text(
        _SUITE.replace("query: rotate a key", "name: rotate-a-key, query: how often are keys new")
    )
    assert "2 labels of queries that have changed since: not counted" in _test()
    assert _judge_all(suite, 0) == ["keys.md:1-3", "keys.md:9-11"]
    assert "changed since" not in _test()


def test_a_text_that_moved_is_not_judged_again_and_one_that_changed_is(suite: Path) -> None:
    _judge_all(suite, 0)
    docs = suite.parent / "docs" / "keys.md"
    docs.write_text("Written by hand.\n\n" + _DOCS)
    assert "changed since" not in _test()
    assert not _judge_all(suite, 0)
    docs.write_text(_DOCS.replace("Now.", "Next week."))
    assert "1 label whose text has changed since: not counted" in _test()
    assert _judge_all(suite, 0) == ["keys.md:9-11"]


def test_targets_are_made_where_the_judged_text_is_today(suite: Path) -> None:
    _judge_all(suite, 1)
    docs = suite.parent / "docs" / "keys.md"
    docs.write_text("# New\n\nBefore it.\n\n" + _DOCS.replace("All about keys.", "Another text."))
    shown = rankgate("judge", "apply", "s.yaml", "--accept")
    assert shown.code == 0, shown.err
    assert "1 label whose text has changed since: not counted" in shown.out
    assert [str(target.location) for target in load_suite(suite).cases[0].targets] == [
        "keys.md#Rotation",
        "keys.md#Revoking",
    ]
    assert rankgate("test", "s.yaml").code == 0


def test_nothing_becomes_a_target_whose_file_is_deleted(suite: Path) -> None:
    (suite.parent / "docs" / "old.md").write_text("# Old\n\nText.\n")
    LabelLog(suite, "ada").append(Label("ada", "rotate-a-key", "rotate a key", at="old.md:1-3", grade=1))
    assert "new target" in rankgate("judge", "apply", "s.yaml").out
    (suite.parent / "docs" / "old.md").unlink()
    shown = rankgate("judge", "apply", "s.yaml", "--accept")
    assert (shown.code, suite.read_text()) == (0, _SUITE)
    assert "1 label in files that the corpus does not have: not counted" in shown.out


def test_lines_that_a_judge_chose_move_with_the_passage(suite: Path) -> None:
    project = Project.of(suite)
    session, _ = opened_session(project, project.suite(suite), PoolWishes("ada", plain=False))
    unit = next(unit for unit in session.task.units if unit.location == "keys.md:9-11")
    session.record(unit, Judgment(grade=1, better=(11, 11)))
    (suite.parent / "docs" / "keys.md").write_text("New.\n\n" + _DOCS)
    rankgate("judge", "apply", "s.yaml", "--accept")
    assert str(load_suite(suite).cases[0].targets[1].location) == "keys.md:13-13"


def test_what_a_judge_said_before_and_after_a_move_is_one_label(suite: Path) -> None:
    _judge_all(suite, 0)
    label = next(one for one in read_labels(suite).each if one.at == "keys.md:9-11")
    (suite.parent / "docs" / "keys.md").write_text("New.\n\n" + _DOCS)
    again = Label("ada", label.case, label.query, at="keys.md:11-13", grade=1, text=label.text)
    LabelLog(suite, "ada").append(again)
    shown = rankgate("judge", "apply", "s.yaml")
    assert "disputed" not in shown.out
    assert "1 new target, 0 changed grades, 1 not relevant" in shown.out


def test_labels_of_a_source_that_no_gate_counts_spare_nobody_a_judgment(suite: Path) -> None:
    at = {"keys.md:1-3", "keys.md:9-11"}
    for one in sorted(at):
        label = Label("quepid", "rotate-a-key", "rotate a key", at=one, grade=0, source="import")
        LabelLog(suite, "quepid").append(label)

    def asked(overlap: float = 0.0) -> set[str]:
        project = Project.of(suite)
        loaded = project.suite(suite)
        wishes = PoolWishes("ada", plain=False, overlap=overlap)
        pool = gathered(project, loaded, read_labels(suite), wishes).pool
        return {one.unit.location for one in pool.units}

    assert asked() == set()
    assert asked(overlap=1.0) == at
    suite.write_text("gating_sources: person\n" + _SUITE)
    assert asked() == asked(overlap=1.0) == at


def test_what_was_said_of_a_file_that_is_left_out_says_so(suite: Path) -> None:
    """Its text has not changed."""
    (suite.parent / "docs" / "other.md").write_text("# Other\n")
    LabelLog(suite, "ada").append(Label("ada", "rotate-a-key", "rotate a key", at="other.md:1-1", grade=0))
    assert "not counted" not in _test()
    suite.write_text(_SUITE.replace("docs/", "{folder: docs, exclude: other.md}"))
    assert "1 label in files that the corpus does not have: not counted" in _test()
