"""Judgments as JSON lines: query, id or at, grade, group, source, reviewed, matches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgate.errors import PlaceError, Problem
from rankgate.files.objects import Fields, read_objects, write_objects
from rankgate.files.paths import parse_place, places
from rankgate.files.problems import Problems
from rankgate.truth.exporting import losses, named_targets
from rankgate.truth.judgments import TARGETS, Judgments

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_KEYS = {"query", "id", "at", "grade", "group", "source", "reviewed", "matches"}
_KEPT = frozenset({"lines", "paths", "group", "source", "reviewed", "matches"})


def read_jsonl(path: str | Path) -> Judgments:
    """Read judgments, one a line.

    A missing grade is 1, a missing source is "import", and `at` is a path or path:10-50.

    Raises:
        FormatError: with all that is wrong with the file.
    """
    problems = Problems(str(path))
    unknown: dict[str, int] = {}
    rows = []
    for where, found in read_objects(path, problems):
        for key in found.keys() - _KEYS:
            unknown[key] = unknown.get(key, 0) + 1
        rows.append(_row(found, where, problems))
    problems.check()
    notes = tuple(f"field {key!r} ignored in {count} lines" for key, count in sorted(unknown.items()))
    return Judgments.of(TARGETS.of_rows(rows), where=str(path), notes=notes)


def write_jsonl(judgments: Judgments, path: str | Path) -> tuple[str, ...]:
    """Write judgments, one a line, and tell what they cannot hold."""
    write_objects(path, _objects(judgments))
    return losses(judgments, _KEPT)


def _row(found: dict[str, Any], where: str, problems: Problems) -> dict[str, object]:
    fields = Fields(found, where, problems)
    name, place = fields.text("id"), fields.text("at")
    if ("id" in found) == ("at" in found):
        problems.add(
            Problem(where, "both id and at" if "id" in found else "neither id nor at", "one of the two")
        )
    path, lines = None, None
    if place is not None:
        try:
            path, lines = parse_place(place)
        except PlaceError as error:
            problems.add(Problem(f"{where}: at", f"{place!r:.80} ({error})", "path or path:10-50"))
    grade, reviewed = fields.number("grade"), fields.flag("reviewed")
    return {
        "query": fields.text("query", required=True),
        "target": 0,
        "group": fields.text("group"),
        "grade": 1.0 if grade is None else grade,
        "id": name,
        "path": path,
        "start": lines.start if lines else None,
        "end": lines.end if lines else None,
        "strategy": "id" if place is None else "lines" if lines else "path",
        "source": fields.text("source") or "import",
        "reviewed": True if reviewed is None else reviewed,
        "matches": fields.count("matches"),
    }


def _objects(judgments: Judgments) -> Iterator[dict[str, object]]:
    columns = ("query", "id", "grade", "group", "source", "reviewed", "matches")
    targets = named_targets(judgments)
    frame = targets.select(*columns).with_columns(at=places(targets))
    for row in frame.iter_rows(named=True):
        grade = row["grade"]
        yield {
            "query": row["query"],
            "id": row["id"],
            "at": row["at"],
            "grade": int(grade) if grade == int(grade) else grade,
            "group": row["group"],
            "source": row["source"],
            "reviewed": row["reviewed"],
            "matches": row["matches"],
        }
