"""Formats of suites: what one is, and suites from any file.

The format of a file is named, or told by its name and its content.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rankgate.errors import Code, FormatError, InputError, PluginError, did_you_mean
from rankgate.io.compressed import read_start
from rankgate.plugins import listed, load
from rankgate.wording import shortest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rankgate.errors import Problem
    from rankgate.model import CorpusSource, GateText, Suite

GROUP = "rankgate.suite_formats"
"""The entry points that bring formats: each is a `SuiteFormat`."""

START = 1 << 16
"""How many bytes of a file are shown to each format that may know it."""

OWN = ("native", "jsonl")
"""rankgate's own formats. They know a file by less than the others, so they take what no other claims."""

_CASES = re.compile(rb"\bcases[\"']?\s*:")
_OWN_CASES = re.compile(rb"(?m)^[\"']?cases[\"']?[ \t]*:")
_LOOKED_AT, _NAMED = 200, 3
_BY_NAME = {
    ".yaml": "native",
    ".yml": "native",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a file does not say and its reader must be told."""

    grades: Mapping[str, float] = field(default_factory=dict)
    """What each label of the file is worth; without it numbers are taken as they are and words refused."""
    corpus: CorpusSource | None = None
    """What the locations of the file are in."""
    options: Mapping[str, str] = field(default_factory=dict)
    """What the format alone knows, such as the names of columns."""
    check: Callable[[Sequence[GateText], Sequence[GateText]], Iterable[Problem]] | None = None
    """Returns the problems of gates and metrics, which are raised with those of the file."""


@dataclass(frozen=True, slots=True)
class SuiteFormat:
    """One format of suites. Plugins bring more, as entry points of the group ``rankgate.suite_formats``."""

    name: str
    """What people call it on the command line."""
    about: str
    """One line that says whose files these are."""
    read: Callable[[Path, ReadOptions], Suite]
    """Read a file; what it drops or merges stands in the notes of the suite."""
    recognise: Callable[[Path, bytes], bool]
    """Check by the name of a file and its first 64 kB (empty for a folder) whether it is of this format."""
    write: Callable[[Suite, Path], tuple[str, ...]] | None = None
    """Write a suite, and tell in words and with counts what the format cannot hold; None where it cannot."""
    options: Mapping[str, str] = field(default_factory=dict)
    """The options it knows, each with a line that explains it."""
    presets: Callable[[Path], Mapping[str, SuiteFormat]] | None = None
    """Return more formats, by name: those that this one reads with presets near a file."""


def load_suite(
    path: str | Path,
    format: str | None = None,  # noqa: A002 - the word users know
    reading: ReadOptions | None = None,
) -> Suite:
    """Read a suite in the format named, or in the one that the name and the content of the file tell.

    Args:
        path: The file.
        format: The name of a format.
        reading: What the file does not say.

    Raises:
        InputError: for a file that cannot be read.
        FormatError: with all that is wrong with the file, each where it stands.
    """
    path, reading = Path(path), reading or ReadOptions()
    known = format_named(format, path) if format else format_of(path)
    unknown = sorted(set(reading.options) - set(known.options))
    if unknown:
        fix = did_you_mean(unknown[0], known.options) or f"`rankgate list formats {known.name}` lists them"
        said = f"format {known.name} has no option {unknown[0]!r}"
        raise InputError(Code.WRONG_OPTION(f"format {known.name}", said, "", fix, said))
    return known.read(path, reading)


def format_named(name: str, near: Path = Path("suite")) -> SuiteFormat:
    """Import one format, which may be a preset of the project of a file.

    Raises:
        PluginError: for a name that is unknown.
    """
    if name not in listed(GROUP) and (preset := _presets(near).get(name)) is not None:
        return preset
    if name not in listed(GROUP) and ":" not in name:
        fix = did_you_mean(name, format_names(near), most=3)
        raise PluginError(
            Code.UNKNOWN_PLUGIN(GROUP, repr(name), f"one of {', '.join(format_names(near))}", fix)
        )
    return cast("SuiteFormat", load(GROUP, name))


def format_names(near: Path = Path("suite")) -> list[str]:
    """Return the names of the formats, presets included."""
    return sorted({*listed(GROUP), *_presets(near)})


def _presets(near: Path) -> Mapping[str, SuiteFormat]:
    """Return the presets near a file, in the order in which they recognise files."""
    make = cast("SuiteFormat", load(GROUP, "mapped")).presets
    return {} if make is None else make(near)


def format_of(path: Path) -> SuiteFormat:
    """Return the format of a file or folder that is there.

    Raises:
        FormatError: where no format knows it, or several do.
    """
    if not path.exists():
        return format_named("native")
    start = b"" if path.is_dir() else read_start(path, START)
    yaml = path.suffix.lower() in {".yaml", ".yml"}
    if yaml and _CASES.search(start):
        # Our own suites, nearly all, are told without importing the other formats.
        return format_named("native")
    plugins = [format_named(name) for name in listed(GROUP) if name not in OWN]
    found = [known for known in plugins if known.recognise(path, start)]
    preset = next((known for known in _presets(path).values() if known.recognise(path, start)), None)
    found += [preset] if preset is not None and not found else []
    if not found:
        found = (
            [format_named("native")]
            if yaml
            else [known for name in OWN if (known := format_named(name)).recognise(path, start)]
        )
    if len(found) == 1:
        return found[0]
    names = " and like ".join(known.name for known in found) or "none of " + ", ".join(format_names(path))
    fix = "name its format with --from; `rankgate list formats` explains each"
    if path.suffix.lower() in {".csv", ".tsv"}:
        named = "--option query=COLUMN --option at=COLUMN --option grade=COLUMN"
        fix = f"name the columns of a table of your own: --from mapped {named}; or its format with --from"
    what = "a folder" if path.is_dir() else "a file"
    raise FormatError(
        Code.UNKNOWN_FORMAT(str(path), f"{what} that looks like {names}", "one known format", fix)
    )


def no_suite(root: Path, configuration: Path | None) -> Problem:
    """Return what is said where no suite is named and none is taken: it names those of this folder.

    Args:
        root: The folder of the project, in which suites are looked for too.
        configuration: The file that may list suites; None where there is none.
    """
    here = Path.cwd()
    folder, found = next(
        ((each, names) for each in dict.fromkeys((here, root)) if (names := suites_in(each)[:_NAMED])),
        (root, []),
    )
    if not found:
        fix = "name a suite, list suites in rankgate.toml, or let `rankgate init` write one"
        return Code.NO_SUITE("rankgate", "no suite", "a suite such as search.yaml", fix)
    is_project = configuration is not None and configuration.name == "pyproject.toml"
    file = "[tool.rankgate] of pyproject.toml" if is_project else "rankgate.toml"
    base = root if folder.is_relative_to(root) else folder
    listed_as = ", ".join(f'"{(folder / name).relative_to(base).as_posix()}"' for name in found)
    shown = " and ".join(str(shortest(folder / name)) for name in found)
    there = "is" if len(found) == 1 else "are"
    said = f"no suite is named; {shown} {there} {'here' if folder == here else 'in the project'}"
    fix = f"name {'it' if len(found) == 1 else 'one'}, or add suites = [{listed_as}] to {file}"
    return Code.NO_SUITE(str(shortest(folder / found[0])), "no suite named", "one", fix, said)


def only_suite(configuration: Path | None) -> list[Path]:
    """Return the one suite that lies beside a configuration; nothing where there are several, or others here.

    Args:
        configuration: The file of the configuration; None where there is none.
    """
    if configuration is None:
        return []
    folder, here = configuration.parent.resolve(), Path.cwd()
    found = suites_in(folder)
    others = here != folder and suites_in(here)
    return [folder / name for name in found] if len(found) == 1 and not others else []


def suites_in(folder: Path) -> list[str]:
    """Return the names of the files of a folder that hold a suite of our own, YAML by its first bytes."""
    try:
        every = sorted(folder.iterdir())
        files = [path for path in every if path.suffix.lower() in {".yaml", ".yml"}][:_LOOKED_AT]
        found = [path for path in files if path.is_file() and _OWN_CASES.search(read_start(path, START))]
        return [path.name for path in every if path in found or path.suffixes[-2:-1] == [".suite"]]
    except (OSError, InputError):
        return []


def format_for(path: Path, advice: str = "") -> SuiteFormat:
    """Return from the name of a file that is to be written which format is meant.

    Args:
        path: The file.
        advice: What to do about a name that says too little; by default, to name the format with ``--to``.

    Raises:
        InputError: for a name that says too little.
    """
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in {".gz", ".zst"}]
    name = _BY_NAME.get(suffixes[-1]) if suffixes else None
    if name is None or name not in format_names():
        able = ", ".join(name for name in format_names() if format_named(name).write is not None)
        fix = advice or f"name the format with --to: one of {able}"
        raise InputError(
            Code.UNKNOWN_FORMAT(str(path), "a name that fits several formats or none", "one format", fix)
        )
    return format_named(name)
