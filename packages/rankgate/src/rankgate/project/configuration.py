"""``rankgate.toml``, or ``[tool.rankgate]`` in ``pyproject.toml``: which suites, which systems.

    suites = ["search.yaml"]
    system = "app"                        # the one to test where none is named
    require_baseline = true               # a system without a baseline is an error
    report_url = "https://ci.example.org/search"   # where people read the report: comments link to it

    [systems.app]
    function = "app.search:search"        # or: command = ["./search", "{query}"], or: run = "bm25.txt",
                                          # or: kind = "http", "mcp" or a plugin's, and its options
    gates = ["ndcg@10 >= 0.7"]            # in place of the suite's
    gate = true                           # false: reported only
    max_errors = 0
    on_inconclusive = "fail"              # or "warn"
    concurrency = 1                       # how hard it is asked; also rate, burst, retries, warmup, deadline
    chunks = "section"                    # for engines that build their own index: a chunker, file by default
    depends = ["data/*.json", "model/"]   # files that its answers depend on, beside those that rankgate finds
    prepare = "build-index {corpus}"      # run before it is asked, once; also start, ready

    [sweep]                               # which variants are compared: what else stands in sweep.toml
    [judges.reader]                       # who may grade passages: see `rankgate judge ask`

The file is looked for in the folder of the suite and upwards, then in this one. Suites are data and name no
system; systems live here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rankgate.chunks.chunking import Chunking, read_chunking
from rankgate.errors import Code, FormatError, InputError, did_you_mean
from rankgate.files.decoder import TableDecoder
from rankgate.files.problems import Problems
from rankgate.files.text import read_toml
from rankgate.model.placing import START_END, LocateRules
from rankgate.model.suite import GateText
from rankgate.model.wording import shortest
from rankgate.runs.asking.pace import Pace
from rankgate.suites.formats import no_suite, only_suite
from rankgate.systems.preparation import PREPARE_SECONDS, READY_SECONDS, Preparation, read_preparation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    T = TypeVar("T")

NAME = "rankgate.toml"
PROJECT = "pyproject.toml"
HOME = ".rankgate"
"""The folder, beside it, of what evaluations leave."""


@dataclass(frozen=True, slots=True)
class _Keys:
    """The keys of the file."""

    suites: tuple[object, ...] = ()
    system: str | None = None
    systems: Mapping[str, object] = field(default_factory=dict)
    corpora_outside: bool = False
    require_baseline: bool = False
    report_url: str = ""
    sweep: Mapping[str, object] | None = None
    judges: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _SystemKeys:
    """The keys of a system that are ours; the others are its adapter's."""

    gates: tuple[str, ...] | None = None
    gate: bool = True
    max_errors: int = 0
    max_gone: int = 0
    on_inconclusive: str = "fail"
    depends: tuple[str, ...] = ()
    chunks: Mapping[str, object] | str | None = None
    locate: Mapping[str, object] = field(default_factory=dict)
    concurrency: int | None = None
    rate: int | float | None = None
    burst: int | None = None
    retries: int | None = None
    warmup: int | None = None
    deadline: str | None = None
    prepare: str | tuple[str, ...] = ()
    prepare_timeout: float = PREPARE_SECONDS
    start: str | tuple[str, ...] = ()
    ready: str | int | None = None
    ready_timeout: float = READY_SECONDS


_OURS = tuple(key.name for key in fields(_SystemKeys))
_PACE = tuple(key.name for key in fields(Pace))
_PREPARATION = tuple(key.name for key in fields(Preparation))


class SystemSource(StrEnum):
    """The key of a system's table that says what it is."""

    FUNCTION = "function"
    """A function or a class, as ``module:attr``."""
    COMMAND = "command"
    """A program."""
    RUN = "run"
    """A run that was made before."""
    PLUGIN = "kind"
    """A kind of systems by its name, with options of its own."""


