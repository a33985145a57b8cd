"""The `rankgate` fixture: assertions written by hand, and what a failed one shows."""

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


def test_metrics_and_ranks_are_floats(project: Project) -> None:
    code, out = run(
        project,
        "assert results.ndcg(10) == pytest.approx(0.9077, abs=1e-4)",
        "assert results.recall(1) == results['r@1'] == 0.75",
        "assert results.precision(5) == 0.2",
        "assert results.hit(1) < results.hit(5) == 1",
        "assert results.rr() == 0.875 == results['RR']",
        "assert results.query('bills').rr() == 0.5",
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


def test_low_metric_shows_the_lowest_queries(project: Project) -> None:
    answers: dict[str, list[str] | str] = {**GOOD, "retry webhooks": ["keys", "login"]}
    out = by_hand(project, "assert results.rr() >= 0.9", answers=answers)
    assert "E       assert rr@10 0.625 >= 0.9\nE         over 4 queries\n" in out
    tail = out[out.index("lowest of 4 queries by rr@10") :].splitlines()[1:]
    assert tail[:9] == [
        "0.000  retry webhooks  not found  search.yaml:7",
        "  expected  hooks",
        "         1  keys",
        "         2  login",
        "",
        "0.500  see invoices  rank 2  search.yaml:9",
        "  expected  bills",
        "         1  keys",
        "         2  bills  ← expected",
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("assert results.rr() >= 0.87501", "assert rr@10 0.875 >= 0.87501"),
        ("assert 0.9 <= results.rr()", "assert 0.9 <= rr@10 0.875"),
        ("assert results.rr() > results.hit(5)", "assert rr@10 0.875 > hit@5 1.000"),
        ("assert results.rr() <= 0.1", "highest of 4 queries by rr@10"),
        ("assert results.query('bills').rank_of('bills') == 1", "assert rank 2 == 1\nE         of bills\n"),
        (
            "assert results.query('bills').rank_of('hooks') <= 3",
            "assert not found <= 3\nE         of hooks\n",
        ),
        ("assert 'hooks' in results.query('bills').top(2)", "assert hooks in the first 2: not found"),
        (
            "one = results.query('bills'); assert one.rank_of('bills') < one.rank_of('keys')",
            "assert rank 2 < rank 1\nE         of bills and keys\n",
        ),
    ],
)
def test_failed_comparison_shows_values_and_results(project: Project, line: str, words: str) -> None:
    out = by_hand(project, line)
    assert words in out
    assert "         1  keys" in out


def test_looked_for_location_is_marked_in_the_results(project: Project) -> None:
    out = by_hand(project, "assert results.query('bills').rank_of('keys') == 2")
    assert "  expected  bills\n         1  keys  ← keys\n         2  bills  ← expected\n" in out


def test_known_misses_do_not_count(project: Project) -> None:
    suite = project.folder / "search.yaml"
    suite.write_text(suite.read_text() + "  - {name: known, query: unknown, id: keys, xfail: later}\n")
    assert "assert rr@10 0.875 >= 0.9\nE         over 4 queries\n" in by_hand(
        project, "assert results.rr() >= 0.9"
    )


def test_more_than_max_errors_fail_the_call(project: Project) -> None:
    broken: dict[str, list[str] | str] = {**GOOD, "sign in": "the index is gone"}
    code, out = run(project, "assert results.hit(10) >= 0", answers=broken)
    assert code == 1
    assert "search: the system failed on 1 of 5 queries (0 allowed)." in out
    assert "  login: RuntimeError: the index is gone" in out
    assert "assertions.py" not in out
    (project.folder / "test_by_hand.py").write_text(
        "from app import search\n"
        "def test_it(rankgate):\n"
        "    assert rankgate('search.yaml', system=search, max_errors=1).hit(10) == 0.75\n"
    )
    assert project.run("test_by_hand.py").code == 0


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("results.query('bils')", "Did you mean bills?"),
        ("results.ndcg(20)", "ndcg@20 reads 20 results, but k is 10. Pass k=20."),
        ("results['ndgc@10']", "did you mean ndcg"),
        ("results.query('nothing').rr()", "case nothing: rr@10 has no value."),
    ],
)
def test_wrong_call_is_an_error_at_the_line_of_the_test(project: Project, line: str, words: str) -> None:
    out = by_hand(project, line)
    assert words in out
    assert f">       {line}" in out
    assert "assertions.py" not in out
    assert "test_by_hand.py:9: " in out


def test_location_is_reached_as_in_scores(project: Project) -> None:
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


def test_suite_is_found_beside_the_test_or_in_the_root(project: Project) -> None:
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


def test_option_names_the_system_of_the_fixture(project: Project) -> None:
    (project.folder / "bad.py").write_text("def search(query, k):\n    return ['other']\n")
    (project.folder / "test_it.py").write_text(
        "def test_it(rankgate):\n    assert rankgate('search.yaml').hit(10) == 1\n"
    )
    assert project.run("test_it.py").code == 0
    assert project.run("test_it.py", "--rankgate-system", "./bad.py:search").code == 1
