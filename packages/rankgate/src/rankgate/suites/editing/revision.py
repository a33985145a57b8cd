"""A suite's file with some edits made, and every other byte as it was.

What comes out is read again and held to what should have come out; an edit that the file's layout does not
allow is left out and told.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankgate.errors import FormatError, InputError, Problem
from rankgate.files.atomic import replacing
from rankgate.suites.editing.case_changes import added_case, case_changes
from rankgate.suites.editing.edits import AddTargets, DropCase, Move, changed_suite
from rankgate.suites.editing.relocate import BOM, edited_suite, parsed, replaced, suite_text
from rankgate.suites.editing.scalars import composed
from rankgate.suites.native.yaml_suite import parse_suite, read_native

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.model.suite import Suite
    from rankgate.suites.editing.edits import CaseEdit, Edit
    from rankgate.suites.editing.relocate import Edited


_LAYOUT = "its layout does not allow it to be changed in place: change it by hand"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An edit that was not made."""

    edit: Edit
    """The edit."""
    why: str
    """What is in the way."""


@dataclass(frozen=True, slots=True)
class Revised:
    """A suite and its file after some edits."""

    suite: Suite
    """What the file says now."""
    text: str
    """The whole file."""
    left: tuple[LeftOut, ...] = ()
    """What was not done."""


def revised_suite(written: str, suite: Suite, edits: Sequence[Edit]) -> Revised:
    """Make edits in the text of a suite's file, and write nothing.

    Args:
        written: The whole file.
        suite: What it says; the numbers of targets are those that it has.
        edits: What to change.

    Raises:
        FormatError: for a text that is another suite.
    """
    moved, left = _moved(written, suite, [edit for edit in edits if isinstance(edit, Move)])
    rest: list[CaseEdit] = [edit for edit in edits if not isinstance(edit, Move)]
    gone = {edit.case for edit in rest if isinstance(edit, DropCase)}
    rest = [edit for edit in rest if isinstance(edit, DropCase) or edit.case not in gone]
    body = moved.text.removeprefix(BOM)
    text, result = _made(body, moved.suite, rest), moved.suite
    if text is None:
        single = [edit for edit in rest if _made(body, moved.suite, [edit]) is not None]
        text = _made(body, moved.suite, single)
        if text is None:
            text, single = body, []
        left += [LeftOut(edit, _LAYOUT) for edit in rest if edit not in single]
        rest = single
    result = changed_suite(moved.suite, rest)
    return Revised(result, written[: len(written) - len(written.removeprefix(BOM))] + text, tuple(left))


def write_revision(suite: Suite, written: str, revised: Revised) -> None:
    """Replace a suite's file, whole or not at all.

    Raises:
        FormatError: where the file is no longer the one that was read; nothing is written then.
    """
    if suite_text(suite) != written:
        found = "a file that was changed since it was read"
        fix = "run the command again"
        raise FormatError(Problem(str(suite.path), found, "a file that nothing else writes to", fix))
    if revised.text != written:
        with replacing(str(suite.path)) as aside:
            aside.write_bytes(revised.text.encode())


def append_case(path: str | Path, keys: Mapping[str, Any]) -> None:
    """Add a case behind the last one; the file is replaced whole or not at all. JSON stays JSON.

    Args:
        path: The suite.
        keys: The case, with the keys that a suite has: query, at or id, reviewed, source, …

    Raises:
        FormatError: for a suite or a case that is not valid, or a compressed file.
        InputError: for a layout that does not allow it.
    """
    path = Path(path)
    before = read_native(path).cases
    try:
        written = path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise FormatError(Problem(str(path), "a compressed file", "plain YAML", "uncompress it")) from error
    body = written.removeprefix(BOM)
    root = composed(body)
    change = None if root is None else added_case(body, root, keys)
    if change is None:
        raise FormatError(Problem("suite", "no list of cases", "a list to append to"))
    longer = replaced(body, [change])
    try:
        after = parse_suite(longer.replace("\r\n", "\n"), path).cases
    except FormatError as error:
        raise FormatError(
            [Problem(f"case for {path}", each.found, each.expected, each.fix) for each in error.problems]
        ) from error
    if after[:-1] != before:
        fix = "write the case by hand"
        raise InputError(Problem(str(path), "a layout that cannot be added to in place", "plain YAML", fix))
    with replacing(path) as aside:
        aside.write_bytes((written[: len(written) - len(body)] + longer).encode())


def _moved(written: str, suite: Suite, moves: Sequence[Move]) -> tuple[Edited, list[LeftOut]]:
    """Change places; where the layout does not allow all of them, each that it allows by itself."""
    try:
        moved = edited_suite(written, suite, {move.old: move.new for move in moves})
    except FormatError:
        raise
    except InputError:
        single = []
        for move in moves:
            with suppress(InputError):
                edited_suite(written, suite, {move.old: move.new})
                single.append(move)
        if len(single) == len(moves):
            single = []
        moved, left = _moved(written, suite, single)
        return moved, left + [LeftOut(move, _LAYOUT) for move in moves if move not in single]
    stay = {each.location: each.why for each in moved.left}
    return moved, [LeftOut(move, stay[move.old]) for move in moves if move.old in stay]


def _made(body: str, suite: Suite, edits: Sequence[CaseEdit]) -> str | None:
    """Return the text with some edits made; None where it would not say what it should."""
    if not edits:
        return body
    for edit in edits:
        if isinstance(edit, AddTargets) and not edit.targets:
            return None
    root = composed(body)
    changes = None if root is None else case_changes(body, root, suite, edits)
    if changes is None:
        return None
    text = replaced(body, changes)
    try:
        expected = changed_suite(suite, edits)
    except InputError:  # targets for a case that must find nothing
        return None
    return text if parsed(text, Path(suite.path or "suite")) == expected else None
