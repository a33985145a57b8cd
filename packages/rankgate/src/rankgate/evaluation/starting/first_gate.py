"""The first gate of a project: a bound that what is found today keeps, whichever cases a reader keeps.

A value out of the air makes the first day red, and whoever begins with red learns to look away. The bound is
the lowest mean that today's answers have over any eight of ten cases, rounded down: a reader may throw two
away, and the gate still holds; a search that loses three answers does not pass it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankgate.errors import RankgateError
from rankgate.model.wording import many

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

METRIC = "ndcg@10"
"""What the first gate is about."""
USUAL = 0.65
"""The value where nothing is known of today."""
KEPT = 0.8
"""The share of cases that a reader keeps at least, for whom the bound is made."""


@dataclass(frozen=True, slots=True)
class FirstGate:
    """The gate that a new suite begins with."""

    value: float
    """What must be reached."""
    why: str
    """Where the value comes from, in a sentence."""
    today: float | None = None
    """The mean of today; None where nothing was answered."""

    @property
    def text(self) -> str:
        """The gate as a suite has it."""
        return f"{METRIC} >= {self.value:g}"


def lower_bound(values: Sequence[float]) -> float:
    """Return the lowest mean over any four fifths of the values, rounded down to two digits.

    >>> lower_bound([1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.0])
    0.62
    """
    kept = sorted(values)[: max(1, math.ceil(KEPT * len(values)))]
    return math.floor(100 * math.fsum(kept) / len(kept) + 1e-9) / 100


def first_gate(suite: Path) -> FirstGate:
    """Ask the configured system the cases of a suite, and return the gate that its answers keep.

    Nothing is kept. Where the system does not answer, or finds nothing, the gate has the usual value and
    says why.
    """
    try:
        values, failed = _asked(suite)
    except RankgateError as error:
        return _unknown(str(error).splitlines()[0][:160])
    if failed:
        return _unknown(f"{many(failed, 'query', 'queries')} without an answer")
    today = math.fsum(values) / len(values) if values else 0.0
    value = lower_bound(values) if values else 0.0
    if not value:
        why = f"today it finds next to nothing ({today:.2f}): see `rankgate doctor` before you lower it"
        return FirstGate(USUAL, why, today)
    kept = max(1, math.ceil(KEPT * len(values)))
    why = f"the search has {today:.2f} today, and at least this on any {kept} of {many(len(values), 'case')}"
    return FirstGate(value, why, today)


def _unknown(why: str) -> FirstGate:
    return FirstGate(USUAL, f"the search could not be asked ({why}); lower it to what it finds")


def _asked(path: Path) -> tuple[list[float], int]:
    """Return the value of every case, and how many were not answered."""
    from rankgate.evaluation.configuration import configuration_for
    from rankgate.evaluation.flow import Stopwatch, run_evaluation
    from rankgate.evaluation.project.opening import opened
    from rankgate.evaluation.settings import RunOptions, settings_of
    from rankgate.suites.formats import load_suite

    suite, configuration = load_suite(path), configuration_for(path)
    entry = configuration.entry(None)
    asking = RunOptions(
        pace=entry.pace, chunks=entry.chunks, locate=entry.locate, entry=entry, project=configuration.root
    )
    settings = replace(settings_of(entry, suite, asking, configuration.corpus_root), metrics=(METRIC,))
    with opened(entry, configuration.root, suite, configuration.corpus_root) as system:
        found = run_evaluation(suite, system, settings, Stopwatch()).scores
    values = [value for value in found.per_query(METRIC).values() if value is not None]
    return values, found.counts(METRIC).errored
