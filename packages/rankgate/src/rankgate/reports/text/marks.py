"""The signs of reports: marks, estimates, and what is written where there is no value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rankgate.scoring.scores import Scores

GOOD: Final = "✅"
BAD: Final = "❌"
NOTHING = "–"
"""Stands where there is no value."""
ESTIMATED = "≈"
"""Stands before a value that counts estimated labels or tokens."""


def token_notes(scores: Scores) -> list[str]:
    """Format what a reader must know where metrics count tokens that are estimated; nothing elsewhere."""
    counting = [metric.label for metric in scores.metrics if scores.rests_on_tokens(metric.label)]
    if not counting:
        return []
    how = "tokens are estimated from the size of the texts, not counted by a tokenizer"
    return [f"{ESTIMATED} {', '.join(counting)}: {how}"]
