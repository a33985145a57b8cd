"""The JSON Schema of a report, from the dataclasses that it is made of.

python -m rankgate.reports.json_schema > docs/schemas/report.schema.json
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
import textwrap
from dataclasses import fields, is_dataclass
from enum import Enum
from itertools import pairwise
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from rankgate.reports.evaluation import EvaluationReport
from rankgate.reports.json_report import MOVED, SCHEMA, Varying
from rankgate.reports.typed_json import PAIRS, hints

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


def render() -> str:
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
    if is_dataclass(kind):
        return _reference(kind, known)
    if issubclass(kind, Enum):
        return {"enum": [member.value for member in kind]}
    raise TypeError(f"{kind} has no form in JSON; see typed_json.py for those that have")


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
    sys.stdout.write(render())
