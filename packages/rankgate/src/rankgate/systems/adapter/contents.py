"""What the options of a system name: variables of the environment, files of requests, functions, indexes."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from rankgate.systems.adapter.variables import VARIABLE, strings_in
from rankgate.systems.contents import add_python

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from _typeshed import DataclassInstance

    from rankgate.io.digests import ContentsReader

_REQUEST_FILES = ("body_file", "sql_file")


def add_options(
    reader: ContentsReader, options: DataclassInstance, hooks: Sequence[str], data: Sequence[str]
) -> None:
    """Add what options name.

    Args:
        reader: What is found is added here.
        options: The options; a path in them is relative to their root.
        hooks: Those that name functions.
        data: Those that name files and folders which are searched.
    """
    given = {name: value for name, value in asdict(options).items() if value is not None}
    files = [reader.root / str(given[name]) for name in _REQUEST_FILES if name in given]
    texts = [text for _, text in strings_in(given)] + [_text(path) for path in files]
    for name in sorted({name for text in texts for name in VARIABLE.findall(text)}):
        reader.add_variable(name)
    for path in (*files, *(reader.root / str(given[name]) for name in data if name in given)):
        reader.add_files(path)
    if any(name in given for name in hooks):
        add_python(reader)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
