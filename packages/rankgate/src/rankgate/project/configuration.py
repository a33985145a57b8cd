"""``rankgate.toml``, or ``[tool.rankgate]`` in ``pyproject.toml``: which suites, which systems.

    suites = ["search.yaml", {file = "code.csv", system = "app", gates = ["ndcg@10 >= 0.6"]}]
    system = "app"                        # the default system
    require_baseline = ["app"]            # systems that must have a baseline
    max_errors = 0                        # more errors than that are exit code 3
    on_inconclusive = "fail"              # or "warn"
    xfail_strict = false                  # true: a known miss that passes fails the test
    yardstick = "head"                    # or "base": with --base, the test of the base commit decides
    report_url = "https://ci.example.org/search"   # where people read the report: comments link to it

    [systems.app]
    function = "app.search:search"        # or: command = ["./search", "{query}"], or: run = "bm25.txt",
                                          # or: kind = "http", "mcp" or a plugin's, and its options
    needs = ["index/", "${API_KEY}"]      # without these files and variables, the test is skipped
    concurrency = 1                       # how hard it is asked; also rate, burst, retries, warmup, deadline
    chunks = "section"                    # for engines that build their own index: a chunker, file by default
    depends = ["data/*.json", "model/"]   # files that its answers depend on, beside those that rankgate finds
    prepare = "build-index {corpus}"      # run before it is asked, once; also start, ready

    [sweep]                               # which variants are compared: what else stands in sweep.toml
    [judges.reader]                       # who may grade passages: see `rankgate judge ask`

The file is looked for in the folder of the suite and upwards, then in this one. Suites are data; systems live
here.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from rankgate.chunks.chunking import Chunking, read_chunking
from rankgate.errors import Code, FormatError, InputError, did_you_mean
from rankgate.hit_classes import START_END, LocateRules
from rankgate.io.decoder import Count, Name, TableDecoder
from rankgate.io.problems import Problems
from rankgate.io.secrets import hide
from rankgate.io.text import read_toml
from rankgate.model import GateText
from rankgate.runs.asking.pace import Pace
from rankgate.suites.formats import no_suite, only_suite
from rankgate.systems.preparation import PREPARE_SECONDS, READY_SECONDS, Preparation, read_preparation
from rankgate.wording import shortest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

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
    require_baseline: tuple[str, ...] = ()
    max_errors: Count = 0
    on_inconclusive: Literal["fail", "warn"] = "fail"
    xfail_strict: bool = False
    yardstick: Literal["head", "base"] = "head"
    report_url: str = ""
    sweep: Mapping[str, object] | None = None
    judges: Mapping[str, object] = field(default_factory=dict)
    presets: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _SuiteKeys:
    """The keys of an entry of `suites`."""

    file: Name
    system: str | None = None
    gates: tuple[str, ...] = ()
    unlisted: Literal["irrelevant", "unjudged"] | None = None


@dataclass(frozen=True, slots=True)
class _SystemKeys:
    """The keys of a system that are ours; the others are its adapter's."""

    needs: tuple[str, ...] = ()
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
VARIABLE = re.compile(r"\$\{(\w+)\}")
"""A variable of the environment."""
_MOVED = {
    "gates": "systems have no gates. Write them in the suite, or in the suite's entry of `suites`.",
    "max_errors": "unknown key. Write `max_errors` at the top of the file.",
    "on_inconclusive": "unknown key. Write `on_inconclusive` at the top of the file.",
}
"""Keys of a system that belong elsewhere, with where."""
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
    needs: tuple[str, ...] = ()
    """Paths, and variables as ``${NAME}``; without one of them, the system is not tested."""
    pace: Pace = field(default_factory=Pace)
    """How hard it is asked."""
    chunks: Chunking | None = None
    """How the corpus is cut for an index that is built; None where nothing is said."""
    locate: LocateRules = field(default_factory=LocateRules)
    """How it names locations."""
    depends: tuple[str, ...] = ()
    """Patterns of files that its answers depend on, relative to the folder of the configuration."""
    preparation: Preparation = field(default_factory=Preparation)
    """What must be done before it can be asked."""
    project: Configuration | None = field(default=None, compare=False, repr=False)
    """The configuration that it is part of, or is used with."""

    @property
    def corpus_root(self) -> Path:
        """The folder that a suite's corpus must be in."""
        return Path.cwd() if self.project is None else self.project.corpus_root


