"""What is said of unjudged hits beside a comparison: how much is judged, what is open, what to judge."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from rankgate.gates.wording import figure
from rankgate.model.wording import many
from rankgate.reports.text.marks import signed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankgate.scoring.unjudged.hits import UnjudgedEffect

_NOT_COMPARABLE = "not comparable"


def row_words(effect: UnjudgedEffect | None, unit: str) -> str:
    """Return how much is judged on both sides, and what the unjudged hits allow; nothing if not known."""
    if effect is None:
        return ""
    said = str(effect.shares)
    if not effect.open:
        return said
    if effect.before is None or effect.after is None or effect.difference is None:
        return f"{said}; unjudged hits allow any value"
    before, after = (
        f"{figure(low, unit)} to {figure(high, unit)}" for low, high in (effect.before, effect.after)
    )
    low, high = (signed(end, unit) for end in effect.difference)
    allow = f"unjudged hits allow {before} → {after}, a difference of {low} to {high}"
    alone = "" if effect.alone is None else f"; {signed(effect.alone, unit)} on judged hits alone"
    return f"{said}; {allow}{alone}"


def not_comparable(difference: float, effect: UnjudgedEffect | None, unit: str) -> str:
    """Return why a difference is not called one; nothing where unjudged hits are no reason to doubt it."""
    if effect is None:
        return ""
    if effect.shares.apart:
        return f"{_NOT_COMPARABLE}: {effect.shares}"
    if effect.turns(difference) and effect.alone is not None:
        return f"{_NOT_COMPARABLE}: {signed(effect.alone, unit)} on judged hits alone"
    return ""


def within_words(effect: UnjudgedEffect | None, unit: str) -> str:
    """Return the bounds that a difference is labelled with; nothing where no unjudged hit can move it."""
    if effect is None or not effect.open:
        return ""
    if effect.difference is None:
        return ", unjudged hits allow any difference"
    low, high = (signed(end, unit) for end in effect.difference)
    return f", unjudged hits allow {low} to {high}"


def to_judge(findings: Iterable[str], hits: int, command: str) -> str:
    """Return what to judge where a difference is not called one, with the command that lists it."""
    if not any(finding.startswith(_NOT_COMPARABLE) for finding in findings):
        return ""
    these = f"these {many(hits, 'hit')}" if hits > 1 else "this hit" if hits else "the unjudged hits of both"
    said = f"{_NOT_COMPARABLE}: judge {these} first"
    return f"{said}: {command}" if command else said


def turn_words(difference: float, effect: UnjudgedEffect | None, hits: int) -> str:
    """Return that the unjudged hits could give a difference the other sign; nothing where they cannot."""
    if effect is None or not effect.open or not hits:
        return ""
    low, high = effect.difference or (-inf, inf)
    turns = low < 0 < high if not difference else low < 0 if difference > 0 else high > 0
    return f"{many(hits, 'unjudged hit')}: the result could turn" if turns else ""
