"""The `rankgate` fixture: assertions by hand, and what is said where one fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.pytest_sessions import GOOD, Project

if TYPE_CHECKING:
    from pathlib import Path

BY_HAND = """\
import pytest
from app import search

@pytest.fixture(scope="module")
def results(rankgate):
    return rankgate("search.yaml", system=search)

{test}
"""


def by_hand(project: Project, *lines: str, answers: dict[str, list[str] | str] | None = None) -> str:
    """Run one test, which must fail, and give what is printed."""
    done = run(project, *lines, answers=answers)
    assert done[0] == 1, done[1]
    return done[1]


def run(project: Project, *lines: str, answers: dict[str, list[str] | str] | None = None) -> tuple[int, str]:
    if answers is not None:
        Project.of(project.folder, answers=answers)
    (project.folder / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
    body = "def test_it(results):\n" + "".join(f"    {line}\n" for line in lines)
    (project.folder / "test_by_hand.py").write_text(BY_HAND.format(test=body))
    done = project.run("test_by_hand.py")
    return done.code, done.out


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project.of(tmp_path)


def test_every_measure_is_a_float_that_can_be_compared(project: Project) -> None:
    code, out = run(
        project,
        "assert results.ndcg(10) == pytest.approx(0.9077, abs=1e-4)",
        "assert results.recall(1) == results['r@1'] == 0.75",
        "assert results.precision(5) == 0.2",
        "assert results.hit(1) < results.hit(5) == 1",
        "assert results.rr() == 0.875 == results['RR']",
        "assert results.query('bills').rr() == 0.5",
        "assert 0 < results.ndcg(3) <= 1",
        "invoices = results.query('see invoices')",
        "assert invoices.rank_of('bills') == 2",
        "assert invoices.rank_of('hooks') > 1000",
        "assert not invoices.rank_of('hooks').found",
        "assert 'bills' in invoices.top(2)",
        "assert 'bills' not in invoices.top(1)",
        "assert invoices.top(5) == ('keys', 'bills')",
        "assert [hit['id'] for hit in invoices.hits] == ['keys', 'bills']",
        "assert 'search · app:search' in str(results)",
    )
    assert code == 0, out
    assert [sum(asked.values()) for asked in project.asked()] == [5]


def test_a_metric_under_its_bar_shows_the_worst_rankings(project: Project) -> None:
    out = by_hand(
        project,
        "assert results.rr() >= 0.9",
        answers={**GOOD, "retry webhooks": ["keys", "login"]},
    )
    assert "E       assert rr@10 0.6250 >= 0.9\nE         4 queries (1 not applicable)\n" in out
    tail = out[out.index("the worst 2 of 4") :].splitlines()[1:]
    assert tail[:8] == [
        "0.0000  retry webhooks  (search.yaml:7)",
        "        1  keys",
        "        2  login",
        "        –  hooks  ← expected, not in the top 2",
        "",
        "0.5000  see invoices  (search.yaml:9)",
        "        1  keys",
        "        2  bills  ← expected",
    ]


def test_a_value_close_to_its_bar_is_written_with_the_digits_that_tell(project: Project) -> None:
    third: dict[str, list[str] | str] = {"rotate a key": ["a", "b", "keys"], "sign in": ["a", "b", "login"]}
    out = by_hand(project, "assert results.rr() >= 0.54167", answers={**GOOD, **third})
    assert "assert rr@10 0.541667 >= 0.54167" in out


def test_the_bar_may_stand_first(project: Project) -> None:
    assert "assert 0.9 <= rr@10 0.8750" in by_hand(project, "assert 0.9 <= results.rr()")


def test_two_values_may_be_compared(project: Project) -> None:
    out = by_hand(project, "assert results.rr() > results.hit(5)")
    assert "assert rr@10 0.8750 > hit@5 1.0000" in out


def test_for_a_cost_the_worst_are_those_with_the_most(project: Project) -> None:
    out = by_hand(project, "assert results.rr() <= 0.1")
    assert "\n1.0000  rotate a key" in out
    assert "\n0.5000  see invoices" not in out


def test_a_rank_shows_what_stood_above(project: Project) -> None:
    out = by_hand(project, "assert results.query('see invoices').rank_of('bills') == 1")
    assert "E       assert rank 2 == 1\nE         of bills\n" in out
    assert "bills  (search.yaml:9)\n  1  keys\n  2  bills  ← expected\n" in out


def test_a_place_that_did_not_come_is_told_as_such(project: Project) -> None:
    out = by_hand(project, "assert results.query('bills').rank_of('hooks') <= 3")
    assert "E       assert not in the top 2 <= 3\nE         of hooks\n" in out
    out = by_hand(project, "assert 'hooks' in results.query('bills').top(2)")
    assert "assert hooks in the first 2: not in the top 2" in out


def test_two_ranks_may_be_compared_and_both_are_shown(project: Project) -> None:
    out = by_hand(
        project,
        "one = results.query('bills')",
        "assert one.rank_of('bills') < one.rank_of('keys')",
    )
    assert "E       assert rank 2 < rank 1\nE         of bills and keys\n" in out
    assert "  1  keys   ← looked for\n  2  bills  ← expected\n" in out


def test_an_assertion_is_over_what_a_gate_counts(project: Project) -> None:
    more = (
        "  - {name: known, query: unknown, id: keys, xfail: {reason: later, until: 2999-01-01}}\n"
        "  - {name: fresh, query: unknown, id: [{id: keys, reviewed: false}]}\n"
    )
    suite = project.folder / "search.yaml"
    suite.write_text(suite.read_text() + more)
    out = by_hand(project, "assert results.rr() >= 0.9")
    assert (
        "assert rr@10 0.8750 >= 0.9\nE         4 queries (1 not applicable, 1 unreviewed), 1 xfail\n" in out
    )


def test_an_outage_is_no_result(project: Project) -> None:
    broken: dict[str, list[str] | str] = {**GOOD, "sign in": "the index is gone"}
    done = run(project, "assert results.hit(10) >= 0", answers=broken)
    assert done[0] == 1
    assert "system error on 1 of 5 queries of search, 0 allowed" in done[1]
    assert "login: " in done[1]
    assert "RuntimeError: the index is gone" in done[1]
    assert "assertions.py" not in done[1]
    (project.folder / "test_by_hand.py").write_text(
        "from app import search\n"
        "def test_it(rankgate):\n"
        "    assert rankgate('search.yaml', system=search, max_errors=1).hit(10) == 0.75\n"
    )
    assert project.run("test_by_hand.py").code == 0


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("results.query('bils')", "did you mean bills?"),
        ("results.ndcg(20)", "a cut deeper than the 10 hits asked for, expected at most 10; say k=20"),
        ("results['ndgc@10']", "did you mean ndcg"),
        ("results.query('nothing').rr()", "case nothing: found no value of rr"),
    ],
)
def test_a_wrong_call_is_told_in_words_at_the_line_of_the_test(
    project: Project, line: str, words: str
) -> None:
    out = by_hand(project, line)
    assert words in out
    assert f">       {line}" in out
    assert "rankgate/evaluation" not in out
    assert "test_by_hand.py:9: " in out


def test_a_misspelt_place_fails_the_test_whatever_it_asserts(project: Project) -> None:
    (project.folder / "docs").mkdir()
    (project.folder / "docs" / "keys.md").write_text("# Keys\n\n## Rotation\n\nTurn.\n")
    suite = "corpus: docs/\ncases: [{name: a, query: a, at: keys.md#Rotation}]\n"
    Project.of(project.folder, suite, {"a": ["keys.md:4-5"]})
    code, out = run(
        project,
        "assert results.query('a').rank_of('keys.md#Rotation') == 1",
        "assert 'keys.md#Keys' in results.query('a').top(1)",
        "assert 'keys.md:1-2' not in results.query('a').top(1)",
    )
    assert code == 0, out
    out = by_hand(project, "assert 'keys.md#Rotatoin' not in results.query('a').top(1)")
    assert "did you mean keys.md#Rotation?" in out


def test_the_suite_is_found_beside_the_test_and_then_in_the_root(project: Project) -> None:
    (project.folder / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
    inside = project.folder / "tests" / "search"
    inside.mkdir(parents=True)
    (inside / "own.yaml").write_text("cases: [{query: sign in, id: login}]\n")
    (inside / "test_places.py").write_text(
        "import pytest\n"
        "def test_beside(rankgate):\n"
        "    assert rankgate('own.yaml', system='app:search').rr() == 1\n"
        "def test_root(rankgate):\n"
        "    assert rankgate('search.yaml').rr() == 0.875\n"
        "def test_nowhere(rankgate):\n"
        "    rankgate('other.yaml')\n"
    )
    done = project.run("tests", "-rA")
    ended = {name.rpartition("::")[2]: status for name, status in done.outcomes().items()}
    assert ended == {"test_beside": "PASSED", "test_root": "PASSED", "test_nowhere": "FAILED"}
    assert "other.yaml does not exist, expected a suite in tests/search or ." in done.out


def test_the_option_names_the_system_of_the_fixture_too(project: Project) -> None:
    (project.folder / "bad.py").write_text("def search(query, k):\n    return []\n")
    (project.folder / "test_it.py").write_text(
        "def test_it(rankgate):\n    assert rankgate('search.yaml').hit(10) == 1\n"
    )
    assert project.run("test_it.py").code == 0
    assert project.run("test_it.py", "--rankgate-system", "./bad.py:search").code == 1
