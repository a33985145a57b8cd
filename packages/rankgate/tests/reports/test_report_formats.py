"""The report of a test in every format: the same after it was read from JSON, bounded, and inert."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import time
from collections import Counter
from contextlib import chdir
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import cmarkgfm
import html5lib
import jsonschema
import pytest
from cmarkgfm.cmark import Options

from rankgate.errors import FormatError
from rankgate.report import CaseState, GateState, MetricResult, Report, State
from rankgate.reports import annotations as github_annotations
from rankgate.reports import comment, json_report, junit, markdown, terminal
from rankgate.reports.formats import FORMATS, laid_out
from rankgate.reports.html import page
from support import page_reports, reports
from support.commands import rankgate
from support.hostile_strings import COMMANDS, CONTROLS, HTML, MARKDOWN
from support.projects import APP, write_project
from support.workflow_commands import obeyed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

EVERY = reports.every_report()


# --- JSON ------------------------------------------------------------------------------------------------


def written(path: Path, *found: Report) -> tuple[Report, ...]:
    path.write_text(json_report.render(*found), encoding="utf-8")
    return json_report.read(path)


@pytest.mark.parametrize("name", EVERY)
def test_report_read_from_json_renders_the_same(name: str, tmp_path: Path) -> None:
    (again,) = written(tmp_path / "report.json", EVERY[name])
    assert again == EVERY[name]
    for style in FORMATS:
        assert laid_out(style, [again]) == laid_out(style, [EVERY[name]])


def test_several_reports_are_one_document(tmp_path: Path) -> None:
    found = tuple(EVERY.values())
    assert written(tmp_path / "report.json", *found) == found
    document = json.loads(json_report.render(reports.red(), reports.missing_targets(), reports.green()))
    assert list(document) == ["version", "exit_code", "reports"]
    assert document["exit_code"] == 2
    for style in FORMATS:
        assert laid_out(style, found)


def test_json_report_matches_its_schema() -> None:
    schema = json.loads(json_report.schema_text())
    validator = jsonschema.Draft202012Validator(schema)
    for report in EVERY.values():
        validator.validate(json.loads(json_report.render(report)))
    validator.validate(json.loads(json_report.render(reports.red(), reports.green())))
    assert schema["$defs"]["CaseResult"]["properties"]["top"]["description"] == (
        "The number of results in the top k."
    )


def test_json_report_has_null_for_values_that_are_not_finite() -> None:
    metrics = (MetricResult(metric="rr", value=float("nan"), before=float("inf"), count=0),)
    document = json.loads(json_report.render(reports.green(metrics=metrics)))
    assert (document["metrics"][0]["value"], document["metrics"][0]["before"]) == (None, None)


def test_writing_json_does_not_import_pydantic() -> None:
    code = (
        "import sys; from rankgate.reports import json_report; from rankgate.report import *;"
        "json_report.render(Report(suite='a', system='b', state=State.PASSED, exit_code=0));"
        "sys.exit('pydantic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def refused(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        json_report.read(path)
    return str(caught.value).replace(str(path), "report.json")


def test_invalid_report_names_every_wrong_field(tmp_path: Path) -> None:
    document = json.loads(json_report.render(reports.red()))
    document["cases"][0]["hits"][1]["rank"] = "secret"
    document["gates"][0]["state"] = "secret"
    del document["suite"]
    states = ", ".join(repr(str(state)) for state in GateState).rsplit(", ", 1)
    assert refused(tmp_path / "a.json", json.dumps(document)).splitlines() == [
        "report.json: suite: Field required.",
        f"report.json: gates[0].state: Input should be {states[0]} or {states[1]}.",
        "report.json: cases[0].hits[1].rank: Input should be a valid integer.",
    ]


def test_unknown_version_names_both_versions(tmp_path: Path) -> None:
    text = json_report.render(reports.red()).replace('"version": 3', '"version": 9')
    assert refused(tmp_path / "a.json", text) == (
        "report.json: version 9 of the report is unsupported; this rankgate reads version 3."
        " Use the rankgate that wrote it."
    )


@pytest.mark.parametrize("text", ["{", "[]", "{}", "[" * 100_000, '{"version": 3, "reports": 1}'])
def test_other_json_is_an_error(text: str, tmp_path: Path) -> None:
    assert refused(tmp_path / "a.json", text).startswith("report.json: ")


def test_unknown_fields_are_ignored(tmp_path: Path) -> None:
    document = {**json.loads(json_report.render(reports.red())), "later": 1}
    (tmp_path / "a.json").write_text(json.dumps(document))
    assert json_report.read(tmp_path / "a.json") == (reports.red(),)


# --- JUnit -----------------------------------------------------------------------------------------------


def items(report: Report) -> dict[str, str]:
    """Return the result of each item by name."""
    root = ET.fromstring(junit.render(report))
    return {
        test.get("name", ""): next((child.tag for child in test if child.tag != "system-out"), "passed")
        for test in root.iter("testcase")
    }


def test_junit_of_red_has_failed_gates_and_queries() -> None:
    failed = {name for name, result in items(reports.red()).items() if result == "failure"}
    assert failed == {"drop(ndcg@10) <= 0.02", "lost@10 = 0", "rotate-an-api-key"}
    (suite,) = ET.fromstring(junit.render(reports.red()))
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("22", "3", "0")


@pytest.mark.parametrize(
    "name", ["green", "with_regressed", "everything", "no_gates", "selection", "not_tested"]
)
def test_junit_of_a_test_that_passed_has_no_failed_item(name: str) -> None:
    assert not {"failure", "error"} & set(items(EVERY[name]).values())


def test_junit_query_that_fails_no_test_is_no_failure() -> None:
    assert items(reports.pooled())["rotate-an-api-key"] == "passed"


@pytest.mark.parametrize("name", ["missing_targets", "unlocated", "system_failed", "crashed", "inconclusive"])
def test_junit_of_other_exit_codes_has_an_error(name: str) -> None:
    assert "error" in items(EVERY[name]).values()


def test_junit_names_systems_of_one_suite() -> None:
    root = ET.fromstring(junit.render(reports.green(), reports.green(system="prod")))
    assert [suite.get("name") for suite in root] == ["search, app:search", "search, prod"]


# --- annotations -----------------------------------------------------------------------------------------


def test_annotations_are_at_the_lines_of_the_suite() -> None:
    found = obeyed(github_annotations.render(reports.red(), path_of=lambda file: f"eval/{file}"))
    assert [one.name for one in found] == ["error"] * 3
    assert found[2].properties == "file=eval/search.yaml,line=14,title=rankgate%3A rotate an API key"


def test_annotations_have_the_regressed_queries_of_a_failed_drop() -> None:
    titles = [one.properties for one in obeyed(github_annotations.render(reports.pooled()))]
    assert any("line=14,title=rankgate%3A rotate an API key" in title for title in titles)


def test_annotations_of_a_test_that_passed_are_none() -> None:
    for name in ("green", "with_regressed", "everything", "no_gates"):
        assert obeyed(github_annotations.render(EVERY[name])) == []
    assert [one.name for one in obeyed(github_annotations.render(EVERY["not_tested"]))] == ["warning"]


def test_annotations_are_ten_and_count_the_rest() -> None:
    report = reports.with_regressed(20)
    cases = tuple(replace(case, state=CaseState.FAILED) for case in report.cases)
    found = obeyed(github_annotations.render(replace(report, cases=cases, state=State.FAILED, exit_code=1)))
    assert len(found) == github_annotations.SHOWN
    assert "11 more errors" in found[-1].properties
    assert found[-1].data.endswith("question 19")


# --- Markdown and the comment ----------------------------------------------------------------------------


def test_comment_shows_each_changed_result_once() -> None:
    block = comment.render(reports.with_regressed(1)).partition("```diff\n")[2].partition("\n```")[0]
    assert block.splitlines() == [
        "+  new → 1  billing/keys.md:3-9 › License keys",
        "!    4 → 3  auth/roles.md:1-8 › Roles",
        "!    1 → 4  auth/keys.md:10-24 › Rotation  ← expected",
        "- 3 → gone  auth/old.md:1-8 › Old keys",
    ]


def test_comment_begins_with_its_marker() -> None:
    text = comment.render(reports.red())
    assert text.startswith("<!-- rankgate: search app%3Asearch -->\n\n### ✗ search · app:search · failed")
    assert comment.render(reports.red(), marked=False).startswith("### ✗ search")
    assert comment.marker([reports.red()]) == comment.marker([reports.green()])


def test_comment_of_several_reports_shows_the_worst_first() -> None:
    text = comment.render(reports.green(suite="a"), reports.red())
    assert text.index("- ✓ a ·") < text.index("- ✗ search ·") < text.index("### ✗ search ·")
    assert "<summary>✓ a ·" in text


@pytest.mark.parametrize("several", [1, 8])
def test_comment_fits_and_reports_what_it_leaves_out(several: int) -> None:
    hostile = "<|@x " * 200
    cases = tuple(
        replace(reports.regressed_case(number), query=f"{number} {hostile}", category=hostile)
        for number in range(500)
    )
    report = reports.with_regressed(1)
    report = replace(report, cases=cases, attention=tuple(case.name for case in cases), suite="s" * 80)
    text = comment.render(*[replace(report, state=State.FAILED, exit_code=1)] * several)
    assert len(text.encode()) <= comment.LIMIT
    assert "more" in text
    small = comment.render(report, limit=3000)
    assert len(small.encode()) <= 3000
    assert "… more does not fit into a comment." in small


def test_markdown_has_queries_gates_categories_and_advice() -> None:
    text = markdown.render(reports.red(), url="https://ci.example.org/report")
    for words in (
        "# ✗ search · app:search · failed (exit code 1)",
        "| rotate an API key | rank 1 → not found; never: billing/keys.md: rank 1 |",
        "- ✗ drop(ndcg@10) = 0.050 (at most 0.02)",
        "rankgate query app:search --case rotate-an-api-key --explain",
        "## Categories\n\n| category | queries | ndcg@10 |\n| --- | ---: | ---: |\n| how | 19 | 0.900 |",
        "## Recommendations\n\n- 1 query returns the right document, but other lines.",
        "[HTML report](<https://ci.example.org/report>)",
    ):
        assert words in text


def test_failed_gate_of_no_case_is_in_every_format() -> None:
    gate = replace(reports.red().gates[0], state=GateState.OVER_NOTHING, queries=(), reason="no case matches")
    report = reports.green(gates=(gate,), state=State.INVALID, exit_code=2, causes=("a gate over nothing",))
    for style in FORMATS:
        assert "no case matches" in laid_out(style, [report]), style


# --- injection -------------------------------------------------------------------------------------------


def with_text(value: Any, change: Callable[[str], str]) -> Any:
    """Return a report with each text from a suite or a system changed."""
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        return change(value) if value and value not in FIXED else value
    if isinstance(value, tuple):
        return tuple(with_text(one, change) for one in value)
    if isinstance(value, dict):
        return {with_text(key, change): with_text(one, change) for key, one in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return type(value)(
            **{field.name: with_text(getattr(value, field.name), change) for field in fields(value)}
        )
    return value


FIXED = ("report", "%", "ms", "tokens", "count", "category", "tag")
STRINGS = [*COMMANDS, *CONTROLS, *HTML, *MARKDOWN]
SEEDS = range(12)
FULL = replace(
    reports.everything(),
    **{
        name: getattr(reports.missing_targets(), name)
        for name in ("state", "exit_code", "causes", "gates", "next", "slices", "recommendations", "notes")
    },
    cases=(
        *reports.missing_targets().cases[:4],
        *reports.pooled().cases[:1],
        *reports.everything().cases[1:9],
    ),
    problems=reports.unlocated().problems,
    provenance=reports.red().provenance,
)
"""A report with something in each of its fields."""


def hostile(seed: int, *, plain: bool = False) -> Report:
    """Return this report with hostile strings around each text; with `plain`, words in the same lines."""
    draw = Random(seed).choice

    @cache
    def change(words: str) -> str:
        text = f"{draw(STRINGS)} {words} {draw(STRINGS)}"
        return re.sub("[^\n]+", f"x {words.split(maxsplit=1)[0]} x", text) if plain else text

    return with_text(FULL, change)  # type: ignore[no-any-return]


def elements(text: str) -> Counter[tuple[str, str]]:
    """Return the elements that GitHub shows for Markdown, with the names of their attributes."""
    html = cmarkgfm.github_flavored_markdown_to_html(text, Options.CMARK_OPT_UNSAFE)
    tree = html5lib.parse(html, treebuilder="etree", namespaceHTMLElements=False)
    # A comment breaks a mention or a link.
    return Counter(
        (str(node.tag), str(sorted(node.attrib))) for node in tree.iter() if not callable(node.tag)
    )


def controls(text: str) -> set[str]:
    return {char for char in text if not char.isprintable() and char not in "\n\t\u200c\u200d"}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("render", [markdown.render, comment.render])
def test_markdown_shows_hostile_text_as_text(render: Callable[..., str], seed: int) -> None:
    assert elements(render(hostile(seed))) == elements(render(hostile(seed, plain=True)))


@pytest.mark.parametrize("seed", SEEDS)
def test_no_format_has_control_characters(seed: int) -> None:
    for style in FORMATS:
        assert controls(laid_out(style, [hostile(seed)])) == set(), style


@pytest.mark.parametrize("seed", SEEDS)
def test_terminal_has_only_our_colours(seed: int) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    text = terminal.render(hostile(seed), stream=Terminal(), details=True)
    assert controls(re.sub(r"\x1b\[\d+m", "", text)) == set()


@pytest.mark.parametrize("seed", SEEDS)
def test_annotations_obey_no_command_of_a_text(seed: int) -> None:
    found = obeyed(github_annotations.render(hostile(seed)))
    assert {one.name for one in found} <= {"error", "warning"}
    assert all("title=rankgate" in one.properties for one in found)


@pytest.mark.parametrize("seed", SEEDS)
def test_junit_of_hostile_text_has_the_same_items(seed: int) -> None:
    root = ET.fromstring(junit.render(hostile(seed)))
    assert [node.tag for node in root.iter()] == [
        node.tag for node in ET.fromstring(junit.render(FULL)).iter()
    ]


# --- the live run ----------------------------------------------------------------------------------------


def test_files_of_a_live_run_equal_those_of_its_json(tmp_path: Path) -> None:
    folder = write_project(tmp_path)
    with chdir(folder):
        assert rankgate("baseline", "set", "search.yaml", "--system", "good", "--once").code == 0
        (folder / "app.py").write_text(
            APP.replace("def good", "def before").replace("def search", "def good")
        )
        (folder / "out").mkdir()
        outputs = [part for style in (*FORMATS, "html") for part in ("-o", f"{style}=out/{style}")]
        assert rankgate("test", "search.yaml", "--system", "good", *outputs).code == 1
    (report,) = json_report.read(folder / "out" / "json")
    assert report.comparison is not None
    assert report.comparison.regressed > 0
    for style in FORMATS:
        assert (folder / "out" / style).read_text() == laid_out(style, [report]), style
    assert (folder / "out" / "html").read_text() == page.render(report)


NUMBER = re.compile(r"(?<![\w.:-])(\d[\d,]*\.\d+)( ms|%)?(?![\w.])")


@pytest.mark.parametrize("style", [*FORMATS, "html"])
@pytest.mark.parametrize("name", [*EVERY, "failed"])
def test_every_value_of_an_output_is_in_the_json_report(name: str, style: str) -> None:
    report = EVERY[name] if name in EVERY else page_reports.failed()
    text = page.render(report) if style == "html" else laid_out(style, [report])
    if style == "html":
        text = " ".join(next(html5lib.parse(text, namespaceHTMLElements=False).iter("main")).itertext())
    values = [float(found) for found in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", json_report.render(report))]
    for number, unit in NUMBER.findall(text.removeprefix('<?xml version="1.0"')):
        places = len(number.partition(".")[2])
        shown = float(number.replace(",", "")) / (100 if unit == "%" else 1)
        near = 0.500001 * 10 ** -(places + 2 * (unit == "%"))
        assert any(abs(abs(value) - shown) <= near for value in values), (number, unit)


def test_report_of_5000_queries_is_written_within_three_seconds() -> None:
    report = page_reports.large(5000)
    before = time.process_time()
    for style in FORMATS:
        laid_out(style, [report])
    page.render(report)
    assert time.process_time() - before <= 3
