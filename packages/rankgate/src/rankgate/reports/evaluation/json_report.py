"""The report of an evaluation as JSON, whole: for programs, and to lay it out again without the system.

``header`` has everything that differs between two equal evaluations; the rest is the same to the byte.
docs/report-format.md explains it. The JSON Schema follows from the dataclasses that a report is made of:

python -m rankgate.reports.evaluation.json_report > docs/schemas/report.schema.json
"""

from __future__ import annotations

import ast
import inspect
import io
import json
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from itertools import pairwise
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Union, get_args, get_origin

from rankgate.errors import Code, FormatError, Problem
from rankgate.files.decoder import PAIRS, Decoder, hints
from rankgate.files.encoder import encoded
from rankgate.files.problems import Problems
from rankgate.files.text import read_text
from rankgate.reports.evaluation.report import EvaluationReport
from rankgate.reports.text.indented import indented_json
from rankgate.reports.text.printable import Block, printable, printable_block

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SCHEMA = 2
"""Raised when a field changes its meaning or goes; fields may be added without."""
LIMIT = 1 << 28
"""How many bytes of a file are read: 256 MiB."""
MOVED = ("header", "timings")
"""The fields of a report that stand in the header."""


@dataclass(frozen=True, slots=True)
class Varying:
    """What differs between two equal evaluations."""

    facts: tuple[tuple[str, str], ...] = ()
    """When the evaluation was made."""
    timings: tuple[tuple[str, str], ...] = ()
    """How long each stage took."""
    seconds: tuple[float | None, ...] = ()
    """How long the system took for each case, in the order of `cases`."""


class ReportDecoder(Decoder):
    """Reads reports and pages. Our own texts are safe to show already; those of another's file become so."""

    string = "text"
    dotted = True
    advice = "a newer rankgate may have written the file: read it with that one"

    def text(self, found: str, kind: Any) -> str:
        """Return a text that is safe to show."""
        return printable_block(found) if kind is Block else printable(found)


def render(*reports: EvaluationReport) -> str:
    """Write a report as one object; several, or none, as a list of them."""
    found = [document(report) for report in reports]
    text = io.StringIO()
    text.writelines(indented_json(found[0] if len(found) == 1 else found))
    return text.getvalue() + "\n"


def document(report: EvaluationReport) -> dict[str, Any]:
    """Return a report as what `json` can write."""
    varying = Varying(report.header, report.timings, tuple(case.seconds for case in report.cases))
    body = encoded(report, EvaluationReport)
    for name in MOVED:
        del body[name]
    for case in body["cases"]:
        del case["seconds"]
    return {"schema": SCHEMA, "header": encoded(varying, Varying), **body}


def read(path: str | Path) -> tuple[EvaluationReport, ...]:
    """Read the reports of a file.

    Raises:
        InputError: for a file that cannot be read.
        FormatError: with all that is wrong with it.
    """
    data = read_text(path, limit=LIMIT)
    if len(data) > LIMIT:
        raise FormatError(Code.TOO_LARGE(str(path), f"{len(data):,} bytes", f"at most {LIMIT:,}"))
    try:
        found = json.loads(data, parse_constant=_no_constant, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise FormatError(
            Code.BAD_SYNTAX(str(path), f"what is not JSON ({error})", "a report of rankgate")
        ) from error
    problems = Problems(str(path))
    several = found if isinstance(found, list) else [found]
    reports = [
        _report(one, str(path), "" if one is found else f"[{at}]", problems) for at, one in enumerate(several)
    ]
    problems.check()
    return tuple(report for report in reports if report is not None)


def _report(found: object, where: str, at: str, problems: Problems) -> EvaluationReport | None:
    if not isinstance(found, dict) or "schema" not in found:
        fix = "`rankgate test` writes one as report.json, and where --report json=FILE says"
        problems.add(Problem(f"{where}: {at or '.'}", "no report", "an object with a schema", fix))
        return None
    if found["schema"] != SCHEMA:
        fix = "read it with the rankgate that wrote it"
        problems.add(
            Code.NEWER_VERSION(f"{where}: {at}.schema", f"{found['schema']!r:.60}", f"{SCHEMA}", fix)
        )
        return None
    decoder = ReportDecoder(where, problems)
    before = problems.total
    varying = decoder.read(found.get("header"), Varying, f"{at}.header")
    body = {name: value for name, value in found.items() if name not in ("schema", "header")}
    cases = body.get("cases")
    if isinstance(cases, list):
        body["cases"] = [{**one, "seconds": None} if isinstance(one, dict) else one for one in cases]
    report: EvaluationReport | None = decoder.read(
        {**body, "header": {}, "timings": {}}, EvaluationReport, at
    )
    if report is None or problems.total > before:
        return None
    _check_lengths(report, varying, f"{where}: {at}", problems)
    timed = zip(report.cases, varying.seconds, strict=False)
    return replace(
        report,
        header=varying.facts,
        timings=varying.timings,
        cases=tuple(replace(case, seconds=seconds) for case, seconds in timed),
    )


def _check_lengths(report: EvaluationReport, varying: Varying, where: str, problems: Problems) -> None:
    """Check that what stands side by side is as long."""
    wanted = len(report.slices.metrics)
    parts: list[tuple[str, Sequence[object], int]] = [("header.seconds", varying.seconds, len(report.cases))]
    for number, row in enumerate(report.slices.rows):
        parts.append((f"slices.rows[{number}].values", row.values, wanted))
        parts.append((f"slices.rows[{number}].numbers", row.numbers, wanted))
    for name, found, length in parts:
        if len(found) != length:
            problems.add(Problem(f"{where}.{name}", f"{len(found)} values", f"{length}"))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_PLAIN: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    NoneType: {"type": "null"},
    PAIRS: {"type": "object", "additionalProperties": {"type": "string"}},
}


