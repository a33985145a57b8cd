"""One suite and one system, evaluated again and again while their files are edited.

A system stays open as long as it is made of the same files and searches the same documents. Then an edited
suite asks the questions that are new, and judges all. What was edited in any other way needs a new process:
Python does not read a module twice. Edits are noticed by the states of files.
"""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.evaluation.configuration import SystemSource, configuration_for
from rankgate.evaluation.contents import system_contents
from rankgate.evaluation.flow import Stopwatch, run_evaluation
from rankgate.evaluation.project.opening import open_corpus, opened
from rankgate.evaluation.settings import settings_of
from rankgate.files.digests import ContentsReader
from rankgate.model import System
from rankgate.runs.asking.answer_memory import AnswerMemory
from rankgate.suites.asked_suite import asked_suite
from rankgate.suites.formats import load_suite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Self, TypeAlias

    from rankgate.evaluation.configuration import Configuration, SystemEntry
    from rankgate.evaluation.evaluation import Evaluation
    from rankgate.evaluation.settings import RunOptions
    from rankgate.model import Suite
    from rankgate.runs.store.tables import Run
    from rankgate.suites.suite_part import CaseSelection

    State: TypeAlias = tuple[int, int, int]

PAUSE = 0.25
"""Seconds between two looks."""
_SKIPPED = {"__pycache__", "node_modules", "site-packages"}
_SOURCES = {".py", ".toml", ".yaml", ".yml", ".json", ".jsonl", ".sql", ".sh", ".js", ".ts"}
"""What people edit to mend a project that cannot be tested: not the log that a failing system writes."""
_MOST_FILES = 20_000
"""How many files of a folder are looked at."""


class ChangedSystemError(Exception):
    """The system that is open is not the one that the files describe now."""


@dataclass(frozen=True, slots=True)
class WatchedFiles:
    """Which files decide what an evaluation says."""

    files: frozenset[Path] = frozenset()
    """The suite, the configuration, and what the system is made of."""
    folders: frozenset[Path] = frozenset()
    """Folders of which every file counts, such as that of the corpus."""
    projects: frozenset[Path] = frozenset()
    """Folders of which code and settings count, where it is not known which of them."""

    def __or__(self, other: WatchedFiles) -> WatchedFiles:
        """Return the files of both."""
        folders, projects = self.folders | other.folders, self.projects | other.projects
        return WatchedFiles(self.files | other.files, folders, projects)


@dataclass(frozen=True, slots=True)
class FileStates:
    """When files were written, and how long they are."""

    states: Mapping[Path, State] = field(default_factory=dict)
    """Time of writing, size and number of every file that is there."""

    @classmethod
    def of(cls, watched: WatchedFiles) -> FileStates:
        """Look at files, and at those below folders that are not hidden."""
        every = [*watched.files]
        for folder in watched.folders:
            every += _below(folder)
        for folder in watched.projects:
            every += (path for path in _below(folder) if path.suffix in _SOURCES)
        states = ((path, _state(path)) for path in dict.fromkeys(every))
        return cls({path: state for path, state in states if state is not None})

    def edited(self, now: FileStates) -> list[Path]:
        """Return the files that are not as they were, are new or are gone."""
        every = self.states.keys() | now.states.keys()
        return sorted(path for path in every if self.states.get(path) != now.states.get(path))

    def read_since(self, started: float, watched: WatchedFiles) -> FileStates:
        """Return the states in which files were read by what began to read them after these were taken.

        Of a file that nobody looked at before, it is that of now, unless it was written since.

        Args:
            started: When reading began, in seconds since the epoch.
            watched: Which files were read.
        """
        now = FileStates.of(watched).states
        before = {path: state for path, state in self.states.items() if path in now or not path.exists()}
        new = {path: state for path, state in now.items() if state[0] <= started * 1e9}
        return FileStates({**new, **before})


def wait_for_edit(before: FileStates, watched: WatchedFiles, stop: Callable[[], bool]) -> list[Path]:
    """Wait until files are edited and then stay as they are for a moment; return which.

    Args:
        before: Their states when they were last read.
        watched: Which they are.
        stop: Returns True to stop waiting.
    """
    seen = before
    while not stop():
        now = FileStates.of(watched)
        edited = before.edited(now)
        if edited and now == seen:
            return edited
        seen = now
        time.sleep(PAUSE)
    return []


def _state(path: Path) -> State | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _below(folder: Path) -> Iterator[Path]:
    count = 0
    for parent, folders, files in os.walk(folder):
        folders[:] = [one for one in folders if not _is_skipped(Path(parent, one))]
        shown = [one for one in files if not one.startswith(".")]
        yield from (Path(parent, one) for one in shown)
        count += len(shown)
        if count >= _MOST_FILES:
            return


def _is_skipped(folder: Path) -> bool:
    name = folder.name
    return name.startswith(".") or name in _SKIPPED or (folder / "pyvenv.cfg").exists()


