"""``rankgate compare``: what is compared where no metric is named, and what is said before a first test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.evaluation.project.named_answers import compared_metrics
from rankgate.model.suite import GateText, Suite
from support.commands import rankgate
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
