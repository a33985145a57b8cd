"""One report through every layout: the same verdicts and the same numbers, to the character."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt

from rankgate.model import Status
from rankgate.reports.evaluation import terminal
from rankgate.reports.evaluation.formats import FORMATS, laid_out
from rankgate.reports.evaluation.rows import MARKS
from support.reported import everything
from support.repository import GOLDEN

if TYPE_CHECKING:
    from rankgate.reports.evaluation.report import EvaluationReport

GOLDEN = GOLDEN / "reports"
ENDINGS = {
    "terminal": "txt",
    "markdown": "md",
    "junit": "xml",
    "json": "json",
    "github": "github.txt",
    "github-comment": "comment.md",
}
Rows = list[tuple[str, str, str]]
SIGNS = {
    Status.PASSED: "✅",
    Status.FAILED: "❌",
    Status.INCONCLUSIVE: "❔",
    Status.NOT_ENFORCED: "⚪",
    Status.REFUSED: "⛔",
}


@pytest.fixture(scope="module")
def report() -> EvaluationReport:
    return everything()


def text_of(style: str, report: EvaluationReport) -> str:
    return (
        terminal.render(report, width=120, details=True) if style == "terminal" else laid_out(style, [report])
    )


def test_it_has_one_of_everything(report: EvaluationReport) -> None:
    assert {row.status for row in report.verdicts} == set(Status) - {Status.REFUSED}
    assert {failure.errored for failure in report.failures} == {True, False}
    assert {miss.passes for miss in report.known} == {True, False}
    assert len(report.slices.rows) > 3
    assert ENDINGS.keys() == FORMATS.keys()


@pytest.mark.parametrize("style", FORMATS)
def test_it_is_laid_out_as_it_was_approved(
    style: str, report: EvaluationReport, request: pytest.FixtureRequest
) -> None:
    path = GOLDEN / f"everything.{ENDINGS[style]}"
    text = text_of(style, report)
    if request.config.getoption("--update-goldens"):
        path.write_bytes(text.encode())
    assert text == path.read_bytes().decode()


def wanted(report: EvaluationReport, *, marked: bool = False) -> tuple[Rows, Rows]:
    """The gates, with what became of them and their values; the metrics, with their values and counts."""
    gates = [
        (row.gate, MARKS[row.status] if marked else str(row.status), row.value) for row in report.verdicts
    ]
    return gates, [(row.metric, row.value, row.counted) for row in report.metrics]


def from_terminal(report: EvaluationReport) -> tuple[Rows, Rows]:
    text = terminal.render(report, width=2000, details=True)
    gates = re.findall(r"^(✅|❔|⚪|❌|⛔)  (.+?)  +(\S+)  \S.*$", text, re.MULTILINE)
    body = text.split("metric ", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    metrics = [tuple(re.split(r" {2,}", line, maxsplit=2)) for line in body]
    signs = {sign: MARKS[status] for status, sign in SIGNS.items()}
    rows = gates[: len(report.verdicts)]
    return [(gate, signs[mark], value) for mark, gate, value in rows], metrics  # type: ignore[return-value]


def from_tables(text: str) -> tuple[Rows, Rows]:
    """Read the tables of gates and of metrics in Markdown, as it is rendered."""
    tables: list[list[list[str]]] = []
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type == "table_open":
            tables.append([])
        elif token.type == "tr_open":
            tables[-1].append([])
        elif token.type == "inline" and token.level and tables and token.map and tables[-1]:
            shown = [child.content for child in token.children or () if child.type != "html_inline"]
            tables[-1][-1].append("".join(shown))
    named = {rows[0][1]: rows[1:] for rows in reversed(tables)}
    gates, metrics = named["gate"], named["metric"]
    return [(row[1], row[0], row[2]) for row in gates], [(row[1], row[2], row[3]) for row in metrics]


def from_junit(text: str) -> tuple[Rows, Rows]:
    root = ET.fromstring(text)
    gates: Rows = []
    for test in root.iter("testcase"):
        if str(test.get("classname")).endswith(".gates"):
            about = {one.get("name"): str(one.get("value")) for one in test.iter("property")}
            ended = {"failure": "failed", "system-out": "passed"}.get(test[-1].tag, about["status"])
            assert about["status"] == ended
            gates.append((str(test.get("name")), ended, about["value"]))
    names = [metric for metric, _, _ in wanted(everything())[1]]
    suite = root.find("testsuite/properties")
    assert suite is not None
    facts = {str(one.get("name")): str(one.get("value")) for one in suite}
    metrics = [(name, *re.fullmatch(r"(\S+) \((.*)\)", facts[name]).groups()) for name in names]  # type: ignore[union-attr]
    return gates, metrics


def from_json(text: str) -> tuple[Rows, Rows]:
    found = json.loads(text)
    gates = [(row["gate"], row["status"], row["value"]) for row in found["verdicts"]]
    return gates, [(row["metric"], row["value"], row["counted"]) for row in found["metrics"]]


def from_github(text: str) -> Rows:
    """Read the gates that annotations tell of."""
    statuses = "|".join(Status)
    gates = []
    for properties, message in re.findall(r"^::(?:error|warning) (.*?)::(.*)$", text, re.MULTILINE):
        title = unescaped(dict(pair.split("=", 1) for pair in properties.split(","))["title"])
        if found := re.fullmatch(rf"rankgate: (.*) ({statuses})", title):
            gates.append((found[1], found[2], re.split(r"[ :]", unescaped(message), maxsplit=1)[0]))
    return gates


def unescaped(text: str) -> str:
    for code, char in (("%0A", "\n"), ("%0D", "\r"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, char)
    return text


def test_every_layout_has_the_same_verdicts_and_the_same_number_strings(report: EvaluationReport) -> None:
    named, marked = wanted(report), wanted(report, marked=True)
    assert from_terminal(report) == marked
    signed = [(row.gate, SIGNS[row.status], row.value) for row in report.verdicts], marked[1]
    assert from_tables(text_of("markdown", report)) == signed
    assert from_tables(text_of("github-comment", report)) == signed
    assert from_junit(text_of("junit", report)) == named
    assert from_json(text_of("json", report)) == named
    # Annotations tell of what did not pass, and of a value where there is one.
    unmet = [
        (gate, status, value if value != "–" else "0")
        for gate, status, value in named[0]
        if status != "passed"
    ]
    assert sorted(from_github(text_of("github", report))) == sorted(unmet)


def test_every_layout_has_the_same_slices(report: EvaluationReport) -> None:
    shown = terminal.render(report, width=2000, details=True)
    for row in report.slices.rows:
        numbers = r"\s+".join(map(re.escape, row.values))
        assert re.search(rf"^{re.escape(row.name)}\s+{row.cases}\s+{numbers}", shown, re.MULTILINE)
    cells = [" | ".join((str(row.cases), *row.values, "†" if row.mark else "")) for row in report.slices.rows]
    for style in ("markdown", "github-comment"):
        body = re.findall(r"^\| category (?s:.*?)(?=\n\n)", text_of(style, report), re.MULTILINE)[0]
        assert [line.split(" | ", 1)[1].removesuffix(" |") for line in body.splitlines()[2:]] == cells


def test_every_layout_has_the_same_comparison(report: EvaluationReport) -> None:
    assert report.comparison is not None
    rows = [
        (row.metric, row.before, row.after, row.difference, row.interval, row.p)
        for row in report.comparison.rows
    ]
    assert len(rows) == len(report.metrics)
    shown = terminal.render(report, width=2000, details=True)
    for row in rows:
        assert re.search(r"\s+".join(map(re.escape, row)), shown)
    for style in ("markdown", "github-comment"):
        text = text_of(style, report).replace("\\", "")
        for metric, *numbers in rows:
            assert f"| `{metric}` | {' | '.join(numbers)} |" in text
    found = json.loads(text_of("json", report))["comparison"]["rows"]
    fields = ("metric", "before", "after", "difference", "interval", "p")
    assert [tuple(row[name] for name in fields) for row in found] == rows


@pytest.mark.parametrize("style", ["markdown", "github-comment"])
def test_no_name_becomes_markup_a_mention_or_an_emoji(style: str, report: EvaluationReport) -> None:
    text = text_of(style, report)
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    tokens = [token for outer in parser.parse(text) for token in (outer, *(outer.children or ()))]
    assert not [token for token in tokens if token.type in ("link_open", "image")]
    inline = {token.content for token in tokens if token.type == "html_inline"}
    assert inline <= {"<!-- -->", "<sub>", "</sub>"}
    blocks = "".join(token.content for token in tokens if token.type == "html_block")
    assert blocks.count("<details>") == blocks.count("</details>") == (style == "github-comment")
    prose = "\0".join(token.content for token in tokens if token.type == "text")
    assert "everyone" in prose
    assert not re.search(r"(?<![A-Za-z0-9_])@\w|#\d|://|:[\w+-]+:", prose)


def test_no_text_gives_github_a_command(report: EvaluationReport) -> None:
    lines = laid_out("github", [report]).splitlines()
    commands = [line for line in lines if line.lstrip().startswith("::")]
    assert all(re.match(r"::(error|warning) [^:]*::", line) for line in commands)
    assert lines[-1] == f"{report.summary.state.symbol} {report.title}: {report.status}"
    assert len(commands) == len(lines) - 1
    assert not re.search(r"[\x00-\x1f\u202e]", "".join(lines))
