"""The report as JSON: whole, read back as it was, described by its schema, and distrusted."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.errors import FormatError, InputError
from rankgate.reports.evaluation import json_report
from rankgate.reports.evaluation.formats import FORMATS, laid_out
from support.reported import everything
from support.repository import ROOT

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from rankgate.reports.evaluation.report import EvaluationReport

SCHEMA = ROOT / "docs" / "schemas" / "report.schema.json"


@pytest.fixture(scope="module")
def report() -> EvaluationReport:
    return everything()


@pytest.fixture
def reading(tmp_path: Path) -> Callable[[Any], tuple[EvaluationReport, ...]]:
    """Write something to a file, and read it as reports."""

    def read(found: Any) -> tuple[EvaluationReport, ...]:
        path = tmp_path / "report.json"
        path.write_bytes(found if isinstance(found, bytes) else json.dumps(found).encode())
        return json_report.read(path)

    return read


def test_the_schema_is_up_to_date() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == json_report.schema_text(), "run `just reference-pages`"


def test_the_schema_is_a_schema_and_explains_every_field() -> None:
    from jsonschema import Draft202012Validator

    schema = json_report.report_schema()
    Draft202012Validator.check_schema(schema)
    bare = [
        f"{name}.{key}"
        for name, kind in schema["$defs"].items()
        for key, field in kind["properties"].items()
        if not field.get("description")
    ]
    assert bare == []


def test_a_report_fits_its_schema_and_reads_back_the_same(report: EvaluationReport, reading: Any) -> None:
    from jsonschema import Draft202012Validator

    validator = Draft202012Validator(json_report.report_schema())
    text = json_report.render(report)
    validator.validate(json.loads(text))
    assert reading(text.encode()) == (report,)
    assert json_report.render(*reading(text.encode())) == text


def test_several_reports_are_a_list(report: EvaluationReport, reading: Any) -> None:
    from jsonschema import Draft202012Validator

    text = json_report.render(report, report)
    Draft202012Validator(json_report.report_schema()).validate(json.loads(text))
    assert reading(text.encode()) == (report, report)
    assert reading(b"[]") == ()


def test_a_schema_without_a_field_refuses_what_lacks_it(report: EvaluationReport) -> None:
    from jsonschema import Draft202012Validator

    found = json.loads(json_report.render(report))
    del found["verdicts"][0]["number"]
    assert not Draft202012Validator(json_report.report_schema()).is_valid(found)


def test_numbers_are_whole_and_nothing_is_null(report: EvaluationReport) -> None:
    found = json.loads(json_report.render(report))
    gate, metric = found["verdicts"][0], found["metrics"][0]
    assert f"{gate['number']:.4f}" == gate["value"] != repr(gate["number"])
    assert gate["bar"] == 0.65
    assert gate["counts"]["scored"] == 7
    assert f"{metric['number']:.4f}" == metric["value"]
    assert [row["numbers"] for row in found["slices"]["rows"] if row["name"] == "(none)"] == [[None] * 3]
    unmeasured = replace(report, metrics=(replace(report.metrics[0], number=math.nan),))
    assert json.loads(json_report.render(unmeasured))["metrics"][0]["number"] is None


def test_the_header_has_all_that_varies(report: EvaluationReport) -> None:
    later = replace(
        report,
        header=(("time", "2026-03-02T11:11:11+00:00"),),
        timings=(("ask", "0.10 s"),),
        cases=tuple(replace(case, seconds=0.5) for case in report.cases),
    )
    first, second = (json.loads(json_report.render(one)) for one in (report, later))
    assert first.pop("header") != second.pop("header")
    assert first == second


def test_every_problem_of_a_file_is_told_with_its_path(report: EvaluationReport, reading: Any) -> None:
    found = json_report.document(report)
    found["verdicts"][1]["status"] = "fine"
    found["verdicts"][2]["mark"] = "<b>"
    found["metrics"][0]["counts"]["scored"] = "many"
    found["cases"][3]["line"] = 1.5
    found["exit_code"] = True
    found["slices"]["rows"][0]["numbers"] = [1e999, None, None]
    found["surprise"] = 1
    del found["notes"]
    with pytest.raises(FormatError) as refused:
        reading(json.dumps(found).replace("Infinity", "1e999").encode())
    places = {problem.where.partition(": ")[2] for problem in refused.value.problems}
    assert places == {
        ".verdicts[1].status",
        ".verdicts[2].mark",
        ".metrics[0].counts.scored",
        ".cases[3].line",
        ".exit_code",
        ".slices.rows[0].numbers[0]",
        ".surprise",
        ".notes",
    }


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"null",
        b"[1]",
        b'{"schema": 2}',
        b'{"schema": true}',
        b'{"schema": 1}',
        b'{"schema": 1, "schema": 1}',
        b'{"schema": 1, "header": {"facts": {"a": NaN}}}',
        b"[" * 100_000,
        b'{"schema": 1, "a": ' + b"9" * 5000 + b"}",
        b"\xff\xfe",
        b"\x1f\x8b",
    ],
)
def test_what_is_no_report_is_refused_in_words(data: bytes, reading: Any) -> None:
    with pytest.raises(InputError) as refused:
        reading(data)
    assert refused.value.problems


def test_lists_that_stand_side_by_side_are_as_long(report: EvaluationReport, reading: Any) -> None:
    for path in (("header", "seconds"), ("slices", "rows", 0, "values"), ("slices", "rows", 0, "numbers")):
        found = json_report.document(report)
        inner: Any = found
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = inner[path[-1]][1:]
        with pytest.raises(FormatError, match="values, expected"):
            reading(found)


def test_a_text_of_another_hand_steers_no_terminal(report: EvaluationReport, reading: Any) -> None:
    found = json_report.document(report)
    found["title"] = "red \x1b[31m \u202e \ud800"
    found["provenance"]["\x1b]0;x"] = "\x07"
    (read,) = reading(found)
    for style in FORMATS:
        text = laid_out(style, [read])
        text.encode()
        assert not {"\x1b", "\u202e", "\x07"} & set(text)


REPLACEMENTS: list[Any] = [
    *(None, True, 0, -1, 1.5, 10**30, "", "x", "❌", "\ud800", [], {}, [[]], {"a": 1}, [None], "a" * 3000)
]


def _damage(found: Any, draw: random.Random) -> Any:
    """Put another value somewhere into a document."""
    if isinstance(found, dict) and found and draw.random() < 0.9:
        name = draw.choice(list(found))
        return {**found, name: _damage(found[name], draw)}
    if isinstance(found, list) and found and draw.random() < 0.9:
        at = draw.randrange(len(found))
        return [*found[:at], _damage(found[at], draw), *found[at + 1 :]]
    return draw.choice(REPLACEMENTS)


@given(st.randoms(use_true_random=False))
def test_a_damaged_report_is_refused_or_can_be_laid_out(draw: random.Random) -> None:
    import tempfile

    found = json_report.document(_damaged())
    for _ in range(draw.randint(1, 3)):
        found = _damage(found, draw)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        path.write_text(json.dumps(found), encoding="utf-8")
        try:
            reports = json_report.read(path)
        except InputError:
            return
    for style in FORMATS:
        laid_out(style, reports).encode()


_damaged = cache(everything)
