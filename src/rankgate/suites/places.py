"""Places as other tools spell them in JSON: a path, or an object of a path and lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankgate.model.places import Location
    from rankgate.suites.gathering import Gathering
    from rankgate.suites.json_values import Json

PATH = ("path", "file", "filename", "file_path")
"""What the path may be called."""
START = ("start", "start_line", "startLine")
"""What the first line may be called."""
END = ("end", "end_line", "endLine")
"""What the last line may be called; lines are 1-based, both ends included."""


def read_place(gathering: Gathering, found: Json) -> Location | None:
    """Take a path as text, or an object of a path and, where it has them, lines."""
    if isinstance(found.value, str):
        return gathering.place(found.value, found.where)
    if not found.is_object("a path, or an object of path, start and end"):
        return None
    path = found.get(*PATH).text("a path")
    start, end = (found.get(*names).count("a line number, from 1") for names in (START, END))
    if (start is None) != (end is None):
        found.wrong("both start and end, or neither", found="one end of a range of lines")
        return None
    gathering.left_out(found, {*PATH, *START, *END})
    return None if path is None else gathering.place(path, found.where, start, end)
