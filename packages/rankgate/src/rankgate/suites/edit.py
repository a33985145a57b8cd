"""Changes of a suite's file in which every other byte stays as it was.

The file is parsed for the offsets of its values, and each edit replaces, removes or adds text between them.
The result is read again and compared with the suite that the edits should make, before anything is written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from rankgate.errors import Code, FormatError, InputError, LocationError, Problem
from rankgate.io.atomic import replacing
from rankgate.io.yaml_text import NOT_TEXT, block, entry, flow_text
from rankgate.locations import Location
from rankgate.model import Case, CorpusSource, GateText, Step, Suite, Target
from rankgate.suites.dump import corpus_keys, number
from rankgate.suites.native import parse_suite, read_native
from rankgate.suites.schema import NAMES

_BOM = "\ufeff"
_SUFFIXES = (".yaml", ".yml", ".json")
_CONVERT = "write it as YAML first: rankgate suite convert"
_LAYOUT = "its layout does not allow it to be changed in place: change it by hand"
_BROKEN = re.compile("[\x7f-\xa0\u2028\u2029\ufeff]")
_BLOCKS = ("|", ">")


# --- edits, as data ---


@dataclass(frozen=True, slots=True)
class Move:
    """Another location in place of one, wherever the suite names it."""

    old: Location
    new: Location


@dataclass(frozen=True, slots=True)
class Pin:
    """Another state of the corpus that the suite names: a folder, commit, release or hash."""

    corpus: CorpusSource


@dataclass(frozen=True, slots=True)
class AddCase:
    """A case behind the last one, with the keys that a suite has."""

    keys: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AddGate:
    """A gate behind those that the suite has."""

    text: str


@dataclass(frozen=True, slots=True)
class _OfCase:
    case: str


@dataclass(frozen=True, slots=True)
class AddTargets(_OfCase):
    """More targets for a case, behind those that it has."""

    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class Regrade(_OfCase):
    """Another grade and source for a target, by its number from 0."""

    number: int
    grade: float
    source: str


@dataclass(frozen=True, slots=True)
class DropTarget(_OfCase):
    """A target removed from a case, by its number from 0."""

    number: int


@dataclass(frozen=True, slots=True)
class DropLocation(_OfCase):
    """A location removed from a case, from its targets and its checks."""

    location: Location


@dataclass(frozen=True, slots=True)
class DropXFail(_OfCase):
    """A case that may no longer fail."""


@dataclass(frozen=True, slots=True)
class DropCase(_OfCase):
    """A case removed from the suite."""


CaseEdit: TypeAlias = AddTargets | Regrade | DropTarget | DropLocation | DropXFail | DropCase
Edit: TypeAlias = Move | CaseEdit
"""What a review of a suite may propose."""
FileEdit: TypeAlias = Edit | Pin | AddCase | AddGate


def changed_suite(suite: Suite, edits: Sequence[FileEdit]) -> Suite:
    """Return the suite that edits make, without the cases that they add.

    Numbers of targets are those of the suite that is given.
    """
    moves = {edit.old: edit.new for edit in edits if isinstance(edit, Move)}
    found = _moved(suite, moves) if moves else suite
    for edit in edits:
        if isinstance(edit, Pin):
            found = replace(found, corpus=edit.corpus)
        elif isinstance(edit, AddGate):
            found = replace(found, gates=(*found.gates, GateText(edit.text)))
    by_case = _by_case(edits)
    cases = (_changed(case, by_case.get(case.id, [])) for case in found.cases)
    return replace(found, cases=tuple(case for case in cases if case is not None)) if by_case else found


def _by_case(edits: Sequence[FileEdit]) -> dict[str, list[CaseEdit]]:
    found: dict[str, list[CaseEdit]] = {}
    for edit in edits:
        if isinstance(edit, CaseEdit):
            found.setdefault(edit.case, []).append(edit)
    return found


def _changed(case: Case, edits: Sequence[CaseEdit]) -> Case | None:
    if any(isinstance(edit, DropCase) for edit in edits):
        return None
    targets: list[Target | None] = list(case.targets)
    top, xfail = case.top, case.xfail
    for edit in edits:
        match edit:
            case Regrade(number=at, grade=grade, source=source):
                targets[at] = replace(case.targets[at], grade=grade, source=source, reviewed=True)
            case DropTarget(number=at):
                targets[at] = None
            case DropLocation(location=location):
                top = tuple(one for one in top if one.location != location)
                targets = [one if one and one.location != location else None for one in targets]
            case DropXFail():
                xfail = None
            case _:
                pass
    added = [one for edit in edits if isinstance(edit, AddTargets) for one in edit.targets]
    kept = (*(one for one in targets if one is not None), *added)
    return replace(case, targets=kept, top=top, xfail=xfail)


def _moved(suite: Suite, moves: Mapping[Location, Location]) -> Suite:
    def new(location: Any) -> Any:
        return moves.get(location, location)

    def moved(case: Case) -> Case:
        targets = tuple(replace(one, location=new(one.location)) for one in case.targets)
        return replace(
            case, targets=targets, top=tuple(replace(one, location=new(one.location)) for one in case.top)
        )

    def stepped(step: Step) -> Step:
        return replace(step, at=new(step.at), finds=tuple(map(new, step.finds)))

    return replace(
        suite,
        cases=tuple(map(moved, suite.cases)),
        scenarios=tuple(replace(one, steps=tuple(map(stepped, one.steps))) for one in suite.scenarios),
        invariants=tuple(
            replace(one, above=tuple(map(new, one.above)), below=tuple(map(new, one.below)))
            for one in suite.invariants
        ),
    )


# --- files ---


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An edit that was not made."""

    edit: Edit
    why: str
    where: str = ""
    """The file, line and column of the location that stays."""

    @property
    def location(self) -> Location | None:
        """The location that should be another; None if the edit is no move."""
        return self.edit.old if isinstance(self.edit, Move) else None


