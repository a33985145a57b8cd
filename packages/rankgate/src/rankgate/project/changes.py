"""How the test of a change differs from that of its base: suite, gates, settings and baseline.

The diff is structural and does not rate: it names everything that differs. The order of cases, targets and
gates is no difference, and neither is the layout of a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

from rankgate.model import Case, Suite
from rankgate.project.configuration import Configuration
from rankgate.project.settings import Settings
from rankgate.report import TestChange
from rankgate.runs.baseline import Baseline
from rankgate.wording import many

_WRITTEN = {
    "id": "name",
    "targets": "at",
    "targets_within": "top",
    "expect_empty": "expect",
    "max_score": "expect",
    "matching": "match",
    "max_grade": "scale",
    "map_rules": "map",
}
"""The keys of a suite whose fields have other names."""
_APART = ("name", "cases", "gates", "scenarios", "invariants")
"""The fields of a suite that are compared by themselves, and the name, which reports show."""
_SETTINGS = ("system", "require_baseline", "max_errors", "on_inconclusive", "xfail_strict", "yardstick")
"""The settings of a project that gates depend on."""


def suite_changes(base: Suite, head: Suite) -> Iterator[TestChange]:
    """Compare two suites."""
    yield from _items("case", case_pairs(base, head), head.cases)
    for kind in ("scenario", "invariant"):
        old, new = (getattr(suite, f"{kind}s") for suite in (base, head))
        names = {one.name: one for one in new}
        yield from _items(kind, [(one, names.get(one.name)) for one in old], new)
    if keys := [key for key in _changed(base, head) if key not in _APART]:
        yield TestChange(change="suite changed", details=(", ".join(keys),))


def case_pairs(base: Suite, head: Suite) -> list[tuple[Case, Case | None]]:
    """Find each case of the base in the change: by query and filters, and by its name among several."""
    left: dict[object, list[Case]] = {}
    for case in head.cases:
        left.setdefault((case.query, case.facets), []).append(case)
    found: dict[str, Case] = {}
    for by_name in (True, False):
        for old in base.cases:
            same = left.get((old.query, old.facets), [])
            new = next((one for one in same if not by_name or one.id == old.id), None)
            if new is not None and old.id not in found:
                found[old.id] = new
                same.remove(new)
    return [(old, found.get(old.id)) for old in base.cases]


def setting_changes(
    base: tuple[Configuration, Settings], head: tuple[Configuration, Settings]
) -> Iterator[TestChange]:
    """Compare the gates and settings of a suite and a system, each side with its configuration."""
    before, now = (
        {"".join(gate.text.split()): gate.text for gate in settings.gates or ()}
        for _, settings in (base, head)
    )
    for word, one, other in (("removed", before, now), ("added", now, before)):
        if gates := tuple(text for key, text in one.items() if key not in other):
            yield TestChange(change=f"{many(len(gates), 'gate')} {word}", details=gates)
    pairs = [(key, getattr(base[0], key), getattr(head[0], key)) for key in _SETTINGS]
    pairs.append(("unlisted", base[1].unlisted, head[1].unlisted))
    if details := tuple(f"{key} {_shown(old)} → {_shown(new)}" for key, old, new in pairs if old != new):
        yield TestChange(change="configuration changed", details=details)


def baseline_changes(base: Baseline | None, head: Baseline | None) -> Iterator[TestChange]:
    """Compare two baselines by their rankings."""
    if base is None or head is None:
        if base is not head:
            yield TestChange(change=f"baseline {'added' if base is None else 'removed'}")
        return
    before, now = _rankings(base), _rankings(head)
    facts = {
        "changed": sum(key in now and now[key] != one for key, one in before.items()),
        "removed": len(before.keys() - now.keys()),
        "added": len(now.keys() - before.keys()),
    }
    if parts := [f"{number:,} {word}" for word, number in facts.items() if number]:
        details = f"{', '.join(parts)} of {many(len(before), 'query', 'queries')}"
        yield TestChange(change="baseline renewed", details=(details,))
    if base.depth != head.depth:
        yield TestChange(change=f"baseline depth {base.depth} → {head.depth}")


def case_title(case: Any) -> str:
    """Return how an item is named: a case by its query, if it has one."""
    return str((case.query or case.id) if isinstance(case, Case) else case.name)


def _items(noun: str, pairs: Sequence[tuple[Any, Any]], head: Sequence[object]) -> Iterator[TestChange]:
    removed = tuple(case_title(old) for old, new in pairs if new is None)
    changed = tuple(
        f"{case_title(old)}: {', '.join(keys)}"
        for old, new in pairs
        if new is not None and (keys := _changed(old, new))
    )
    for word, details in (("removed", removed), ("changed", changed)):
        if details:
            yield TestChange(change=f"{many(len(details), noun)} {word}", details=details)
    if added := len(head) - len(pairs) + len(removed):
        yield TestChange(change=f"{many(added, noun)} added")


def _changed(base: Any, head: Any) -> list[str]:
    """Return the keys that differ, as a suite has them."""
    before, now = _plain(base), _plain(head)
    return [key for key in before if before[key] != now[key]]


def _plain(item: Any) -> dict[str, object]:
    keys: dict[str, object] = {}
    for name in (one.name for one in fields(item) if one.compare):
        value = getattr(item, name)
        if name == "top" and isinstance(item, Case):
            keys["never"] = sorted(repr(top) for top in value if top.never)
            value = [top for top in value if not top.never]
        if name in ("targets", "top", "gone"):
            value = sorted(map(repr, value))
        key = _WRITTEN.get(name, name)
        keys[key] = (keys[key], value) if key in keys else value
    return keys


def _rankings(baseline: Baseline) -> dict[object, object]:
    """Return the results of each query by its text and filters, and whether it is unstable."""
    return {
        (one.text or name, repr(sorted(one.filters.items()))): (one.hits, one.unstable)
        for name, one in baseline.queries.items()
    }


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value).lower()
