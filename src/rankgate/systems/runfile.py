"""A stored run in the place of a system: its answers are read, and nothing is asked.

There is no `System` here: a stored run is scored as it is. Whoever puts the layers together reads it with
`rankgate.runs.formats.load_run`, which takes these options.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class RunfileOptions:
    """Where a stored run is, and how to read it."""

    path: str
    """A folder that `rankgate run` wrote, a file of JSON lines, or a TREC run file."""
    format: Literal["folder", "jsonl", "trec"] | None = None
    """Its format; told from the file where not given."""
    order: Literal["returned", "trec"] = "trec"
    """For TREC run files, where the order of a ranking comes from."""
