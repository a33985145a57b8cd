"""A suite's file with some edits made, and every other byte as it was.

The file is composed for where its values stand, and each edit is a change between such marks. What comes out
is read again and compared with what should have come out before anything is written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, FormatError, InputError
from rankgate.files.atomic import replacing
from rankgate.suites.editing.case_changes import case_changes
from rankgate.suites.editing.edits import AddCase, AddGate, DropCase, Move, Pin, changed_suite, without_added
from rankgate.suites.editing.relocate import location_changes
from rankgate.suites.editing.removals import LayoutError, replaced
from rankgate.suites.editing.scalars import composed
from rankgate.suites.native.yaml_suite import parse_suite, read_native

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.errors import Problem
    from rankgate.model.locations import Location
    from rankgate.model.suite import CorpusSource, Suite
    from rankgate.suites.editing.edits import Edit, FileEdit


_BOM = "\ufeff"
_SUFFIXES = (".yaml", ".yml", ".json")
_CONVERT = "write it as YAML first: rankgate suite convert"
_LAYOUT = "its layout does not allow it to be changed in place: change it by hand"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An edit that was not made, or not at one location that it is about."""

    edit: Edit
    why: str
    """What is in the way."""
    where: str = ""
    """The file, the line and the column of the location that stays."""

    @property
    def location(self) -> Location | None:
        """The location that should be another; None where the edit is no move."""
        return self.edit.old if isinstance(self.edit, Move) else None


@dataclass(frozen=True, slots=True)
class Revised:
    """A suite and its file after some edits."""

    suite: Suite
    """What the file says now."""
    text: str
    """The whole file."""
    left: tuple[LeftOut, ...] = ()
    """What was not done."""
    locations: int = 0
    """How many scalars were moved; one that aliases repeat counts once."""


def revised_suite(written: str, suite: Suite, edits: Sequence[Edit]) -> Revised:
    """Make the edits that the text of a suite's file allows, and write nothing.

    Args:
        written: The whole file.
        suite: What it says; the numbers of targets are those that it has.
        edits: What to change.

    Raises:
        FormatError: for a text that is another suite.
    """
    body = _checked(written, suite)
    gone = {edit.case for edit in edits if isinstance(edit, DropCase)}
    kept = [edit for edit in edits if isinstance(edit, Move | DropCase) or edit.case not in gone]
    # Locations first: one that moves may be part of what is then taken out.
    moved = _possible(body, suite, [edit for edit in kept if isinstance(edit, Move)])
    rest = _possible(moved.text, moved.suite, [edit for edit in kept if not isinstance(edit, Move)])
    # A move that several locations do not allow is one edit.
    left = (*{each.edit: each for each in moved.left}.values(), *rest.left)
    return replace(rest, text=_marked(written, rest.text), left=left)


def edited_suite(
    written: str, suite: Suite, moves: Mapping[Location, Location], corpus: CorpusSource | None = None
) -> Revised:
    """Return the text of a suite's file with changed locations and a changed pin.

    Args:
        written: The whole file.
        suite: What it says.
        moves: Locations, and what to write in their place wherever the suite names them.
        corpus: What to pin the suite to; None leaves the pin alone.

    Raises:
        FormatError: for a text that is another suite.
        InputError: for a layout that cannot be changed in place.
    """
    edits: list[FileEdit] = [Move(old, new) for old, new in moves.items()]
    if corpus is not None and suite.corpus is not None and corpus != suite.corpus:
        edits.append(Pin(corpus))
    made = _made(_checked(written, suite), suite, edits)
    return replace(made, text=_marked(written, made.text))


def append_case(path: str | Path, keys: Mapping[str, Any]) -> None:
    """Add a case behind the last one; the file is replaced whole or not at all. JSON stays JSON.

    Args:
        path: The suite.
        keys: The case, with the keys that a suite has: query, at or id, reviewed, source, …

    Raises:
        FormatError: for a suite or a case that is not valid, or a compressed file.
        InputError: for a layout that does not allow it.
    """
    if Path(path).suffix.lower() not in _SUFFIXES:
        raise FormatError(_other_format(path))
    suite = read_native(path)
    written = suite_text(suite)
    made = _made(_checked(written, suite), suite, [AddCase(keys)])
    _replace(path, written, _marked(written, made.text))


def append_gate(path: str | Path, gate: str) -> None:
    """Add a gate behind those of a suite; the file is replaced whole or not at all.

    Raises:
        FormatError: for a file that is not YAML or JSON.
        InputError: for a layout that does not allow it.
    """
    suite = read_native(path)
    written = suite_text(suite)
    made = _made(_checked(written, suite), suite, [AddGate(gate)])
    _replace(path, written, _marked(written, made.text))


