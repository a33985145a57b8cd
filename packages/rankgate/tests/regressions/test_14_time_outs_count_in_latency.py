"""Five of six queries time out, and what is left is fast: no gate on latency may pass on that."""

from __future__ import annotations

import json
from contextlib import chdir
from typing import TYPE_CHECKING

from rankgate.model import Answer, Case
from support.commands import rankgate
from support.evaluations import evaluated, target

if TYPE_CHECKING:
    from pathlib import Path

SUITE = """\
gates: [latency.p95 < 900ms]
cases:
  - {query: quick, id: a}
  - {query: slow one, id: a}
  - {query: slow two, id: a}
"""
PROGRAM = 'case "$1" in *slow*) sleep 30;; esac; echo "[\\"a\\"]"'


def test_a_time_out_counts_with_its_limit_at_least(tmp_path: Path) -> None:
    (tmp_path / "search.yaml").write_text(SUITE)
    command = json.dumps(["sh", "-c", PROGRAM, "sh", "{query}"])
    options = "timeout = 1.0\nconcurrency = 3\nmax_errors = 2\n"
    (tmp_path / "rankgate.toml").write_text(f"[systems.app]\ncommand = {command}\n{options}")
    with chdir(tmp_path):
        done = rankgate("test", "search.yaml")
    assert done.code == 1, done.out + done.err
    (verdict,) = json.loads((tmp_path / ".rankgate/search/app/verdicts.json").read_text())["verdicts"]
    assert verdict["status"] == "failed"
    assert verdict["value"] >= 1000
    assert verdict["counts"]["scored"] == 3
    assert verdict["counts"]["errored"] == 2


def test_an_error_that_is_no_time_out_has_no_latency_and_is_counted() -> None:
    cases = [Case(name, name, (target("a"),)) for name in ("fast", "late", "broken")]
    found = evaluated(
        cases,
        {"fast": ["a"], "late": Answer.TIMEOUT, "broken": Answer.ERROR},
        metrics=["latency.max"],
        latency={"fast": 10, "late": 500, "broken": 900},
    )
    (verdict,) = found.judge("latency.max < 200ms", max_errors=2)
    assert verdict.reason == "500.0 ms >= 200ms: 2 queries (1 not applicable, 2 errors)"
