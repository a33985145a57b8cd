"""Numbers, texts and paths as a message shows them, and words that are one slip of the keyboard apart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from rankgate.model import Counts

TitleOf: TypeAlias = Callable[[str, int | None, int | None], str]
"""Returns the heading or symbol that lines of a file are in; empty where none is known."""


_DECIMALS = {"": 4, "gain": 4, "%": 2, "ms": 1, "tokens": 0, "count": 0}
_SCALE = {"%": 100.0}
_FINE = 2
"""The decimals of a time that fewer would show as 0."""
NOTHING = "–"
"""Written where there is no value."""
_PLACES = {"": 3, "%": 1, "ms": 1, "tokens": 0, "count": 0}
_MOST_PLACES = 9


def no_titles(path: str, start: int | None, end: int | None) -> str:  # noqa: ARG001 - the form of `TitleOf`
    """Return no title, where no corpus is at hand."""
    return ""


def many(number: int, one: str, several: str | None = None) -> str:
    """Count things.

    >>> many(1, "query", "queries"), many(2, "check")
    ('1 query', '2 checks')
    """
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def quoted(text: str, most: int = 80) -> str:
    """Quote a text, shortened before so that the quotes close.

    >>> quoted("a" * 9, 4), quoted("abc")
    ("'aaa…'", "'abc'")
    """
    return repr(text if len(text) <= most else text[: most - 1] + "…")


def shortest(path: Path) -> Path:
    """Write a path as a person here would: relative, where it lies below this folder."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def tally(counts: Counts) -> str:
    """Return how many queries stand behind a number, and what became of the others.

    >>> from rankgate.model import Counts
    >>> tally(Counts(40, undefined=2, estimated=12))
    '40 queries (12 estimated, 2 not applicable)'
    """
    named = (
        (counts.estimated, "estimated"),
        (counts.undefined, "not applicable"),
        (counts.unreviewed, "unreviewed"),
        (counts.missing, "missing"),
        (counts.gone, "with targets gone"),
    )
    words = [f"{number:,} {word}" for number, word in named if number]
    # Errors come last: a note on them would else read as one on what follows.
    words += [many(counts.errored, "error")] if counts.errored else []
    queries = many(counts.scored, "query", "queries")
    return f"{queries} ({', '.join(words)})" if words else queries


def figure(value: float, unit: str = "") -> str:
    """Write a value in its unit: a share, a percentage, milliseconds, tokens or a count.

    >>> figure(0.5), figure(0.5, "%"), figure(12.345, "ms"), figure(1200, "tokens")
    ('0.5000', '50%', '12.3 ms', '1,200')
    >>> figure(-0.00001)
    '0.0000'
    >>> figure(0.03, "ms"), figure(0.003, "ms"), figure(0.0, "ms")
    ('0.03 ms', '<0.01 ms', '0.0 ms')
    """
    places = _DECIMALS[unit]
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


def value_text(value: float | None, unit: str = "", threshold: float | None = None) -> str:
    """Write a value in its unit, with enough decimals to see on which side of a threshold it is.

    >>> value_text(0.81249), value_text(0.5, "%"), value_text(12.345, "ms"), value_text(1200, "tokens")
    ('0.812', '50%', '12.3 ms', '1,200 tokens')
    >>> value_text(0.64996, "", 0.65), value_text(None)
    ('0.64996', '–')
    """
    if value is None:
        return NOTHING
    shown, limit = (
        (value * 100, None if threshold is None else threshold * 100) if unit == "%" else (value, threshold)
    )
    places = _PLACES.get(unit, 3)
    while (
        limit is not None
        and places < _MOST_PLACES
        and _side(round(shown, places), limit) != _side(shown, limit)
    ):
        places += 1
    text = f"{shown:,.{places}f}"
    if not text.strip("-0."):
        text = text.lstrip("-")
    if unit == "%":
        return (text.rstrip("0").rstrip(".") if "." in text else text) + "%"
    return f"{text} {unit}" if unit in ("ms", "tokens") else text


def _side(value: float, threshold: float) -> int:
    apart = round(value - threshold, _MOST_PLACES)
    return (apart > 0) - (apart < 0)
