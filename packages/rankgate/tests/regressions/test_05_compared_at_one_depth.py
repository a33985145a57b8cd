"""One system, asked for one hit and for ten, is not better than itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.numbered import SYSTEM, numbered_suite, write_here

if TYPE_CHECKING:
    from pathlib import Path

SUITE = numbered_suite(30, "metrics: [rr, hit@1]\n")
APP = """\
def search(query, k):
    n = int(query.split()[1])
    return ([f"other{m}" for m in range(n % 4)] + [f"d{n}"])[:k]
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_here(SUITE, APP, f'suites = ["search.yaml"]\n{SYSTEM}')
    for k in ("1", "10"):
        rankgate("run", "search.yaml", "-o", f"k{k}", "--k", k).printed()


@pytest.mark.parametrize(("before", "after"), [("k1", "k10"), ("k10", "k1")])
def test_both_are_compared_at_the_smaller_depth_and_a_note_says_so(before: str, after: str) -> None:
    told = rankgate("compare", before, after).printed()
    assert "(significant)" not in told
    assert "compared are the first 1" in " ".join(told.split())
    found = json.loads(rankgate("compare", before, after, "--format", "json").printed())
    rows = [row for one in found["comparisons"] for row in one["rows"]]
    assert {row["numbers"]["difference"] for row in rows} == {0.0}


def test_a_baseline_is_compared_at_the_smaller_depth_too() -> None:
    rankgate("test").printed()
    rankgate("baseline", "set").printed()
    told = " ".join(rankgate("compare", "baseline", "k1").printed().split())
    assert "compared are the first 1" in told
    assert "(significant)" not in told


def test_runs_of_one_depth_are_compared_whole() -> None:
    assert "compared are the first" not in rankgate("compare", "k10", "k10").printed()
