"""The configuration of a project: its suites, its systems and its settings. `schema` reads it from a file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankgate.chunks.chunking import Chunking
from rankgate.errors import Code, InputError, did_you_mean
from rankgate.hit_classes import LocateRules
from rankgate.model import GateText
from rankgate.runs.asking.pace import Pace
from rankgate.suites.formats import no_suite, only_suite
from rankgate.systems.preparation import Preparation
from rankgate.wording import shortest

if TYPE_CHECKING:
    from collections.abc import Sequence


NAME = "rankgate.toml"
PROJECT = "pyproject.toml"
HOME = ".rankgate"
"""The folder, beside it, of what evaluations leave."""


VARIABLE = re.compile(r"\$\{(\w+)\}")
"""A variable of the environment."""


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
