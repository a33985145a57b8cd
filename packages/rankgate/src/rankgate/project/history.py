"""What became of a suite and a system over time: a line for each evaluation in ``history.jsonl``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from rankgate.corpora.programs import Git
from rankgate.errors import RankgateError
from rankgate.files.atomic import replacing
from rankgate.files.encoder import encoded
from rankgate.files.problems import Problems
from rankgate.model import ExitCode
from rankgate.reports.evaluation.json_report import ReportDecoder
from rankgate.reports.page.model import MetricGate, PageMetric
from rankgate.reports.page.past import PastRun
from rankgate.reports.text.marks import Mark

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.reports.page.model import ReportPage

HISTORY = "history.jsonl"
RECORDS = 1000
"""How many records are kept."""
COMMIT_LETTERS = 10
"""How much of a commit people read."""
_DIGEST = 16
_LONGEST = 1 << 24
_STATUS = ("--porcelain=v2", "--branch", "--untracked-files=no", "--ignore-submodules=all")


@dataclass(frozen=True, slots=True)
class Commit:
    """What git says of a folder."""

    name: str = ""
    """The hash of the commit; empty where there is none, or no git."""
    dirty: bool = False
    """True where files that git knows were changed since."""


def checked_out(folder: Path) -> Commit:
    """Ask git which commit a folder is at; a project without git has none, and needs none."""
    folder = folder.resolve()
    top = next((one for one in (folder, *folder.parents) if (one / ".git").exists()), None)
    if top is None:
        return Commit()
    try:
        said = Git(top, str(top)).status(*_STATUS)
    except RankgateError:
        return Commit()
    lines = (said or b"").decode(errors="replace").splitlines()
    name = next((line.split()[-1] for line in lines if line.startswith("# branch.oid ")), "")
    return Commit(name if name != "(initial)" else "", any(not line.startswith("#") for line in lines))


@dataclass(frozen=True, slots=True)
class Record:
    """One evaluation, in a line."""

    number: int
    """Which one it was, from 1."""
    suite: str
    """The name of the suite."""
    system: str
    """The name of the system."""
    mark: Mark
    """✅ passed, ⚠️ nothing decided, ❌ failed."""
    status: str
    """How it ended, in a line."""
    exit_code: ExitCode
    """What the command exited with."""
    time: str = ""
    """When it was made."""
    commit: str = ""
    """The commit that was checked out; empty where there was none."""
    dirty: bool = False
    """True where files were changed since that commit."""
    version: str = ""
    """The version of the system, where it tells one."""
    metrics: tuple[PageMetric, ...] = ()
    """What was measured."""
    values: tuple[float | None, ...] = ()
    """A value a metric; null where it was not defined."""
    shown: tuple[str, ...] = ()
    """The same for people."""
    gates: tuple[MetricGate, ...] = ()
    """The gates on metrics over all queries."""
    made_of: Mapping[str, str] = field(default_factory=dict)
    """The fingerprints of suite, corpus and system, shortened; what nobody knows is not there."""
    state: str = ""
    """One of the eight states."""

    @property
    def run(self) -> PastRun:
        """The same as a page reads it."""
        named = self.commit[:COMMIT_LETTERS] + "+" * self.dirty if self.commit else f"#{self.number}"
        about = self.number, named, self.time, self.mark, self.status
        return PastRun(*about, self.metrics, self.values, self.shown, self.gates, self.made_of)


class EvaluatedWith(NamedTuple):
    """What an evaluation was made of."""

    commit: Commit = Commit()
    """The commit that was checked out."""
    gates: tuple[MetricGate, ...] = ()
    """The gates on metrics over all queries."""
    made_of: Mapping[str, str] = {}
    """The fingerprints of suite, corpus and system; empty where nobody knows."""


@dataclass(frozen=True, slots=True)
class History:
    """The evaluations of one suite and one system."""

    folder: Path
    """Where their files are."""
    records: tuple[Record, ...] = ()
    """Those that are remembered, the oldest first."""
    unreadable: int = 0
    """How many lines could not be read."""

    @classmethod
    def read(cls, folder: Path) -> History:
        """Read the records of a folder; a line that cannot be read is counted."""
        lines = _lines(folder)
        records = [record for line in lines if (record := _record(line)) is not None]
        return cls(folder, tuple(records), len(lines) - len(records))

    @property
    def runs(self) -> list[PastRun]:
        """The same as a page reads them."""
        return [record.run for record in self.records]

    @property
    def next_number(self) -> int:
        """The number of the evaluation that comes next."""
        return max((record.number for record in self.records), default=0) + 1

    def add(self, record: Record) -> None:
        """Remember an evaluation."""
        line = json.dumps(encoded(record, Record), ensure_ascii=False, allow_nan=False)
        kept = [*_lines(self.folder), line.encode(errors="replace")][-RECORDS:]
        with replacing(self.folder / HISTORY) as aside:
            aside.write_bytes(b"\n".join(kept) + b"\n")


def latest_record(folder: Path) -> Record | None:
    """Read the record of the latest evaluation of a folder; None where there is none."""
    lines = _lines(folder)
    return _record(lines[-1]) if lines else None


def _lines(folder: Path) -> list[bytes]:
    path = folder / HISTORY
    if not path.is_file():
        return []
    with path.open("rb") as file:
        # Of a file that somebody made larger than it can be, the end counts.
        file.seek(max(0, path.stat().st_size - _LONGEST))
        return [line for line in file.read(_LONGEST).split(b"\n") if line.strip()]


def _record(line: bytes) -> Record | None:
    problems = Problems(HISTORY)
    try:
        found: Any = json.loads(line)
        record: Record | None = ReportDecoder(HISTORY, problems).read(found, Record)
    except (ValueError, RecursionError, RankgateError):
        return None
    if record is None or problems.total or not len(record.metrics) == len(record.values) == len(record.shown):
        return None
    return record if record.number > 0 else None


def record_of(page: ReportPage, number: int, system: str, made: EvaluatedWith) -> Record:
    """Return what the history remembers of an evaluation."""
    report, commit = page.report, made.commit
    return Record(
        number=number,
        suite=report.title,
        system=system or report.system,
        mark=report.mark,
        status=report.summary.headline or report.status,
        exit_code=report.exit_code,
        time=dict(report.header).get("time", ""),
        commit=commit.name,
        dirty=commit.dirty,
        version=_version(dict(report.provenance).get("system", ""), report.system),
        metrics=page.metrics,
        values=tuple(row.number for row in report.metrics),
        shown=tuple(row.value for row in report.metrics),
        gates=made.gates,
        made_of={part: digest[:_DIGEST] for part, digest in made.made_of.items() if digest},
        state=str(report.summary.state),
    )


def _version(fact: str, system: str) -> str:
    """Return what a report says of a system beyond its name.

    >>> _version("app, 2.1", "app"), _version("app", "app")
    ('2.1', '')
    """
    return "" if fact == system else fact.removeprefix(f"{system}, ")
