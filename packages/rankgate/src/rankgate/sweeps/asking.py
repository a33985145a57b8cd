"""The variants of a sweep, asked: each once for what it is, whatever it is called.

A run lies in a folder that is named by its identity: the questions, the corpus, the depth and the system with
its options and all that they name. What was asked before is not asked again, what was killed goes on, and a
change of any of them makes another run beside the old one.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rankgate.errors import InputError
from rankgate.io.atomic import replacing
from rankgate.io.file_names import file_name
from rankgate.io.text import made_inside
from rankgate.model import fingerprint
from rankgate.project.configuration import HOME
from rankgate.project.indexing import have_index
from rankgate.project.opening import askable, open_corpus, opened
from rankgate.project.preparation import prepared_index
from rankgate.project.results import suite_key
from rankgate.project.settings import RunOptions, depth
from rankgate.project.suite_run import SuiteRunner
from rankgate.runs.store.hits import errored_queries
from rankgate.runs.store.run_folder import StoredRun, has_run
from rankgate.sweeps.variants import entry_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from rankgate.corpora.corpus import Corpus
    from rankgate.model import Suite, System
    from rankgate.plugins import SystemIndex
    from rankgate.project.configuration import Configuration
    from rankgate.runs.asking.progress import Progress
    from rankgate.runs.identity import RunIdentity
    from rankgate.runs.store.tables import Run
    from rankgate.sweeps.sweep_file import Sweep
    from rankgate.sweeps.variants import Variant

_RECORD = "variants.json"
_INDEXES = "indexes.json"


@dataclass(frozen=True, slots=True, eq=False)
class AskedVariant:
    """A variant and its answers."""

    variant: Variant
    """What was asked."""
    run: StoredRun
    """What it answered."""
    asked: int = 0
    """How many questions were asked now; the others had answers."""
    index: SystemIndex | None = None
    """The index that it searches, where it says so."""

    @property
    def identity(self) -> RunIdentity:
        """What the run answers."""
        return self.run.manifest.identity


@dataclass(frozen=True, slots=True)
class SweepFolder:
    """Where the runs of a sweep over one suite are."""

    path: Path

    @classmethod
    def of(cls, sweep: Sweep, suite: Suite, root: Path) -> SweepFolder:
        """Name the folder of a sweep file and a suite of a project."""
        name = file_name(sweep.name)
        return cls(root / HOME / "sweeps" / name / file_name(suite_key(suite, root)))

    def run(self, identity: RunIdentity) -> Path:
        """Return where the run of an identity is, whether or not it is there."""
        made = [getattr(identity, one) for one in ("system", "version", "options", "contents")]
        asked = [getattr(identity, one) for one in ("questions", "corpus", "rules", "k")]
        return self.path / "runs" / fingerprint([made, asked])[:16]

    def names(self) -> dict[str, list[str]]:
        """Return what the runs of the folder were called, by the names of their folders."""
        return {str(run): [str(name) for name in names] for run, names in self._read(_RECORD).items()}

    def note(self, run: Path, name: str) -> None:
        """Remember what a run is called."""
        names = self.names()
        if name not in names.setdefault(run.name, []):
            names[run.name].append(name)
            self._write(_RECORD, names)

    def timed(self, index: SystemIndex | None) -> SystemIndex | None:
        """Return an index with the time that building it took when this sweep first met it."""
        if index is None:
            return None
        known = self._read(_INDEXES)
        if index.name not in known and index.seconds is not None:
            known[index.name] = index.seconds
            self._write(_INDEXES, known)
        return replace(index, seconds=known.get(index.name))

    def _read(self, file: str) -> dict[str, Any]:
        try:
            return dict(json.loads((self.path / file).read_bytes()))
        except (OSError, ValueError, TypeError):
            return {}

    def _write(self, file: str, found: Mapping[str, object]) -> None:
        with replacing(self.path / file) as aside:
            aside.write_text(json.dumps(found, indent=1, sort_keys=True), encoding="utf-8", newline="\n")


@dataclass(frozen=True, slots=True)
class Asking:
    """How the variants of a sweep are asked of one suite."""

    sweep: Sweep
    suite: Suite
    """What is asked."""
    configuration: Configuration
    """What systems are made of."""
    metrics: tuple[str, ...]
    """What is measured."""
    progress: Progress | None = None
    """Told of every answer."""
    _opened: list[Corpus | None] = field(default_factory=list, repr=False, compare=False)

    @property
    def folder(self) -> SweepFolder:
        """Where the runs are."""
        return SweepFolder.of(self.sweep, self.suite, self.configuration.root)

    @property
    def k(self) -> int:
        """How many hits of each query are asked for."""
        return depth(self.suite, self.metrics, (), self.sweep.k)

    @property
    def corpus(self) -> Corpus | None:
        """What the suite's locations are in, opened once."""
        if not self._opened:
            self._opened.append(open_corpus(self.suite, self.configuration.corpus_root))
        return self._opened[0]

    def one(self, variant: Variant) -> AskedVariant:
        """Ask one variant what it was not asked before."""
        with self._runner(variant, keep=True) as runner:
            folder = made_inside(self.folder.run(runner.identity), self.configuration.root)
            left = len(self.suite.cases) - _answered(folder)
            if left:
                runner.ask_cases(self.suite.cases, folder)
            self.folder.note(folder, variant.name)
            index = self.folder.timed(runner.index or self.prepared(variant))
            return AskedVariant(variant, StoredRun.open(folder), left, index)

    def prepared(self, variant: Variant) -> SystemIndex | None:
        """Return the index that a variant's `prepare` makes; None where it makes none in ``{index}``."""
        entry = entry_of(variant, self.configuration)
        return prepared_index(entry, self.configuration.root, self.corpus)

    @contextmanager
    def opened_with_index(self, variant: Variant) -> Iterator[System]:
        """Open a variant for a while, with its index, to be asked beside others."""
        entry, root = entry_of(variant, self.configuration), self.configuration.root
        with opened(entry, root, self.suite, self.configuration.corpus_root) as made:
            system = askable(made, "run")
            have_index(system, self.corpus, entry.chunks, self.progress, suite=self.suite)
            yield system

    def tried(self, variant: Variant) -> Run:
        """Ask one variant everything, and keep nothing."""
        with self._runner(variant, keep=False) as runner:
            return runner.ask_cases(self.suite.cases)

    @contextmanager
    def _runner(self, variant: Variant, *, keep: bool) -> Iterator[SuiteRunner]:
        """Open a variant for a while, with its index."""
        entry, root = entry_of(variant, self.configuration), self.configuration.root
        options = RunOptions(
            folder=self.folder.path if keep else None,
            existing="resume" if keep else "refuse",
            pace=entry.pace,
            chunks=entry.chunks,
            locate=entry.locate,
            tokens=True,
            progress=self.progress,
            entry=entry,
            project=root,
        )
        try:
            with (
                opened(entry, root, self.suite, self.configuration.corpus_root) as made,
                SuiteRunner(self.suite, askable(made, "run"), self.corpus, options, self.k) as runner,
            ):
                yield runner
        except InputError as error:
            problems = [replace(one, where=f"{variant.name}: {one.where}") for one in error.problems]
            raise InputError(problems) from error


def _answered(folder: Path) -> int:
    """Count the questions that a run has an answer to, without error."""
    if not has_run(folder):
        return 0
    run = StoredRun.open(folder)
    run.verify()
    if run.manifest.finished is None:
        return 0
    return sum(entry.queries.rows for entry in run.manifest.shards) - errored_queries(run)


def prepared_by(variant: Variant) -> str:
    """Name what a variant is prepared by, so that those that share it come one after another."""
    table: Mapping[str, object] = variant.table
    return fingerprint([variant.system, *(table.get(key) for key in ("prepare", "env", "depends", "chunks"))])
