"""Which symbols a name may mean: those of that name, those that end so, and those that begin so."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rankgate_reference.documents.nodes import path_of
from rankgate_reference.lexical.files_first import is_test

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_FITS = ("exact", "suffix", "prefix")


def fitting(name: str, beginning: Callable[[str], Iterable[tuple[str, str]]]) -> list[tuple[str, str]]:
    """List every symbol that a name may mean, as how it fits and its id, the best first.

    It fits as the whole qualified name (``exact``), with the names of file and folders before it or not;
    as the end of it (``suffix``); or but for the end of the last name (``prefix``). The same letters
    come before others, tests behind the rest, short names before long ones.

    Args:
        name: What is looked for.
        beginning: Gives the id and the qualified name of each symbol whose last name begins so.
    """
    name = name.strip().removesuffix("()")
    if "/" in name:
        name = name.rpartition("::")[2]
    wanted = tuple(part for part in name.replace("::", ".").split(".") if part)
    if not wanted:
        return []
    found = []
    for one, symbol in beginning(wanted[-1]):
        parts = tuple(symbol.split("."))
        fit = _fit(parts, path_of(one), wanted)
        if fit is not None:
            found.append((fit, is_test(path_of(one)), len(parts), len(symbol), one))
    return [(_FITS[fit[0]], one) for fit, *_, one in sorted(found)]


def _fit(parts: tuple[str, ...], path: str, wanted: tuple[str, ...]) -> tuple[int, bool] | None:
    """Return how a qualified name fits: which of `_FITS`, and whether only in other letters."""
    above = PurePosixPath(path).with_suffix("").parts
    whole = (*(above[:-1] if above[-1:] == ("__init__",) else above), *parts)
    last, named = whole[-len(wanted) :], min(len(parts), len(wanted))
    if last[:-named] != wanted[:-named]:
        return None
    small, asked = ([part.casefold() for part in one[-named:]] for one in (last, wanted))
    if small == asked:
        return (0 if len(wanted) >= len(parts) else 1), last != wanted
    if small[:-1] == asked[:-1] and small[-1].startswith(asked[-1]):
        return 2, not last[-1].startswith(wanted[-1])
    return None