def write_revision(suite: Suite, written: str, revised: Revised) -> None:
    """Replace a suite's file, whole or not at all.

    Raises:
        FormatError: where the file is no longer the one that was read; nothing is written then.
    """
    if suite_text(suite) != written:
        found = "a file that was changed since it was read"
        fix = "run the command again"
        raise FormatError(
            Code.CHANGED_MEANWHILE(str(suite.path), found, "a file that nothing else writes to", fix)
        )
    _replace(str(suite.path), written, revised.text)


def suite_text(suite: Suite) -> str:
    """Read the file of a suite that can be changed in place.

    Raises:
        FormatError: for a file of another format, or a compressed one.
    """
    path = Path(suite.path or "")
    if suite.path is None or path.suffix.lower() not in _SUFFIXES:
        raise FormatError(_other_format(suite.path))
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        fix = "uncompress it"
        raise FormatError(
            Code.CANNOT_EDIT(str(path), "a compressed file", "plain YAML or JSON", fix)
        ) from error


def _other_format(path: str | Path | None) -> Problem:
    return Code.CANNOT_EDIT(str(path), "a suite of another format", "YAML or JSON", _CONVERT)


def _replace(path: str | Path, written: str, text: str) -> None:
    if text != written:
        with replacing(path) as aside:
            aside.write_bytes(text.encode())


def _checked(written: str, suite: Suite) -> str:
    """Return the text without its byte order mark; one that is not of the suite is refused."""
    body = written.removeprefix(_BOM)
    try:
        if composed(body) is not None and _parsed(body, suite) == suite:
            return body
    except FormatError:
        pass
    found = "another suite than the one that was read"
    expected = "a YAML or JSON suite that nothing else writes to"
    raise FormatError(Code.CANNOT_EDIT(suite.path or "suite", found, expected, _CONVERT))


def _marked(written: str, text: str) -> str:
    return written[: len(written) - len(written.removeprefix(_BOM))] + text


def _parsed(body: str, suite: Suite) -> Suite:
    return parse_suite(body.replace("\r\n", "\n"), Path(suite.path or "suite"))


def _possible(body: str, suite: Suite, edits: Sequence[Edit]) -> Revised:
    """Make edits; where the layout does not allow all of them, those together that it allows one by one."""
    made, some = _allowed(body, suite, edits), edits
    if made is None:
        some = [edit for edit in edits if _allowed(body, suite, [edit]) is not None]
        made = _allowed(body, suite, some)
    if made is None:
        made, some = Revised(suite, body), []
    left = [LeftOut(edit, _LAYOUT) for edit in edits if edit not in some]
    return replace(made, left=(*made.left, *left))


def _allowed(body: str, suite: Suite, edits: Sequence[Edit]) -> Revised | None:
    try:
        return _made(body, suite, edits)
    except InputError:
        return None


def _made(body: str, suite: Suite, edits: Sequence[FileEdit]) -> Revised:
    """Make edits in a text, all of them but moves that a location does not allow.

    Raises:
        FormatError: for a case to add that is not valid.
        InputError: where the text would not say what it should.
    """
    if not edits:
        return Revised(suite, body)
    try:
        return _revised(body, suite, edits)
    except (LayoutError, FormatError) as error:
        raise _refusal(suite.path or "suite", edits, error) from error


def _revised(body: str, suite: Suite, edits: Sequence[FileEdit]) -> Revised:
    root = composed(body)
    if root is None:
        raise LayoutError
    moves = {edit.old: edit for edit in edits if isinstance(edit, Move)}
    moved, stay = location_changes(root, body, suite, {old: edit.new for old, edit in moves.items()})
    left = [
        LeftOut(moves[each.location], why, f"{suite.path or 'suite'}:{each.node.line}:{each.node.column}")
        for each, why in stay
    ]
    text = replaced(body, moved + case_changes(body, root, suite, edits))
    result = _parsed(text, suite)
    unmoved = [each.edit for each in left]
    if without_added(result, edits) != changed_suite(suite, [each for each in edits if each not in unmoved]):
        raise LayoutError
    return Revised(result, text, tuple(left), len(moved))


def _refusal(path: str, edits: Sequence[FileEdit], error: Exception) -> InputError:
    adding = any(isinstance(edit, AddCase) for edit in edits)
    if adding and isinstance(error, FormatError):
        where = f"case for {path}"
        return FormatError([replace(each, where=where) for each in error.problems])
    done, fix = (
        ("added to", "write the case by hand") if adding else ("changed", "change the locations by hand")
    )
    return InputError(Code.CANNOT_EDIT(path, f"a layout that cannot be {done} in place", "plain YAML", fix))
