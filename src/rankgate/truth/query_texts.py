"""The texts of queries by their ids.

They come as JSON lines of ``_id`` and ``text``, or as lines of an id, a tab and the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import Problem
from rankgate.files.compressed import read_start
from rankgate.files.objects import Fields, looks_like_objects, read_objects
from rankgate.files.problems import Problems
from rankgate.files.text import read_text
from rankgate.suites.quoting import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def read_texts(path: Path) -> dict[str, str | None]:
    """Read the texts of queries; None for one that has an id and no text.

    Raises:
        FormatError: with all that is wrong with the file.
    """
    problems = Problems(str(path))
    texts: dict[str, str | None] = {}
    lines = _objects(path, problems) if looks_like_objects(read_start(path)) else _tabbed(path, problems)
    for where, name, text in lines:
        if name in texts:
            problems.add(Problem(where, f"the query {quoted(name)} a second time", "each query once"))
        texts[name] = text
    problems.check()
    return texts


def _objects(path: Path, problems: Problems) -> Iterator[tuple[str, str, str | None]]:
    for where, found in read_objects(path, problems):
        fields = Fields(found, where, problems)
        name = fields.text("_id", required=True)
        text = fields.text("text")
        if name is not None:
            yield where, name, text


def _tabbed(path: Path, problems: Problems) -> Iterator[tuple[str, str, str | None]]:
    for number, line in enumerate(read_text(path).decode().split("\n"), 1):
        name, tab, text = line.partition("\t")
        if tab and name.strip() and text.strip():
            yield f"{path}:{number}", name.strip(), text.strip()
        elif line.strip():
            expected = "an id, a tab and the text of a query"
            problems.add(Problem(f"{path}:{number}", quoted(line), expected))
