"""Writing what was accepted: the suite's file, and the anchors beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.suites.editing.edits import DropCase, DropTarget, Move
from rankgate.suites.editing.revision import write_revision
from rankgate.truth.anchors import anchors_path, read_anchors, write_anchors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.model.suite import Suite
    from rankgate.suites.editing.edits import Edit
    from rankgate.suites.editing.revision import Revised


def apply(suite: Suite, written: str, revised: Revised, edits: Sequence[Edit]) -> bool:
    """Write a revised suite, and move and drop anchors with its places.

    Args:
        suite: The suite, as it was read.
        written: The text that it was read from.
        revised: What to write.
        edits: What was done.

    Returns:
        True where the file of anchors was written, too.

    Raises:
        FormatError: where the suite was changed meanwhile; nothing is written then.
    """
    path = anchors_path(str(suite.path))
    kept = read_anchors(path)
    write_revision(suite, written, revised)
    if kept is None:
        return False
    left = {each.edit for each in revised.left}
    cases = _anchors(kept.cases, suite, [edit for edit in edits if edit not in left])
    if cases == kept.cases:
        return False
    write_anchors(replace(kept, cases=cases), path)
    return True


def _anchors(
    kept: Mapping[str, Mapping[str, str]], suite: Suite, edits: Sequence[Edit]
) -> dict[str, dict[str, str]]:
    moves = {str(edit.old): str(edit.new) for edit in edits if isinstance(edit, Move)}
    gone = {edit.case for edit in edits if isinstance(edit, DropCase)}
    dropped: dict[str, set[int]] = {}
    for edit in edits:
        if isinstance(edit, DropTarget):
            dropped.setdefault(edit.case, set()).add(edit.number)
    cases = {case.id: case for case in suite.cases}
    found: dict[str, dict[str, str]] = {}
    for name, places in kept.items():
        case = cases.get(name)
        lost: set[str] = set()
        if case is not None:
            numbers = dropped.get(name, set())
            stay = {str(each.location) for at, each in enumerate(case.targets) if at not in numbers}
            stay |= {str(top.location) for top in case.top}
            lost = {str(case.targets[at].location) for at in numbers} - stay
        left = {moves.get(place, place): anchor for place, anchor in places.items() if place not in lost}
        if name not in gone and left:
            found[name] = left
    return found