@dataclass(frozen=True, slots=True)
class Revised:
    """A suite and its file after some edits."""

    suite: Suite
    text: str
    """The whole file."""
    left: tuple[LeftOut, ...] = ()
    """What was not done."""
    locations: int = 0
    """How many locations were moved."""


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
    # Locations first: one that moves may be part of what is then removed.
    moved = _possible(body, suite, [edit for edit in kept if isinstance(edit, Move)])
    rest = _possible(moved.text, moved.suite, [edit for edit in kept if not isinstance(edit, Move)])
    left = (*moved.left, *rest.left)
    return Revised(rest.suite, _with_bom(written, rest.text), left, moved.locations)


def edited_suite(
    written: str, suite: Suite, moves: Mapping[Location, Location], corpus: CorpusSource | None = None
) -> Revised:
    """Return the text of a suite's file with changed locations and a changed pin.

    Args:
        written: The whole file.
        suite: What it says.
        moves: Locations, and what to write in their place.
        corpus: What to pin the suite to; None leaves the pin alone.

    Raises:
        FormatError: for a text that is another suite.
        InputError: for a pin that cannot be changed in place.
    """
    made = _possible(_checked(written, suite), suite, [Move(old, new) for old, new in moves.items()])
    if corpus is not None and suite.corpus is not None and corpus != suite.corpus:
        pinned = _made(made.text, made.suite, [Pin(corpus)])
        made = replace(made, suite=pinned.suite, text=pinned.text)
    return replace(made, text=_with_bom(written, made.text))


def append_case(path: str | Path, keys: Mapping[str, Any]) -> None:
    """Add a case behind the last one; the file is replaced at once.

    Args:
        path: The suite.
        keys: The case, with the keys that a suite has.

    Raises:
        FormatError: for an invalid suite or case, or another format.
        InputError: for a layout that does not allow it.
    """
    _append(path, AddCase(keys))


def append_gate(path: str | Path, gate: str) -> None:
    """Add a gate behind those of a suite; the file is replaced at once.

    Raises:
        FormatError: for a file that is not YAML or JSON.
        InputError: for a layout that does not allow it.
    """
    _append(path, AddGate(gate))


def _append(path: str | Path, edit: AddCase | AddGate) -> None:
    if Path(path).suffix.lower() not in _SUFFIXES:
        raise FormatError(_other_format(path))
    suite = read_native(path)
    written = suite_text(suite)
    made = _made(_checked(written, suite), suite, [edit])
    _replace(path, written, _with_bom(written, made.text))


def write_revision(suite: Suite, written: str, revised: Revised) -> None:
    """Replace a suite's file at once.

    Raises:
        FormatError: if the file is no longer the one that was read; nothing is written then.
    """
    if suite_text(suite) != written:
        found = "a file that was changed since it was read"
        expected, fix = "a file that nothing else writes to", "run the command again"
        raise FormatError(Code.CHANGED_MEANWHILE(str(suite.path), found, expected, fix))
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
        found = "a compressed file"
        raise FormatError(
            Code.CANNOT_EDIT(str(path), found, "plain YAML or JSON", "uncompress it")
        ) from error


