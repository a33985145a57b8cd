"""Edits of cases, and of the corpus that a suite names, as changes of the text of their file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, InputError
from rankgate.files.tree.yaml_text import block, entry, flow_text
from rankgate.suites.editing.edits import (
    AddCase,
    AddGate,
    AddTargets,
    DropCase,
    DropTarget,
    DropXFail,
    MarkGone,
    Pin,
    Regrade,
    edits_by_case,
)
from rankgate.suites.editing.gone import GONE, marked, marked_targets
from rankgate.suites.editing.grades import graded_keys, grouped, regraded_target, whole_number
from rankgate.suites.editing.removals import LayoutError, first_dash, line_end, line_start, taken_out
from rankgate.suites.editing.scalars import respelt
from rankgate.suites.editing.target_nodes import target_nodes
from rankgate.suites.native.targets import NAMES

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from rankgate.files.tree.values import Value
    from rankgate.model.suite import Case, CorpusSource, Suite, Target
    from rankgate.suites.editing.edits import CaseEdit, FileEdit
    from rankgate.suites.editing.removals import Change
    from rankgate.suites.editing.target_nodes import Chain, TargetNode


def case_changes(body: str, root: Value, suite: Suite, edits: Sequence[FileEdit]) -> list[Change]:
    """Return what to change in a file so that all edits but moves are made.

    Args:
        body: The whole file.
        root: The same, composed.
        suite: What it says.
        edits: What to do.

    Raises:
        LayoutError: for an edit that the file does not allow.
        InputError: for a pin that it does not allow.
    """
    cases = root.under("cases")
    if cases is None:
        raise LayoutError
    changes: list[Change] = []
    for edit in edits:
        if isinstance(edit, Pin) and suite.corpus is not None:
            changes += _pin(root, body, suite.corpus, edit.corpus)
        elif isinstance(edit, AddCase):
            changes.append(_added_case(body, cases.said, edit.keys))
        elif isinstance(edit, AddGate):
            changes.append(_added_gate(body, root, edit.text))
    numbers = {case.id: number for number, case in enumerate(suite.cases)}
    gone: set[int] = set()
    for case, some in edits_by_case(edits).items():
        if any(isinstance(edit, DropCase) for edit in some):
            gone.add(numbers[case])
        else:
            changes += _of_case(body, cases.items()[numbers[case]].said, some, suite.cases[numbers[case]])
    if len(gone) == len(suite.cases):
        raise LayoutError
    return changes + (taken_out(body, cases.said, gone) if gone else [])


def _added_case(body: str, cases: Value, keys: Mapping[str, Any]) -> Change:
    """Return what to change so that a case stands behind the last one."""
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


def _added_gate(body: str, root: Value, text: str) -> Change:
    """Return what to change so that a suite has one more gate: behind its own, or in front of the cases."""
    gates = root.under("gates")
    if gates is not None and (gates.scalar or gates.items()):
        return _items(body, gates.said, [text])
    if gates is not None:
        return gates.said.start, gates.said.end, _flow(body, gates.said, [text])
    name = next(key for key, _ in root.pairs() if key.raw == "cases")
    if root.flow:
        return name.start, name.start, f"{_flow(body, name, {'gates': [text]})[1:-1]}, "
    line_break = "\r\n" if "\r\n" in body else "\n"
    return name.start, name.start, f"gates: {flow_text([text])}{line_break}"


def _in_block(value: Value) -> bool:
    """Check whether the last thing of a value is a text in a block."""
    while not value.scalar and not value.flow and value.content and value.repeats is None:
        value = value.items()[-1] if value.kind == "list" else value.pairs()[-1][1]
    return value.repeats is None and value.style in ("|", ">")


def _of_case(body: str, case: Value, edits: Sequence[CaseEdit], said: Case) -> list[Change]:
    dropped = {edit.number for edit in edits if isinstance(edit, DropTarget)}
    targets = [target for target in target_nodes(case) if target.value.under(GONE) is None]
    out = _holders([target.holders for target in targets], dropped)
    quote, path = case.number_of("quote"), case.number_of("path")
    if path is not None and id(case) in out and quote in out[id(case)][1]:
        # The path says where the quote stands, and nothing without it.
        out[id(case)][1].add(path)
    if any(isinstance(edit, DropXFail) for edit in edits):
        at = case.number_of("xfail")
        if at is None:
            raise LayoutError
        out.setdefault(id(case), (case, set()))[1].add(at)
    changes = [change for holder, numbers in out.values() for change in taken_out(body, holder, numbers)]
    added = [_added(body, case, edit.targets) for edit in edits if isinstance(edit, AddTargets)]
    graded = {edit.number: edit for edit in edits if isinstance(edit, Regrade)}
    regraded = [
        regraded_target(body, targets[number], edit, reviewed=said.targets[number].reviewed)
        for number, edit in graded.items()
    ]
    return changes + added + regraded + _gone(body, case, targets, edits, said)


def _gone(
    body: str, case: Value, targets: Sequence[TargetNode], edits: Sequence[CaseEdit], said: Case
) -> list[Change]:
    """Mark locations gone, as targets and as checks of the first hits."""
    reasons = {edit.location: edit.reason for edit in edits if isinstance(edit, MarkGone)}
    if not reasons:
        return []
    numbers = {at: reasons[one.location] for at, one in enumerate(said.targets) if one.location in reasons}
    named = [case.under(key) for key in ("top", "never")]
    tops = [item for value in named if value is not None for item in value.one_or_more()]
    tops = [item for item in tops if item.under(GONE) is None]
    return [
        *marked_targets(body, targets, numbers),
        *(
            marked(body, item, reasons[top.location], "at" if top.location.id is None else "id")
            for item, top in zip(tops, said.top, strict=True)
            if top.location in reasons
        ),
    ]


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


def _added(body: str, case: Value, targets: Sequence[Target]) -> Change:
    """Write targets in the words of the case: bare where it says source and review for all of them."""
    if not targets:
        raise LayoutError
    key = "at" if targets[0].location.id is None else "id"
    first = targets[0]
    shared = {"source": first.source, "reviewed": first.reviewed}
    written = {name: piece.raw for name in shared if (piece := case.under(name)) is not None}
    has = case.under(key)
    bare = all(
        target.grade == 1
        and target.group is None
        and (target.source, target.reviewed) == (first.source, first.reviewed)
        for target in targets
    )
    plain = bare and case.under("grade") is None
    if has is None and not written and plain:
        locations = [str(target.location) for target in targets]
        return _pairs(body, case, {key: locations if len(locations) > 1 else locations[0], **shared})
    if has is not None and has.said.kind == "mapping" and not _is_one_target(has.said):
        return _graded_pairs(body, has.said, graded_keys(targets, written))
    if has is None and not plain:
        return _pairs(body, case, {key: graded_keys(targets, written)})
    says = {"source": "person", "reviewed": "true"} | written == {
        "source": first.source,
        "reviewed": str(first.reviewed).lower(),
    }
    items = [
        str(target.location)
        if says and plain
        else {
            key: str(target.location),
            "grade": whole_number(target.grade),
            "source": target.source,
            "reviewed": target.reviewed,
            **grouped(target),
        }
        for target in targets
    ]
    return _pairs(body, case, {key: items}) if has is None else _items(body, has.said, items)


def _is_one_target(value: Value) -> bool:
    """Check whether a mapping is one target that says more, and not several with their grades."""
    return any(value.number_of(name) is not None for name in NAMES)


def _graded_pairs(body: str, value: Value, keys: Mapping[str, Any]) -> Change:
    """Put targets with their grades behind those that a mapping has."""
    name, last = value.pairs()[-1]
    end = value.spans()[-1][1]
    if value.flow and body.lstrip()[:1] == "{":
        return end, end, f", {_flow(body, name, dict(keys))[1:-1]}"
    if value.flow:
        # A line each: what says who gave a grade is long.
        first = line_start(body, end)
        line = body[first:end]
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        line_break = "\r\n" if "\r\n" in body else "\n"
        pairs = (_flow(body, name, {key: value})[1:-1] for key, value in keys.items())
        return end, end, "".join(f",{line_break}{indent}{pair}" for pair in pairs)
    if last.style in ("|", ">"):
        raise LayoutError
    return _lines(body, end, list(block(dict(keys), name.start - line_start(body, name.start))))


def _pairs(body: str, case: Value, keys: dict[str, Any]) -> Change:
    """Put pairs behind the query."""
    at = case.number_of("query")
    if at is None:
        raise LayoutError
    name, _ = case.pairs()[at]
    end = case.spans()[at][1]
    if case.flow:
        return end, end, f", {_flow(body, name, keys)[1:-1]}"
    indent = name.start - line_start(body, name.start)
    return _lines(body, end, list(block(keys, indent)))


def _items(body: str, value: Value, items: Sequence[Any]) -> Change:
    """Put items behind those that a value has; one that stands alone becomes a list."""
    if value.kind == "list":
        last = value.items()[-1]
        if value.flow:
            return last.end, last.end, f", {_flow(body, last, list(items))[1:-1]}"
        first = first_dash(body, value)
        indent = first - line_start(body, first)
        return _lines(body, last.end, [line for item in items for line in entry(item, indent)])
    if not value.scalar or not value.bare or value.style in ("|", ">"):
        raise LayoutError
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


def _pin(root: Value, body: str, old: CorpusSource, new: CorpusSource) -> list[Change]:
    """Return what to change in a file so that it names another state of its corpus."""
    node = root.under("corpus")
    if node is not None and old.kind == new.kind:
        try:
            if node.kind == "mapping":
                return _pin_in_mapping(node.said, body, _corpus_keys(old), _corpus_keys(new))
            if node.scalar and not new.options:
                return [_respelt(node, body, new.place, flow=root.flow)]
        except LayoutError:
            pass
    fix = f"write the corpus by hand: {new}"
    raise InputError(
        Code.CANNOT_EDIT("corpus", "a spelling that cannot be changed in place", "plain values", fix)
    )


def _corpus_keys(source: CorpusSource) -> dict[str, str | tuple[str, ...]]:
    return {source.kind: source.place, **source.options}


def _pin_in_mapping(
    node: Value,
    body: str,
    before: Mapping[str, str | tuple[str, ...]],
    after: Mapping[str, str | tuple[str, ...]],
) -> list[Change]:
    changes: list[Change] = []
    gone: set[int] = set()
    for number, (key, value) in enumerate(node.pairs()):
        if key.raw not in after:
            gone.add(number)
            if number == 0 or not value.scalar or value.style in ("|", ">"):
                raise LayoutError
        elif before.get(key.raw) != after[key.raw]:
            changes.append(_respelt(value, body, _one(after[key.raw]), flow=node.flow))
    changes += taken_out(body, node, gone) if gone else []
    # What is new stands behind the first pair, which names the kind.
    key, value = node.pairs()[0]
    line_break = "\r\n" if "\r\n" in body else "\n"
    between = ", " if node.flow else line_break + " " * (key.column - 1)
    quote = '"' if node.flow and body[key.start] == '"' else ""
    added = [f'{between}{quote}{name}{quote}: "{_one(after[name])}"' for name in after if name not in before]
    return [*changes, (value.end, value.end, "".join(added))] if added else changes


def _one(value: str | tuple[str, ...]) -> str:
    if isinstance(value, str):
        return value
    raise LayoutError


def _respelt(node: Value, body: str, text: str, *, flow: bool) -> Change:
    spelling = respelt(body, node.said, text, flow=flow) if node.scalar else None
    if spelling is None:
        raise LayoutError
    return node.said.start, node.said.end, spelling
