"""``rankgate compare``: what is compared where no metric is named, and what is said before a first test."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rankgate.model import GateText, Suite
from rankgate.project.named_answers import compared_metrics
from support.commands import rankgate
from support.numbered import SYSTEM, numbered_suite, write_here
from support.projects import write_project

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_before_a_first_test_both_ways_to_answers_are_named() -> None:
    said = rankgate("compare", "app", "good").refused()
    assert "test it first: rankgate test search.yaml --system app" in said
    command = "rankgate compare app good --suite search.yaml --ask"
    assert f"; or ask now: {command}" in said
    assert rankgate(*command.split()[1:]).code == 0


def test_what_cannot_be_asked_is_not_offered(project: Path) -> None:
    rankgate("test", "--system", "good", "-o", str(project / "kept"))
    said = rankgate("compare", "app", "baseline").refused()
    assert "--ask" not in said


@pytest.mark.parametrize(
    ("gates", "more"),
    [
        (["hit@5 >= 0.5", "drop(hit@5) <= 0", "ndcg@10 >= 0.2"], ["hit@5"]),
        (["rr >= 0.5", "lost@10 = 0"], ["rr"]),
        (["latency.p95 <= 200", "recall@4000tokens >= 0.2", "errors = 0"], []),
    ],
)
def test_metrics_of_gates_are_compared_after_those_of_the_suite(gates: list[str], more: list[str]) -> None:
    suite = Suite("s", (), metrics=("ndcg@10",), gates=tuple(map(GateText, gates)))
    assert compared_metrics(suite) == ("ndcg@10", *more)


def test_a_metric_is_compared_once_however_it_is_spelt() -> None:
    suite = Suite(
        "s", (), metrics=("nDCG@10", "rr@10"), gates=(GateText("ndcg@10 >= 1"), GateText("mrr >= 0.1"))
    )
    assert compared_metrics(suite) == ("nDCG@10", "rr@10")


DEEP_APP = """\
def search(query, k):
    n = int(query.split()[1])
    return ([f"other{m}" for m in range(n % 4)] + [f"d{n}"])[:k]
"""


@pytest.mark.parametrize(("before", "after"), [("k1", "k10"), ("k10", "k1")])
def test_compare_of_two_depths_uses_the_smaller(before: str, after: str) -> None:
    suite = numbered_suite(30, "metrics: [rr, hit@1]\n")
    write_here(suite, DEEP_APP, f'suites = ["search.yaml"]\n{SYSTEM}')
    for k in ("1", "10"):
        rankgate("run", "search.yaml", "-o", f"k{k}", "--k", k).printed()
    told = rankgate("compare", before, after).printed()
    assert "significantly" not in told
    assert "compared are the first 1" in " ".join(told.split())
    found = json.loads(rankgate("compare", before, after, "--format", "json").printed())
    metrics = [metric for pair in found["pairs"] for metric in pair["metrics"]]
    assert {metric["difference"] for metric in metrics} == {0.0}


def numbered_runs(*apps: str) -> None:
    """Run 12 queries with several systems, as the folders r0, r1 and so on."""
    suite = numbered_suite(12, "metrics: [rr]\n")
    for at, app in enumerate(apps):
        write_here(suite, app, f'suites = ["search.yaml"]\n{SYSTEM}')
        rankgate("run", "search.yaml", "-o", f"r{at}", "--k", "10")


GOOD_APP = "def search(query, k):\n    return ['d' + query.split()[1]]\n"
LOSES = "def search(query, k):\n    n = int(query.split()[1])\n    return ['x' if n < {0} else f'd{{n}}']\n"
BROKEN = GOOD_APP.replace(
    "    return", "    if query.endswith(' 3'):\n        raise OSError('<gone>')\n    return"
)


def test_compare_finds_regressions_and_adjusts_p_by_holm() -> None:
    numbered_runs(GOOD_APP, LOSES.format(7), LOSES.format(8))
    found = json.loads(rankgate("compare", "r0", "r1", "r2", "--format", "json").printed())
    first, second = (pair["metrics"][0] for pair in found["pairs"])
    # By hand: 7 and 8 queries differ, all alike; the smaller p value counts twice.
    assert [first["p"], second["p"]] == pytest.approx([2 / 2**7, 2 / 2**8])
    assert [first["holm"], second["holm"]] == pytest.approx([2 / 2**7, 4 / 2**8])
    assert (first["wins"], first["losses"], first["ties"], first["finding"]) == (0, 7, 5, "worse")
    changes = [case["change"] for case in found["pairs"][0]["cases"]]
    assert changes == ["regressed"] * 7 + ["unchanged"] * 5


def test_compare_with_few_changes_is_inconclusive_without_interval() -> None:
    numbered_runs(GOOD_APP, LOSES.format(5))
    (pair,) = json.loads(rankgate("compare", "r0", "r1", "--format", "json").printed())["pairs"]
    metric = pair["metrics"][0]
    assert (metric["finding"], metric["low"], metric["detectable"]) == ("inconclusive", None, None)


@pytest.mark.parametrize("style", ["terminal", "markdown", "html"])
def test_compare_formats_show_metrics_queries_and_errors(style: str) -> None:
    numbered_runs(GOOD_APP, LOSES.format(7), BROKEN)
    shown = rankgate("compare", "r0", "r1", "r2", "--format", style).printed()
    assert "r1 compared with r0: rr@10 1.000 → 0.417 (−0.583), significantly worse" in shown.replace(
        "&gt;", ">"
    )
    assert "rank 1 → not found" in shown
    assert "ended in an error in r2" in shown
    assert style != "html" or "<gone>" not in shown