def report_schema() -> dict[str, Any]:
    """Describe what `json_report.render` writes."""
    known: dict[str, Any] = {}
    _reference(EvaluationReport, known)
    _reference(Varying, known)
    report = known.pop("EvaluationReport")
    for name in MOVED:
        del report["properties"][name]
    del known["CaseRow"]["properties"]["seconds"]
    known["CaseRow"]["required"].remove("seconds")
    first = {
        "schema": {"const": SCHEMA, "description": "The version of this description."},
        "header": {
            "$ref": "#/$defs/Varying",
            "description": "All that differs between two equal evaluations.",
        },
    }
    report["properties"] = first | report["properties"]
    report["required"] = list(report["properties"])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:rankgate:report:{SCHEMA}",
        "title": "A report of rankgate",
        "description": "One evaluation as an object, or several as a list. Fields may be added.",
        "oneOf": [
            {"$ref": "#/$defs/EvaluationReport"},
            {"type": "array", "items": {"$ref": "#/$defs/EvaluationReport"}},
        ],
        "$defs": {"EvaluationReport": report, **dict(sorted(known.items()))},
    }


def schema_text() -> str:
    """Write the schema."""
    return json.dumps(report_schema(), indent=2, ensure_ascii=False) + "\n"


def _describe(kind: Any, known: dict[str, Any]) -> dict[str, Any]:
    if kind in _PLAIN:
        return dict(_PLAIN[kind])
    origin, inside = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _union([_describe(one, known) for one in inside])
    if origin is Literal:
        return {"enum": list(inside)}
    if origin is tuple and inside[1:] == (...,):
        return {"type": "array", "items": _describe(inside[0], known)}
    if origin is tuple:
        parts = [_describe(one, known) for one in inside]
        return {"type": "array", "prefixItems": parts, "minItems": len(parts), "maxItems": len(parts)}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _describe(inside[1], known)}
    if is_dataclass(kind):
        return _reference(kind, known)
    if issubclass(kind, Enum):
        return {"enum": [member.value for member in kind]}
    raise TypeError(f"{kind} has no form in JSON; see decoder.py for those that have")


def _union(parts: list[dict[str, Any]]) -> dict[str, Any]:
    if all(part.keys() == {"type"} for part in parts):
        return {"type": [part["type"] for part in parts]}
    if all(part.keys() == {"enum"} for part in parts):
        return {"enum": [value for part in parts for value in part["enum"]]}
    return {"anyOf": parts}


def _reference(kind: Any, known: dict[str, Any]) -> dict[str, Any]:
    name = kind.__name__
    if name not in known:
        known[name] = {}  # so that a type may hold itself
        types, told = hints(kind), _docstrings(kind)
        properties = {
            field.name: _describe(types[field.name], known)
            | ({"description": told[field.name]} if field.name in told else {})
            for field in fields(kind)
        }
        known[name] |= {
            "type": "object",
            "description": inspect.getdoc(kind),
            "properties": properties,
            "required": list(properties),
        }
    return {"$ref": f"#/$defs/{name}"}


def _docstrings(kind: type) -> dict[str, str]:
    """Read what stands under each field of a class."""
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    lines = body.body if isinstance(body, ast.ClassDef) else []
    return {
        field.target.id: " ".join(text.value.value.split())
        for field, text in pairwise(lines)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


if __name__ == "__main__":
    sys.stdout.write(schema_text())
