"""Suites as items: which files and items are collected, what is run, and how each item ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.pytest_sessions import GOOD, SUITE, Project, Session, run_pytest
from support.topics import lose, topics_project

if TYPE_CHECKING:
    from pathlib import Path

CASES = ["keys", "hooks", "login", "bills", "nothing"]
GATES = ["gate: rr >= 0.5", "gate: hit@10 >= 0.9"]
PROBES = """\
scenarios:
  - {name: found, steps: [{search: sign in, finds: login}]}
  - {name: lost, steps: [{search: sign in, finds: keys}]}
invariants:
  - {name: none, empty: blockchain}
  - {name: some, empty: rotate a key}
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project.of(tmp_path)


def ends(done: Session) -> dict[str, str]:
    """Return how each item ended, by its name."""
    return {name.partition("::")[2]: status for name, status in done.outcomes().items()}


def with_setting(project: Project, line: str) -> None:
    """Add a setting of the project."""
    file = project.folder / "rankgate.toml"
    file.write_text(f"{line}\n{file.read_text()}")


# --- what is collected and run ---


def test_cases_and_gates_are_items_of_one_run(project: Project) -> None:
    done = project.run("search.yaml", "--collect-only", "-q")
    assert done.out.splitlines()[:7] == [f"search.yaml::{name}" for name in [*CASES, *GATES]]
    assert project.asked() == []
    done = project.run("search.yaml", "-v")
    assert done.code == 0, done.out
    assert "search.yaml::gate: rr >= 0.5 PASSED" in done.out
    assert "search.yaml: rankgate: exit code 0 (passed)" in done.out
    (asked,) = project.asked()
    assert dict(asked) == dict.fromkeys([*GOOD, "blockchain"], 1)


@pytest.mark.parametrize(
    ("words", "counts", "queries"),
    [
        ("keys", {"passed": 1, "deselected": 6}, 1),
        ("not login", {"passed": 4, "skipped": 2, "deselected": 1}, 4),
        ("gate", {"passed": 2, "deselected": 5}, 5),
        ("gate or keys", {"passed": 1, "skipped": 2, "deselected": 4}, 1),
    ],
)
def test_k_runs_the_selected_cases_only(
    project: Project, words: str, counts: dict[str, int], queries: int
) -> None:
    done = project.run("search.yaml", "-k", words, "-rs")
    assert done.code == 0, done.out
    assert done.counts() == counts
    (asked,) = project.asked()
    assert len(asked) == sum(asked.values()) == queries
    reason = "SKIPPED [2] search.yaml:2: not enforced: Only some queries of the suite were run."
    assert (reason.replace("[2] search.yaml:2", "[1] search.yaml:3") in done.out) is ("skipped" in counts)


def test_named_gate_runs_the_whole_suite(project: Project) -> None:
    done = project.run("search.yaml::gate: hit@10 >= 0.9", "search.yaml::keys")
    assert done.counts() == {"passed": 2}
    assert [len(asked) for asked in project.asked()] == [5]


def test_lf_runs_a_failed_gate_over_the_whole_suite(project: Project) -> None:
    Project.of(project.folder, answers={**GOOD, "sign in": ["keys"]})
    assert project.run("search.yaml").counts() == {"failed": 2, "passed": 5}
    project.forget()
    assert project.run("search.yaml", "--lf").counts() == {"failed": 2, "deselected": 5}
    assert [len(asked) for asked in project.asked()] == [5]


def test_suites_of_the_settings_are_collected(project: Project) -> None:
    tests = project.folder / "tests"
    tests.mkdir()
    (tests / "test_one.py").write_text("def test_one(): pass\n")
    (project.folder / "other.yaml").write_text("a: {b: c}\n")
    (project.folder / "pytest.ini").write_text("[pytest]\ntestpaths = tests\nrankgate_suites = search.yaml\n")
    assert project.run().counts() == {"passed": 8}
    assert project.run("tests").counts() == {"passed": 1}
    (project.folder / "pytest.ini").write_text("[pytest]\n")
    assert project.run().counts() == {"passed": 1}


