"""The number of results that a suite needs: metrics, gates, checks and budgets."""

from __future__ import annotations

from contextlib import chdir
from typing import TYPE_CHECKING

import pytest

import rankgate as rg
from rankgate.model import Hit
from rankgate.suites.formats import load_suite
from support.commands import rankgate
from support.pytest_sessions import GOOD, Project

if TYPE_CHECKING:
    from pathlib import Path


CASES = "cases:\n  - {name: keys, query: rotate a key, id: keys%s}\n"


def asked(
    tmp_path: Path, head: str, case: str = "", hits: int = 1, tokens: int = 1
) -> tuple[int, rg.Evaluation]:
    """Evaluate a suite; return how many hits were asked for, and what came of it."""
    path = tmp_path / "search.yaml"
    path.write_text(head + CASES % case)
    ks: list[int] = []

    def search(query: str, k: int) -> list[Hit]:
        ks.append(k)
        return [Hit(id=f"x{number}", tokens=tokens) for number in range(hits - 1)] + [
            Hit(id="keys", tokens=tokens)
        ]

    result = rg.evaluate(load_suite(path), search)
    return ks[0], result


@pytest.mark.parametrize(
    ("head", "case", "expected"),
    [
        ("", "", 10),
        ("metrics: [rr]\n", "", 10),
        ("metrics: [ndcg@20, rr]\n", "", 20),
        ('gates: ["r@30 >= 0.1"]\n', "", 30),
        ('gates: ["lost@40 = 0"]\n', "", 40),
        ("", ", top: [{at: keys, within: 25}]", 25),
        ("metrics: [r@400tokens]\n", "", 50),
        ('metrics: [rr]\ngates: ["tokens_to@400tokens <= 300"]\n', "", 50),
        ("metrics: [r@400tokens, p@60]\n", "", 60),
        ("k: 5\n", "", 5),
        ("k: 5\nmetrics: [rr, r@400tokens]\n", "", 5),
    ],
)
def test_depth_is_the_deepest_that_anything_needs(
    tmp_path: Path, head: str, case: str, expected: int
) -> None:
    assert asked(tmp_path, head, case)[0] == expected


def test_metric_without_cutoff_is_cut_at_the_depth(tmp_path: Path) -> None:
    head = 'metrics: [rr, "both = 0.5*rr + 0.5*ap"]\ngates: ["rr >= 0.1", "both >= 0.1"]\n'
    _, result = asked(tmp_path, head, hits=12)  # the right one is the twelfth of ten
    assert list(result.scores.columns) == ["rr@10", "both"]
    assert result["rr@10"] == result["rr"] == result["mrr"] == result["both"] == 0
    assert result.exit_code == 1
    assert "rr@10" in str(result)


@pytest.mark.parametrize(
    ("head", "case", "named"),
    [
        ("metrics: [ndcg@10]\n", "", "ndcg@10"),
        ('metrics: [rr]\ngates: ["r@20 >= 0.1"]\n', "", "r@20 >= 0.1"),
        ('metrics: [rr]\ngates: ["lost@10 = 0"]\n', "", "lost@10 = 0"),
        ("metrics: [rr]\n", ", top: [{at: keys, within: 7}]", "top of keys"),
    ],
)
@pytest.mark.parametrize("command", [("test",), ("suite", "lint")])
def test_smaller_k_names_what_needs_more(
    tmp_path: Path, head: str, case: str, named: str, command: tuple[str, ...]
) -> None:
    Project.of(tmp_path, f"k: 5\n{head}{CASES % case}", GOOD)
    with chdir(tmp_path):
        done = rankgate(*command, "search.yaml")
    assert done.code == 2
    assert named in done.out + done.err
    assert "needs" in done.out + done.err


def test_results_that_end_before_the_budget_are_counted(tmp_path: Path) -> None:
    said = "1 query has room left in 400 tokens after the 5 hits asked for: a larger k fills it"
    _, short = asked(tmp_path, "k: 5\nmetrics: [r@400tokens]\n", hits=5, tokens=10)
    assert said in short.report.notes
    _, full = asked(tmp_path, "k: 5\nmetrics: [r@400tokens]\n", hits=5, tokens=100)
    _, all_there_is = asked(tmp_path, "k: 5\nmetrics: [r@400tokens]\n", hits=4, tokens=10)
    assert not {said} & {*full.report.notes, *all_there_is.report.notes}
