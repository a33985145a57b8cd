"""What a project names, opened: a suite, its corpus, and a system to ask or a run that was made before."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rankgate.errors import Code, InputError
from rankgate.io.text import project_path
from rankgate.model import Indexer, System
from rankgate.plugins import close_system, system_name
from rankgate.project.configuration import SystemEntry, SystemSource
from rankgate.project.contents import depended_on
from rankgate.project.find import configuration_for
from rankgate.suites.asked_suite import asked_suite
from rankgate.systems.preparation import CORPUS, Preparation
from rankgate.wording import shortest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rankgate.corpora.corpus import Corpus, OpenContext
    from rankgate.model import Suite
    from rankgate.project.configuration import Configuration
    from rankgate.runs.formats.load import LoadedRun
    from rankgate.runs.store.tables import Order, Run
    from rankgate.systems.adapter.launching import Env
    from rankgate.systems.registry import SystemKind

GUIDELINES_LIMIT = 1 << 20
"""The largest file of guidelines, in bytes."""


def find_suite(name: str | Path, folders: Sequence[Path]) -> Path:
    """Find a suite in the first folder that has it.

    Raises:
        InputError: where none has.
    """
    for folder in folders:
        if (folder / name).exists():
            return (folder / name).resolve()
    looked = " or ".join(dict.fromkeys(str(shortest(folder)) for folder in folders))
    raise InputError(Code.NO_SUCH_FILE(str(name), "no such file", f"a suite in {looked}"))


def load_here(path: Path) -> Suite:
    """Read a suite, with its path made absolute."""
    return replace(asked_suite(read_suite(shortest(path))), path=str(path.resolve()))


def read_suite(path: Path) -> Suite:
    """Read a suite, and check its gates and metrics.

    Raises:
        InputError: for a file that cannot be read.
        FormatError: with all problems of the file.
    """
    from rankgate.gates.language import problems_of
    from rankgate.suites.formats import ReadOptions, load_suite

    suite = load_suite(path, reading=ReadOptions(check=problems_of))
    guidelines_file(suite)
    return suite


def guidelines_file(suite: Suite, root: Path | None = None) -> Path | None:
    """Return the file of the guidelines that a suite names; None if it names none.

    Model judges receive its text, so it must be inside the root: by default that of the suite's project.

    Raises:
        InputError: for a file that does not exist or is outside the root.
        FormatError: for a file that is too large.
    """
    if suite.guidelines is None or suite.path is None:
        return None
    path = Path(suite.path).parent / suite.guidelines
    root = root or configuration_for(suite.path).corpus_root
    return project_path(path, root, f"{suite.path}: guidelines", "a text file", largest=GUIDELINES_LIMIT)


def open_corpus(suite: Suite, root: Path | None) -> Corpus | None:
    """Open what a suite's locations are in."""
    from rankgate.corpora.corpus import open_source

    if suite.corpus is None:
        return None
    return open_source(suite.corpus, corpus_room(suite, root, _tell_who_waits))


def corpus_room(suite: Suite, root: Path | None, tell: Callable[[str], None]) -> OpenContext:
    """Return where the corpus of a suite may come from: by default the project of the suite's file."""
    from rankgate.corpora.corpus import OpenContext

    here = Path(suite.path).parent if suite.path else Path.cwd()
    if root is None:
        root = configuration_for(suite.path).corpus_root
    return OpenContext(here, root, progress=tell)


def _tell_who_waits(words: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"{words} …\n")


@contextmanager
def opened(
    entry: SystemEntry, root: Path, suite: Suite | None = None, corpus_root: Path | None = None
) -> Iterator[System | Run]:
    """Open a system for a while, prepared where it must be; what has a ``close`` is closed.

    Args:
        entry: The system.
        root: The folder of the configuration.
        suite: What it will be asked; the folder of its corpus is ``{corpus}`` in commands.
        corpus_root: The folder that the corpus must lie in; by default that of the suite's project.

    Raises:
        InputError: for a system that cannot be opened as it is described.
        SystemFailedError: for one that cannot be prepared.
    """
    from rankgate.systems.registry import SystemKind, kind_of, open_system

    # Here, so that a wrong pattern is refused wherever the system is asked, kept or not.
    depended_on(entry, root)
    if entry.source is SystemSource.RUN:
        yield made_run(entry, root)
        return
    described = dict(entry.options)
    if entry.source is SystemSource.PLUGIN:
        described["kind"] = entry.target
    else:
        described |= {
            "kind": str(entry.source),
            "target" if entry.source is SystemSource.FUNCTION else "command": entry.target,
        }
    kind = kind_of(described["kind"]) if isinstance(described["kind"], str) else SystemKind()
    if kind.base:
        described.setdefault(kind.base, str(root))
    if described["kind"] == "function" and (folder := _corpus_folder(suite)):
        described.setdefault("corpus_folder", folder)

    def corpus() -> Corpus | None:
        return None if suite is None else open_corpus(suite, corpus_root)

    with _prepared(entry, described, kind, corpus, root):
        system = open_system(entry.name, described)
        try:
            yield system
        finally:
            close_system(system)


