"""TREC qrels: lines of query, iteration, id and grade, one case a query.

Qrels have no texts: the option ``queries`` names a file of them. Without it, a query is run by its id, and a
note says so. Topics without judgments are left out and counted.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rankgate.errors import FormatError
from rankgate.io.tables import file_text, wrong
from rankgate.suites.formats import SuiteFormat
from rankgate.suites.mapped import OPTIONS, Cases, FieldMap, Record, Records, field_map, suite_of
from rankgate.wording import quoted

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.model import Suite
    from rankgate.suites.formats import ReadOptions

NAMES = ("query", "iteration", "id", "grade")
_GRADE = re.compile(rb"[-+]?\d+(\.\d+)?")
_LOOKED_AT = 20
_MAPPING = FieldMap(
    query=("query",),
    name=("query",),
    id=("id",),
    grade=("grade",),
    ignore=("iteration",),
    unlisted="unjudged",
)


def read_trec(path: Path, reading: ReadOptions) -> Suite:
    """Read qrels; lines that begin with # are comments.

    Raises:
        FormatError: with all that is wrong with the file.
    """
    mapping = field_map(reading.options, "format trec", _MAPPING)
    cases = Cases(path, reading.grades)
    source = Records(path, mapping, cases.problems)
    records = []
    for number, line in enumerate(file_text(path).split("\n"), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != len(NAMES):
            said = f"{quoted(line.strip(), 60)} has {len(words)} words, and not 4: {', '.join(NAMES)}"
            cases.problems.add(wrong(f"{path}:{number}", said))
            continue
        records.append(Record((dict(zip(NAMES, words, strict=True)),), f"{path}:{number}", source))
    if not records and not cases.problems.total:
        raise FormatError(wrong(str(path), "the file has no judgments"))
    return suite_of(records, mapping, cases, reading)


def _recognise(_path: Path, start: bytes) -> bool:
    """Recognise qrels by their lines of four words of which the last is a number; a run has six."""
    whole, _, _ = start.removeprefix(b"\xef\xbb\xbf").rpartition(b"\n")
    lines = [line.split() for line in (whole or start).split(b"\n") if not line.lstrip().startswith(b"#")]
    words = [line for line in lines if line][:_LOOKED_AT]
    return bool(words) and all(len(line) == len(NAMES) and _GRADE.fullmatch(line[3]) for line in words)


FORMAT = SuiteFormat(
    "trec",
    "TREC qrels: lines of query, iteration, id and grade",
    read_trec,
    _recognise,
    options={key: OPTIONS[key] for key in ("queries", "unlisted", "no_relevant")},
)
