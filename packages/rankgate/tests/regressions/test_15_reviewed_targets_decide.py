"""What nobody has reviewed neither switches hard checks off nor hides a reviewed target that is lost."""

from __future__ import annotations

from contextlib import chdir
from typing import TYPE_CHECKING

import pytest

from rankgate.gates.context import Cases
from rankgate.model import Case, Location, Status, Top
from support.commands import rankgate
from support.evaluations import evaluated, target
from support.pytest_sessions import Project

if TYPE_CHECKING:
    from pathlib import Path


def test_an_unreviewed_case_does_not_switch_hard_checks_off(tmp_path: Path) -> None:
    suite = (
        "cases:\n"
        "  - {name: fresh, query: rotate a key, id: [{id: keys, reviewed: false}]}\n"
        "  - {name: nothing, query: blockchain, expect: empty}\n"
    )
    Project.of(tmp_path, suite, {"rotate a key": ["keys"], "blockchain": ["keys"]})
    with chdir(tmp_path):
        done = rankgate("test", "search.yaml")
    assert done.code == 1, done.out
    assert "checks = 100%" in done.out


def test_a_check_is_written_by_a_person_and_decides_also_on_a_target_that_was_proposed(
    tmp_path: Path,
) -> None:
    proposed = "id: [{id: login, reviewed: false}], top: {id: login, within: 1}"
    Project.of(tmp_path, f"cases: [{{query: sign in, {proposed}}}]\n", {"sign in": ["keys", "login"]})
    with chdir(tmp_path):
        assert rankgate("test", "search.yaml").code == 1


def test_a_suite_with_nothing_reviewed_at_all_is_not_enforced_but_for_an_outage(tmp_path: Path) -> None:
    suite = (
        "gates: [rr >= 0.9, drop(rr) < 0.1]\ncases: [{query: sign in, id: [{id: login, reviewed: false}]}]\n"
    )
    for answer, code in {"keys": 0, "": 3}.items():
        Project.of(tmp_path, suite, {"sign in": [answer] if answer else "no index"})
        with chdir(tmp_path):
            assert rankgate("test", "search.yaml").code == code


SUITE = """\
gates: [rr >= 0.9]
cases:
  - {name: keys, query: rotate a key, id: [keys, {id: login, reviewed: false}]}
"""


@pytest.mark.parametrize(("answer", "code"), [(["login", "keys"], 0), (["login"], 1), (["x", "keys"], 1)])
def test_an_unreviewed_second_target_hides_no_lost_reviewed_one(
    tmp_path: Path, answer: list[str], code: int
) -> None:
    Project.of(tmp_path, SUITE, {"rotate a key": answer})
    with chdir(tmp_path):
        assert rankgate("test", "search.yaml").code == code


def test_lost_looks_at_reviewed_targets(tmp_path: Path) -> None:
    project = Project.of(tmp_path, SUITE.replace("rr >= 0.9", "rr >= 0"), {"rotate a key": ["keys", "login"]})
    with chdir(tmp_path):
        assert rankgate("test", "search.yaml").code == 0
        assert rankgate("baseline", "set", "search.yaml").code == 0
        Project.of(tmp_path, SUITE.replace("rr >= 0.9", "rr >= 0"), {"rotate a key": ["login"]})
        done = rankgate("test", "search.yaml")
    assert done.code == 1, done.out
    assert "1 of 1 query lost its relevant hit from the top 10 (keys: rank 1 → not found)" in done.out
    assert project.asked()


def test_an_unreviewed_target_is_neither_expected_nor_wrong() -> None:
    cases = [
        Case("both", "both", (target("a"), target("b", reviewed=False))),
        Case("fresh", "fresh", (target("a", reviewed=False),)),
        Case("none", "none", (target("a"), target("c", 0.0, reviewed=False)), exhaustive=True),
    ]
    answers = {"both": ["b", "b", "a"], "fresh": ["x"], "none": ["c", "a"]}
    found = evaluated(cases, answers, metrics=["rr", "r@5", "ndcg@10", "p@2"])
    verdicts = found.judge("rr >= 1", "r@5 >= 1", "ndcg@10 >= 1", "p@2 >= 0.5")
    assert [verdict.status for verdict in verdicts] == [Status.PASSED] * 4
    assert verdicts[0].reason == "1.0000 >= 1: 2 queries (1 unreviewed)"
    # What is shown counts every target.
    assert found.scores["rr"] == (1 + 0 + 1 / 2) / 3


def test_a_check_beside_an_unreviewed_target_decides() -> None:
    top = (Top(Location.of_id("a")),)
    cases = [Case("q", "q", (target("a"), target("b", reviewed=False)), top=top)]
    (verdict,) = evaluated(cases, {"q": ["b", "a"]}, metrics=["rr"]).judge()
    assert (verdict.gate, verdict.status) == ("checks = 100%", Status.FAILED)


def test_where_everything_is_reviewed_nothing_is_scored_twice() -> None:
    found = evaluated([Case("q", "q", (target("a"),))], {"q": ["a"]}, metrics=["rr"]).scored()
    assert found.gated.scores is found.scores
    assert Cases.of(found).scores is found.scores


@pytest.mark.parametrize("mark", ["source: model", "reviewed: false"])
@pytest.mark.parametrize(("answer", "code"), [(["keys", "login"], 1), (["login"], 0)])
def test_a_check_decides_alike_on_a_target_of_a_model_and_on_one_that_nobody_reviewed(
    tmp_path: Path, mark: str, answer: list[str], code: int
) -> None:
    import rankgate as rg

    suite = (
        "metrics: [rr]\ngates: [rr >= 0.5]\ncases:\n"
        f"  - {{query: sign in, id: [{{id: login, {mark}}}], top: {{id: login, within: 1}}}}\n"
        "  - {query: rotate, id: keys}\n"
    )
    project = Project.of(tmp_path, suite, {"sign in": answer, "rotate": ["keys"]})
    with chdir(tmp_path):
        found = rankgate("test", "search.yaml").code
        by_python = int(rg.evaluate(rg.load_suite("search.yaml"), "app").exit_code)
    assert [found, by_python, project.run("search.yaml").code] == [code] * 3