def made_run(entry: SystemEntry, root: Path) -> LoadedRun:
    """Read the run that a system is. One in a file has the system's name, not the file's or the tag in it.

    Raises:
        InputError: where there is no whole run.
    """
    from rankgate.runs.formats.load import load_run
    from rankgate.runs.formats.parquet import ParquetRun
    from rankgate.runs.store.tables import MemoryRun

    order: Order = "returned" if entry.options.get("order") == "returned" else "trec"
    run = load_run(root / entry.target, order=order)
    if isinstance(run, MemoryRun):
        run.name = entry.name
    return replace(run, name=entry.name) if isinstance(run, ParquetRun) else run


def askable(made: System | Run, name: str) -> System:
    """Return what was opened where it can be asked.

    Raises:
        InputError: for a run that was made before.
    """
    if not isinstance(made, System):
        raise InputError(Code.STORED_RUN(name, "a run that was made before", "a system that can be asked"))
    return made


@contextmanager
def _prepared(
    entry: SystemEntry,
    described: dict[str, object],
    kind: SystemKind,
    corpus: Callable[[], Corpus | None],
    root: Path,
) -> Iterator[None]:
    """Prepare a system where it must be, and add the folder of its corpus to its options."""
    if entry.preparation == Preparation() and not (kind.launches and CORPUS in repr(described)):
        yield
        return
    from rankgate.project.preparation import Prepared, with_index

    launches = kind.launches and "url" not in described
    # What the kind itself starts gets these variables from the kind.
    env = described.get("env", ()) if launches else described.pop("env", ())
    with Prepared(entry, root, cast("Env", env)).running(corpus) as folders:
        if kind.launches and folders.corpus is not None:
            described["corpus_folder"] = folders.corpus
        if folders.index is not None:
            # By its path in the project, so that a run is the same one wherever the project lies.
            inside = bool(kind.base) and described.get(kind.base) == str(root)
            index = folders.index.relative_to(root.resolve()) if inside else folders.index
            described.update(with_index(described, str(index)))
        yield


@contextmanager
def opened_as_given(
    system: object, configuration: Configuration, suite: Suite | None = None
) -> Iterator[tuple[System | Run, SystemEntry]]:
    """Open what a program names or made, with what is said of it: by the configuration, where it is there.

    A function is known as ``module:qualname``, by which it may have a baseline.

    Args:
        system: What is given.
        configuration: What the project says.
        suite: What it will be asked.

    Raises:
        InputError: for a name that is no system, and a system that cannot be opened.
    """
    if isinstance(system, str) and (system in configuration.systems or ":" not in system):
        entry = configuration.entry(system)
        with opened(entry, configuration.root, suite, configuration.corpus_root) as asked:
            yield asked, entry
        return
    if isinstance(system, System) and (isinstance(system, Indexer) or hasattr(system, "describe")):
        # An adapter: it knows how many threads may ask it, and stays open for whoever opened it.
        yield system, SystemEntry(system_name(system), SystemSource.FUNCTION, system, project=configuration)
        return
    from rankgate.systems.function.system import FunctionOptions, function_system

    safe = not isinstance(system, type)
    options = FunctionOptions(
        str(configuration.root), thread_safe=safe, corpus_folder=_corpus_folder(suite) or None
    )
    function = function_system(system, options)
    made = SystemEntry(function.name, SystemSource.FUNCTION, system, project=configuration)
    try:
        yield function, configuration.entry(system) if isinstance(system, str) else made
    finally:
        function.close()


def _corpus_folder(suite: Suite | None) -> str:
    """Return the folder of a suite's corpus; nothing where the corpus is none."""
    if suite is None or suite.corpus is None or suite.corpus.kind != "folder":
        return ""
    here = Path(suite.path).parent if suite.path else Path.cwd()
    return str((here / suite.corpus.place).resolve())
