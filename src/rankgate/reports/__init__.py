"""Reports: `model` works out every number and string once, a renderer only lays them out."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankgate.reports.model import ScoreReport

RENDERERS = {
    "csv": "rankgate.reports.csv_text",
    "json": "rankgate.reports.json_text",
    "table": "rankgate.reports.terminal",
    "trec": "rankgate.reports.trec_text",
}


def render(report: ScoreReport, style: str) -> str:
    """Write a report in one style; the renderer is imported here, because the terminal's is heavy."""
    text: str = import_module(RENDERERS[style]).render(report)
    return text
