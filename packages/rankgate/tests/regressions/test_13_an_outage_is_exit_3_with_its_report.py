"""An outage beside a gate that needs an answer is exit code 3; every exit code writes every report."""

from __future__ import annotations

import json
from contextlib import chdir
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

import rankgate.evaluation.flow as rankgate_flow
from rankgate.reports.evaluation.json_report import read
from support.commands import rankgate
from support.pytest_sessions import GOOD, Project

if TYPE_CHECKING:
    from pathlib import Path

SUITE = """\
gates: ["{gate}"]
cases:
  - {{name: keys, query: rotate a key, id: {{keys: 1, noise: 0}}, category: a}}
  - {{name: hooks, query: retry webhooks, id: hooks, category: b}}
"""
GATES = [
    "latency.p95 < 200ms",
    "latency.p95 < 200ms where category = a",
    "worst(category) latency.p95 < 200ms",
    "judged@10 >= 0 where category = a",
    "rr >= 0.5 where category = a",
]
TOKENS = ["r@4000tokens >= 0.1", "tokens_to(recall=1) <= 4000"]


@pytest.mark.parametrize(
    ("gate", "broken"),
    [(gate, 1) for gate in GATES] + [(gate, 2) for gate in (*GATES, *TOKENS)],
)
def test_an_outage_is_exit_3_with_the_report(tmp_path: Path, gate: str, broken: int) -> None:
    errors = dict.fromkeys(["rotate a key", "retry webhooks"][:broken], "no index")
    answers: dict[str, list[str] | str] = {**GOOD, **errors}
    Project.of(tmp_path, SUITE.format(gate=gate), answers)
    with chdir(tmp_path):
        done = rankgate("test", "search.yaml", "-o", "junit=told.xml")
    assert done.code == 3, done.out + done.err
    assert "System error on" in done.out
    assert "no index" in (tmp_path / "told.xml").read_text()


def test_a_gate_over_a_slice_that_nobody_has_is_still_refused(tmp_path: Path) -> None:
    Project.of(tmp_path, SUITE.format(gate="rr >= 0.5 where category = c"), {"rotate a key": "no index"})
    with chdir(tmp_path):
        done = rankgate("test", "search.yaml")
    assert done.code == 2
    assert "category 'c'" in done.err


STYLES = ("junit", "json", "markdown", "terminal", "github", "github-comment", "html")
REPORTS = [word for style in STYLES for word in ("-o", f"{style}=told/{style}")]
REFUSED = {
    "a gate over a slice that nobody has": SUITE.format(gate="rr >= 0.5 where category = c"),
    "a gate that cannot be read": SUITE.format(gate="ndgc@10 >= 0.5"),
    "a suite that is none": "cases: [\n",
}


def checked(folder: Path, code: int, words: str) -> None:
    """Check that every report of an earlier test was replaced by one that is red and says why."""
    texts = {style: (folder / "told" / style).read_text() for style in STYLES}
    (report,) = read(folder / "told" / "json")
    assert report.exit_code == code
    assert any(words in row.reason for row in report.verdicts)
    (suite,) = ET.fromstring(texts["junit"]).iter("testsuite")
    assert int(suite.attrib["errors"]) == int(suite.attrib["tests"]) >= 1
    for style in ("markdown", "terminal", "github-comment"):
        assert any(sign in texts[style] for sign in "❌⛔🔌💥")
        assert "✅" not in texts[style]
    assert "::error" in texts["github"]
    assert "<title>❌" in texts["html"]


@pytest.mark.parametrize("suite", REFUSED.values(), ids=list(REFUSED))
def test_a_suite_that_is_refused_leaves_no_older_green_report(tmp_path: Path, suite: str) -> None:
    Project.of(tmp_path, SUITE.format(gate="rr >= 0.5"))
    with chdir(tmp_path):
        assert rankgate("test", "search.yaml", *REPORTS).code == 0
        (tmp_path / "search.yaml").write_text(suite)
        done = rankgate("test", "search.yaml", *REPORTS)
    assert done.code == 2
    checked(tmp_path, 2, "search.yaml")
    kept = json.loads((tmp_path / ".rankgate/search/app/verdicts.json").read_text())
    assert kept["exit_code"] == 2


def test_a_crash_leaves_no_older_green_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Project.of(tmp_path, SUITE.format(gate="rr >= 0.5"))
    monkeypatch.chdir(tmp_path)
    assert rankgate("test", "search.yaml", *REPORTS).code == 0

    def crash(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(rankgate_flow, "run_evaluation", crash)
    assert rankgate("test", "search.yaml", *REPORTS).code == 70
    checked(tmp_path, 70, "crashed")


def test_without_any_suite_the_reports_say_so(tmp_path: Path) -> None:
    with chdir(tmp_path):
        assert rankgate("test", "-o", "json=told.json").code == 2
    (report,) = read(tmp_path / "told.json")
    assert "no suite" in report.verdicts[0].reason