@dataclass(frozen=True, slots=True)
class SystemEntry:
    """One system, as the configuration describes it."""

    name: str
    """What people call it."""
    source: SystemSource
    """Which key says what it is."""
    target: Any
    """What that key is set to: for a plugin, the name of its kind."""
    options: Mapping[str, object] = field(default_factory=dict)
    """The adapter's own options."""
    gates: tuple[GateText, ...] | None = None
    """Gates in place of the suite's."""
    gate: bool = True
    """False where it is only reported."""
    max_errors: int = 0
    """How many queries may fail."""
    max_gone: int = 0
    """How many targets of the suite may be gone from the documents."""
    on_inconclusive: str = "fail"
    """``fail``: an inconclusive gate is exit code 4. ``warn``: it is reported and fails nothing."""
    pace: Pace = field(default_factory=Pace)
    """How hard it is asked."""
    chunks: Chunking | None = None
    """How the corpus is cut for an index that is built; None where nothing is said."""
    locate: LocateRules = field(default_factory=LocateRules)
    """How it names locations."""
    depends: tuple[str, ...] = ()
    """Patterns of files that its answers depend on, relative to the folder of the configuration."""
    require_baseline: bool = False
    """True where the project wants every system that is gated to have a baseline."""
    systems: tuple[str, ...] = ()
    """Every system of the configuration: gates may name them."""
    preparation: Preparation = field(default_factory=Preparation)
    """What must be done before it can be asked."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a project says about its suites and systems."""

    root: Path
    """The folder of the file, or the one that was looked from where there is none."""
    path: Path | None = None
    """The file; None where there is none."""
    suites: tuple[str, ...] = ()
    """Suites to test where none is named."""
    system: str | None = None
    """The system to test where none is named."""
    systems: Mapping[str, SystemEntry] = field(default_factory=dict)
    """The systems, by name."""
    corpora_outside: bool = False
    """True where a suite's corpus may lie outside `root`."""
    require_baseline: bool = False
    """True where every system that is gated must have a baseline."""
    report_url: str = ""
    """Where people read the report of a test; empty where the project does not say."""
    tables: Mapping[str, Any] = field(default_factory=dict)
    """The tables of the systems as they are written, by name."""
    sweep: Mapping[str, Any] | None = None
    """The table of its sweep as it is written; None where there is none."""
    judges: Mapping[str, Any] = field(default_factory=dict)
    """The tables of the model judges as they are written, by name."""

    @property
    def corpus_root(self) -> Path:
        """The folder that a suite's corpus must be in."""
        return Path(self.root.anchor) if self.corpora_outside else self.root

    @property
    def suite_files(self) -> tuple[Path, ...]:
        """The files of `suites`, or the only suite beside the configuration, as a person here writes them."""
        named = [self.root / suite for suite in self.suites]
        return tuple(map(shortest, named or only_suite(self.path)))

    def chosen_suites(self, named: Sequence[Path]) -> Sequence[Path]:
        """Return the suites that are named, or else those to test where none is.

        Raises:
            InputError: where there are none.
        """
        if chosen := named or self.suite_files:
            return chosen
        raise InputError(no_suite(self.root, self.path))

    def entry(self, name: str | None) -> SystemEntry:
        """Find a system by its name here, or take the name for ``module:attr`` or ``./file.py:attr``.

        Raises:
            InputError: where it is neither, or none is named and there is not exactly one.
        """
        name = name or self.system or (next(iter(self.systems)) if len(self.systems) == 1 else None)
        known = ", ".join(self.systems) or "none yet"
        if name is None:
            fix = f"say --system NAME (known: {known}) or --system module:function"
            raise InputError(Code.NO_SYSTEM("--system", "no system named", "one to ask", fix))
        entry = self.systems.get(name)
        if entry is None and ":" in name:
            entry = SystemEntry(name, SystemSource.FUNCTION, name)
        if entry is not None:
            return replace(entry, require_baseline=self.require_baseline, systems=tuple(self.systems))
        fix = did_you_mean(name, self.systems, otherwise="a function is named module:attr or ./file.py:attr")
        said = f"unknown system {name!r}; {self.path or NAME} has: {known}"
        raise InputError(Code.UNKNOWN_SYSTEM("--system", repr(name), f"a system of {NAME}", fix, said))


def find_configuration(start: Path) -> Configuration:
    """Look for the configuration in a folder and upwards.

    Raises:
        FormatError: for a file that is not right, or two of them in one folder.
    """
    start = start.resolve()
    for folder in (start, *start.parents):
        own, project = folder / NAME, folder / PROJECT
        section = read_toml(project).get("tool", {}).get("rankgate") if project.is_file() else None
        if own.is_file() and section is not None:
            found = f"{NAME} and [tool.rankgate]"
            raise FormatError(Code.TWO_CONFIGURATIONS(str(folder), found, "one of the two"))
        if own.is_file():
            return read_configuration(own, read_toml(own))
        if section is not None:
            return read_configuration(project, section)
    return Configuration(root=_project_root(start))


def configuration_for(suite: str | Path | None) -> Configuration:
    """Find the configuration that a suite is tested by: the nearest upward from its file, or else from here.

    Where there is none at all, the project is the one that
    this folder is in, or else the suite's own.

    Raises:
        FormatError: as `find_configuration` does.
    """
    if suite is None:
        return find_configuration(Path.cwd())
    file = Path(suite).resolve()
    beside = find_configuration(file.parent)
    if beside.path is not None:
        return beside
    here = find_configuration(Path.cwd())
    return here if here.path is not None or file.is_relative_to(here.root) else beside


def _project_root(start: Path) -> Path:
    """Without a configuration, the repository or the project is the root; without those, the folder."""
    for folder in (start, *start.parents):
        if any((folder / mark).exists() for mark in (".git", PROJECT)):
            return folder
    return start