def test_file_of_another_plugin_is_not_collected(project: Project) -> None:
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
    assert project.run("theirs.yaml", "-rA").outcomes() == {"theirs.yaml::theirs": "PASSED"}


def test_system_is_named_as_on_the_command_line(project: Project) -> None:
    (project.folder / "bad.py").write_text("def search(query, k):\n    return ['other']\n")
    (project.folder / "rankgate.toml").write_text(
        '[systems.app]\nfunction = "./app.py:search"\n[systems.bad]\nfunction = "./bad.py:search"\n'
    )
    assert "rankgate: exit code 2" in project.run("search.yaml").out
    assert project.run("search.yaml", "--rankgate-system", "app").code == 0
    assert project.run("search.yaml", "--rankgate-system=./app.py:search").code == 0
    assert project.run("search.yaml", "--rankgate-system", "bad").code == 1
    unknown = project.run("search.yaml", "--rankgate-system", "appp")
    assert unknown.code == 1
    assert "did you mean app?" in unknown.out


def test_folder_may_change_while_tests_run(project: Project) -> None:
    (project.folder / "docs").mkdir()
    (project.folder / "docs" / "keys.md").write_text("# Keys\n")
    Project.of(project.folder, "corpus: docs/\ncases: [{query: a, at: keys.md}]\n", {"a": ["keys.md"]})
    (project.folder / "test_away.py").write_text(
        "import os, tempfile\ndef test_away(): os.chdir(tempfile.gettempdir())\n"
    )
    assert project.run("test_away.py", "search.yaml").counts() == {"passed": 2}


# --- how items end ---


def test_low_query_passes_and_its_gate_fails(project: Project) -> None:
    suite = SUITE.replace("rr >= 0.5", "rr >= 0.9")
    done = Project.of(project.folder, suite, {**GOOD, "retry webhooks": []}).run("search.yaml", "-rA")
    failed = [name for name, status in ends(done).items() if status == "FAILED"]
    assert failed == ["gate: rr >= 0.9", "gate: hit@10 >= 0.9"]
    assert "E   rr@10 = 0.625 (at least 0.9)\n" in done.out
    assert "retry webhooks  no results  search.yaml:7\n  expected  hooks\n  no results\n" in done.out
    assert "bills  rank 2  search.yaml:9" in done.out.replace("see invoices", "bills")
    assert "search.yaml: rankgate: exit code 1 (a gate failed)" in done.out


def test_failed_check_fails_the_case_with_its_ranking(project: Project) -> None:
    answers = {**GOOD, "sign in": ["keys", "login"]}
    done = Project.of(project.folder, answers=answers).run("search.yaml", "-rA")
    assert [name for name, status in ends(done).items() if status == "FAILED"] == ["login"]
    assert "E   top: login within 1: rank 2\n\nsearch.yaml:8: top: login within 1: rank 2\n" in done.out
    section = "rank 2\nexpected  login\n       1  keys\n       2  login  ← expected\n"
    assert section in done.out


def test_lost_query_fails_with_the_default_gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = topics_project(tmp_path, 12, gates="ndcg@10 >= 0.5")
    assert rankgate("test").code == 0
    rankgate("baseline", "set").printed()
    suite = (tmp_path / "search.yaml").read_text()
    (tmp_path / "search.yaml").write_text(suite.replace(", 'drop(ndcg@10) <= 0.04'", ""))
    assert run_pytest(tmp_path, "search.yaml").code == 0
    lose(tmp_path, names[0])
    failed = run_pytest(tmp_path, "search.yaml", "-rA")
    assert failed.code == 1
    ended = ends(failed)
    assert ended["gate: lost@10 = 0"] == ended["about-topic000"] == "FAILED"
    assert ended["about-topic001"] == ended["gate: ndcg@10 >= 0.5"] == "PASSED"
    assert "rank 1 → not found\nexpected  topic000.md\n       1  topic001.md" in failed.out


