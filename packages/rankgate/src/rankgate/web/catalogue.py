"""What there is to look at in a folder of results: every evaluation that is remembered, by a key."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError, RankgateError
from rankgate.evaluation.configuration import HOME
from rankgate.evaluation.history.records import COMMIT_LETTERS, HISTORY, History
from rankgate.evaluation.results import refused_verdict
from rankgate.model.wording import many
from rankgate.reports.evaluation.summary.states import refused_state, remembered_state
from rankgate.reports.page.model import IndexPair, IndexRecord, PageIndex
from rankgate.reports.page.past import trend_of
from rankgate.reports.text.marks import BAD
from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rankgate.evaluation.history.records import Record
    from rankgate.reports.page.model import PageMetric


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """One evaluation."""

    record: Record
    """What is remembered of it."""
    page: Path
    """The file of its page, which may be gone."""

    @property
    def name(self) -> str:
        """What people call it."""
        label = self.commit or self.record.time
        return f"{self.record.system} #{self.record.number}" + (f", {label}" if label else "")

    @property
    def commit(self) -> str:
        """The commit, shortened, with a sign where files were changed since."""
        record = self.record
        return record.commit[:COMMIT_LETTERS] + "+" * record.dirty if record.commit else ""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The evaluations of a folder."""

    home: Path
    """The folder: that of a project's results."""

    @classmethod
    def of(cls, folder: Path) -> Catalogue:
        """Take a project, or the folder of its results.

        Raises:
            InputError: where there is nothing to look at.
        """
        home = folder / HOME if (folder / HOME).is_dir() else folder
        found = cls(home)
        if not any(found.histories()):
            fix = "run `rankgate test`, which keeps what it finds there"
            raise InputError(Code.NO_REPORT(str(home), "no evaluations", "a project that was tested", fix))
        return found

    def histories(self) -> Iterator[History]:
        """Read the history of every suite and system that has one, by their names."""
        for path in sorted(self.home.glob(f"*/*/{HISTORY}")):
            try:
                history = History.read(path.parent)
            except (RankgateError, OSError):
                continue
            if history.records:
                yield history

    def entries(self) -> dict[str, CatalogueEntry]:
        """Return every evaluation by its key."""
        return {
            self._key(history, record): CatalogueEntry(record, history.page(record))
            for history in self.histories()
            for record in history.records
        }

    def index(self) -> PageIndex:
        """List everything."""
        pairs = tuple(sorted(map(self._pair, self.histories()), key=_standing))
        lost = sum(1 for _ in self.home.glob(f"*/*/{HISTORY}")) - len(pairs)
        notes = [f"{many(lost, 'history', 'histories')} could not be read"] if lost else []
        shown = self.home.resolve()
        return PageIndex(
            pairs, printable(str(shown.parent.name if shown.name == HOME else shown.name)), tuple(notes)
        )

    def _pair(self, history: History) -> IndexPair:
        latest = history.records[-1]
        metrics = latest.metrics
        records = tuple(self._record(history, record, metrics) for record in reversed(history.records))
        removed = sum(not record.kept for record in records)
        records = (*_refused(history, len(metrics)), *records)
        notes = []
        if history.forgotten:
            notes.append(f"{many(history.forgotten, 'evaluation')} of long ago forgotten, to make room")
        if removed:
            notes.append(f"the pages of {many(removed, 'evaluation')} removed, to make room")
        if history.unreadable:
            notes.append(f"{many(history.unreadable, 'line')} of {HISTORY} could not be read")
        trend = trend_of(metrics, history.runs)
        return IndexPair(latest.suite, latest.system, metrics, records, tuple(notes), trend)

    def _record(self, history: History, record: Record, metrics: tuple[PageMetric, ...]) -> IndexRecord:
        entry = CatalogueEntry(record, history.page(record))
        known = {
            (metric.name, metric.unit): (value, shown)
            for metric, value, shown in zip(record.metrics, record.values, record.shown, strict=True)
        }
        found = [known.get((metric.name, metric.unit), (None, "")) for metric in metrics]
        return IndexRecord(
            key=self._key(history, record),
            number=record.number,
            mark=record.mark,
            status=record.status,
            time=record.time,
            commit=entry.commit,
            version=record.version,
            values=tuple(value for value, _ in found),
            shown=tuple(shown for _, shown in found),
            kept=entry.page.is_file(),
            state=remembered_state(record.state, record.exit_code, record.status),
        )

    def _key(self, history: History, record: Record) -> str:
        """Name an evaluation by what an address can hold: nothing of it is ever a path."""
        name = "\n".join((*history.folder.parts[-2:], str(record.number)))
        return hashlib.sha256(name.encode(errors="surrogateescape")).hexdigest()[:16]


def _refused(history: History, metrics: int) -> Iterator[IndexRecord]:
    """Return a row for the latest test where it came to no verdict, which no history has."""
    found = refused_verdict(history.folder)
    if found is not None:
        yield IndexRecord(
            key="",
            number=history.next_number,
            mark=BAD,
            status=printable(found.headline),
            time=found.time,
            values=(None,) * metrics,
            shown=("",) * metrics,
            kept=False,
            state=refused_state(found.exit_code),
        )


def _standing(pair: IndexPair) -> tuple[str, bool, float, str]:
    """Sort by suite, and in it the system first that is best by the first metric of its latest evaluation."""
    values = (record.values[0] for record in pair.records if record.values)
    value = next((one for one in values if one is not None), None)
    sign = 1.0 if pair.metrics and pair.metrics[0].less else -1.0
    return pair.suite, value is None, sign * (value or 0.0), pair.system
