"""The JSON report: a `Report` as it is, and the reader and schema that follow from its types.

One report is written as one object, several as ``{"version", "exit_code", "reports"}``. This
writes the schema:

    python -m rankgate.reports.json_report > docs/schemas/report.schema.json
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from rankgate import report as model
from rankgate.errors import Code, ExitCode, FormatError, Problem
from rankgate.report import VERSION, Report

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import TypeAdapter

LIMIT: Final = 1 << 28
"""The largest file that is read: 256 MiB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reports:
    """The reports of one command over several suites or systems."""

    version: int = VERSION
    exit_code: int
    reports: tuple[Report, ...]


def render(*reports: Report) -> str:
    """Return one report as its object, and several or none as `Reports`."""
    document = reports[0] if len(reports) == 1 else Reports(exit_code=exit_code(reports), reports=reports)
    try:
        text = _lines(document, "\n")
    except ValueError:  # a number that is not finite
        text = _lines(_finite(document), "\n")
    # Characters that steer a terminal or are not seen are written as JSON escapes: the escape of this output.
    for char in set(text):
        if not char.isprintable() and char != "\n":
            text = text.replace(char, json.dumps(char)[1:-1])
    return text + "\n"


def exit_code(reports: tuple[Report, ...]) -> int:
    """Return the exit code of a command that made these reports."""
    known = {int(code): code for code in ExitCode}
    return int(ExitCode.worst(known.get(report.exit_code, ExitCode.CRASHED) for report in reports))


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _fields(value: Any) -> dict[str, Any]:
    """Return what the encoder of JSON can't write itself as a dictionary."""
    if isinstance(value, Mapping):
        return dict(value)
    return {name: getattr(value, name) for name in _names(value.__class__)}


_encoded = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=_fields).encode


def _lines(value: Any, start: str) -> str:
    """Return a report with a line per field, and per case, gate and the like; `start` begins a line."""
    inner = f"{start}  "
    if isinstance(value, (Report, Reports)):
        parts = [f"{inner}{_encoded(name)}: {_lines(one, inner)}" for name, one in _fields(value).items()]
        return f"{{{','.join(parts)}{start}}}"
    if isinstance(value, tuple) and value and is_dataclass(value[0]):
        return f"[{','.join(inner + _lines(one, inner) for one in value)}{start}]"
    return _encoded(value)


def _finite(value: Any) -> Any:
    """Return a value with None for each number that is not finite."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, tuple):
        return tuple(_finite(one) for one in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{name: _finite(one) for name, one in _fields(value).items()})
    return value


def read(path: str | Path) -> tuple[Report, ...]:
    """Read the reports of a file.

    Raises:
        InputError: If the file can't be read.
        FormatError: If it is not a report of this version, with everything that is wrong.
    """
    from rankgate.io.text import read_text

    data = read_text(path, limit=LIMIT)
    if len(data) > LIMIT:
        raise FormatError(Code.TOO_LARGE(str(path), f"{len(data):,} bytes", f"at most {LIMIT:,}"))
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _error(Code.BAD_SYNTAX, f"{path}: invalid JSON: {error}.") from error
    several = isinstance(found, dict) and "reports" in found
    if not isinstance(found, dict) or "version" not in found:
        raise _error(Code.WRONG_FORMAT, f"{path}: not a report. `rankgate test -o json=FILE` writes one.")
    if found["version"] != VERSION:
        version = f"{found['version']!r:.40}"
        raise _error(
            Code.NEWER_VERSION,
            f"{path}: version {version} of the report is unsupported; this rankgate reads version {VERSION}."
            " Use the rankgate that wrote it.",
        )
    del found
    return _validated(data, str(path), several=several)


def _validated(data: bytes, path: str, *, several: bool) -> tuple[Report, ...]:
    from pydantic import ValidationError

    from rankgate.io.problems import Problems

    try:
        if several:
            reports: tuple[Report, ...] = _adapter(Reports).validate_json(data, strict=True).reports
        else:
            reports = (_adapter(Report).validate_json(data, strict=True),)
    except ValidationError as error:
        problems = Problems(path)
        for wrong in error.errors(include_url=False, include_input=False, include_context=False):
            where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in wrong["loc"])
            sentence = f"{path}: {where.removeprefix('.') or 'report'}: {wrong['msg']}."
            problems.add(_problem(Code.WRONG_FORMAT, sentence))
        problems.check()
        raise
    for at, report in enumerate(reports):
        if report.version != VERSION:
            sentence = f"{path}: reports[{at}]: version {report.version}, but the file has version {VERSION}."
            raise _error(Code.NEWER_VERSION, sentence)
    return reports


def _problem(code: Code, sentence: str) -> Problem:
    return code(sentence, "", "", said=sentence)


def _error(code: Code, sentence: str) -> FormatError:
    return FormatError(_problem(code, sentence))


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    """Return the reader of a type, with the docstrings of fields as their descriptions."""
    from pydantic import ConfigDict, TypeAdapter

    config = ConfigDict(use_attribute_docstrings=True, allow_inf_nan=False, hide_input_in_errors=True)
    for one in (*vars(model).values(), Reports):
        if isinstance(one, type) and is_dataclass(one):
            one.__pydantic_config__ = config  # type: ignore[attr-defined]
    return TypeAdapter(kind)


def schema_text() -> str:
    """Return the JSON Schema of the JSON report."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:rankgate:report:{VERSION}",
        "title": "A report of rankgate",
        **_adapter(Report | Reports).json_schema(mode="serialization"),
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(schema_text())
