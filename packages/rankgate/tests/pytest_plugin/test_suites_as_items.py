"""Suites are collected as items: which files, which ids, what is asked, and how each item ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.pytest_sessions import GOOD, SUITE, Project

if TYPE_CHECKING:
    from pathlib import Path

CASES = ["keys", "hooks", "login", "bills", "nothing"]
GATES = ["gate: rr >= 0.5", "gate: hit@10 >= 0.9"]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project.of(tmp_path)


def test_each_case_and_each_gate_is_an_item(project: Project) -> None:
    done = project.run("search.yaml", "--collect-only", "-q")
    assert done.out.splitlines()[:7] == [f"search.yaml::{name}" for name in [*CASES, *GATES]]
    assert project.asked() == []
    done = project.run("search.yaml", "-v")
    assert done.code == 0, done.out
    assert "search.yaml::gate: rr >= 0.5 PASSED" in done.out
    assert done.counts() == {"passed": 7}


def test_everything_is_asked_once(project: Project) -> None:
    project.run("search.yaml")
    (asked,) = project.asked()
    assert dict(asked) == dict.fromkeys([*GOOD, "blockchain"], 1)


def test_a_case_can_be_named_and_nothing_else_is_asked(project: Project) -> None:
    done = project.run("search.yaml::hooks")
    assert done.counts() == {"passed": 1}
    assert project.asked() == [{"retry webhooks": 1}]


def test_a_gate_can_be_named_and_the_whole_suite_is_asked(project: Project) -> None:
    done = project.run("search.yaml::gate: hit@10 >= 0.9", "search.yaml::keys")
    assert done.counts() == {"passed": 2}
    (asked,) = project.asked()
    assert dict(asked) == dict.fromkeys([*GOOD, "blockchain"], 1)


@pytest.mark.parametrize(
    ("words", "counts", "queries"),
    [
        ("keys", {"passed": 1, "deselected": 6}, 1),
        ("keys or bills", {"passed": 2, "deselected": 5}, 2),
        ("not login", {"passed": 4, "deselected": 3}, 4),
        ("gate", {"passed": 2, "deselected": 5}, 5),
        ("gate or keys", {"passed": 3, "deselected": 4}, 5),
    ],
)
def test_k_selects_cases_and_only_these_are_asked(
    project: Project, words: str, counts: dict[str, int], queries: int
) -> None:
    done = project.run("search.yaml", "-k", words)
    assert done.code == 0, done.out
    assert done.counts() == counts
    (asked,) = project.asked()
    assert len(asked) == sum(asked.values()) == queries
    note = "search.yaml: 2 gates left out: 4 of 5 cases are selected, and a gate is over all of them"
    assert (note in done.out) is (words == "not login")


def test_what_failed_last_is_run_again_and_nothing_else(project: Project) -> None:
    answers = {**GOOD, "retry webhooks": ["keys"]}
    Project.of(project.folder, answers=answers)
    assert project.run("search.yaml").counts() == {"failed": 2, "passed": 5}
    project.forget()
    done = project.run("search.yaml", "--lf")
    assert done.counts() == {"failed": 2, "deselected": 5}
    # The gate that failed is over all cases.
    assert [len(asked) for asked in project.asked()] == [5]
    project.forget()
    done = project.run("search.yaml", "--lf", "-k", "hooks")
    assert [dict(asked) for asked in project.asked()] == [{"retry webhooks": 1}]


def test_suites_of_the_settings_are_collected_beside_testpaths(project: Project) -> None:
    tests = project.folder / "tests"
    tests.mkdir()
    (tests / "test_one.py").write_text("def test_one(): pass\n")
    (project.folder / "other.yaml").write_text("a: {b: c}\n")
    (project.folder / "pytest.ini").write_text("[pytest]\ntestpaths = tests\nrankgate_suites = search.yaml\n")
    assert project.run().counts() == {"passed": 8}
    assert project.run("tests").counts() == {"passed": 1}
    (project.folder / "pytest.ini").write_text("[pytest]\nrankgate_suites = search.yaml\n")
    assert project.run().counts() == {"passed": 8}
    (project.folder / "pytest.ini").write_text("[pytest]\n")
    assert project.run().counts() == {"passed": 1}
    assert project.run("tests", "search.yaml").counts() == {"passed": 8}


def test_a_file_that_another_plugin_takes_is_left_to_it(project: Project) -> None:
    (project.folder / "conftest.py").write_text(
        "import pytest\n"
        "class Item(pytest.Item):\n"
        "    def runtest(self): pass\n"
        "class File(pytest.File):\n"
        "    def collect(self): return [Item.from_parent(self, name='theirs')]\n"
        "def pytest_collect_file(file_path, parent):\n"
        "    if file_path.suffix == '.yaml': return File.from_parent(parent, path=file_path)\n"
    )
    (project.folder / "theirs.yaml").write_text("a: b\n")
    done = project.run("theirs.yaml", "-rA")
    assert done.outcomes() == {"theirs.yaml::theirs": "PASSED"}


WRONG = {
    "not a suite": ("a: b\n", "a suite without cases"),
    "broken YAML": ("cases: [\n", "found"),
    "a misspelt key": ("cases: [{query: a, ids: b}]\n", "did you mean id?"),
    "a misspelt gate": ("gates: [ndgc@10 > 1]\ncases: [{query: a, id: b}]\n", "did you mean ndcg"),
}


@pytest.mark.parametrize(("suite", "words"), WRONG.values(), ids=list(WRONG))
def test_a_file_that_is_wrong_is_a_collection_error_in_words(
    project: Project, suite: str, words: str
) -> None:
    (project.folder / "search.yaml").write_text(suite)
    done = project.run("search.yaml")
    assert done.code == 1
    assert "search.yaml: rankgate: exit code 2" in done.out
    assert words in done.out
    assert "\nsearch.yaml:" in done.out
    assert "Traceback" not in done.out + done.err
    assert ".py" not in done.out


def test_without_a_system_the_error_says_what_to_name(project: Project) -> None:
    (project.folder / "rankgate.toml").unlink()
    done = project.run("search.yaml")
    assert done.code == 1
    assert "search.yaml: rankgate: exit code 2" in done.out
    assert "--system: found no system named, expected one to ask; say --system NAME" in done.out


def test_the_system_is_named_as_for_the_command(project: Project) -> None:
    (project.folder / "bad.py").write_text("def search(query, k):\n    return []\n")
    (project.folder / "rankgate.toml").write_text(
        '[systems.app]\nfunction = "./app.py:search"\n[systems.bad]\nfunction = "./bad.py:search"\n'
    )
    assert "rankgate: exit code 2" in project.run("search.yaml").out
    assert project.run("search.yaml", "--rankgate-system", "app").code == 0
    assert project.run("search.yaml", "--rankgate-system=./app.py:search").code == 0
    assert project.run("search.yaml", "--rankgate-system", "bad").code == 1
    unknown = project.run("search.yaml", "--rankgate-system", "appp")
    assert unknown.code == 1
    assert "rankgate: exit code 2" in unknown.out
    assert "did you mean app?" in unknown.out


def test_a_system_that_does_not_load_is_told_without_a_traceback(project: Project) -> None:
    (project.folder / "app.py").write_text("import nothing_of_the_kind\n")
    done = project.run("search.yaml::keys")
    assert done.code == 1
    assert "nothing_of_the_kind" in done.out
    assert "Traceback" not in done.out
    assert "sitting.py" not in done.out


def test_errors_of_the_system_fail_their_cases_and_every_gate(project: Project) -> None:
    Project.of(project.folder, answers={**GOOD, "rotate a key": "the index is gone"})
    done = project.run("search.yaml", "-rA")
    ended = done.outcomes()
    assert ended.pop("search.yaml::keys") == "FAILED"
    assert [ended.pop(f"search.yaml::{gate}") for gate in GATES] == ["FAILED", "FAILED"]
    assert set(ended.values()) == {"PASSED"}
    assert "RuntimeError: the index is gone" in done.out
    assert "System error on 1 of 5 queries" in done.out


def test_a_known_miss_is_an_xfail_and_one_that_passes_now_says_so(project: Project) -> None:
    known = "xfail: {reason: no synonyms, until: 2999-01-01}"
    more = [
        f"  - {{name: miss, query: unknown words, id: keys, {known}}}",
        f"  - {{name: cured, query: sign in, id: login, {known}}}",
        "  - {name: late, query: unknown words, id: hooks, xfail: {reason: soon, until: 2001-01-01}}",
        f"  - {{name: outage, query: boom, id: hooks, {known}}}",
    ]
    Project.of(project.folder, SUITE + "\n".join(more) + "\n", {**GOOD, "boom": "no"})
    done = project.run("search.yaml", "-rA", "-k", "miss or cured or late or outage")
    ended = done.outcomes()
    assert {name.partition("::")[2]: status for name, status in ended.items()} == {
        "miss": "XFAIL",
        "cured": "XPASS",
        "late": "FAILED",
        "outage": "FAILED",
    }
    assert "nothing relevant was found (known miss until 2999-01-01: no synonyms)" in done.out
    assert "passes now: take its xfail out (known miss until 2999-01-01: no synonyms)" in done.out
    assert "xfail ended on 2001-01-01: soon" in done.out
    hard = project.run("search.yaml", "--runxfail", "-k", "miss or cured")
    assert hard.counts() == {"failed": 1, "passed": 1, "deselected": 9}


def test_an_unreviewed_case_fails_nothing_but_a_hard_check(project: Project) -> None:
    unreviewed = "id: [{id: keys, reviewed: false}]"
    more = [
        f"  - {{name: fresh, query: unknown words, {unreviewed}}}",
        f"  - {{name: fine, query: rotate a key, {unreviewed}}}",
        f"  - {{name: hard, query: sign in, {unreviewed}, top: {{id: keys, within: 1}}}}",
    ]
    Project.of(project.folder, SUITE + "\n".join(more) + "\n")
    done = project.run("search.yaml", "-rA", "-k", "fresh or fine or hard")
    ended = {name.partition("::")[2]: status for name, status in done.outcomes().items()}
    assert ended == {"fresh": "XFAIL", "fine": "PASSED", "hard": "FAILED"}
    assert "nothing relevant was found (unreviewed: read the case" in done.out
    assert "search.yaml: 3 unreviewed, only their hard checks count" in done.out


def test_a_suite_that_nobody_reviewed_is_not_gated(project: Project) -> None:
    suite = "gates: [rr >= 0.9]\ncases: [{query: sign in, id: [{id: keys, reviewed: false}]}]\n"
    done = Project.of(project.folder, suite).run("search.yaml", "-rs")
    assert done.counts() == {"xfailed": 1, "skipped": 1}
    assert "not enforced: 0 of 1 reviewed, gates not enforced" in done.out


def test_a_gate_that_cannot_be_decided_does_not_pass(project: Project) -> None:
    suite = SUITE.replace("rr >= 0.5", "rr >= 0.5 where category = few") + (
        "  - {name: few, query: sign in, id: login, category: few}\n"
    )
    done = Project.of(project.folder, suite).run("search.yaml", "-rA")
    assert done.outcomes()["search.yaml::gate: rr >= 0.5 where category = few"] == "FAILED"
    assert "inconclusive: 1.0000 >= 0.5: 1 query; too few queries: needs 5" in done.out


def test_a_system_that_is_only_reported_fails_nothing(project: Project) -> None:
    Project.of(project.folder, answers={})
    (project.folder / "rankgate.toml").write_text(
        '[systems.app]\nfunction = "./app.py:search"\ngate = false\n'
    )
    done = project.run("search.yaml")
    assert done.code == 0
    assert done.counts() == {"xfailed": 4, "passed": 1, "skipped": 2}


def test_the_gates_of_the_system_stand_in_for_those_of_the_suite(project: Project) -> None:
    (project.folder / "rankgate.toml").write_text(
        '[systems.app]\nfunction = "./app.py:search"\ngates = ["rr >= 0.99"]\n'
    )
    done = project.run("search.yaml", "-rA")
    gates = {name: status for name, status in done.outcomes().items() if "gate" in name}
    assert gates == {"search.yaml::gate: rr >= 0.99": "FAILED"}


def test_one_case_that_cannot_be_resolved_does_not_take_the_others_along(project: Project) -> None:
    (project.folder / "docs").mkdir()
    (project.folder / "docs" / "keys.md").write_text("# Keys\n\nRotate them.\n")
    suite = "corpus: docs/\ngates: [rr > 0]\ncases:\n" + "".join(
        f"  - {{name: {name}, query: {name}, at: {place}}}\n"
        for name, place in {"good": "keys.md", "gone": "kyes.md", "fine": "keys.md#Keys"}.items()
    )
    found = {"good": ["keys.md"], "gone": ["keys.md"], "fine": ["keys.md:1-3"]}
    done = Project.of(project.folder, suite, found).run("search.yaml", "-rA")
    ended = {name.partition("::")[2]: status for name, status in done.outcomes().items()}
    assert ended == {"good": "PASSED", "gone": "FAILED", "fine": "PASSED", "gate: rr > 0": "PASSED"}
    assert "search.yaml: rankgate: exit code 2" in done.out
    assert "did you mean keys.md?" in done.out


def test_a_system_that_is_not_thread_safe_is_made_once_for_each_thread(project: Project) -> None:
    (project.folder / "app.py").write_text(
        "import threading\n"
        "class Search:\n"
        "    def __init__(self): self.owner = None\n"
        "    def search(self, query, k):\n"
        "        self.owner = self.owner or threading.get_ident()\n"
        "        assert self.owner == threading.get_ident(), 'two threads in one'\n"
        f"        return {GOOD!r}.get(query, [])[:k]\n"
    )
    (project.folder / "rankgate.toml").write_text(
        '[systems.app]\nfunction = "./app.py:Search"\nconcurrency = 3\n'
    )
    assert project.run("search.yaml").counts() == {"passed": 7}


def test_scenarios_and_invariants_are_items_and_are_asked_together_once(project: Project) -> None:
    suite = SUITE + (
        "scenarios:\n"
        "  - {name: found, steps: [{search: sign in, finds: login}]}\n"
        "  - {name: lost, steps: [{search: sign in, finds: keys}]}\n"
        "invariants:\n"
        "  - {name: none, empty: blockchain}\n"
        "  - {name: some, empty: rotate a key}\n"
    )
    done = Project.of(project.folder, suite).run("search.yaml", "-rA", "-k", "scenario or invariant")
    ended = {name.partition("::")[2]: status for name, status in done.outcomes().items()}
    assert ended == {
        "scenario: found": "PASSED",
        "scenario: lost": "FAILED",
        "invariant: none": "PASSED",
        "invariant: some": "FAILED",
    }
    (asked,) = project.asked()
    assert sum(asked.values()) == 4


def test_a_stored_run_stands_in_for_a_system(project: Project) -> None:
    (project.folder / "run.txt").write_text(
        "keys Q0 keys 1 2.0 r\nhooks Q0 hooks 1 2.0 r\nlogin Q0 login 1 1.0 r\nbills Q0 keys 1 1.0 r\n"
    )
    (project.folder / "rankgate.toml").write_text('[systems.stored]\nrun = "run.txt"\n')
    done = project.run("search.yaml", "-rA")
    failed = {name.partition("::")[2] for name, status in done.outcomes().items() if status == "FAILED"}
    assert failed == {"bills", "nothing", "gate: hit@10 >= 0.9"}


def test_the_folder_may_change_while_tests_run(project: Project) -> None:
    (project.folder / "docs").mkdir()
    (project.folder / "docs" / "keys.md").write_text("# Keys\n")
    Project.of(project.folder, "corpus: docs/\ncases: [{query: a, at: keys.md}]\n", {"a": ["keys.md"]})
    (project.folder / "test_away.py").write_text(
        "import os, tempfile\ndef test_away(): os.chdir(tempfile.gettempdir())\n"
    )
    assert project.run("test_away.py", "search.yaml").counts() == {"passed": 2}
