"""Targets marked gone, as changes of the text of their file: what they say stays, and gets a reason."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rankgate.files.tree.yaml_text import block, flow_text
from rankgate.suites.editing.removals import LayoutError, line_end, line_start

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankgate.files.tree.values import Value
    from rankgate.suites.editing.removals import Change
    from rankgate.suites.editing.target_nodes import TargetNode

GONE = "gone"
"""The key that has the reason."""


def marked_targets(body: str, targets: Sequence[TargetNode], reasons: Mapping[int, str]) -> Iterator[Change]:
    """Return what to change so that some targets of a case, by their numbers, are marked gone.

    Raises:
        LayoutError: for a target that an alias repeats, or that is written in a block.
    """
    graded: dict[int, tuple[Value, dict[int, str], str]] = {}
    for number, reason in reasons.items():
        node = targets[number]
        holder, part = node.holders[-1]
        if node.value.kind == "mapping":
            yield marked(body, node.value, reason)
        elif node.beside:
            graded.setdefault(id(holder), (holder, {}, node.key))[1][part] = reason
        else:
            told = _told(body, node.value, node.key, reason)
            yield node.value.start, node.value.end, told if holder.kind == "list" else f"[{told}]"
    for holder, parts, key in graded.values():
        yield from _as_list(body, holder, key, parts)


def marked(body: str, value: Value, reason: str, key: str = "at") -> Change:
    """Return what to change so that a target or a check, a mapping or a word, is marked gone."""
    if value.repeats is not None:
        raise LayoutError
    if value.kind != "mapping":
        return value.start, value.end, _told(body, value, key, reason)
    end = value.spans()[-1][1]
    name, last = value.pairs()[-1]
    if value.flow:
        return end, end, f", {_flow(body, {GONE: reason})[1:-1]}"
    if last.style in ("|", ">"):
        raise LayoutError
    line = "".join(block({GONE: reason}, name.start - line_start(body, name.start)))
    at = line_end(body, end)
    whole = body.endswith("\n", 0, at)
    line_break = "\r\n" if "\r\n" in body else "\n"
    return at, at, line + line_break if whole else line_break + line


def _told(body: str, value: Value, key: str, reason: str) -> str:
    if value.repeats is not None or not value.bare or value.style in ("|", ">"):
        raise LayoutError
    return _flow(body, {key: value.raw, GONE: reason})


def _as_list(body: str, holder: Value, key: str, parts: Mapping[int, str]) -> Iterator[Change]:
    """Write a mapping of targets to grades as a list, so that some of them can say more."""
    if holder.repeats is not None:
        raise LayoutError
    for number, (name, grade) in enumerate(holder.pairs()):
        if not (name.scalar and grade.scalar and name.bare and grade.bare):
            raise LayoutError
        told: dict[str, Any] = {key: name.raw, "grade": _number(grade.raw)}
        if number in parts:
            told[GONE] = parts[number]
        start, end = holder.spans()[number]
        written = _flow(body, told)
        yield start, end, written if holder.flow else f"- {written}"
    if holder.flow:
        yield holder.start, holder.start + 1, "["
        yield holder.end - 1, holder.end, "]"


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _flow(body: str, value: Any) -> str:
    """Write a value in one line; a file that is JSON stays so."""
    return json.dumps(value, ensure_ascii=False) if body.lstrip()[:1] == "{" else flow_text(value)