@dataclass(frozen=True, slots=True)
class SuiteEntry:
    """An entry of `suites`: a suite to test, and what a file of its format cannot say."""

    file: str
    """The path of the suite, relative to the configuration's folder."""
    system: str | None = None
    """The system that the entry is about; None for all."""
    gates: tuple[GateText, ...] = ()
    """Gates, added to the suite's own."""
    unlisted: str | None = None
    """``irrelevant`` or ``unjudged``, in place of what the suite says; None to leave it."""

    def covers(self, system: str) -> bool:
        """Check whether the entry is about a system."""
        return self.system in (None, system)


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a project says about its suites and systems."""

    root: Path
    """The folder of the file, or the one that was looked from where there is none."""
    path: Path | None = None
    """The file; None where there is none."""
    suites: tuple[SuiteEntry, ...] = ()
    """The suites to test by default."""
    system: str | None = None
    """The system to test where none is named."""
    systems: Mapping[str, SystemEntry] = field(default_factory=dict)
    """The systems, by name."""
    corpora_outside: bool = False
    """True where a suite's corpus may lie outside `root`."""
    require_baseline: tuple[str, ...] = ()
    """The systems that must have a baseline of every suite."""
    max_errors: int = 0
    """The number of errors from which on the system failed."""
    on_inconclusive: str = "fail"
    """``fail`` if an inconclusive gate is exit code 4, ``warn`` if it is reported and fails nothing."""
    xfail_strict: bool = False
    """True if a known miss that passes fails the test."""
    yardstick: str = "head"
    """``base`` if, with ``--base``, the suites, settings and baselines of the base commit decide."""
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
        named = [self.root / suite for suite in dict.fromkeys(entry.file for entry in self.suites)]
        return tuple(map(shortest, named or only_suite(self.path)))

    def suite_entries(self, suite: str | Path | None) -> tuple[SuiteEntry, ...]:
        """Return the entries of the suite in a file."""
        if suite is None:
            return ()
        path = Path(suite).resolve()
        return tuple(entry for entry in self.suites if (self.root / entry.file).resolve() == path)

    def tested_systems(self, suite: str | Path) -> tuple[str | None, ...]:
        """Return the systems of the entries of a suite; None, for the default system, if they name none."""
        named = [entry.system for entry in self.suite_entries(suite) if entry.system is not None]
        return tuple(dict.fromkeys(named)) or (None,)

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
            file, first = self.path or NAME, next(iter(self.systems), "NAME")
            said = f"no system is named, and {file} has none. Use --system module:function."
            if self.systems:
                said = (
                    f"no system is named, and {file} has {len(self.systems)} without a default: {known}. "
                    f'Use --system {first}, or write `system = "{first}"` at the top of the file.'
                )
            raise InputError(Code.NO_SYSTEM("--system", "no system named", "one to run", "", said))
        entry = self.systems.get(name)
        if entry is None and ":" in name:
            entry = SystemEntry(name, SystemSource.FUNCTION, name)
        if entry is not None:
            return replace(entry, project=self)
        fix = did_you_mean(name, self.systems, otherwise="a function is named module:attr or ./file.py:attr")
        said = f"unknown system {name!r}; {self.path or NAME} has: {known}"
        raise InputError(Code.UNKNOWN_SYSTEM("--system", repr(name), f"a system of {NAME}", fix, said))


def find_configuration(start: Path, top: Path | None = None) -> Configuration:
    """Look for the configuration in a folder and upwards.

    Args:
        start: The folder.
        top: The last folder to look in; by default the root of the file system.

    Raises:
        FormatError: for a file that is not right, or two of them in one folder.
    """
    start = start.resolve()
    for folder in (start, *start.parents):
        if top is not None and not folder.is_relative_to(top):
            break
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


