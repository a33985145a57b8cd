"""Suites of other tools, read from a few lines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rankgate.suites.formats import ReadOptions, load_suite

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rankgate.model import Case, Suite


def read(
    path: Path,
    content: object,
    format: str | None = None,  # noqa: A002 - the word users know
    *,
    grades: Mapping[str, float] | None = None,
    **options: str,
) -> Suite:
    """Write text, or anything else as JSON, and read it."""
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return load_suite(path, format, ReadOptions(grades or {}, options=options))


def targets(case: Case) -> dict[str, float]:
    """The targets of a case as text, with their grades."""
    return {str(target.location): target.grade for target in case.targets}


def judged(suite: Suite) -> dict[str, dict[str, float]]:
    """The targets of every case by its query."""
    return {case.query: targets(case) for case in suite.cases}


def lines(content: list[Any]) -> str:
    """JSON lines."""
    return "".join(json.dumps(item) + "\n" for item in content)
