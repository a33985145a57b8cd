"""Numbers as people read them, with as many digits as it takes to see why a gate passed or failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.model.wording import many

if TYPE_CHECKING:
    from rankgate.model import Counts

_DECIMALS = {"": 4, "gain": 4, "%": 2, "ms": 1, "tokens": 0, "count": 0}
_SCALE = {"%": 100.0}
_MOST = 9
_FINE = 2
"""How many decimals a time has that fewer would show as none."""


def tally(counts: Counts, *, as_zero: bool = False) -> str:
    """Return how many queries stand behind a number, and what became of the others.

    Args:
        counts: What the number stands on.
        as_zero: True where every query that ended in an error has the value 0.

    >>> from rankgate.model import Counts
    >>> tally(Counts(40, undefined=2, estimated=12))
    '40 queries (12 estimated, 2 not applicable)'
    >>> tally(Counts(8, errored=8), as_zero=True)
    '8 queries (8 errors, counted as 0)'
    """
    aside = ", ".join(besides(counts, as_zero=as_zero))
    queries = many(counts.scored, "query", "queries")
    return f"{queries} ({aside})" if aside else queries


def besides(counts: Counts, *, as_zero: bool = False) -> list[str]:
    """Return what became of the queries that are not counted as any other, a few words each.

    Errors come last: what is said of them would else be read as said of what follows.
    """
    named = (
        (counts.estimated, "estimated"),
        (counts.undefined, "not applicable"),
        (counts.unreviewed, "unreviewed"),
        (counts.missing, "missing"),
        (counts.gone, "with targets gone"),
    )
    words = [f"{number:,} {word}" for number, word in named if number]
    if counts.errored:
        words.append(many(counts.errored, "error") + (", counted as 0" if as_zero else ""))
    return words


def figure(value: float, unit: str = "", *, decimals: int | None = None) -> str:
    """Write a value in its unit: a share, a percentage, milliseconds, tokens or a count.

    >>> figure(0.5), figure(0.5, "%"), figure(12.345, "ms"), figure(1200, "tokens")
    ('0.5000', '50%', '12.3 ms', '1,200')
    >>> figure(-0.00001)
    '0.0000'
    >>> figure(0.03, "ms"), figure(0.003, "ms"), figure(0.0, "ms")
    ('0.03 ms', '<0.01 ms', '0.0 ms')
    """
    places = _DECIMALS[unit] if decimals is None else decimals
    text = _rounded(value * _SCALE.get(unit, 1.0), places)
    if unit == "ms" and value and not text.strip("0."):
        # What is measured takes its time, however little.
        places = max(places, _FINE)
        text = _rounded(value, places)
        if value > 0 and not text.strip("0."):
            text = f"<{10**-places:.{places}f}"
    if unit == "%":
        return text.removesuffix("." + "0" * places) + "%"
    return f"{text} ms" if unit == "ms" else text


def _rounded(value: float, places: int) -> str:
    text = f"{value:,.{places}f}"
    # What rounds to nothing is not less than nothing.
    return text if text.strip("-0.") else text.lstrip("-")


def decimals_to_tell(value: float, bar: float, unit: str = "") -> int:
    """Return how many decimals a value needs so that it is seen on the right side of the bar.

    >>> decimals_to_tell(0.64996, 0.65), decimals_to_tell(0.6, 0.65)
    (5, 4)
    """
    scale = _SCALE.get(unit, 1.0)
    exact, line = round(value, _MOST) * scale, round(bar, _MOST) * scale
    for places in range(_DECIMALS[unit], _MOST):
        if _side(round(exact, places), line) == _side(exact, line):
            return places
    return _MOST


def _side(value: float, bar: float) -> int:
    apart = round(value - bar, _MOST)
    return (apart > 0) - (apart < 0)