def read_configuration(path: Path, data: Mapping[str, Any]) -> Configuration:
    """Read the table of a configuration file.

    Raises:
        FormatError: for what is not right, all of it.
    """
    problems = Problems(str(path))
    decoder = TableDecoder(str(path), problems)
    keys = _Keys(**decoder.members(data, _Keys))
    entries = {name: _system(decoder, name, table) for name, table in keys.systems.items()}
    default = keys.system
    if default is not None and default not in entries and ":" not in default:
        expected = f"one of {', '.join(entries) or 'none yet'}"
        problems.add(Code.UNKNOWN_SYSTEM(f"{path}: system", repr(default), expected))
    if keys.report_url and not keys.report_url.lower().startswith(("https://", "http://")):
        expected = "an address that begins with https://"
        problems.add(Code.WRONG_ADDRESS(f"{path}: report_url", repr(keys.report_url), expected))
    problems.check()
    return Configuration(
        root=path.parent,
        path=path,
        suites=tuple(map(str, keys.suites)),
        system=default,
        systems={name: entry for name, entry in entries.items() if entry is not None},
        corpora_outside=keys.corpora_outside,
        require_baseline=keys.require_baseline,
        report_url=keys.report_url,
        tables=keys.systems,
        sweep=keys.sweep,
        judges=keys.judges,
    )


def _system(decoder: TableDecoder, name: str, table: object) -> SystemEntry | None:
    where, problems = f"{decoder.where}: systems.{name}", decoder.problems
    if not isinstance(table, dict):
        problems.add(Code.WRONG_VALUE(where, f"{table!r}", "a table with function, command or run"))
        return None
    # A plugin's options may be called as the other kinds are: an MCP server has a command too.
    plugin = SystemSource.PLUGIN
    sources = [plugin] if plugin in table else [one for one in SystemSource if one in table]
    if len(sources) != 1:
        expected = f"one of {', '.join(SystemSource)}"
        problems.add(Code.WRONG_VALUE(where, " and ".join(sources) or "none of them", expected))
        return None
    given = {key: table[key] for key in _OURS if key in table}
    ours = _SystemKeys(**decoder.members(given, _SystemKeys, f"systems.{name}"))
    if ours.on_inconclusive not in ("fail", "warn"):
        problems.add(Code.WRONG_VALUE(f"{where}.on_inconclusive", repr(ours.on_inconclusive), "fail or warn"))
    return SystemEntry(
        name=name,
        source=sources[0],
        target=table[sources[0]],
        options={key: value for key, value in table.items() if key not in (*_OURS, sources[0])},
        gates=None if ours.gates is None else tuple(GateText(one, f"{where}.gates") for one in ours.gates),
        gate=ours.gate,
        max_errors=ours.max_errors,
        max_gone=ours.max_gone,
        on_inconclusive=ours.on_inconclusive,
        pace=_noted(problems, lambda: _pace(where, ours)) or Pace(),
        chunks=_noted(problems, lambda: _chunks(where, ours, Path(decoder.where).parent)),
        depends=ours.depends,
        preparation=_noted(problems, lambda: _preparation(where, ours)) or Preparation(),
        locate=_locate(decoder, name, ours.locate),
    )


def _locate(decoder: TableDecoder, name: str, given: Mapping[str, object]) -> LocateRules:
    where, add = f"systems.{name}.locate", decoder.problems.add
    rules, at = LocateRules(**decoder.members(given, LocateRules, where)), f"{decoder.where}: {where}"
    if rules.lines_from not in (0, 1):
        add(Code.WRONG_VALUE(f"{at}.lines_from", str(rules.lines_from), "0 or 1"))
    if rules.start_end not in START_END:
        expected = f"one of {', '.join(START_END)}"
        add(Code.WRONG_VALUE(f"{at}.start_end", repr(rules.start_end), expected))
    return rules


def _noted(problems: Problems, read: Callable[[], T]) -> T | None:
    """Read a part; what is wrong with it is added to the rest."""
    try:
        return read()
    except InputError as error:
        for problem in error.problems:
            problems.add(problem)
        return None


def _chunks(where: str, ours: _SystemKeys, root: Path) -> Chunking | None:
    return None if ours.chunks is None else read_chunking(ours.chunks, f"{where}.chunks", str(root))


def _preparation(where: str, ours: _SystemKeys) -> Preparation:
    return read_preparation(where, **{key: getattr(ours, key) for key in _PREPARATION})


def _pace(where: str, ours: _SystemKeys) -> Pace:
    given = {key: value for key in _PACE if (value := getattr(ours, key)) is not None}
    try:
        return Pace(**given)
    except InputError as error:
        problems = [replace(problem, where=f"{where}.{problem.where}") for problem in error.problems]
        raise InputError(problems) from error
