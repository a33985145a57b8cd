"""Suites from any file: the format is named, or told by the name and the content."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from rankgate.errors import FormatError, InputError, Problem
from rankgate.files.compressed import read_start
from rankgate.plugins import listed, load
from rankgate.suites.format import GROUP, Format, Reading

if TYPE_CHECKING:
    from rankgate.model.suite import Suite


def load_suite(
    path: str | Path,
    format: str | None = None,  # noqa: A002 - the word users know
    reading: Reading | None = None,
) -> Suite:
    """Read a suite in the format named, or in the one that the name and the content of the file tell.

    Raises:
        InputError: for a file that cannot be read.
        FormatError: with all that is wrong with the file, each where it stands.
    """
    path = Path(path)
    reading = reading or Reading()
    known = format_named(format) if format else _recognised(path)
    unknown = sorted(set(reading.options) - set(known.options))
    if unknown:
        expected = f"one of {', '.join(known.options)}" if known.options else "no options"
        raise InputError(Problem(f"format {known.name}", f"the option {unknown[0]!r}", expected))
    return known.read(path, reading)


def format_named(name: str) -> Format:
    """Import one format.

    Raises:
        PluginError: for a name that is unknown.
    """
    return cast("Format", load(GROUP, name))


def _recognised(path: Path) -> Format:
    if path.suffix.lower() in {".yaml", ".yml"} or not path.exists():
        return format_named("native")
    start = b"" if path.is_dir() else read_start(path)
    found = [known for name in listed(GROUP) if (known := format_named(name)).recognise(path, start)]
    if len(found) == 1:
        return found[0]
    names = ", ".join(known.name for known in found) or "none of " + ", ".join(listed(GROUP))
    raise FormatError(
        Problem(str(path), f"a file that looks like {names}", "a file of one known format", "name the format")
    )
