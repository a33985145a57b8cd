"""The rank of every query's first relevant hit in the latest evaluations: ``ranks.json.gz``, one small file.

Queries are matched by id and question, and then by question alone: a case that was renamed keeps its past,
and one that asks something else has none.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rankgate.errors import RankgateError
from rankgate.files.atomic import replacing
from rankgate.files.compressed import read_bytes
from rankgate.model.identity import question_digest
from rankgate.reports.page.past import NOTHING_EXPECTED, rank_cell
from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rankgate.model import Case
    from rankgate.reports.page.model import ReportPage
    from rankgate.reports.page.past import RankCell

RANKS = "ranks.json.gz"
RUNS = 20
"""Of how many evaluations ranks are kept."""
_LIMIT = 1 << 26


@dataclass(frozen=True, slots=True)
class Strips:
    """The ranks of queries, a cell for each evaluation."""

    numbers: tuple[int, ...] = ()
    """The evaluations, the oldest first."""
    rows: Mapping[tuple[str, str], tuple[RankCell, ...]] = field(default_factory=dict)
    """The cells of each query, by the id of its case and the digest of its question."""

    @classmethod
    def read(cls, folder: Path) -> Strips:
        """Read the ranks of a folder; none where the file cannot be read, which the next run replaces."""
        try:
            return _checked(json.loads(read_bytes(folder / RANKS, limit=_LIMIT)))
        except (RankgateError, OSError, TypeError, ValueError, RecursionError):
            return cls()

    def added(self, number: int, cases: Sequence[Case], page: ReportPage) -> Strips:
        """Return these ranks with those of one more evaluation; what is not asked any more is left out."""
        now = {query.case: rank_cell(query) for query in page.queries}
        cut, past = page.report.left_out.queries, {name for name, _ in self.rows}
        times = Counter(digest for _, digest in self.rows)
        by_question = {key[1]: row for key, row in self.rows.items() if times[key[1]] == 1}
        none: tuple[RankCell, ...] = (None,) * len(self.numbers)
        rows = {}
        for case in cases:
            name = printable(case.id)
            # Of a large suite, the queries that no page has listed have no ranks to keep.
            if cut and name not in now and name not in past:
                continue
            key = name, question_digest(case.query, case.filters)
            row = self.rows.get(key) or by_question.get(key[1], none)
            rows[key] = (*row, now.get(name))[-RUNS:]
        return Strips((*self.numbers, number)[-RUNS:], rows)

    @property
    def by_case(self) -> dict[str, tuple[RankCell, ...]]:
        """The cells of each query, by the id of its case."""
        return {name: row for (name, _), row in self.rows.items()}

    def write(self, folder: Path) -> None:
        """Write the ranks to a folder."""
        rows = [[*key, list(row)] for key, row in self.rows.items()]
        text = json.dumps({"runs": self.numbers, "rows": rows}, ensure_ascii=False, separators=(",", ":"))
        with replacing(folder / RANKS) as aside:
            aside.write_bytes(gzip.compress(text.encode(errors="replace"), mtime=0))


def _checked(data: Any) -> Strips:
    """Return what a file holds.

    Raises:
        ValueError: for what no evaluation writes.
    """
    numbers, rows = (data.get("runs"), data.get("rows")) if isinstance(data, dict) else (None, None)
    if not isinstance(numbers, list) or not isinstance(rows, list) or len(numbers) > RUNS:
        raise ValueError("no runs")
    if not all(_whole(one, 1) for one in numbers):
        raise ValueError("no numbers")
    found = {}
    for row in rows:
        name, digest, cells = row
        fits = isinstance(name, str) and isinstance(digest, str) and isinstance(cells, list)
        if not fits or len(cells) != len(numbers):
            raise ValueError("no row")
        if not all(cell is None or _whole(cell, NOTHING_EXPECTED) for cell in cells):
            raise ValueError("no rank")
        found[name, digest] = tuple(cells)
    return Strips(tuple(numbers), found)


def _whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value < 1 << 31
