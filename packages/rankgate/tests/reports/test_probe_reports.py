"""Scenarios and invariants in reports: as approved, safe with any text, absent where there are none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt

from rankgate.gates.checks import CheckResult, Checks, InvariantResult, ScenarioResult
from rankgate.gates.scenarios import NOT_NAVIGABLE
from rankgate.model import Case, ExitCode, Relation
from rankgate.reports.evaluation import junit, markdown, terminal
from rankgate.reports.evaluation.report import Header
from support.evaluations import Evaluated, evaluated, target
from support.repository import GOLDEN

if TYPE_CHECKING:
    from collections.abc import Callable

REPORTS = GOLDEN / "reports"
HEADER = Header(system="app.search:search")
PASSED, FAILED, NOT_RUN = CheckResult.PASSED, CheckResult.FAILED, CheckResult.NOT_RUN
HOSTILE = "a|b `c` <b>x</b> [y](http://evil.test) @all \x1b[31m\u202e\n# h"
SCENARIOS = (
    ScenarioResult("authorization code flow", PASSED, (), 5, 1812, "handbook.yaml:40:5"),
    ScenarioResult(
        "rotate a key without downtime, as the runbook says",
        FAILED,
        (
            "step 2, tree auth/keys.md: 'Rotation' stands under 'Overview', not under 'Keys'",
            "step 3, read auth/keys.md#Keys/Rotation: the text does not have '90 days'",
        ),
        4,
        96,
        "handbook.yaml:52:5",
    ),
    ScenarioResult(
        "retries",
        NOT_RUN,
        ("step 1, search 'retry a hook': the system did not answer in time (no answer after 30 s)",),
        1,
        0,
        "handbook.yaml:63:5",
    ),
)
INVARIANTS = (
    InvariantResult("stable-deploy", Relation.STABLE, PASSED, (), "handbook.yaml:70:5"),
    InvariantResult(
        "filter-only-deploy",
        Relation.FILTER_ONLY,
        FAILED,
        ("guides/deploy.md:1-9 at rank 2 is not what the filters ask for: 3 of 10 hits outside runbooks/**",),
        "handbook.yaml:72:5",
    ),
    InvariantResult("empty-blockchain", Relation.EMPTY, PASSED, (), "handbook.yaml:75:5"),
)


def probed(
    scenarios: tuple[ScenarioResult, ...] = SCENARIOS,
    invariants: tuple[InvariantResult, ...] = INVARIANTS,
    *,
    errored: int = 1,
) -> Evaluated:
    case = Case("keys", "rotate a key", (target("a"),), where="handbook.yaml:5:5")
    found = evaluated([case], {"keys": ["a"]}, metrics=["rr"], name="handbook")
    checks = Checks((), scenarios, invariants, probes=12, probes_errored=errored)
    return replace(found, checks=found.checks.with_probes(checks))


@pytest.fixture
def report_golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a report with the one kept under a file name, to the byte."""

    def compare(name: str, text: str) -> None:
        path = REPORTS / name
        if request.config.getoption("--update-goldens"):
            path.write_bytes(text.encode())
        assert path.is_file(), f"{path} is not there; run pytest --update-goldens and read what it wrote"
        assert text == path.read_bytes().decode()

    return compare


def test_scenarios_and_invariants_are_laid_out_as_approved(report_golden: Callable[[str, str], None]) -> None:
    report = probed().report("rr >= 0.5", header=HEADER)
    report_golden("probes.txt", terminal.render(report, width=120, details=True))
    report_golden("probes-narrow.txt", terminal.render(report, width=80, details=True))
    report_golden("probes.md", markdown.render(report))
    report_golden("probes.xml", junit.render(report))


def test_a_narrow_terminal_loses_nothing() -> None:
    report = probed().report("rr >= 0.5", header=HEADER)
    words = " ".join(terminal.render(report, width=60, details=True).split())
    assert "…" not in words
    for row in (*report.probes.scenarios, *report.probes.broken):
        assert row.name.split()[-1] in words
        assert row.reason.rpartition(" ")[2] in words