def _other_format(path: str | Path | None) -> Problem:
    return Code.CANNOT_EDIT(str(path), "a suite of another format", "YAML or JSON", _CONVERT)


def _replace(path: str | Path, written: str, text: str) -> None:
    if text != written:
        with replacing(path) as aside:
            aside.write_bytes(text.encode())


def _with_bom(written: str, text: str) -> str:
    return _BOM + text if written.startswith(_BOM) else text


def _parsed(body: str, suite: Suite) -> Suite:
    return parse_suite(body.replace("\r\n", "\n"), Path(suite.path or "suite"))


def _checked(written: str, suite: Suite) -> str:
    """Return the text without its byte order mark, if it is that of the suite."""
    body = written.removeprefix(_BOM)
    try:
        if _parsed(body, suite) == suite:
            return body
    except FormatError:
        pass
    found = "another suite than the one that was read"
    expected = "a YAML or JSON suite that nothing else writes to"
    raise FormatError(Code.CANNOT_EDIT(suite.path or "suite", found, expected, _CONVERT))


def _possible(body: str, suite: Suite, edits: Sequence[Edit]) -> Revised:
    """Make edits; if the layout does not allow all of them, those that it allows one after the other."""
    try:
        return _made(body, suite, edits)
    except InputError:
        if len(edits) == 1:
            return Revised(suite, body, (_left_out(body, suite, edits[0]),))
    if any(not isinstance(edit, Move) for edit in edits):
        # Numbers of targets change with each edit, so those that fail alone are left out of one attempt.
        alone = {edit: not _possible(body, suite, [edit]).left for edit in edits}
        some = [edit for edit in edits if alone[edit]]
        left = tuple(LeftOut(edit, _LAYOUT) for edit in edits if not alone[edit])
        try:
            return replace(_made(body, suite, some), left=left)
        except InputError:
            return Revised(suite, body, tuple(LeftOut(edit, _LAYOUT) for edit in edits))
    made = Revised(suite, body)
    for edit in edits:
        step = _possible(made.text, made.suite, [edit])
        made = Revised(step.suite, step.text, (*made.left, *step.left), made.locations + step.locations)
    return made


def _left_out(body: str, suite: Suite, edit: Edit) -> LeftOut:
    if not isinstance(edit, Move):
        return LeftOut(edit, _LAYOUT)
    same = _distinct(changed_suite(suite, [edit])) < _distinct(suite)
    why = f"{edit.new} is already in the same case" if same else _LAYOUT
    at = next((one.node.start for one in _locations(_composed(body)) if one.location == edit.old), 0)
    line = body.count("\n", 0, at) + 1
    return LeftOut(edit, why, f"{suite.path or 'suite'}:{line}:{at - body.rfind(chr(10), 0, at)}")


def _made(body: str, suite: Suite, edits: Sequence[FileEdit]) -> Revised:
    """Make edits in a text.

    Raises:
        FormatError: for an invalid case to add.
        InputError: if the text would not say what it should.
    """
    if not edits:
        return Revised(suite, body)
    adding = [edit for edit in edits if isinstance(edit, AddCase)]
    path = suite.path or "suite"
    try:
        root = _composed(body)
        moves = {edit.old: edit.new for edit in edits if isinstance(edit, Move)}
        moved = _move_changes(root, body, moves)
        text = _replaced(body, moved + _changes(body, root, suite, edits))
        result = _parsed(text, suite)
        read = replace(result, cases=result.cases[: len(result.cases) - len(adding)])
        if read != changed_suite(suite, edits) or (moves and _distinct(read) < _distinct(suite)):
            raise LayoutError  # noqa: TRY301
    except (LayoutError, FormatError) as error:
        if adding and isinstance(error, FormatError):
            where = f"case for {path}"
            told = [f"{where}: {one.said.split(': ', 1)[-1]}" for one in error.problems]
            raise FormatError(
                [replace(one, where=where, said=said) for one, said in zip(error.problems, told, strict=True)]
            ) from error
        done = "added to" if adding else "changed"
        fix = "write the case by hand" if adding else "change the locations by hand"
        if any(isinstance(edit, Pin) for edit in edits):
            path, fix = (
                "corpus",
                f"write the corpus by hand: {next(e.corpus for e in edits if isinstance(e, Pin))}",
            )
        found = f"a layout that cannot be {done} in place"
        raise InputError(Code.CANNOT_EDIT(path, found, "plain YAML", fix)) from error
    return Revised(result, text, (), len(moved))


