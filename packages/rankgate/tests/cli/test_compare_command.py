"""``rankgate compare``: what is compared where no metric is named, and what is said before a first test."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rankgate.model.suite import GateText, Suite
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
        (["rr >= 0.5", "lost(10 -> absent@10) = 0"], ["rr"]),
        (["latency.p95 <= 200", "recall@4000tokens >= 0.2", "errors = 0"], []),
    ],
)
def test_metrics_of_gates_are_compared_after_those_of_the_suite(gates: list[str], more: list[str]) -> None:
    suite = Suite("s", (), metrics=("ndcg@10",), gates=tuple(map(GateText, gates)))
    assert compared_metrics(suite) == ("ndcg@10", *more)


def test_a_metric_is_compared_once_however_it_is_spelt() -> None:
    suite = Suite(
        "s", (), metrics=("nDCG@10", "rr@10"), gates=(GateText("ndcg@10 >= 1"), GateText("mrr > 0"))
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
    assert "(significant)" not in told
    assert "compared are the first 1" in " ".join(told.split())
    found = json.loads(rankgate("compare", before, after, "--format", "json").printed())
    rows = [row for one in found["comparisons"] for row in one["rows"]]
    assert {row["numbers"]["difference"] for row in rows} == {0.0}