def test_the_status_says_what_the_system_failed_on() -> None:
    report = probed().report("rr >= 0.5", header=HEADER)
    assert report.exit_code is ExitCode.SYSTEM_FAILED
    assert report.status == (
        "System error on 1 of 12 probes; 2 of 3 gates failed, with errors counted as 0, "
        "which says nothing about the search"
    )
    allowed = probed().report("rr >= 0.5", header=replace(HEADER, max_errors=1))
    assert allowed.exit_code is ExitCode.GATE_FAILED
    assert allowed.status.startswith(
        "scenarios = 100% fails with 50% (and 1 more gate); 1 error, counted as 0"
    )


def test_marks_follow_the_gates() -> None:
    report = probed(errored=0).report("scenarios >= 50%", "invariants >= 60%", header=HEADER)
    assert report.exit_code is ExitCode.PASSED
    assert [row.mark for row in report.probes.scenarios] == ["✅", "⚠️", "⚠️"]
    assert [row.mark for row in report.probes.broken] == ["⚠️"]
    root = ET.fromstring(junit.render(report))
    assert root.find("testsuite").attrib["failures"] == "0"  # type: ignore[union-attr]
    strict = probed().report(header=HEADER)
    assert [row.mark for row in strict.probes.scenarios] == ["✅", "❌", "❌"]
    waived = probed().report(header=HEADER, enforce=False)
    assert [row.mark for row in waived.probes.scenarios] == ["✅", "⚠️", "⚠️"]


def test_each_is_a_test_of_its_own_in_junit() -> None:
    root = ET.fromstring(junit.render(probed().report(header=HEADER)))
    tests = [test for test in root.iter("testcase") if test.get("classname") in ("scenario", "invariant")]
    assert [(test.get("classname"), test.get("line"), [child.tag for child in test]) for test in tests] == [
        ("scenario", "40", ["system-out"]),
        ("scenario", "52", ["failure"]),
        ("scenario", "63", ["error"]),
        ("invariant", "70", []),
        ("invariant", "72", ["failure"]),
        ("invariant", "75", []),
    ]
    assert tests[0][0].text == "5 calls, ≈1,812 tokens (estimated)"
    assert tests[1][0].get("message") == "; ".join(SCENARIOS[1].reasons)
    lenient = ET.fromstring(junit.render(probed(errored=0).report(header=HEADER)))
    (skipped,) = [test for test in lenient.iter("testcase") if test.get("name") == "retries"]
    assert [child.tag for child in skipped] == ["skipped"]


def test_a_system_that_only_searches_is_told_so() -> None:
    scenario = ScenarioResult("walk", FAILED, (NOT_NAVIGABLE,), 1, 9)
    text = terminal.render(probed((scenario,), (), errored=0).report(header=HEADER), width=120, details=True)
    assert NOT_NAVIGABLE in text
    assert "Invariants" not in text


def test_a_suite_without_them_says_nothing_of_them() -> None:
    report = probed((), (), errored=0).report("rr >= 0.5", header=HEADER)
    for text in (terminal.render(report, details=True), markdown.render(report), junit.render(report)):
        assert "cenario" not in text
        assert "nvariant" not in text


def test_no_text_of_a_system_becomes_markup() -> None:
    scenario = ScenarioResult(HOSTILE, FAILED, (HOSTILE, HOSTILE), 1, 1, HOSTILE)
    invariant = InvariantResult(HOSTILE, Relation.EMPTY, FAILED, (HOSTILE,), HOSTILE)
    report = probed((scenario,), (invariant,)).report(header=HEADER)
    shown = terminal.render(report, width=200, details=True)
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    text = markdown.render(report)
    parser = MarkdownIt("gfm-like", {"linkify": False})
    tokens = [token for outer in parser.parse(text) for token in (outer, *(outer.children or ()))]
    assert not [token for token in tokens if token.type in ("link_open", "image", "html_block")]
    assert {token.content for token in tokens if token.type == "html_inline"} == {"<!-- -->"}
    rows = [line for line in text.splitlines() if line.startswith("| ❌ | a")]
    assert [row.replace("\\|", "").count("|") for row in rows] == [6]
    assert ET.fromstring(junit.render(report)) is not None
