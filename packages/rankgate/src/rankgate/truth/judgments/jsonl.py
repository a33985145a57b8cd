"""Judgments as JSON lines: query, id or at, grade, group, source, reviewed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankgate.errors import LocationError, Problem
from rankgate.io.parquet import parse_location
from rankgate.io.problems import Problems
from rankgate.io.records import Name, read_objects, validated
from rankgate.truth.judgments.table import TARGETS, Judgments

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class _Line:
    """One judgment."""

    query: Name
    id: str | None = None
    at: str | None = None
    grade: float = 1.0
    group: str | None = None
    source: str = "import"
    reviewed: bool = True


def read_jsonl(path: str | Path) -> Judgments:
    """Read judgments, one a line.

    A missing grade is 1, a missing source is "import", and `at` is a path or path:10-50.

    Raises:
        FormatError: with all that is wrong with the file.
    """
    problems = Problems(str(path))
    rows = [_row(found, where, problems) for where, found in read_objects(path, problems)]
    problems.check()
    ignored = sorted(problems.ignored.items())
    notes = tuple(f"field {key!r} ignored in {count} lines" for key, count in ignored)
    return Judgments.of(TARGETS.of_rows(rows), where=str(path), notes=notes)


def _row(found: dict[str, Any], where: str, problems: Problems) -> dict[str, object]:
    line: _Line | None = validated(found, _Line, where, problems)
    if ("id" in found) == ("at" in found):
        problems.add(
            Problem(where, "both id and at" if "id" in found else "neither id nor at", "one of the two")
        )
    if line is None:
        return {}
    path, lines = None, None
    if line.at is not None:
        try:
            path, lines = parse_location(line.at)
        except LocationError as error:
            problems.add(Problem(f"{where}: at", f"{line.at!r:.80} ({error})", "path or path:10-50"))
    return {
        "query": line.query,
        "target": 0,
        "group": line.group,
        "grade": line.grade,
        "id": line.id,
        "path": path,
        "start": lines.start if lines else None,
        "end": lines.end if lines else None,
        "strategy": "id" if line.at is None else "lines" if lines else "path",
        "source": line.source or "import",
        "reviewed": line.reviewed,
    }
