"""What a judge is shown first settles a comparison or a gate, and how much that takes is counted down."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rankgate.evaluation.project.project import Project
from rankgate.judging.effect_queue import effect_queue
from rankgate.judging.opened import opened_session
from rankgate.judging.pool.gather import PoolWishes, gathered
from rankgate.judging.session.session import Judgment
from rankgate.truth.judgments.labels import Label, LabelLog, Labels
from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.judging.units import JudgingUnit

_SYSTEMS = """
PAGES = [f"p{number}.md" for number in range(10)]

def good(query, k):
    at = int(query.split()[1])
    return [{"path": p, "start": 1, "end": 3} for p in (PAGES[at:] + PAGES[:at])[:k]]

def bad(query, k):
    return good(query, 10)[::-1][:k]
"""
_SUITE = """
corpus: docs/
metrics: [ndcg@5]
gates: [ndcg@5 >= 0.5]
scale: 1
cases:
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(10):
        (docs / f"p{number}.md").write_text(f"# Page {number}\n\nText of page {number}.\n")
    (tmp_path / "systems.py").write_text(_SYSTEMS)
    (tmp_path / "rankgate.toml").write_text(
        'suites = ["s.yaml"]\n[systems.good]\nfunction = "./systems.py:good"\n'
        '[systems.bad]\nfunction = "./systems.py:bad"\n'
    )
    cases = "".join(
        f"  - {{query: page {number}, at: {{p{number}.md#Page {number}: 1}}}}\n" for number in range(6)
    )
    (tmp_path / "s.yaml").write_text(_SUITE + cases)
    for name in ("good", "bad"):
        assert rankgate("test", "s.yaml", "--system", name).code in (0, 1)
    return tmp_path


def _session(project: Path, *sources: str, **more: object):  # type: ignore[no-untyped-def]
    opened = Project.of(project / "s.yaml")
    suite = opened.suite(project / "s.yaml")
    wishes = PoolWishes("ada", sources, 5, plain=False, **more)  # type: ignore[arg-type]
    return opened_session(opened, suite, wishes)[0]


def test_a_comparison_is_settled_before_everything_is_judged(project: Path) -> None:
    session = _session(project, "good", "bad")
    first = session.progress().remaining
    assert first.words == (
        f"about {first.count} more judgments settle the comparison of good and bad by ndcg@5"
    )
    judged = 0
    while "is settled" not in session.progress().remaining.words:
        unit = session.next()
        assert unit is not None
        session.record(unit, Judgment(grade=0))
        judged += 1
    assert 0 < judged < len(session.task.units)
    assert session.next() is not None


def test_every_passage_comes_once_and_skipped_ones_are_passed_by(project: Path) -> None:
    session = _session(project, "good", "bad")
    seen = []
    while (unit := session.next()) is not None:
        seen.append(unit.key)
        session.record(unit, Judgment("skip") if len(seen) % 3 == 0 else Judgment(grade=0))
    assert len(seen) == len({*seen}) == len(session.task.units)


def test_one_system_is_judged_for_its_first_gate(project: Path) -> None:
    assert "the gate ndcg@5 >= 0.5 of good" in _session(project, "good").progress().remaining.words


def test_in_turn_means_query_by_query(project: Path) -> None:
    assert "passages remain" in _session(project, "good", "bad", in_turn=True).progress().remaining.words


def test_every_hit_of_the_comparison_has_its_passages(project: Path) -> None:
    opened = Project.of(project / "s.yaml")
    suite = opened.suite(project / "s.yaml")
    found = gathered(opened, suite, Labels(), PoolWishes("ada", ("good", "bad"), 5, plain=False))
    queue = effect_queue(suite, found)
    assert queue is not None
    assert not queue._absent


def test_labels_of_a_model_that_no_gate_counts_change_the_order_and_no_verdict(project: Path) -> None:
    def order() -> list[tuple[str, str]]:
        session = _session(project, "good", "bad")
        seen: list[JudgingUnit] = []
        while (unit := session.next(*seen)) is not None and len(seen) < 8:
            seen.append(unit)
        return [unit.key for unit in seen]

    def verdicts() -> list[object]:
        codes = [rankgate("test", "s.yaml", "--system", name).code for name in ("good", "bad")]
        files = sorted((project / ".rankgate").rglob("verdicts.json"))
        kept = [json.loads(file.read_text()) for file in files]
        return [codes, [one.get("gates", one.get("verdicts")) for one in kept]]

    before, judged = order(), verdicts()
    assert judged[1]
    wanted = _session(project, "good", "bad").task.units
    last = [unit for unit in wanted if unit.key not in before]
    for unit in wanted:
        label = Label("m", unit.case, unit.query, at=unit.location, grade=0, source="model", prompt="p")
        LabelLog(project / "s.yaml", "m").append(replace(label, grade=1 if unit in last[:4] else 0))
    assert order() != before
    # People are asked for all of it as before.
    assert {unit.key for unit in _session(project, "good", "bad").task.units} == {unit.key for unit in wanted}
    assert verdicts() == judged
