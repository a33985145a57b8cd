"""Grades and who gave them, as changes of the text of their file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rankgate.files.tree.yaml_text import flow_text
from rankgate.suites.editing.removals import LayoutError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.files.tree.values import Value
    from rankgate.model.suite import Target
    from rankgate.suites.editing.edits import Regrade
    from rankgate.suites.editing.removals import Change
    from rankgate.suites.editing.target_nodes import TargetNode


def whole_number(grade: float) -> float:
    """Return a grade as people write it: 2 and not 2.0."""
    return int(grade) if grade == int(grade) else grade


def graded_keys(targets: Sequence[Target], case: Mapping[str, str]) -> dict[str, Any]:
    """Return targets as a mapping of locations to grades, and to more where the case does not say it.

    Args:
        targets: The targets.
        case: What the case says of all of its targets: source and reviewed, where it does.
    """
    source, reviewed = case.get("source", "person"), case.get("reviewed", "true") == "true"
    return {
        str(target.location): whole_number(target.grade)
        if (target.source, target.reviewed, target.group) == (source, reviewed, None)
        else _said(target.grade, target.source, None if target.reviewed == reviewed else target.reviewed)
        | grouped(target)
        for target in targets
    }


def grouped(target: Target) -> dict[str, Any]:
    """Return the group of a target as a key; nothing where it has none."""
    return {} if target.group is None else {"group": target.group}


def _said(grade: float, source: str, reviewed: bool | None = None) -> dict[str, Any]:
    said = {} if reviewed is None else {"reviewed": reviewed}
    return {"grade": whole_number(grade), "source": source, **said}


def regraded_target(body: str, node: TargetNode, edit: Regrade, *, reviewed: bool) -> Change:
    """Return what to change so that a target has another grade, and says who gave it.

    Args:
        body: The whole file.
        node: The target.
        edit: What to do.
        reviewed: True where it counts as reviewed already.

    Raises:
        LayoutError: for a target that an alias repeats, or that is written in a block.
    """
    new = _said(edit.grade, edit.source, None if reviewed else True)
    holder, part = node.holders[-1]
    if node.value.repeats is not None or holder.repeats is not None:
        raise LayoutError
    if node.value.kind == "mapping":
        return _with_grade(body, node.value, new)
    if node.beside:
        _, grade = holder.pairs()[part]
        if grade.kind == "mapping":
            return _with_grade(body, grade, new)
        if not grade.scalar or grade.repeats is not None:
            raise LayoutError
        return grade.start, grade.end, _flow(body, new)
    if not node.value.bare or node.value.style in ("|", ">"):
        raise LayoutError
    told = _flow(body, {node.key: node.value.raw, **new})
    return node.value.start, node.value.end, told if holder.kind == "list" else f"[{told}]"


def _with_grade(body: str, value: Value, new: Mapping[str, Any]) -> Change:
    """Write a mapping again in one line, with another grade and source; what else it says stays."""
    pairs = {name.raw: inner for name, inner in value.pairs()}
    if not all(inner.scalar and inner.repeats is None for inner in pairs.values()):
        raise LayoutError
    if not value.flow:
        raise LayoutError
    parts = [
        f"{body[name.start : name.end]}: {body[inner.start : inner.end]}"
        for name, inner in value.pairs()
        if name.raw not in {*new, "reviewed"}
    ]
    return value.start, value.end, "{" + ", ".join([*parts, _flow(body, dict(new))[1:-1]]) + "}"


def _flow(body: str, value: Any) -> str:
    """Write a value in one line, as JSON where the file is JSON."""
    return json.dumps(value, ensure_ascii=False) if body.lstrip()[:1] == "{" else flow_text(value)
