"""What somebody decided who read two releases: which targets stay, where others went, and which are gone.

A file has one entry a release: ``kept`` lists locations whose text was edited where it stands and still
answers, ``moved`` says where others are now, ``gone`` why there is no place for them any more, and ``proven``
has what was moved without asking, read and found right. ``retired`` has what an alarm was right about: the
page that answered was removed, and nobody should look for an answer any more. ``accepted`` has queries that
an alarm was right about, too: what answers is still there, and is no longer found.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import yaml

from release_documents import FOLDER

if TYPE_CHECKING:
    from collections.abc import Mapping

_KEYS = {"release", "kept", "moved", "gone", "proven", "retired", "accepted"}


@dataclass(frozen=True, slots=True)
class Decisions:
    """The decisions on one release, by the locations as they were written for the release before."""

    kept: frozenset[str] = frozenset()
    """Edited where they stand, and still right."""
    moved: Mapping[str, str] = field(default_factory=dict)
    """Now elsewhere, and where."""
    gone: Mapping[str, str] = field(default_factory=dict)
    """Gone, and why."""
    proven: Mapping[str, str] = field(default_factory=dict)
    """Moved without asking, and read."""
    retired: Mapping[str, str] = field(default_factory=dict)
    """Targets of queries that are no longer answered, marked gone after the alarm, and why."""
    accepted: Mapping[str, str] = field(default_factory=dict)
    """Cases that are lost because of an edit, which somebody accepts by a new baseline, and why."""


def read_decisions(name: str) -> dict[str, Decisions]:
    """Read the decisions on a project, by version."""
    path = FOLDER / f"decisions-{name}.yaml"
    found = {}
    for entry in yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else ():
        unknown = set(entry) - _KEYS
        if unknown:
            raise SystemExit(f"{path}: {entry['release']}: found {sorted(unknown)}, expected {sorted(_KEYS)}")
        found[str(entry["release"])] = Decisions(
            frozenset(entry.get("kept", ())),
            entry.get("moved", {}),
            entry.get("gone", {}),
            entry.get("proven", {}),
            entry.get("retired", {}),
            entry.get("accepted", {}),
        )
    return found
