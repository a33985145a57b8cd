"""How a system is asked, in one thing that commands and Python fill in alike."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankgate.runs.pace import Pace

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.chunks.chunker import Chunking
    from rankgate.runs.parts import Part
    from rankgate.runs.progress import Progress
    from rankgate.runs.store import Existing


@dataclass(frozen=True, slots=True)
class Asking:
    """How to ask."""

    k: int | None = None
    """How many hits to ask for; by default what the metrics need."""
    folder: Path | None = None
    """Where to keep the run; by default it is in memory only."""
    existing: Existing = "refuse"
    """What to do with a run that is in the folder."""
    pace: Pace = field(default_factory=Pace)
    """How hard."""
    part: Part | None = None
    """Which part of the queries; None for all."""
    repeat: int = 1
    """How often everything is asked, to see how much the answers vary."""
    chunks: Chunking | None = None
    """How the corpus is cut where the system builds an index; None for whole files."""
    progress: Progress | None = None
    """What to tell how far it is."""
