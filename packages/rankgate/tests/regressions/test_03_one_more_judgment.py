"""What is no part of a run may change: kept answers are scored again, by every command alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.commands import rankgate
from support.numbered import STORED, SYSTEM, numbered_suite, write_here

SUITE = numbered_suite(6)
APP = """\
from pathlib import Path
def search(query, k):
    with Path("asked.txt").open("a") as log:
        log.write(query + "\\n")
    return ["d" + query.split()[1], "other"]
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_here(SUITE, APP, f'suites = ["search.yaml"]\nsystem = "app"\n{SYSTEM}{STORED}')
    rankgate("run", "search.yaml", "-o", "out").printed()
    rankgate("test").printed()
    Path("asked.txt").unlink()


@pytest.mark.parametrize(
    "changed",
    [
        SUITE.replace("    id: d3\n", "    any_of: [[d3, other]]\n"),
        SUITE.replace("    id: d3\n", "    id: d3\n    notes: read again\n    category: numbers\n"),
        "gates: [rr >= 0.5]\n" + SUITE.replace("[rr]", "[rr, ndcg@5]"),
    ],
    ids=["a judgment", "a note and a category", "a gate and a metric"],
)
def test_kept_answers_are_scored_again_and_nothing_is_asked(changed: str) -> None:
    Path("search.yaml").write_text(changed)
    for command in (
        ("test", "-s", "stored"),
        ("compare", "app", "out"),
        ("baseline", "set"),
        ("baseline", "show"),
        ("compare", "baseline", "app"),
        ("score", "-q", ".rankgate/search/app/judgments", "-r", "out"),
        ("suite", "update"),
        ("report", ".rankgate/search/app"),
    ):
        done = rankgate(*command)
        assert done.code == 0, (command, done.err)
        assert not Path("asked.txt").exists(), command


def test_a_case_that_was_renamed_keeps_its_answer_and_one_taken_out_is_counted() -> None:
    Path("search.yaml").write_text(
        SUITE.replace("query: number 3", "query: number 3\n    name: three").split("  - query: number 5")[0]
    )
    told = rankgate("test", "-s", "stored").printed()
    assert "1 query of the run not asked any more, left out" in told
    assert "1 query of the run matched by question, not by id" in told
    assert rankgate("compare", "app", "out").code == 0
    assert not Path("asked.txt").exists()
