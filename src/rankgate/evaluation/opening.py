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

_FOLDERS = {
    "bm25s": "root",
    "command": "cwd",
    "function": "root",
    "http": "root",
    "lancedb": "root",
    "mcp": "cwd",
    "postgres": "root",
    "ripgrep": "root",
    "sqlite": "root",
    "tantivy": "root",
}
"""The option of each kind that names the folder its paths are relative to."""

_OUTSIDE = {
    "command": "a program",
    "http": "a server",
    "mcp": "a server",
    "postgres": "a server",
    "ripgrep": "a program",
}
"""The kinds that do not run in this process, and what runs instead."""


@contextmanager
def opened(entry: SystemEntry, root: Path) -> Iterator[System | Run]:
    """Open a system for a while; what has a ``close`` is closed.

    Raises:
        InputError: for a system that cannot be opened as it is described.
    """
    from rankgate.runs.formats import load_run
    from rankgate.systems.opening import open_system

    if entry.kind == "run":
        if not isinstance(entry.target, str):
            raise InputError(Problem(f"systems.{entry.name}.run", repr(entry.target), "the path of a run"))
        yield load_run(root / entry.target, order="returned")
        return
    if entry.kind == "kind":
        base = {option: str(root) for kind, option in _FOLDERS.items() if kind == entry.target}
        described = {**base, **entry.options, "kind": entry.target}
    else:
        target = {"function": "target", "command": "command"}[entry.kind]
        described = {
            _FOLDERS[entry.kind]: str(root),
            **entry.options,
            "kind": entry.kind,
            target: entry.target,
        }
    system = _isolated(entry.name, described) if entry.isolated else open_system(entry.name, described)
    try:
        yield system
    finally:
        close = getattr(system, "close", None)
        if close is not None:
            close()


def _isolated(name: str, described: dict[str, object]) -> System:
    from rankgate.systems.isolated import TIMEOUT, IsolatedSystem

    if outside := _OUTSIDE.get(str(described["kind"])):
        kind = described["kind"]
        expected = f"none: {kind} asks {outside} outside this process and has a timeout of its own"
        fix = "take isolate out and keep timeout"
        raise InputError(Problem(f"{name}.isolate", "'process'", expected, fix))
    timeout = described.pop("timeout", TIMEOUT)
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
        raise InputError(Problem(f"{name}.timeout", repr(timeout), "a number of seconds"))
    return IsolatedSystem(name, described, float(timeout))