def test_error_fails_the_case_and_gates_are_skipped(project: Project) -> None:
    Project.of(project.folder, answers={**GOOD, "rotate a key": "the index is gone"})
    done = project.run("search.yaml", "-rA")
    assert done.counts() == {"failed": 1, "passed": 4, "skipped": 2}
    assert ends(done)["keys"] == "FAILED"
    assert "E   error: RuntimeError: the index is gone" in done.out
    assert "search.yaml: rankgate: exit code 3" in done.out
    Project.of(project.folder, SUITE.replace("0.9", "0.5"), {**GOOD, "rotate a key": "the index is gone"})
    with_setting(project, "max_errors = 1")
    allowed = project.run("search.yaml", "-rs")
    assert allowed.code == 0, allowed.out
    assert "search.yaml:6: not tested: RuntimeError: the index is gone" in allowed.out


def test_system_without_any_result_fails_the_session(project: Project) -> None:
    suite = SUITE.replace(", top: {id: login, within: 1}", "")
    done = Project.of(project.folder, suite, answers={}).run("search.yaml")
    assert done.code == 1
    assert "search.yaml: rankgate: exit code 3" in done.out
    assert done.out.count("The system returned no result for any of 5 queries.") == 1


def test_known_miss_is_an_xfail_or_an_xpass(project: Project) -> None:
    known = "xfail: {reason: no synonyms, until: 2999-01-01}"
    more = [
        f"  - {{name: miss, query: unknown words, id: keys, {known}}}",
        f"  - {{name: cured, query: sign in, id: login, {known}}}",
        "  - {name: late, query: unknown words, id: hooks, xfail: {reason: soon, until: 2001-01-01}}",
        f"  - {{name: outage, query: boom, id: hooks, {known}}}",
    ]
    Project.of(project.folder, SUITE + "\n".join(more) + "\n", {**GOOD, "boom": "no"})
    done = project.run("search.yaml", "-rA", "-k", "miss or cured or late or outage")
    assert ends(done) == {"miss": "XFAIL", "cured": "XPASS", "late": "FAILED", "outage": "FAILED"}
    assert "known miss: no synonyms (until 2999-01-01)" in done.out
    assert "It passes. Remove xfail (known miss: no synonyms (until 2999-01-01))." in done.out
    assert "xfail: until 2001-01-01: expired" in done.out
    ignored = project.run("search.yaml", "--runxfail", "-k", "miss or cured")
    assert ignored.counts() == {"failed": 1, "passed": 1, "deselected": 9}


def test_passing_known_miss_fails_with_xfail_strict(project: Project) -> None:
    more = "  - {name: cured, query: sign in, id: login, xfail: no synonyms}\n"
    Project.of(project.folder, SUITE + more)
    with_setting(project, "xfail_strict = true")
    done = project.run("search.yaml", "-rA")
    assert [name for name, status in ends(done).items() if status == "FAILED"] == ["cured"]
    assert "It is marked xfail and passes. Remove xfail." in done.out


def test_gate_without_a_baseline_is_skipped(project: Project) -> None:
    suite = SUITE.replace("hit@10 >= 0.9", "drop(rr) <= 0.01")
    done = Project.of(project.folder, suite).run("search.yaml", "-rs")
    assert done.counts() == {"passed": 6, "skipped": 1}
    assert "search.yaml:4: not enforced: There is no baseline yet." in done.out


def test_gate_over_nothing_fails(project: Project) -> None:
    suite = SUITE.replace("hit@10 >= 0.9", "hit@10 >= 0.9 where category = none")
    done = Project.of(project.folder, suite).run("search.yaml", "-rA")
    assert ends(done)["gate: hit@10 >= 0.9 where category = none"] == "FAILED"
    assert "search.yaml: rankgate: exit code 2" in done.out
    assert "reads nothing. No case has category = none." in done.out


