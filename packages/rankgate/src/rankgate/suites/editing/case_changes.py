"""Edits of cases as changes of the text of their file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rankgate.files.tree.yaml_text import block, entry, flow_text
from rankgate.suites.editing.edits import AddTargets, DropCase, DropTarget, DropXFail
from rankgate.suites.editing.removals import first_dash, line_end, line_start, taken_out

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from rankgate.files.tree.values import Value
    from rankgate.model.suite import Suite, Target
    from rankgate.suites.editing.edits import CaseEdit
    from rankgate.suites.editing.removals import Change


Chain = tuple[tuple["Value", int], ...]
"""What holds a target, from its case inwards: each list or mapping, and which of its parts."""


def case_changes(body: str, root: Value, suite: Suite, edits: Sequence[CaseEdit]) -> list[Change] | None:
    """Return what to change in a file so that its cases are edited; None where that cannot be told.

    Args:
        body: The whole file.
        root: The same, taken apart.
        suite: What it says.
        edits: What to do.
    """
    cases = root.under("cases")
    if cases is None or len(cases.items()) != len(suite.cases):
        return None
    gone = {edit.case for edit in edits if isinstance(edit, DropCase)}
    numbers = {case.id: number for number, case in enumerate(suite.cases)}
    changes: list[Change] = []
    if gone:
        if len(gone) == len(suite.cases):
            return None
        changes += taken_out(body, cases.said, {numbers[case] for case in gone})
    by_case: dict[str, list[CaseEdit]] = {}
    for edit in edits:
        if edit.case not in gone:
            by_case.setdefault(edit.case, []).append(edit)
    for case, some in by_case.items():
        found = _of_case(body, cases.items()[numbers[case]].said, some)
        if found is None:
            return None
        changes += found
    return changes


def added_case(body: str, root: Value, keys: Mapping[str, Any]) -> Change | None:
    """Return what to change so that a case stands behind the last one; None without a list of them."""
    cases = root.under("cases")
    if cases is None or not cases.items():
        return None
    cases = cases.said
    last = cases.items()[-1]
    if cases.flow:
        return last.end, last.end, f", {json.dumps(dict(keys), ensure_ascii=False)}"
    first = first_dash(body, cases)
    end = cases.end
    if _in_block(last):
        # Blank lines at the end of a block are part of it.
        rest = body[end:]
        end += max(0, rest.rfind("\n", 0, len(rest) - len(rest.lstrip())))
    return _lines(body, end, list(entry(dict(keys), first - line_start(body, first), spread=True)))


def _in_block(value: Value) -> bool:
    """Check whether the last thing of a value is a text in a block."""
    while not value.scalar and not value.flow and value.content and value.repeats is None:
        value = value.items()[-1] if value.kind == "list" else value.pairs()[-1][1]
    return value.repeats is None and value.style in ("|", ">")


def _of_case(body: str, case: Value, edits: Sequence[CaseEdit]) -> list[Change] | None:
    dropped = {edit.number for edit in edits if isinstance(edit, DropTarget)}
    out = _holders(list(_chains(case)), dropped)
    if any(isinstance(edit, DropXFail) for edit in edits):
        at = case.number_of("xfail")
        if at is None:
            return None
        out.setdefault(id(case), (case, set()))[1].add(at)
    changes = [change for holder, numbers in out.values() for change in taken_out(body, holder, numbers)]
    for edit in edits:
        if isinstance(edit, AddTargets):
            added = _added(body, case, edit.targets)
            if added is None:
                return None
            changes.append(added)
    return changes


def _holders(chains: Sequence[Chain], dropped: Collection[int]) -> dict[int, tuple[Value, set[int]]]:
    """Find what to take out of what: the outermost parts that hold nothing but targets to drop."""
    out: dict[int, tuple[Value, set[int]]] = {}
    for number in dropped:
        chain = chains[number]
        for depth in range(1, len(chain) + 1):
            within = [at for at, other in enumerate(chains) if other[:depth] == chain[:depth]]
            if all(at in dropped for at in within):
                holder, part = chain[depth - 1]
                out.setdefault(id(holder), (holder, set()))[1].add(part)
                break
    return out


def _chains(case: Value) -> Iterator[Chain]:
    """Go through the targets of a case in the order in which they are read."""
    for key in ("at", "id"):
        yield from _named(case, key, ())
    groups = case.under("any_of")
    at = case.number_of("any_of")
    if groups is None or at is None:
        return
    for number, group in enumerate(groups.items()):
        before: Chain = ((case, at), (groups.said, number))
        names = [name.raw for name, _ in group.pairs()]
        if "at" in names or "id" in names:
            for name in names:
                yield from _named(group.said, name, before)
        else:
            yield from _several(group, before)


def _named(mapping: Value, key: str, before: Chain) -> Iterator[Chain]:
    at = mapping.number_of(key)
    if at is not None:
        yield from _several(mapping.pairs()[at][1], (*before, (mapping, at)))


def _several(value: Value, before: Chain) -> Iterator[Chain]:
    parts = value.items() or value.pairs()
    if not parts:
        yield before
    for number in range(len(parts)):
        yield (*before, (value.said, number))


def _added(body: str, case: Value, targets: Sequence[Target]) -> Change | None:
    """Write targets in the words of the case: bare where it says source and review for all of them."""
    key = "at" if targets[0].location.id is None else "id"
    first = targets[0]
    shared = {"source": first.source, "reviewed": first.reviewed}
    written = {name: piece.raw for name in shared if (piece := case.under(name)) is not None}
    has = case.under(key)
    if has is None and not written and case.under("grade") is None:
        places = [str(target.location) for target in targets]
        return _pairs(body, case, {key: places if len(places) > 1 else places[0], **shared})
    says = written == {"source": first.source, "reviewed": str(first.reviewed).lower()}
    items = [
        str(target.location)
        if says and case.under("grade") is None
        else {
            key: str(target.location),
            "grade": 1,
            "source": target.source,
            "reviewed": target.reviewed,
        }
        for target in targets
    ]
    return _pairs(body, case, {key: items}) if has is None else _items(body, has.said, items)


def _pairs(body: str, case: Value, keys: dict[str, Any]) -> Change | None:
    """Put pairs behind the query."""
    at = case.number_of("query")
    if at is None:
        return None
    name, _ = case.pairs()[at]
    end = case.spans()[at][1]
    if case.flow:
        return end, end, f", {_flow(body, name, keys)[1:-1]}"
    indent = name.start - line_start(body, name.start)
    return _lines(body, end, list(block(keys, indent)))


def _items(body: str, value: Value, items: Sequence[Any]) -> Change | None:
    """Put items behind those that a value has; one that stands alone becomes a list."""
    if value.kind == "list":
        last = value.items()[-1]
        if value.flow:
            return last.end, last.end, f", {_flow(body, last, list(items))[1:-1]}"
        first = first_dash(body, value)
        indent = first - line_start(body, first)
        return _lines(body, last.end, [line for item in items for line in entry(item, indent)])
    if not value.scalar or not value.bare or value.style in ("|", ">"):
        return None
    return value.start, value.end, _flow(body, value, [value.raw, *items])


def _flow(body: str, beside: Value, value: Any) -> str:
    """Write a value in one line, as JSON where what stands beside it may be JSON."""
    if body[beside.start] == '"':
        return json.dumps(value)
    return flow_text(value)


def _lines(body: str, end: int, lines: Sequence[str]) -> Change:
    """Put lines behind the one that something ends in, with the line break that it has."""
    at = line_end(body, end)
    whole = body.endswith("\n", 0, at)
    line_break = "\r\n" if body.endswith("\r\n", 0, at) or (not whole and "\r\n" in body) else "\n"
    text = "".join(line.replace("\n", line_break) + line_break for line in lines)
    return at, at, text if whole else line_break + text
