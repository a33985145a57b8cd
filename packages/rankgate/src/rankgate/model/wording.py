"""Numbers, texts and paths as a message shows them, and words that are one slip of the keyboard apart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

TitleOf: TypeAlias = Callable[[str, int | None, int | None], str]
"""Returns the heading or symbol that lines of a file are in; empty where none is known."""


MOST_LISTED = 20_000
"""How many queries, targets or values of one kind a report lists; it counts all."""


def no_titles(path: str, start: int | None, end: int | None) -> str:  # noqa: ARG001 - the form of `TitleOf`
    """Return no title, where no corpus is at hand."""
    return ""


def many(number: int, one: str, several: str | None = None) -> str:
    """Count things.

    >>> many(1, "query", "queries"), many(2, "check")
    ('1 query', '2 checks')
    """
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def and_more(number: int, shown: int, rows: int = 0) -> str:
    """Write how many more there are than are shown, and where those are listed; nothing where all are shown.

    >>> and_more(7, 5), and_more(5, 5)
    (' and 2 more, all of them in the JSON report', '')
    >>> and_more(30_000, 5)
    ' and 29,995 more, 20,000 of them in the JSON report'

    Args:
        number: How many there are.
        shown: How many are shown.
        rows: How many rows of a report they are, where that is more.
    """
    if number <= shown:
        return ""
    listed = "all" if max(number, rows) <= MOST_LISTED else f"{MOST_LISTED:,}"
    return f" and {number - shown:,} more, {listed} of them in the JSON report"


def quoted(text: str, most: int = 80) -> str:
    """Quote a text, shortened before so that the quotes close.

    >>> quoted("a" * 9, 4), quoted("abc")
    ("'aaa…'", "'abc'")
    """
    return repr(text if len(text) <= most else text[: most - 1] + "…")


def one_slip(one: str, other: str) -> bool:
    """Check whether two words are one slip apart: a Damerau-Levenshtein distance of 1.

    >>> one_slip("rotate", "rotaet"), one_slip("rotate", "rotates"), one_slip("rotate", "rotate")
    (True, True, False)
    """
    if one == other:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    one, other = one[start:], other[start:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return max(len(one), len(other)) == 1 or (len(one) == 2 and one == other[::-1])


def shortened(word: str) -> set[str]:
    """Return a word with each letter left out, and whole: words one slip apart have one of these in common.

    >>> sorted(shortened("abc"))
    ['ab', 'abc', 'ac', 'bc']
    """
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


def shortest(path: Path) -> Path:
    """Write a path as a person here would: relative, where it lies below this folder."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