def _distinct(suite: Suite) -> int:
    """Count the different locations of each case, step and invariant."""
    named = [set(case.locations) for case in suite.cases]
    named += [set(step.finds) for scenario in suite.scenarios for step in scenario.steps]
    named += [{*one.above, *one.below} for one in suite.invariants]
    return sum(map(len, named))


# --- the text, by offsets ---


class LayoutError(Exception):
    """A file is laid out in a way that does not allow an edit."""


Change: TypeAlias = tuple[int, int, str]
"""Start, end, and the text to write there."""


@dataclass(slots=True, eq=False)
class _Node:
    """One value of a file, with its offsets."""

    kind: str
    """mapping, list or scalar."""
    start: int
    end: int
    """The end of its last content: comments and blank lines that follow are no part of it."""
    style: str = ""
    """The quote, bracket or block sign that it begins with; empty if it is plain or indented."""
    raw: str = ""
    pairs: list[tuple[_Node, _Node]] = field(default_factory=list)
    items: list[_Node] = field(default_factory=list)

    @property
    def flow(self) -> bool:
        """Whether it is a list or mapping in brackets."""
        return self.kind != "scalar" and self.style != ""

    def number_of(self, key: str) -> int | None:
        """Return the number of a pair."""
        return next((at for at, (name, _) in enumerate(self.pairs) if name.raw == key), None)

    def under(self, key: str) -> _Node | None:
        """Return the value of a key."""
        at = self.number_of(key)
        return None if at is None else self.pairs[at][1]

    def listed(self) -> list[_Node]:
        """Return the items of a list, or the value itself."""
        return self.items if self.kind == "list" else [self]

    def spans(self) -> list[tuple[int, int]]:
        """Return the start and end of each item or pair."""
        pairs = [(key.start, max(key.end, value.end)) for key, value in self.pairs]
        return pairs or [(item.start, item.end) for item in self.items]


def _composed(body: str) -> _Node:
    loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        found = yaml.compose(body, Loader=loader)
    except yaml.YAMLError as error:
        raise LayoutError from error
    if found is None:
        raise LayoutError
    return _node(found, body)


def _node(found: Any, body: str) -> _Node:
    start, end = found.start_mark.index, found.end_mark.index
    if isinstance(found, yaml.ScalarNode):
        if found.style in _BLOCKS:
            end = start + len(body[start:end].rstrip())
        return _Node("scalar", start, end, found.style or "", found.value)
    bracket = ("{" if isinstance(found, yaml.MappingNode) else "[") if found.flow_style else ""
    if isinstance(found, yaml.MappingNode):
        node = _Node(
            "mapping",
            start,
            end,
            bracket,
            pairs=[(_node(key, body), _node(one, body)) for key, one in found.value],
        )
    else:
        node = _Node("list", start, end, bracket, items=[_node(one, body) for one in found.value])
    if not bracket:
        node.end = node.spans()[-1][1]
    return node


def _replaced(body: str, changes: Sequence[Change]) -> str:
    pieces, at = [], 0
    for start, end, text in sorted(changes):
        if start < at:
            raise LayoutError
        pieces += [body[at:start], text]
        at = end
    return "".join([*pieces, body[at:]])


def _line_start(body: str, at: int) -> int:
    return body.rfind("\n", 0, at) + 1


def _line_end(body: str, at: int) -> int:
    found = body.find("\n", at)
    return len(body) if found < 0 else found + 1


def _lines(body: str, end: int, lines: Sequence[str]) -> Change:
    """Return lines behind the one that something ends in, with the line break that it has."""
    at = _line_end(body, end)
    whole = body.endswith("\n", 0, at)
    line_break = "\r\n" if body.endswith("\r\n", 0, at) or (not whole and "\r\n" in body) else "\n"
    text = "".join(line.replace("\n", line_break) + line_break for line in lines)
    return at, at, text if whole else line_break + text


def _flow(body: str, value: Any) -> str:
    """Return a value in one line, as JSON if the file is JSON."""
    return json.dumps(value, ensure_ascii=False) if body.lstrip()[:1] == "{" else flow_text(value)


