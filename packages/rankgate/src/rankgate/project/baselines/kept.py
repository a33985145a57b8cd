"""Where a project keeps its baselines, and how one is made of a run.

``baselines/SUITE.SYSTEM.jsonl`` beside the suite, to be committed: it is the answer to "better than what?".
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from rankgate.errors import Code, FormatError, InputError, RankgateError
from rankgate.model import Ranking
from rankgate.model.file_names import file_name
from rankgate.model.suite import map_fingerprint
from rankgate.model.wording import shortest
from rankgate.project.results import path_key
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.run_folder import RunView
from rankgate.runs.store.schemas import HITS, TEXTS
from rankgate.runs.store.tables import MemoryRun, Shard

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.model import Suite
    from rankgate.runs.baseline import Baseline
    from rankgate.runs.store.tables import Run
    from rankgate.truth.judgments.table import Judgments

FOLDER = "baselines"
_DAY = len("2026-01-31")


@dataclass(frozen=True, slots=True)
class Baselines:
    """The baselines of a suite."""

    suite: Suite
    system: str
    """The system under test, whose own baseline is meant where none is named."""
    systems: tuple[str, ...] = ()
    """Every system of the configuration: gates may name them before they have a baseline."""
    required: bool = False
    """True where the system under test must have one."""

    def any_saved(self) -> bool:
        """Check whether any system has a baseline of the suite."""
        from rankgate.runs.baseline_file import read_head

        for path in sorted((self._folder / FOLDER).glob("*.jsonl")):
            try:
                about = read_head(path)
            except (RankgateError, OSError):
                if path.name.startswith(self.path("x").name.removesuffix("x.jsonl")):
                    return True
                continue
            if about.suite == self.suite.name:
                return True
        return False

    def known(self) -> tuple[str, ...]:
        """Return the names that a gate may have after `against`: systems, and names with a baseline."""
        folder, ending = self._folder / FOLDER, ".jsonl"
        start = self.path("x").name.removesuffix(f"x{ending}")
        saved = [one.name[len(start) : -len(ending)] for one in folder.glob(f"{start}*{ending}")]
        return tuple(sorted({self.system, *self.systems, *saved}))

    def read(self, name: str | None = None) -> Baseline | None:
        """Read the baseline of a system; None where there is none.

        Raises:
            FormatError: for a file that is no baseline.
            InputError: for one that says that it is of another suite or system.
        """
        path, system = self.path(name), name or self.system
        if not path.is_file():
            if os.path.lexists(path):
                fix = f"take it away, and make one: {self.command(name)}"
                raise FormatError(
                    Code.WRONG_BASELINE(str(shortest(path)), "what is no file", "a baseline", fix)
                )
            return None
        from rankgate.runs.baseline_file import read_baseline

        baseline = read_baseline(path)
        about = baseline.about
        if (about.suite, about.system) != (self.suite.name, system):
            found = f"a baseline of {about.system} on {about.suite}"
            fix = f"put the right file there, or delete it, test again, and then: {self.command(name)}"
            where = str(shortest(path.resolve()))
            raise InputError(Code.WRONG_BASELINE(where, found, f"one of {system} on {self.suite.name}", fix))
        return baseline

    def path(self, name: str | None = None) -> Path:
        """Return the file of a system's baseline, of the one under test by default; it need not exist."""
        at, folder = self.suite.path, self._folder
        suite = file_name(self.suite.name if at is None else path_key(at, folder))
        return folder / FOLDER / f"{suite}.{file_name(name or self.system)}.jsonl"

    @property
    def _folder(self) -> Path:
        return Path(self.suite.path).parent if self.suite.path else Path.cwd()

    def command(self, name: str | None = None) -> str:
        """Return the command that makes a baseline."""
        return f"rankgate baseline set {self._suite} --system {name or self.system}"

    @property
    def _suite(self) -> str:
        return str(shortest(Path(self.suite.path).resolve())) if self.suite.path else "SUITE"


def save_baseline(
    baselines: Baselines,
    run: Run,
    judgments: Judgments,
    corpus: Corpus | None,
    depth: int,
    unstable: Collection[str] = (),
) -> Path:
    """Save the rankings of a run as the baseline of its system, and return the file.

    A query that the run does not have is saved without results.

    Args:
        baselines: The baselines of the suite.
        run: The run.
        judgments: The judgments, which say which results are relevant.
        corpus: The documents that were searched.
        depth: The number of results per query to save.
        unstable: The queries whose results differ between two runs.

    Raises:
        InputError: for a run with errors.
    """
    from rankgate.project.baselines.places import kept_places, relevant_hits
    from rankgate.runs.baseline import About, Baseline, BaselineQuery
    from rankgate.runs.baseline_file import write_baseline

    suite, manifest = baselines.suite, getattr(run, "manifest", None) or Manifest(baselines.system)
    run = _saved_rows(run, [case.id for case in suite.cases], depth)
    about = About(
        suite=suite.name,
        system=baselines.system,
        version=manifest.version,
        corpus=None if corpus is None else corpus.fingerprint,
        rules=map_fingerprint(suite),
        k=min(manifest.k or depth, depth),
        commit=f"{manifest.commit}{'+' * manifest.changed}" if manifest.commit else None,
        date=(manifest.finished or manifest.started or "")[:_DAY] or None,
    )
    relevant = relevant_hits(judgments, [run])
    asked = {
        case.id: BaselineQuery(case.query, dict(case.filters), relevant.get(case.id, ()), case.id in unstable)
        for case in suite.cases
    }
    path = baselines.path()
    write_baseline(path, Baseline(about, asked, run, places=kept_places([run], corpus)))
    return path


def _saved_rows(run: Run, names: Sequence[str], depth: int) -> MemoryRun:
    """Return the rows of some queries, cut at a depth. A query that the run does not have has no results."""
    view = RunView(
        pl.DataFrame({"query": names, "name": names}, schema={"query": pl.String, "name": pl.String}), depth
    )
    shards = [
        Shard(
            view.of_queries(shard.queries.lazy()).collect(),
            view.of_hits(shard.scan_hits(HITS.names)).collect(),
            TEXTS.empty(),
        )
        for shard in run.shards()
    ]
    there = {query for shard in shards for query in shard.queries["query"].to_list()}
    if absent := [name for name in names if name not in there]:
        from rankgate.runs.asking.ask import AnswerRecord, packed_answers

        shards.append(packed_answers([AnswerRecord(name, Ranking()) for name in absent], "none"))
    return MemoryRun(run.name, shards)
