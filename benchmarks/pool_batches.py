"""Batches of passages to be read blind, and the grades that come back.

`batch-01.md` is what a reader reads: queries, each with its passages in random order, as lines of files with
their numbers; `batch-01.json` has the same for programs. Neither says who found a passage, at which rank, or
what else is judged. What a reader says is `OUT/batch-01.json`: `{"code-0001": {"grade": 2, "reason": "…"}}`.
"""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rankgate.judging.units import JudgingUnit
from rankgate.truth.judgments.labels import Label, LabelLog, read_labels
from suite_ground import SUITES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

BATCH = 60
"""How many passages a batch has, about: a query is in one batch."""
GRADES = (0, 1, 2, 3)


def batches_of(units: Sequence[JudgingUnit]) -> list[list[JudgingUnit]]:
    """Cut passages, which stand query by query, into batches; the passages of a query stay together.

    >>> [len(one) for one in batches_of([JudgingUnit(case, case, "") for case in "a" * 50 + "b" * 19 + "c"])]
    [69, 1]
    """
    found: list[list[JudgingUnit]] = []
    for _, of_query in groupby(units, key=lambda unit: unit.case):
        some = list(of_query)
        if found and len(found[-1]) + len(some) / 2 <= BATCH:
            found[-1] += some
        else:
            found.append(some)
    return found


def write_batches(name: str, units: Sequence[JudgingUnit], folder: Path, first: int = 1) -> int:
    """Write passages to read, and return the number of the next batch.

    Args:
        name: The suite.
        units: The passages, query by query.
        folder: Where; what is there of other batches stays.
        first: The number of the first batch.
    """
    folder.mkdir(parents=True, exist_ok=True)
    number = first
    for batch in batches_of(units):
        rows = [
            {
                "id": f"{name}-{number:02}-{at:02}",
                "case": unit.case,
                "query": unit.query,
                "place": unit.location,
                "record": unit.path is None,
                "outline": list(unit.outline),
                "text": unit.text,
            }
            for at, unit in enumerate(batch, 1)
        ]
        place = folder / f"batch-{number:02}"
        place.with_suffix(".json").write_text(
            json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8"
        )
        place.with_suffix(".md").write_text(_page(f"{name}, batch {number:02}", rows), encoding="utf-8")
        number += 1
    return number


def _page(title: str, rows: Sequence[dict[str, Any]]) -> str:
    lines = [f"# {title}: {len(rows)} passages", ""]
    for query, some in groupby(rows, key=lambda row: row["query"]):
        lines += [f"## Query: {query}", ""]
        for row in some:
            within = f" (in {' / '.join(row['outline'])})" if row["outline"] else ""
            lines += [f"### {row['id']}: {row['place']}{within}", ""]
            start = _first_line(row["place"])
            lines += [f"{at:>6}  {line}" for at, line in enumerate(row["text"].split("\n"), start)]
            lines.append("")
    return "\n".join(lines)


def _first_line(place: str) -> int:
    lines = place.rpartition(":")[2].partition("-")[0]
    return int(lines) if lines.isdigit() else 1


def take_in(name: str, folder: Path, said: Path, judge: str, *, settles: bool = False) -> Counter[int]:
    """Append what a reader said of batches to the reader's log beside the suite, and count the grades.

    What the log has already is left alone. A batch counts whole or not at all.

    Args:
        name: The suite.
        folder: Where the batches are.
        said: The file of one batch, or a folder of them.
        judge: Who read.
        settles: True where it was read to settle what others differ on.

    Raises:
        SystemExit: where a file has other passages than its batch, or a grade that is none. Then
            nothing is written.
    """
    files = sorted(said.glob("batch-*.json")) if said.is_dir() else [said]
    if not files:
        raise SystemExit(f"{said} has no batch-NN.json")
    suite = SUITES / name / f"{name}.yaml"
    guidelines = _guidelines(name)
    # All are read before one is written.
    labels = [
        label
        for file in files
        for label in _labels(file, folder / file.name, judge, guidelines, settles=settles)
    ]
    log = LabelLog(suite, judge)
    known = {label.unit for label in read_labels(suite).of(judge)}
    fresh = [label for label in labels if label.unit not in known]
    for label in fresh:
        log.append(label)
    return Counter(int(label.grade or 0) for label in fresh)


def _guidelines(name: str) -> str:
    own = SUITES / name / "GUIDELINES.md"
    used = own if own.exists() else SUITES / "agreement" / "GUIDELINES.md"
    return sha256(used.read_bytes()).hexdigest()


def _labels(file: Path, batch: Path, judge: str, guidelines: str, *, settles: bool) -> Iterator[Label]:
    rows = {row["id"]: row for row in json.loads(batch.read_text(encoding="utf-8"))}
    said = json.loads(file.read_text(encoding="utf-8"))
    missing, unknown = rows.keys() - said.keys(), said.keys() - rows.keys()
    wrong = [pair for pair, one in said.items() if one.get("grade") not in GRADES]
    if missing or unknown or wrong:
        told = {"without a grade": missing, "not in the batch": unknown, "with a grade that is none": wrong}
        words = "; ".join(f"{why}: {', '.join(sorted(some))}" for why, some in told.items() if some)
        raise SystemExit(f"{file}: {words}")
    for pair, row in rows.items():
        unit = JudgingUnit(row["case"], row["query"], row["place"], text=row["text"])
        yield Label(
            judge,
            unit.case,
            unit.query,
            at=None if row["record"] else unit.location,
            id=unit.location if row["record"] else None,
            grade=float(said[pair]["grade"]),
            comment=str(said[pair].get("reason") or "") or None,
            source="model",
            guidelines=guidelines,
            text=unit.digest,
            settles=settles,
        )
