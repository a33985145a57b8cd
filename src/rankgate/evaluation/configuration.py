"""``rankgate.toml``, or ``[tool.rankgate]`` in ``pyproject.toml``: which suites, which systems.

    suites = ["search.yaml"]
    system = "app"                        # the one to test where none is named

    [systems.app]
    function = "app.search:search"        # or: command = ["./search", "{query}"], or: run = "bm25.txt",
                                          # or: kind = "http", "mcp" or a plugin's, and its options
    gates = ["ndcg@10 >= 0.7"]            # in place of the suite's; tables as well
    gate = true                           # false: reported only
    max_errors = 0
    on_inconclusive = "fail"              # or "warn", in place of the suite's
    concurrency = 1                       # how hard it is asked; also rate, burst, retries, warmup
    chunks = "section"                    # for engines that build their own index: file, window or section
    isolate = "process"                   # for what runs in this process and may hang; timeout = 30.0 ends it

The file is looked for in this folder and upwards. Suites are data and name no system; systems live here.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankgate.chunks.chunker import Chunking, read_chunking
from rankgate.errors import FormatError, InputError, Problem, did_you_mean
from rankgate.model.suite import GateText
from rankgate.runs.pace import Pace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAME = "rankgate.toml"
_TOP: dict[str, type | tuple[type, ...]] = {
    "suites": list,
    "system": str,
    "systems": dict,
    "corpora_outside": bool,
}
_PACE: dict[str, type | tuple[type, ...]] = {
    "concurrency": int,
    "rate": (int, float),
    "burst": int,
    "retries": int,
    "warmup": int,
}
_OF_A_SYSTEM: dict[str, type | tuple[type, ...]] = {
    "gates": list,
    "gate": bool,
    "max_errors": int,
    "on_inconclusive": str,
    "isolate": str,
    "chunks": (dict, str),
    **_PACE,
}
_IN_PROCESS = "process"
KINDS = ("function", "command", "run", "kind")
"""The key that says what kind of system it is; ``kind`` names one that a plugin brings."""


@dataclass(frozen=True, slots=True)
class SystemEntry:
    """One system, as the configuration describes it."""

    name: str
    """What people call it."""
    kind: str
    """function, command, run (a file that was made before), or kind (`target` is then a plugin's name)."""
    target: Any
    """What `kind` is set to."""
    options: Mapping[str, object] = field(default_factory=dict)
    """The adapter's own options."""
    gates: tuple[GateText, ...] | None = None
    """Gates in place of the suite's."""
    gate: bool = True
    """False where it is only reported."""
    max_errors: int = 0
    """How many queries may fail."""
    on_inconclusive: str | None = None
    """``fail`` or ``warn`` in place of what the suite says."""
    pace: Pace = field(default_factory=Pace)
    """How hard it is asked."""
    isolated: bool = False
    """True where it runs in a process of its own."""
    chunks: Chunking | None = None
    """How the corpus is cut for an index that is built; None where nothing is said."""


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

    @property
    def corpus_root(self) -> Path:
        """The folder that a suite's corpus must be in."""
        return Path(self.root.anchor) if self.corpora_outside else self.root

    @property
    def suite_files(self) -> tuple[Path, ...]:
        """The files of `suites`, as a person here would write them."""
        return tuple(shortest(self.root / suite) for suite in self.suites)

    def chosen_suites(self, named: Sequence[Path]) -> Sequence[Path]:
        """Give the suites that are named, or else those to test where none is.

        Raises:
            InputError: where there are none.
        """
        chosen = named or self.suite_files
        if not chosen:
            fix = "name a suite, list suites in rankgate.toml, or let `rankgate init` propose one"
            raise InputError(Problem("rankgate", "no suite", "a suite such as search.yaml", fix))
        return chosen

    def entry(self, name: str | None) -> SystemEntry:
        """Find a system by its name here, or take the name for ``module:attr`` or ``./file.py:attr``.

        Raises:
            InputError: where it is neither, or none is named and there is not exactly one.
        """
        name = name or self.system or (next(iter(self.systems)) if len(self.systems) == 1 else None)
        known = ", ".join(self.systems) or "none yet"
        if name is None:
            fix = f"say --system NAME (known: {known}) or --system module:function"
            raise InputError(Problem("--system", "no system named", "one to ask", fix))
        if name in self.systems:
            return self.systems[name]
        if ":" in name:
            return SystemEntry(name, "function", name)
        fix = did_you_mean(name, self.systems, otherwise="a function is named module:attr or ./file.py:attr")
        raise InputError(Problem("--system", repr(name), f"a system of {self.path or NAME}: {known}", fix))


def find_configuration(start: Path) -> Configuration:
    """Look for the configuration in a folder and upwards.

    Raises:
        FormatError: for a file that is not right, or two of them in one folder.
    """
    start = start.resolve()
    for folder in (start, *start.parents):
        own, project = folder / NAME, folder / "pyproject.toml"
        section = _toml(project).get("tool", {}).get("rankgate") if project.is_file() else None
        if own.is_file() and section is not None:
            raise FormatError(Problem(str(folder), f"{NAME} and [tool.rankgate]", "one of the two"))
        if own.is_file():
            return _read(own, _toml(own))
        if section is not None:
            return _read(project, section)
    return Configuration(root=_project_root(start))


def shortest(path: Path) -> Path:
    """Write a path as a person here would: relative, where it lies below this folder."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _project_root(start: Path) -> Path:
    """Without a configuration, the repository or the project is the root; without those, the folder."""
    for folder in (start, *start.parents):
        if any((folder / mark).exists() for mark in (".git", "pyproject.toml")):
            return folder
    return start


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise FormatError(Problem(str(path), f"TOML that cannot be read ({error})", "a TOML file")) from error


def _read(path: Path, data: Mapping[str, Any]) -> Configuration:
    problems: list[Problem] = []
    _check_keys(path, "", data, _TOP, problems)
    systems = data.get("systems") if isinstance(data.get("systems"), dict) else {}
    entries = {name: _system(path, name, table, problems) for name, table in (systems or {}).items()}
    default = data.get("system")
    if isinstance(default, str) and default not in entries and ":" not in default:
        problems.append(
            Problem(f"{path}: system", repr(default), f"one of {', '.join(entries) or 'none yet'}")
        )
    if problems:
        raise FormatError(problems)
    return Configuration(
        root=path.parent,
        path=path,
        suites=tuple(map(str, data.get("suites", ()))),
        system=default,
        systems={name: entry for name, entry in entries.items() if entry is not None},
        corpora_outside=bool(data.get("corpora_outside", False)),
    )


def _system(path: Path, name: str, table: object, problems: list[Problem]) -> SystemEntry | None:
    where = f"{path}: systems.{name}"
    if not isinstance(table, dict):
        problems.append(Problem(where, f"{table!r}", "a table with function, command or run"))
        return None
    # A plugin's options may be called as the other kinds are: an MCP server has a command too.
    kinds = ["kind"] if "kind" in table else [kind for kind in KINDS if kind in table]
    if len(kinds) != 1:
        expected = f"one of {', '.join(KINDS)}"
        problems.append(Problem(where, " and ".join(kinds) or "none of them", expected))
        return None
    ours = {key: table[key] for key in _OF_A_SYSTEM if key in table}
    _check_keys(path, f"systems.{name}.", ours, _OF_A_SYSTEM, problems)
    if (undecided := ours.get("on_inconclusive", "fail")) not in ("fail", "warn"):
        problems.append(Problem(f"{where}.on_inconclusive", repr(undecided), "fail or warn"))
    if ours.get("isolate", _IN_PROCESS) != _IN_PROCESS:
        problems.append(Problem(f"{where}.isolate", repr(ours["isolate"]), f"{_IN_PROCESS!r}"))
    return SystemEntry(
        name=name,
        kind=kinds[0],
        target=table[kinds[0]],
        options={key: value for key, value in table.items() if key not in (*_OF_A_SYSTEM, kinds[0])},
        gates=_gates(f"{where}.gates", table.get("gates"), problems),
        gate=bool(table.get("gate", True)),
        max_errors=table["max_errors"] if isinstance(table.get("max_errors"), int) else 0,
        on_inconclusive=ours.get("on_inconclusive"),
        pace=_pace(where, ours, problems),
        isolated="isolate" in ours,
        chunks=_chunks(where, ours, problems),
    )


def _gates(where: str, found: object, problems: list[Problem]) -> tuple[GateText, ...] | None:
    if not isinstance(found, list):
        return None
    if all(isinstance(gate, str) for gate in found):
        return tuple(GateText(gate, where) for gate in found)
    from rankgate.files.problems import Problems
    from rankgate.suites.gate_lines import read_gates
    from rankgate.suites.json_positions import value_of

    wrong = Problems(where)
    try:
        gates = read_gates(value_of(found, where, wrong))
        wrong.check()
    except InputError as error:
        problems += error.problems
        return None
    return gates


def _chunks(where: str, found: Mapping[str, Any], problems: list[Problem]) -> Chunking | None:
    if not isinstance(found.get("chunks"), (dict, str)):
        return None
    try:
        return read_chunking(found["chunks"], f"{where}.chunks")
    except InputError as error:
        problems += error.problems
        return None


def _pace(where: str, found: Mapping[str, Any], problems: list[Problem]) -> Pace:
    given = {key: found[key] for key, kind in _PACE.items() if isinstance(found.get(key), kind)}
    try:
        return Pace(**given)
    except InputError as error:
        problems += [replace(problem, where=f"{where}.{problem.where}") for problem in error.problems]
        return Pace()


def _check_keys(
    path: Path,
    prefix: str,
    data: Mapping[str, Any],
    known: Mapping[str, type | tuple[type, ...]],
    problems: list[Problem],
) -> None:
    for key, value in data.items():
        if key not in known:
            expected, fix = f"one of {', '.join(known)}", did_you_mean(key, known)
            problems.append(Problem(f"{path}: {prefix}{key}", "an unknown key", expected, fix))
        elif not isinstance(value, kind := known[key]) or (isinstance(value, bool) and kind is not bool):
            kinds = kind if isinstance(kind, tuple) else (kind,)
            found, expected = f"{type(value).__name__} {value!r}", f"a {kinds[-1].__name__}"
            problems.append(Problem(f"{path}: {prefix}{key}", found, expected))