def suite_option(path: str | Path | None) -> str:
    """Return ``--suite FILE`` for a command that is run here; empty if it finds the suite without it."""
    if path is None:
        return ""
    usual = find_configuration(Path.cwd()).suite_files
    if [one.resolve() for one in usual] == [Path(path).resolve()]:
        return ""
    return f"--suite {shlex.quote(str(shortest(Path(path).resolve())))}"


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
    suites = tuple(_suites(decoder, keys.suites))
    named = [(f"suites[{at}].system", one.system) for at, one in suites]
    named += [(f"require_baseline[{at}]", name) for at, name in enumerate(keys.require_baseline)]
    for where, name in (("system", default), *named):
        if name is not None and name not in entries and ":" not in name:
            fix = did_you_mean(name, entries)
            known = f"one of {', '.join(entries)}" if entries else "a system of this file, which has none"
            said = f"{path}: {where}: unknown system {name!r}, expected {known}"
            problems.add(Code.UNKNOWN_SYSTEM(f"{path}: {where}", repr(name), known, fix, said))
    if keys.report_url and not keys.report_url.lower().startswith(("https://", "http://")):
        expected = "an address that begins with https://"
        problems.add(Code.WRONG_ADDRESS(f"{path}: report_url", repr(keys.report_url), expected))
    problems.check()
    return Configuration(
        root=path.parent,
        path=path,
        suites=tuple(one for _, one in suites),
        system=default,
        systems={name: entry for name, entry in entries.items() if entry is not None},
        corpora_outside=keys.corpora_outside,
        require_baseline=keys.require_baseline,
        max_errors=keys.max_errors,
        on_inconclusive=keys.on_inconclusive,
        xfail_strict=keys.xfail_strict,
        yardstick=keys.yardstick,
        report_url=keys.report_url,
        tables=keys.systems,
        sweep=keys.sweep,
        judges=keys.judges,
    )


def _suites(decoder: TableDecoder, written: Sequence[object]) -> Iterator[tuple[int, SuiteEntry]]:
    """Read the entries of `suites`, each with its number. One suite may have one entry per system."""
    where, problems = decoder.where, decoder.problems
    seen: dict[tuple[str, str | None], int] = {}
    gates: dict[tuple[str, str], list[tuple[int, str | None]]] = {}
    for at, found in enumerate(written):
        place = f"{where}: suites[{at}]"
        if isinstance(found, dict):
            given = decoder.members(found, _SuiteKeys, f"suites[{at}]")
            if "file" not in given:
                continue
            keys = _SuiteKeys(**given)
        elif isinstance(found, str) and found:
            keys = _SuiteKeys(found)
        else:
            problems.add(Code.WRONG_VALUE(place, f"{found!r}", "a file name or a table with file"))
            continue
        file = Path(keys.file).as_posix()
        first = seen.setdefault((file, keys.system), at)
        if first != at:
            whose = f"for the system {keys.system}" if keys.system else "without a system"
            said = f"{place}: {file} has an entry {whose} already, suites[{first}]. Remove one of them."
            problems.add(Code.REPEATED(place, file, "one entry per system", "", said))
        for number, text in enumerate(keys.gates):
            others = gates.setdefault((file, " ".join(text.split())), [])
            if any(None in (keys.system, system) or keys.system == system for _, system in others):
                gate = f"{place}.gates[{number}]"
                said = f"{gate}: the gate {text!r} is also in suites[{others[0][0]}]. Remove one of them."
                problems.add(Code.REPEATED(gate, repr(text), "each gate once", "", said))
            others.append((at, keys.system))
        texts = tuple(GateText(text, f"{place}.gates[{number}]") for number, text in enumerate(keys.gates))
        yield at, SuiteEntry(file, keys.system, texts, keys.unlisted)


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
    for key, fix in _MOVED.items():
        if key in table:
            problems.add(Code.UNKNOWN_KEY(f"{where}.{key}", "", "", "", f"{where}.{key}: {fix}"))
    for variable in VARIABLE.findall(str(table)):
        hide(os.environ.get(variable, ""))
    for at, need in enumerate(ours.needs):
        if not need or ("$" in need and not VARIABLE.fullmatch(need)):
            problems.add(
                Code.WRONG_VALUE(f"{where}.needs[{at}]", repr(need), "a path, or a variable as ${NAME}")
            )
    return SystemEntry(
        name=name,
        source=sources[0],
        target=table[sources[0]],
        options={key: value for key, value in table.items() if key not in (*_OURS, sources[0])},
        needs=ours.needs,
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