@dataclass(frozen=True, slots=True)
class _Opened:
    """What is open, and what it was made of when it was opened."""

    asked: System | Run
    entry: SystemEntry
    corpus: str | None
    contents: Mapping[str, str]


class WatchedPair:
    """A suite and a system, of which each evaluation asks what is not known yet; used with ``with``.

    Args:
        path: The file of the suite.
        system: The name of the system; None for the one that the configuration tests.
        selection: Which cases are asked.
        asking: Returns how a system of a project is asked.
    """

    def __init__(
        self,
        path: Path,
        system: str | None,
        selection: CaseSelection,
        asking: Callable[[SystemEntry, Path], RunOptions],
    ) -> None:
        self.path, self.system = path, system
        self.memory = AnswerMemory()
        """What was answered, with how many questions the last evaluation asked."""
        self.watched = WatchedFiles()
        """What the last evaluation was made of, as far as it came."""
        self._selection, self._asking = selection, asking
        self._stack = ExitStack()
        self._opened: _Opened | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def evaluate(self, metrics: tuple[str, ...] = (), *, timings: bool = False) -> Evaluation:
        """Read the suite as it is now, ask what is not known, and judge all; nothing is kept in a folder.

        Raises:
            ChangedSystemError: where a new process must ask, and everything.
            InputError: as `run_evaluation` does.
        """
        self.memory.count_anew()
        self.watched = WatchedFiles(frozenset({self.path.resolve()}))
        configuration = configuration_for(self.path)
        if configuration.path is not None:
            self.watched |= WatchedFiles(frozenset({configuration.path}))
        suite = asked_suite(written := load_suite(self.path))
        self.watched |= _corpus_files(suite)
        part = self._selection.of(suite, written) if self._selection else suite
        entry = configuration.entry(self.system)
        corpus = open_corpus(suite, configuration.corpus_root)
        opened_now = self._open(configuration, entry, suite, None if corpus is None else corpus.fingerprint)
        self.watched |= _content_files(opened_now.contents, configuration.root)
        asking = replace(self._asking(entry, configuration.root), memory=self.memory)
        settings = settings_of(entry, part, asking, configuration.corpus_root)
        settings = replace(settings, metrics=metrics, timings=timings, corpus=corpus)
        return run_evaluation(part, opened_now.asked, settings, Stopwatch())

    def _open(
        self, configuration: Configuration, entry: SystemEntry, suite: Suite, corpus: str | None
    ) -> _Opened:
        """Open the system, or check that it is still the one that is open."""
        root, described = configuration.root, _described(entry)
        if (before := self._opened) is not None:
            if before.entry != described or before.corpus != corpus:
                raise ChangedSystemError
            if before.contents != _contents(entry, before.asked, root):
                raise ChangedSystemError
            return before
        asked = self._stack.enter_context(opened(entry, root, suite, configuration.corpus_root))
        self._opened = _Opened(asked, described, corpus, _contents(entry, asked, root))
        return self._opened


def _contents(entry: SystemEntry, asked: System | Run, root: Path) -> Mapping[str, str]:
    if isinstance(asked, System):
        known = system_contents(entry, asked, root).known
        # What a system is made of by itself it says as it was when it was opened.
        now, watched = ContentsReader(root), _content_files(known, root)
        for path in (*watched.files, *watched.folders):
            now.add_files(path)
        return {**known, **now.contents.known}
    if entry.source is not SystemSource.RUN:
        return {}
    # Answers that were made before: the manifest of a folder is written last, and names all of it.
    file = root / str(entry.target)
    file = file / "manifest.json" if file.is_dir() else file
    return {str(file): str(file.stat().st_mtime_ns) if file.is_file() else ""}


def _described(entry: SystemEntry) -> SystemEntry:
    """Return what of an entry makes another system: not its gates, and not how hard it is asked."""
    plain = type(entry)(entry.name, entry.source, entry.target)
    kept = {name: getattr(entry, name) for name in ("options", "chunks", "depends", "preparation")}
    return replace(plain, **kept)


def _corpus_files(suite: Suite) -> WatchedFiles:
    """Return the files of a corpus that is not pinned."""
    if suite.corpus is None:
        return WatchedFiles()
    here = Path(suite.path).parent if suite.path else Path.cwd()
    place = (here / suite.corpus.place).resolve()
    if place.is_dir() and suite.corpus.kind == "folder":
        return WatchedFiles(folders=frozenset({place}))
    return WatchedFiles(frozenset({place})) if place.is_file() else WatchedFiles()


def _content_files(contents: Mapping[str, str], root: Path) -> WatchedFiles:
    """Return the files that a system says it is made of; versions and variables stay as long as a process."""
    places = [root / name for name in contents if not name.startswith("$")]
    return WatchedFiles(
        frozenset(place for place in places if place.is_file()),
        frozenset(place for place in places if place.is_dir()),
    )