def _removed(body: str, holder: _Node, numbers: Collection[int]) -> list[Change]:
    """Remove items or pairs; others must be left. They go with their lines, or with one comma in brackets."""
    spans = holder.spans()
    leading = next((number for number in range(len(spans)) if number not in numbers), None)
    if leading is None:
        raise LayoutError
    if holder.flow:
        return _removed_in_brackets(body, spans, numbers, leading)
    if holder.kind == "list":
        spans = _with_dashes(body, holder, spans)
    changes: list[Change] = []
    rest = set(numbers)
    start, end = spans[0]
    if 0 in rest and body[_line_start(body, start) : start].strip():
        # It is behind the dash of the item that contains it: what is next takes its place.
        if any("#" in body[spans[at][1] : spans[at + 1][0]] for at in range(leading)):
            line = body[end : _line_end(body, end)]
            changes.append((start, end + len(line.rstrip("\r\n")), ""))
            rest.discard(0)
        else:
            changes.append((start, spans[leading][0], ""))
            rest -= set(range(leading))
    changes += [
        (_line_start(body, spans[number][0]), _line_end(body, spans[number][1]), "")
        for number in sorted(rest)
    ]
    return changes


def _with_dashes(body: str, holder: _Node, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Let each item begin at its dash, all of which are in one column."""
    first = holder.start
    column = first - _line_start(body, first)
    found = [(first, spans[0][1])]
    for (_, before), (start, end) in pairwise(spans):
        at = _line_end(body, before)
        while at < start and not (body.startswith("-", at + column) and not body[at : at + column].strip()):
            at = _line_end(body, at)
        found.append((min(at + column, start), end))
    return found


def _removed_in_brackets(
    body: str, spans: list[tuple[int, int]], numbers: Collection[int], leading: int
) -> list[Change]:
    def comma(at: int, end: int) -> int:
        while at < end and body[at] != ",":
            at = _line_end(body, at) if body[at] == "#" else at + 1
        return at

    changes: list[Change] = []
    for part in sorted(numbers):
        start, end = spans[part]
        if part == 0:
            changes.append((start, end, ""))
            continue
        at = comma(spans[part - 1][1], start)
        if body[at + 1 : start].strip(" "):
            changes += [(at, at + 1, ""), (start, end, "")]
        else:
            changes.append((at, end, ""))
    if leading:
        at = comma(spans[leading - 1][1], spans[leading][0])
        behind = body[at + 1 : spans[leading][0]]
        changes.append((at, at + 1 + len(behind) - len(behind.lstrip(" ")), ""))
    return changes


def _respelt(body: str, node: _Node, text: str, *, flow: bool, key: bool = False) -> str:
    """Return a text in the style of a scalar, with other quotes if it needs them; a block stays a block.

    Raises:
        LayoutError: if nothing will do.
    """
    written, content = body[node.start : node.end], node.raw.strip()
    if node.style in _BLOCKS:
        at = written.find(content, written.find("\n")) if content and "\n" not in content else -1
        if at < 0 or text != text.strip():
            raise LayoutError
        return written[:at] + text + written[at + len(content) :]
    spellings = []
    if node.style not in ("'", '"') and text.isprintable() and not text.endswith(":"):
        spellings.append(text)
    if node.style != '"' and text.isprintable():
        spellings.append("'" + text.replace("'", "''") + "'")
    spellings.append(_BROKEN.sub(lambda char: f"\\u{ord(char[0]):04x}", json.dumps(text, ensure_ascii=False)))
    for spelling in spellings:
        if flow:
            probe = f"{{{spelling}: 1}}" if key else f"{{x: {spelling}, y: 1}}"
        else:
            probe = f"{spelling}: 1\nx: 1\n" if key else f"x: {spelling}\ny: 1\n"
        try:
            found = _composed(probe)
        except LayoutError:
            continue
        one = found.pairs[0][0 if key else 1] if found.pairs else found
        if one.kind == "scalar" and one.raw == text and (one.style or not NOT_TEXT.fullmatch(text)):
            return spelling
    raise LayoutError


# --- locations ---


_LOCATED = frozenset({"at", "any_of", "top", "never", "finds", "tree", "read", "subtree", "above", "below"})
"""The keys below which a text, or a key of a mapping, is a location."""
_FREE = frozenset({"filters", "tags", "under", "corpus", "map", "metrics"})
"""The keys below which any key may occur."""


@dataclass(frozen=True, slots=True, eq=False)
class _Located:
    """A scalar that names a location: its text, or the path of a quote."""

    node: _Node
    location: Location
    flow: bool
    """Whether it is in brackets."""
    key: bool = False
    """Whether it is the key of a grade."""


def _move_changes(root: _Node, body: str, moves: Mapping[Location, Location]) -> list[Change]:
    changes = []
    for one in _locations(root) if moves else ():
        if (new := moves.get(one.location)) is not None:
            text = str(new) if new.quote is None else str(Location(path=new.path))
            spelt = _respelt(body, one.node, text, flow=one.flow, key=one.key)
            changes.append((one.node.start, one.node.end, spelt))
    return changes


def _locations(node: _Node, *, flow: bool = False, located: bool = False) -> Iterator[_Located]:
    """Yield what names a location in a part of the file, which may be below a key of a location."""
    flow = flow or node.flow
    if node.kind == "scalar" and located:
        with suppress(LocationError):
            yield _Located(node, Location.at(node.raw), flow)
    for item in node.items:
        yield from _locations(item, flow=flow, located=located)
    quote, path = node.under("quote"), node.under("path")
    if quote is not None and path is not None and quote.kind == path.kind == "scalar":
        with suppress(LocationError):
            yield _Located(path, Location.of_quote(quote.raw, Location.at(path.raw).path), flow)
    graded = located and {name.raw for name, _ in node.pairs}.isdisjoint({*NAMES, "within"})
    for name, value in node.pairs:
        if graded:
            with suppress(LocationError):
                yield _Located(name, Location.at(name.raw), flow, key=True)
        elif name.raw not in _FREE:
            yield from _locations(value, flow=flow, located=name.raw in _LOCATED)


@dataclass(frozen=True, slots=True, eq=False)
class _Target:
    """One target of a case as it is written."""

    holders: tuple[tuple[_Node, int], ...]
    """What holds it, from its case inwards: each list or mapping, and the number of its part."""
    node: _Node
    """A text, a key with its grade as the value, or a mapping."""
    key: str
    """What a text is: at, id or quote."""

    @property
    def grade(self) -> _Node | None:
        """The grade, if the target is a key of a mapping."""
        holder, part = self.holders[-1]
        return holder.pairs[part][1] if holder.pairs and holder.pairs[part][0] is self.node else None


def _targets(case: _Node) -> Iterator[_Target]:
    """Return the targets of a case in the order in which they are read."""
    for key in NAMES:
        yield from _under(case, key, ())
    at = case.number_of("any_of")
    groups = case.pairs[at][1] if at is not None else None
    for number_, group in enumerate(groups.items if groups is not None else ()):
        assert at is not None and groups is not None  # noqa: S101, PT018 - for the type checker
        before = ((case, at), (groups, number_))
        names = [name.raw for name, _ in group.pairs]
        if set(NAMES).isdisjoint(names):
            yield from _several(group, "at", before)
        else:
            for key in NAMES:
                yield from _under(group, key, before)


def _under(mapping: _Node, key: str, before: tuple[tuple[_Node, int], ...]) -> Iterator[_Target]:
    at = mapping.number_of(key)
    if at is not None:
        yield from _several(mapping.pairs[at][1], key, (*before, (mapping, at)))


def _several(value: _Node, key: str, before: tuple[tuple[_Node, int], ...]) -> Iterator[_Target]:
    if value.kind == "scalar":
        yield _Target(before, value, key)
    for number_, part in enumerate(value.items or [name for name, _ in value.pairs]):
        yield _Target((*before, (value, number_)), part, key)


# --- everything else ---


def _changes(body: str, root: _Node, suite: Suite, edits: Sequence[FileEdit]) -> list[Change]:
    """Return what to change in a file so that all edits but moves are made."""
    cases = root.under("cases")
    if cases is None:
        raise LayoutError
    changes: list[Change] = []
    for edit in edits:
        if isinstance(edit, Pin) and suite.corpus is not None:
            changes += _pinned(body, root, suite.corpus, edit.corpus)
        elif isinstance(edit, AddCase):
            changes.append(_added_case(body, cases, edit.keys))
        elif isinstance(edit, AddGate):
            changes.append(_added_gate(body, root, edit.text))
    numbers = {case.id: at for at, case in enumerate(suite.cases)}
    gone: set[int] = set()
    for name, some in _by_case(edits).items():
        if any(isinstance(edit, DropCase) for edit in some):
            gone.add(numbers[name])
        else:
            changes += _of_case(body, cases.items[numbers[name]], some, suite.cases[numbers[name]])
    return changes + (_removed(body, cases, gone) if gone else [])


def _added_case(body: str, cases: _Node, keys: Mapping[str, Any]) -> Change:
    last = cases.items[-1]
    if cases.flow:
        return last.end, last.end, f", {json.dumps(dict(keys), ensure_ascii=False)}"
    indent = cases.start - _line_start(body, cases.start)
    return _lines(body, cases.end, list(entry(dict(keys), indent, spread=True)))


def _added_gate(body: str, root: _Node, text: str) -> Change:
    gates = root.under("gates")
    if gates is not None and (gates.kind == "scalar" or gates.items):
        return _items(body, gates, [text])
    if gates is not None:
        return gates.start, gates.end, _flow(body, [text])
    name = next(key for key, _ in root.pairs if key.raw == "cases")
    if root.flow:
        return name.start, name.start, f"{_flow(body, {'gates': [text]})[1:-1]}, "
    line_break = "\r\n" if "\r\n" in body else "\n"
    return name.start, name.start, f"gates: {flow_text([text])}{line_break}"


def _items(body: str, value: _Node, items: Sequence[Any]) -> Change:
    """Add items to a value; one that is alone becomes a list."""
    if value.kind == "list":
        last = value.items[-1]
        if value.flow:
            return last.end, last.end, f", {_flow(body, list(items))[1:-1]}"
        indent = value.start - _line_start(body, value.start)
        return _lines(body, last.end, [line for item in items for line in entry(item, indent)])
    if value.kind != "scalar" or value.style in _BLOCKS:
        raise LayoutError
    return value.start, value.end, _flow(body, [value.raw, *items])


def _of_case(body: str, case: _Node, edits: Sequence[CaseEdit], said: Case) -> list[Change]:
    targets = list(_targets(case))
    locations = {edit.location for edit in edits if isinstance(edit, DropLocation)}
    dropped = {edit.number for edit in edits if isinstance(edit, DropTarget)}
    dropped |= {at for at, one in enumerate(said.targets) if one.location in locations}
    chains = [one.holders for one in targets] + list(_checks(case))
    first = len(targets)
    checks = [one for one in said.top if not one.never] + [one for one in said.top if one.never]
    dropped |= {first + at for at, one in enumerate(checks) if one.location in locations}
    out = _holders(chains, dropped)
    quote, path = case.number_of("quote"), case.number_of("path")
    if path is not None and id(case) in out and quote in out[id(case)][1]:
        out[id(case)][1].add(path)
    if any(isinstance(edit, DropXFail) for edit in edits):
        at = case.number_of("xfail")
        if at is None:
            raise LayoutError
        out.setdefault(id(case), (case, set()))[1].add(at)
    changes = [change for holder, numbers in out.values() for change in _removed(body, holder, numbers)]
    for edit in edits:
        if isinstance(edit, AddTargets):
            changes.append(_added_targets(body, case, edit.targets))
        elif isinstance(edit, Regrade):
            changes.append(_regraded(body, targets[edit.number], edit))
    return changes


def _checks(case: _Node) -> Iterator[tuple[tuple[_Node, int], ...]]:
    """Return what holds each check of a location, as for targets."""
    for key in ("top", "never"):
        at = case.number_of(key)
        if at is None:
            continue
        value = case.pairs[at][1]
        items: Sequence[tuple[int | None, _Node]] = (
            [(None, value)] if value.kind != "list" else list(enumerate(value.items))
        )
        for number_, item in items:
            if item.kind == "mapping" and all(name.raw == "within" for name, _ in item.pairs):
                continue
            yield ((case, at),) if number_ is None else ((case, at), (value, number_))


def _holders(
    chains: Sequence[tuple[tuple[_Node, int], ...]], dropped: Collection[int]
) -> dict[int, tuple[_Node, set[int]]]:
    """Return what to remove from what: the outermost parts that hold nothing but what is dropped."""
    out: dict[int, tuple[_Node, set[int]]] = {}
    for number_ in dropped:
        chain = chains[number_]
        for depth in range(1, len(chain) + 1):
            within = [at for at, other in enumerate(chains) if other[:depth] == chain[:depth]]
            if all(at in dropped for at in within):
                holder, part = chain[depth - 1]
                out.setdefault(id(holder), (holder, set()))[1].add(part)
                break
    return out


def _added_targets(body: str, case: _Node, targets: Sequence[Target]) -> Change:
    """Add targets in the words of the case, bare if its source and grade are theirs."""
    first = targets[0]
    key = "at" if first.location.id is None else "id"
    has, source, grade = case.under(key), case.under("source"), case.under("grade")
    usual = source.raw if source is not None else "person"
    alike = all(one.source == first.source and one.grade == 1 and one.group is None for one in targets)
    if has is None and source is None and grade is None and alike:
        names = [str(one.location) for one in targets]
        keys: dict[str, Any] = {key: names if len(names) > 1 else names[0]}
        return _pairs(body, case, keys if usual == first.source else {**keys, "source": first.source})
    if has is not None and has.kind == "mapping" and not any(has.under(name) for name in NAMES):
        return _graded_pairs(body, has, {str(one.location): _graded(one, usual) for one in targets})
    items: list[Any] = []
    for one in targets:
        more = {key: str(one.location), "grade": number(one.grade), "group": one.group, "source": one.source}
        bare = one.source == usual and one.grade == 1 and one.group is None and grade is None
        items.append(
            str(one.location) if bare else {name: value for name, value in more.items() if value is not None}
        )
    return _pairs(body, case, {key: items}) if has is None else _items(body, has, items)


def _graded(target: Target, usual: str) -> Any:
    if target.source == usual and target.group is None:
        return number(target.grade)
    more = {} if target.group is None else {"group": target.group}
    return {"grade": number(target.grade), "source": target.source, **more}


def _graded_pairs(body: str, value: _Node, keys: Mapping[str, Any]) -> Change:
    """Add targets with their grades to a mapping."""
    name, last = value.pairs[-1]
    end = value.spans()[-1][1]
    if value.flow and body.lstrip()[:1] == "{":
        return end, end, f", {_flow(body, dict(keys))[1:-1]}"
    if value.flow:
        # A line each: what says who gave a grade is long.
        line = body[_line_start(body, end) : end]
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        line_break = "\r\n" if "\r\n" in body else "\n"
        pairs = (_flow(body, {key: one})[1:-1] for key, one in keys.items())
        return end, end, "".join(f",{line_break}{indent}{pair}" for pair in pairs)
    if last.style in _BLOCKS:
        raise LayoutError
    return _lines(body, end, list(block(dict(keys), name.start - _line_start(body, name.start))))


def _pairs(body: str, case: _Node, keys: dict[str, Any]) -> Change:
    """Add pairs behind the query."""
    at = case.number_of("query")
    if at is None:
        raise LayoutError
    name, end = case.pairs[at][0], case.spans()[at][1]
    if case.flow:
        text = json.dumps(keys, ensure_ascii=False) if body[name.start] == '"' else flow_text(keys)
        return end, end, f", {text[1:-1]}"
    return _lines(body, end, list(block(keys, name.start - _line_start(body, name.start))))


def _regraded(body: str, target: _Target, edit: Regrade) -> Change:
    """Return a target with another grade and source, in one line."""
    new = {"grade": number(edit.grade), "source": edit.source}
    holder = target.holders[-1][0]
    grade = target.grade
    node = target.node if grade is None else grade
    if "#" in re.sub(r"\S#", "", body[node.start : node.end]) or node.style in _BLOCKS:
        raise LayoutError
    if node.kind == "mapping":
        if not node.flow:
            raise LayoutError
        kept = [
            body[name.start : value.end] for name, value in node.pairs if name.raw not in ("grade", "source")
        ]
        return node.start, node.end, "{" + ", ".join([*kept, _flow(body, new)[1:-1]]) + "}"
    if grade is not None:
        return node.start, node.end, _flow(body, new)
    text = _flow(body, {target.key: node.raw, **new})
    return node.start, node.end, text if holder.kind == "list" else f"[{text}]"


def _pinned(body: str, root: _Node, old: CorpusSource, new: CorpusSource) -> list[Change]:
    node = root.under("corpus")
    if node is None or old.kind != new.kind:
        raise LayoutError
    keys = corpus_keys(new)
    if node.kind == "scalar" and isinstance(keys, str):
        return [(node.start, node.end, _respelt(body, node, keys, flow=root.flow))]
    if node.kind != "mapping":
        raise LayoutError
    after = {new.kind: keys} if isinstance(keys, str) else keys
    changes, gone = [], set()
    for at, (key, value) in enumerate(node.pairs):
        if key.raw not in after:
            gone.add(at)
        elif value.kind == "scalar" and value.raw != after[key.raw]:
            changes.append((value.start, value.end, _respelt(body, value, after[key.raw], flow=node.flow)))
    # New keys come behind the first pair, which names the kind.
    key, value = node.pairs[0]
    line_break = "\r\n" if "\r\n" in body else "\n"
    between = ", " if node.flow else line_break + " " * (key.start - _line_start(body, key.start))
    quote = '"' if node.flow and body[key.start] == '"' else ""
    known = {name.raw for name, _ in node.pairs}
    added = [f'{between}{quote}{name}{quote}: "{after[name]}"' for name in after if name not in known]
    changes += [(value.end, value.end, "".join(added))] if added else []
    return changes + (_removed(body, node, gone) if gone else [])
