"""The signs of reports: marks, what stands for no value, differences, and how a hit moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from rankgate.gates.wording import figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.scoring.scores import Scores


Mark: TypeAlias = Literal["✅", "⚠️", "❌"]
Unmarked: TypeAlias = Literal[""]
GOOD: Final = "✅"
DOUBTFUL: Final = "⚠️"
BAD: Final = "❌"
ERRORED: Final = "🔌"
"""Stands before queries that a system did not answer; it is the sign of a system error as well."""


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


def signed(value: float | None, unit: str) -> str:
    """Write a difference with its sign.

    >>> signed(-0.25, ""), signed(12.0, "ms"), signed(None, "")
    ('−0.2500', '+12.0 ms', '–')
    """
    return NOTHING if value is None else f"{'−' if value < 0 else '+'}{figure(abs(value), unit)}"


def went(before: int, after: int) -> str:
    """Return in words where the first relevant hit was and is; 0 is nowhere.

    >>> went(1, 0)
    'first relevant: 1 → not found'
    """
    was, is_now = (str(rank) if rank else "not found" for rank in (before, after))
    return f"first relevant: {was} → {is_now}"


def moved_from(location: str, rank: int, old: Sequence[str]) -> str:
    """Return where what stands at a rank now came from.

    >>> [moved_from(hit, rank, ["a", "b"]) for rank, hit in enumerate(["b", "a", "c"], 1)]
    ['↑1', '↓1', 'new']
    """
    if not location:
        return ""
    if location not in old:
        return "new"
    apart = old.index(location) + 1 - rank
    return "=" if not apart else f"{'↑' if apart > 0 else '↓'}{abs(apart)}"
