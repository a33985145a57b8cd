"""Opening what the configuration names: a system to ask, or a run that was made before."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rankgate.evaluation.configuration import SystemEntry
    from rankgate.model import System
    from rankgate.runs.tables import Run
    from rankgate.systems.kind import Kind


@contextmanager
def opened(entry: SystemEntry, root: Path) -> Iterator[System | Run]:
    """Open a system for a while; what has a ``close`` is closed.

    Raises:
        InputError: for a system that cannot be opened as it is described.
    """
    from rankgate.runs.formats import load_run
    from rankgate.systems.kind import Kind, kind_of
    from rankgate.systems.opening import open_system

    if entry.kind == "run":
        if not isinstance(entry.target, str):
            raise InputError(Problem(f"systems.{entry.name}.run", repr(entry.target), "the path of a run"))
        yield load_run(root / entry.target, order="returned")
        return
    described = dict(entry.options)
    if entry.kind == "kind":
        described["kind"] = entry.target
    else:
        described |= {
            "kind": entry.kind,
            {"function": "target", "command": "command"}[entry.kind]: entry.target,
        }
    kind = kind_of(described["kind"]) if isinstance(described["kind"], str) else Kind()
    if kind.base:
        described.setdefault(kind.base, str(root))
    system = _isolated(entry.name, described, kind) if entry.isolated else open_system(entry.name, described)
    try:
        yield system
    finally:
        close = getattr(system, "close", None)
        if close is not None:
            close()


def _isolated(name: str, described: dict[str, object], kind: Kind) -> System:
    from rankgate.systems.isolated import TIMEOUT, IsolatedSystem

    if kind.outside:
        asks = f"{described['kind']} asks {kind.outside}"
        expected = f"none: {asks} outside this process and has a timeout of its own"
        fix = "take isolate out and keep timeout"
        raise InputError(Problem(f"{name}.isolate", "'process'", expected, fix))
    if kind.index and not any(option in described for option in kind.index):
        fix = f"name an index ({' or '.join(kind.index)}), or take isolate out"
        found = "'process' for an index that is to be built"
        raise InputError(Problem(f"{name}.isolate", found, "an index that is there", fix))
    timeout = described.pop("timeout", TIMEOUT)
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
        raise InputError(Problem(f"{name}.timeout", repr(timeout), "a number of seconds"))
    return IsolatedSystem(name, described, float(timeout))
