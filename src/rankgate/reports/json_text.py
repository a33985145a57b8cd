"""A report as JSON, with full doubles; null is "not scored"."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankgate.reports.model import ScoreReport


def render(report: ScoreReport) -> str:
    """Write a report as one JSON object."""
    runs = [
        {
            "name": name,
            "metrics": {
                row.metric: {"value": row.cells[at].value, **asdict(row.counts[at])} for row in report.rows
            },
            **({"queries": _queries(report, at)} if report.queries else {}),
        }
        for at, name in enumerate(report.runs)
    ]
    about = {"judgments": report.judgments, "trec": report.trec, "runs": runs, "notes": list(report.notes)}
    text = json.dumps(about, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return "".join(char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in text)


def _queries(report: ScoreReport, at: int) -> dict[str, dict[str, object]]:
    queries: dict[str, dict[str, object]] = {}
    for row in report.queries:
        query = queries.setdefault(row.name, {"status": row.statuses[at]})
        query[row.metric] = row.cells[at].value
        if row.cells[at].estimated:
            query["estimated"] = True
    return queries
