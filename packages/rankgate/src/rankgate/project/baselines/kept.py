"""Where a project keeps its baselines, and how one is made of a run.

``baselines/SUITE.SYSTEM.jsonl`` beside the suite, to be committed: it is the answer to "better than what?".
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from rankgate.errors import Code, FormatError, InputError, did_you_mean
from rankgate.gates.context import gate_location
from rankgate.model.file_names import file_name
from rankgate.model.suite import map_fingerprint
from rankgate.model.wording import shortest
from rankgate.project.baselines.places import kept_places, relevant_hits
from rankgate.project.results import path_key
from rankgate.runs.baseline import About, Baseline, BaselineQuery
from rankgate.runs.baseline_file import read_baseline, write_baseline

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.gates.language import Gate
    from rankgate.model import Suite
    from rankgate.runs.store.run_folder import StoredRun
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

    @property
    def expected(self) -> bool:
        """True where the system under test has a baseline, or must have one."""
        return self.required or self.path().is_file()

    def check_names(self, gates: Iterable[Gate]) -> None:
        """Check that every system that gates name is there, or has a baseline.

        Raises:
            InputError: for each name that nobody has.
        """
        known = sorted({self.system, *self.systems})
        problems = [
            Code.UNKNOWN_SYSTEM(
                gate_location(gate),
                f"against {gate.against}, which is no system and has no baseline",
                f"one of {', '.join(known)}",
                did_you_mean(gate.against, known, otherwise="correct the name, or set up a system of it"),
            )
            for gate in gates
            if gate.against and gate.against not in known and not self.path(gate.against).is_file()
        ]
        if problems:
            raise InputError(problems)

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
    def test_command(self) -> str:
        """The command that tests the system."""
        return f"rankgate test {self._suite} --system {self.system}"

    @property
    def _suite(self) -> str:
        return str(shortest(Path(self.suite.path).resolve())) if self.suite.path else "SUITE"


def make_baseline(
    baselines: Baselines,
    run: StoredRun,
    repeats: Sequence[StoredRun],
    judgments: Judgments,
    corpus: Corpus | None,
) -> Path:
    """Keep the rankings of a run, which answers the suite as it is today, as the baseline of its system.

    Args:
        baselines: Where it is kept.
        run: The answers.
        repeats: The answers to the same, asked again.
        judgments: What should be found.
        corpus: The documents that were searched.

    Raises:
        InputError: for a run in which the system failed to answer.
    """
    suite, manifest = baselines.suite, run.manifest
    about = About(
        suite=suite.name,
        system=baselines.system,
        version=manifest.version,
        corpus=manifest.corpus,
        rules=map_fingerprint(suite),
        k=manifest.k,
        times=len(repeats) + 1 if repeats else None,
        commit=f"{manifest.commit}{'+' * manifest.changed}" if manifest.commit else None,
        date=(manifest.finished or manifest.started or "")[:_DAY] or None,
    )
    there = pl.concat([shard.queries["query"] for shard in run.shards()]).to_list()
    runs = run, *repeats
    relevant = relevant_hits(judgments, runs)
    asked = {
        case.id: BaselineQuery(case.query, dict(case.filters), relevant.get(case.id, ()))
        for case in suite.cases
    }
    if missing := asked.keys() - set(there):
        fix = "ask the whole suite; a part is no baseline"
        raise InputError(
            Code.MISSING_ANSWERS(str(run.folder), f"{len(missing)} queries missing", "every query", fix)
        )
    path = baselines.path()
    places = kept_places(runs, corpus)
    write_baseline(path, Baseline(about, asked, run, tuple(repeats), places))
    return path
