"""Changing places in a suite that a person wrote: not a byte changes but those of the places and of the pin.

The file is composed for its marks alone, and each place is replaced between the marks of its scalar. What
comes out is read again and compared with what should have come out before anything is written.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import FormatError, InputError, LocationError, Problem
from rankgate.files.atomic import replacing
from rankgate.model.locations import Location
from rankgate.suites.editing.edits import moved_suite
from rankgate.suites.editing.location_nodes import place_nodes
from rankgate.suites.editing.pin import pin_changes
from rankgate.suites.editing.scalars import composed, respelt
from rankgate.suites.native.yaml_suite import parse_suite

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from rankgate.model.suite import CorpusSource, Suite
    from rankgate.suites.editing.location_nodes import PlaceNode
    from rankgate.suites.editing.removals import Change


BOM = "\ufeff"
"""The mark that some editors put at the start of a file."""
_SUFFIXES = (".yaml", ".yml", ".json")
CONVERT = "write it as YAML first: rankgate suite convert"


@dataclass(frozen=True, slots=True)
class NotEdited:
    """A place that should be another, where its spelling or its case does not allow it."""

    where: str
    """The file, the line and the column."""
    location: Location
    """The place as it is written."""
    why: str
    """What is in the way."""


@dataclass(frozen=True, slots=True)
class Edited:
    """A suite with other places."""

    suite: Suite
    """What the file says now."""
    text: str
    """The whole file."""
    places: int
    """How many scalars were changed; one that aliases repeat counts once."""
    left: tuple[NotEdited, ...] = ()
    """What could not be changed."""


def edit_suite(
    suite: Suite, moves: Mapping[Location, Location], corpus: CorpusSource | None = None
) -> Edited:
    """Change the places of a suite in its file, and what it is pinned to; all of it or nothing is written.

    Args:
        suite: The suite, as it was read from its file.
        moves: Places, and what to write in their stead wherever the suite names them.
        corpus: What to pin the suite to; None leaves the pin alone.

    Raises:
        FormatError: for a file of another format, a compressed one, or one that changed since it was read.
        InputError: for a layout that cannot be changed in place.
    """
    written = suite_text(suite)
    edited = edited_suite(written, suite, moves, corpus)
    if edited.text != written:
        with replacing(str(suite.path)) as aside:
            aside.write_bytes(edited.text.encode())
    return edited


def edited_suite(
    written: str, suite: Suite, moves: Mapping[Location, Location], corpus: CorpusSource | None = None
) -> Edited:
    """Do the same to the text of the file, and write nothing."""
    body = written.removeprefix(BOM)
    path = Path(suite.path or "suite")
    root = composed(body)
    if root is None or parsed(body, path) != suite:
        found = "another suite than the one that was read"
        raise FormatError(
            Problem(str(path), found, "a YAML or JSON suite that nothing else writes to", CONVERT)
        )
    moving = [place for place in place_nodes(root) if place.location in moves]
    changes, left = _changes(moving, moves, _named_together(suite), body, path)
    places = len(changes)
    if corpus is not None and suite.corpus is not None and corpus != suite.corpus:
        changes += pin_changes(root, body, suite.corpus, corpus)
    text = replaced(body, changes)
    stay = {each.location for each in left}
    settled = {old: new for old, new in moves.items() if old not in stay}
    expected = replace(moved_suite(suite, settled), corpus=corpus or suite.corpus)
    result = parsed(text, path)
    if result is None or result != expected:
        fix = "change the places by hand"
        raise InputError(Problem(str(path), "a layout that cannot be changed in place", "plain YAML", fix))
    return Edited(result, written[: len(written) - len(body)] + text, places, tuple(left))


def suite_text(suite: Suite) -> str:
    """Read the file of a suite that can be changed in place.

    Raises:
        FormatError: for a file of another format, or a compressed one.
    """
    path = Path(suite.path or "")
    if suite.path is None or path.suffix.lower() not in _SUFFIXES:
        raise FormatError(Problem(str(suite.path), "a suite of another format", "YAML or JSON", CONVERT))
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        fix = "uncompress it"
        raise FormatError(Problem(str(path), "a compressed file", "plain YAML or JSON", fix)) from error


def parsed(body: str, path: Path) -> Suite | None:
    """Read a suite from the text of its file; None for what is none."""
    try:
        return parse_suite(body.replace("\r\n", "\n"), path)
    except FormatError:
        return None


def _changes(
    places: Sequence[PlaceNode],
    moves: Mapping[Location, Location],
    together: Sequence[Collection[Location]],
    body: str,
    path: Path,
) -> tuple[list[Change], list[NotEdited]]:
    """Spell each place anew, but for those whose spelling, or what names them, does not allow it.

    A location is changed everywhere or nowhere: half of its uses would be a suite that nobody wrote.
    """
    named = [locations for locations in together if any(each in moves for each in locations)]
    spelt = {
        id(place): respelt(body, place.node, str(moves[place.location]), place.setting) for place in places
    }
    left: dict[int, NotEdited] = {}
    allowed = dict(moves)
    # What stays where it is may be in the way of another, so that one must stay, too.
    while True:
        taken = _taken(named, allowed)
        found = {
            id(place): NotEdited(f"{path}:{place.node.line}:{place.node.column}", place.location, why)
            for place in places
            if place.location in allowed and (why := _in_the_way(place, spelt[id(place)], allowed, taken))
        }
        if not found:
            break
        left |= found
        allowed = {
            old: new for old, new in allowed.items() if all(old != each.location for each in found.values())
        }
    changes = [
        (place.node.start, place.node.end, spelling)
        for place in places
        if place.location in allowed and (spelling := spelt[id(place)]) is not None
    ]
    return changes, list(left.values())


def _in_the_way(
    place: PlaceNode,
    spelling: str | None,
    moves: Mapping[Location, Location],
    taken: Collection[Location],
) -> str:
    if place.shared:
        return "an alias repeats it as something that is no place"
    if spelling is None:
        return "it is written in a form that cannot be changed in place"
    new = str(moves[place.location])
    if any(key is not place.node and _after(key.raw, moves) == new for key in place.beside):
        return f"{new} would stand twice in one mapping"
    return f"{new} would stand twice in one case" if place.location in taken else ""


def _named_together(suite: Suite) -> list[set[Location]]:
    """Gather the places of each case, each step and each invariant, none of which may say one twice."""
    found = [
        {target.location for target in case.targets} | {top.location for top in case.top}
        for case in suite.cases
    ]
    found += [set(step.finds) for scenario in suite.scenarios for step in scenario.steps]
    found += [{place for place in (each.above, each.below) if place is not None} for each in suite.invariants]
    return found


def _taken(named: Sequence[Collection[Location]], moves: Mapping[Location, Location]) -> set[Location]:
    """Find the places that would become what another place of their case is, or becomes."""
    taken: set[Location] = set()
    for locations in named:
        after = Counter(moves.get(location, location) for location in locations)
        taken |= {each for each in locations if each in moves and after[moves[each]] > 1}
    return taken


def _after(text: str, moves: Mapping[Location, Location]) -> str:
    try:
        location = Location.at(text)
    except LocationError:
        return text
    return str(moves[location]) if location in moves else text


def replaced(body: str, changes: Sequence[Change]) -> str:
    """Put other text between some marks, which must not overlap."""
    pieces = []
    at = 0
    for start, end, text in sorted(changes):
        pieces += [body[at:start], text]
        at = end
    return "".join([*pieces, body[at:]])