def test_scenarios_and_invariants_are_items(project: Project) -> None:
    Project.of(project.folder, SUITE + PROBES)
    done = project.run("search.yaml", "-rA", "-k", "keys or scenario or invariant and not some")
    assert ends(done) == {
        "keys": "PASSED",
        "scenario: found": "PASSED",
        "scenario: lost": "FAILED",
        "invariant: none": "PASSED",
    }
    assert done.code == 1


def test_gate_on_scenarios_allows_a_failed_one(project: Project) -> None:
    suite = SUITE.replace("gates:\n", "gates:\n  - scenarios >= 50%\n") + PROBES.partition("invariants")[0]
    done = Project.of(project.folder, suite).run("search.yaml", "-rA")
    assert ends(done)["scenario: lost"] == "XFAIL"
    assert "allowed by scenarios >= 50%" in done.out
    assert done.code == 0


def test_missing_target_fails_the_session_with_its_place(project: Project) -> None:
    (project.folder / "docs").mkdir()
    (project.folder / "docs" / "keys.md").write_text("# Keys\n\nRotate them.\n")
    suite = "corpus: docs/\ngates: [rr > 0]\ncases:\n" + "".join(
        f"  - {{name: {name}, query: {name}, at: {place}}}\n"
        for name, place in {"good": "keys.md", "gone": "kyes.md", "fine": "keys.md#Keys"}.items()
    )
    found = {"good": ["keys.md"], "gone": ["keys.md"], "fine": ["keys.md:1-3"]}
    done = Project.of(project.folder, suite.replace("rr > 0", "rr >= 0.1"), found).run("search.yaml", "-rA")
    ended = ends(done)
    assert ended == {"good": "PASSED", "gone": "FAILED", "fine": "PASSED", "gate: rr >= 0.1": "PASSED"}
    assert "search.yaml: rankgate: exit code 2" in done.out
    assert done.out.count("search.yaml:5:5: the target 'kyes.md' is not in the documents") == 1


def test_missing_need_skips_the_suite_and_fixture(project: Project) -> None:
    with (project.folder / "rankgate.toml").open("a") as file:
        file.write('needs = ["index/"]\n')
    (project.folder / "test_by_hand.py").write_text("def test_it(rankgate):\n    rankgate('search.yaml')\n")
    done = project.run("search.yaml", "test_by_hand.py", "-rs")
    assert done.code == 0
    assert done.counts() == {"skipped": 8}
    assert "search.yaml:6: not tested: needs index/" in done.out
    in_ci = project.run("search.yaml", env={"CI": "1"})
    assert in_ci.code == 1
    assert "search.yaml: rankgate: exit code 3" in in_ci.out


# --- what can't be run ---

WRONG = {
    "no suite": ("a: b\n", "a suite needs the key `cases`"),
    "broken YAML": ("cases: [\n", "invalid YAML: "),
    "misspelt key": ("cases: [{query: a, ids: b}]\n", "Did you mean `id`?"),
    "misspelt gate": ("gates: [ndgc@10 >= 0.1]\ncases: [{query: a, id: b}]\n", "ndcg"),
}


@pytest.mark.parametrize(("suite", "words"), WRONG.values(), ids=list(WRONG))
def test_invalid_suite_is_a_collection_error(project: Project, suite: str, words: str) -> None:
    (project.folder / "search.yaml").write_text(suite)
    done = project.run("search.yaml")
    assert done.code == 1
    assert "search.yaml: rankgate: exit code 2" in done.out
    assert words in done.out
    assert "Traceback" not in done.out + done.err
    assert ".py" not in done.out


def test_system_that_does_not_load_fails_one_item(project: Project) -> None:
    (project.folder / "app.py").write_text("import nothing_of_the_kind\n")
    done = project.run("search.yaml", "-rs")
    assert done.code == 1
    assert done.counts() == {"failed": 1, "skipped": 6}
    assert "nothing_of_the_kind" in done.out
    assert "The suite could not be run. The first of its tests shows why." in done.out
    assert "Traceback" not in done.out
