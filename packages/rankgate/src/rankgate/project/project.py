"""A project: its suites, the latest results of its systems, its baselines."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError
from rankgate.gates.compare import Reference
from rankgate.project.baselines import Baselines, locate, read_reference
from rankgate.project.configuration import Configuration, SystemSource
from rankgate.project.find import configuration_for
from rankgate.project.indexing import have_index
from rankgate.project.kept_answers import kept_answers, kept_repeats
from rankgate.project.named_answers import NamedAnswers
from rankgate.project.opening import askable, made_run, open_corpus, opened, read_suite
from rankgate.project.placing import placed_run
from rankgate.project.results import ResultFolder
from rankgate.project.settings import counts_tokens, depth
from rankgate.project.suite_run import questions_of
from rankgate.runs.asking.execute import ask_interleaved
from rankgate.runs.baseline import (
    baseline_anchors_path,
    is_baseline,
    read_baseline,
    read_baseline_anchors,
)
from rankgate.runs.formats.load import load_run
from rankgate.runs.kept import RunNeeds
from rankgate.runs.store.run_folder import MANIFEST, StoredRun
from rankgate.suites.asked_suite import asked_suite
from rankgate.truth.locate import Placer
from rankgate.truth.resolve import resolve
from rankgate.truth.urls import judged_names
from rankgate.wording import shortest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.model import Suite
    from rankgate.runs.asking.progress import Progress
    from rankgate.runs.formats.load import LoadedRun
    from rankgate.truth.judgments.table import Judgments

OWN = "baseline"
"""What people say for the baseline of the system that is compared."""


@dataclass(frozen=True, slots=True)
class Project:
    """What a configuration, and the folder it is in, have to offer."""

    configuration: Configuration
    """What the project says about itself."""
    _corpora: dict[str, Corpus | None] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, suite: Path | None = None) -> Project:
        """Find the project of a suite, or the one that the current folder is in."""
        return cls(configuration_for(suite))

    def suite(self, path: Path | None, *, as_written: bool = False) -> Suite:
        """Load the suite that is named, or the one of the configuration, with non-gating targets marked.

        Raises:
            InputError: where there is none, or several.
        """
        chosen = self.configuration.chosen_suites([path] if path else [])
        if len(chosen) > 1:
            fix = f"name one: {', '.join(map(str, chosen))}"
            raise InputError(Code.AMBIGUOUS("rankgate", f"{len(chosen)} suites", "one of them", fix))
        return read_suite(chosen[0]) if as_written else asked_suite(read_suite(chosen[0]))

    def judgments(self, suite: Suite) -> Judgments:
        """Resolve what a suite says should be found, today."""
        return resolve(suite, self.corpus(suite)).judgments

    def corpus(self, suite: Suite) -> Corpus | None:
        """Open what a suite's locations are in, once."""
        name = suite.path or suite.name
        if name not in self._corpora:
            self._corpora[name] = open_corpus(suite, self.configuration.corpus_root)
        return self._corpora[name]

    def baselines(self, suite: Suite, system: str | None) -> Baselines:
        """Return where the baselines of a suite are."""
        return Baselines(suite, self.configuration.entry(system).name)

    def baseline(self, suite: Suite, system: str | None) -> Reference:
        """Read the baseline of a system, and locate it in today's documents.

        Raises:
            InputError: where there is none, with the command that makes one.
        """
        saved = self.baselines(suite, system)
        found = read_reference(saved, None, suite, self.corpus(suite))
        if found is None:
            where = str(shortest(saved.path().resolve()))
            raise InputError(Code.NO_BASELINE(where, "no such file", "a baseline", saved.command()))
        return found

    def latest_run(self, suite: Suite, system: str, folder: Path | None = None) -> StoredRun:
        """Read the run of the latest test of a system, or the one in a folder, as answers to a suite.

        Args:
            suite: What is asked today.
            system: The name of the system.
            folder: The folder of a run in place of the latest.

        Raises:
            InputError: where there is none, or it does not answer what is asked today.
        """
        entry = self.configuration.entry(system)
        if folder is None and entry.source is SystemSource.RUN:
            made = made_run(entry, self.configuration.root)
            if isinstance(made, StoredRun):
                return self._kept(suite, made)
            where, fix = f"systems.{system}.run", "name a folder that `rankgate run` wrote"
            raise InputError(
                Code.WRONG_VALUE(where, f"the file {entry.target}", "answers that say to what", fix)
            )
        stored = folder or self.results(suite, system).run
        again = f"rankgate test {shortest(Path(suite.path).resolve()) if suite.path else 'SUITE'}"
        if not (stored / MANIFEST).is_file():
            fix = f"test it first: {again} --system {system}"
            raise InputError(
                Code.NO_ANSWERS(f"{suite.name}, {system}", "no test yet", "the answers of one", fix)
            )
        return self._kept(suite, StoredRun.open(stored))

    def results(self, suite: Suite, system: str) -> ResultFolder:
        """Return where the results of a suite and a system are."""
        return ResultFolder.of(self.configuration.root, suite, system)

    def _kept(self, suite: Suite, run: StoredRun) -> StoredRun:
        return kept_answers(suite, run, self._needs(suite))

    def repeats(self, suite: Suite, run: StoredRun) -> tuple[StoredRun, ...]:
        """Read the repeats of a run, as answers to a suite.

        Raises:
            InputError: for repeats that are not whole, or of something else than the run.
        """
        return kept_repeats(suite, run, self._needs(suite))

    def _needs(self, suite: Suite) -> RunNeeds:
        corpus = self.corpus(suite)
        return RunNeeds.of_suite(suite, None if corpus is None else corpus.fingerprint)

    def answers(self, suite: Suite, name: str, other: str | None = None) -> NamedAnswers:
        """Find answers by name: the latest test of a system, or a baseline or a run that is a file.

        A system of the configuration, and the word ``baseline``, come before a file of that name, which
        is ``./docs``.

        Args:
            suite: What was asked.
            name: The name of a system, ``baseline``, or a path.
            other: The system whose baseline ``baseline`` is.

        Raises:
            InputError: for what is none of them.
        """
        if not self.names_file(name) and name != OWN:
            entry = self.configuration.entry(name)
            if entry.source is SystemSource.RUN:
                return self._made_answers(suite, name, made_run(entry, self.configuration.root))
            latest = self.latest_run(suite, entry.name)
            return NamedAnswers(name, latest, repeats=self.repeats(suite, latest))
        path = Path(name)
        if name != OWN and not is_baseline(path):
            return self._made_answers(suite, name, load_run(path))
        if name == OWN:
            saved, system = self.baseline(suite, other), self.configuration.entry(other).name
        else:
            baseline, anchors = read_baseline(path), read_baseline_anchors(baseline_anchors_path(path))
            saved, system = locate(baseline, anchors, suite, self.corpus(suite)), baseline.system
        return NamedAnswers(f"the baseline of {system}", saved.run, saved)

    def _made_answers(self, suite: Suite, name: str, run: LoadedRun) -> NamedAnswers:
        """Read a run that was made before."""
        if not isinstance(run, StoredRun):
            placer = Placer(
                open_corpus(suite, self.configuration.corpus_root),
                suite.map_rules,
                count_tokens=True,
                names=judged_names(suite),
            )
            return NamedAnswers(name, placed_run(run, placer))
        stored = self._kept(suite, run)
        return NamedAnswers(name, stored, repeats=self.repeats(suite, stored))

    def names_file(self, name: str) -> bool:
        """Check whether a name is that of a file or a folder, and not of a system."""
        return name not in self.configuration.systems and Path(name).exists()

    def asked_in_turn(
        self, suite: Suite, names: Sequence[str], metrics: Sequence[str], progress: Progress | None = None
    ) -> list[NamedAnswers]:
        """Ask systems of the configuration now, in turn, query by query.

        Raises:
            InputError: for a name that is no system, and for a system that is a run.
        """
        corpus = open_corpus(suite, self.configuration.corpus_root)
        entries = [self.configuration.entry(name) for name in names]
        with ExitStack() as stack:
            systems = []
            for entry in entries:
                opening = opened(entry, self.configuration.root, suite, self.configuration.corpus_root)
                system = askable(stack.enter_context(opening), entry.name)
                have_index(system, corpus, entry.chunks, progress, suite=suite)
                counting = counts_tokens(metrics)
                placer = Placer(
                    corpus, suite.map_rules, entry.locate, count_tokens=counting, names=judged_names(suite)
                )
                systems.append((entry.name, system, placer.place))
            k = depth(suite, metrics, (), None)
            questions = questions_of(suite.cases, k)
            runs = ask_interleaved(questions, systems, progress)
        return [NamedAnswers(run.name, run, in_turn=True, depth=k) for run in runs]


def projects(paths: Sequence[Path]) -> Iterator[tuple[Project, Suite]]:
    """Load the suites that are named, or those of the configuration here, each with the project it is of.

    Raises:
        InputError: where there is none.
    """
    for path in paths or Project.of().configuration.chosen_suites(paths):
        yield Project.of(path), asked_suite(read_suite(path))
