"""Where something is: an opaque id, or a location in a file.

Locations are parsed; ids never are. A location in a file is written in one of these ways::

    auth/keys.md                 the whole file
    auth/keys.md:40-62           lines 40 to 62, 1-based, both included (``:40`` is one line)
    auth/keys.md#Rotation/Steps  a heading, by its path of titles
    auth/keys.md#                the text before the first heading
    auth/keys.py::Store.rotate   a symbol, by its qualified name

A heading or a symbol is meant with all that lies below it. Its own text alone, up to the first heading or
symbol below it, is written with ``/.`` behind it, as a folder itself is in a path::

    auth/keys.md#Rotation/.      from the heading to the first one below it
    auth/keys.py::Store/.        a class up to its first method

A passage is named by its own words instead, in one file or wherever it stands (`Location.of_quote`).

A path that holds ``#`` or ``:``, or a title that holds ``/``, writes them ``%23``, ``%3A`` and ``%2F``.
A title that is nothing but ``.``, or a symbol that ends in ``/.``, writes the dot ``%2E``. No other escapes
exist, so ``100% sure`` is an ordinary title.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from rankgate.errors import LocationError, Problem

if TYPE_CHECKING:
    from collections.abc import Sequence


OPENING = ("",)
"""The titles of the text before the first heading, which has none."""
_SPLIT = re.compile(r"#|::")
_LINES = re.compile(r":([0-9]{1,10})(?:-([0-9]{1,10}))?\Z")
_LAST_LINE = 2**31 - 1
_SHOWN = 80
_OWN = "/."
_DOT = "%2E"
_LAST_DOT = re.compile(r"(?<=/)(?:\.|%((?:25)*)2E)\Z", re.IGNORECASE)
_ESCAPES = {"%23": "#", "%3A": ":", "%2F": "/", "%25": "%"}
_ESCAPED = re.compile("%(?:23|3A|2F|25)", re.IGNORECASE)
_BARE_PERCENT = re.compile("%(?=(?:23|3A|2F|25))", re.IGNORECASE)


@dataclass(frozen=True, slots=True, order=True, init=False)
class Lines:
    """A range of lines, 1-based, both ends included.

    >>> Lines(10, 50).overlap(Lines(30, 60))
    21
    """

    start: int
    """The first line."""
    end: int
    """The last line; never before `start`."""

    def __init__(self, start: int, end: int) -> None:
        if not 1 <= start <= end <= _LAST_LINE:
            fix = "lines are 1-based, both ends included"
            raise _wrong("line range", f"{start}-{end}", "1 <= start <= end", fix)
        # As for hits, of which most have lines: the way that a frozen class writes itself takes longer.
        _set_start(self, start)
        _set_end(self, end)

    def __len__(self) -> int:
        return self.end - self.start + 1

    def overlap(self, other: Lines) -> int:
        """Count the lines that both ranges hold."""
        return max(0, min(self.end, other.end) - max(self.start, other.start) + 1)

    def __str__(self) -> str:
        return f"{self.start}-{self.end}"


Unit: TypeAlias = Literal["characters", "bytes", "utf16", "unknown"]
"""What offsets count: characters as Python does, bytes of UTF-8, or units of UTF-16 as JavaScript does.

Unknown is the unit of a start of 0 where lines were expected.
"""


@dataclass(frozen=True, slots=True)
class Characters:
    """A range of characters in a file, from 0, the end excluded.

    >>> len(Characters(10, 50))
    40
    """

    start: int
    """The first."""
    end: int
    """The one behind the last; never before `start`."""
    unit: Unit = "characters"
    """What is counted."""

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end <= _LAST_LINE:
            fix = "offsets count from 0, the end excluded"
            raise _wrong("offsets", f"{self.start}-{self.end}", "0 <= start <= end", fix)

    def __len__(self) -> int:
        return self.end - self.start


_set_start, _set_end = vars(Lines)["start"].__set__, vars(Lines)["end"].__set__


@dataclass(frozen=True, slots=True)
class Location:
    """An opaque id, a path with, at most, one of lines, heading or symbol, or a passage by its words.

    >>> Location.at("webhooks.md#Retries").heading
    ('Retries',)
    >>> str(Location.at("errors.md:40-62"))
    'errors.md:40-62'
    >>> Location.of_id("errors.md:40-62").lines is None
    True
    >>> str(Location.of_quote("Keys rotate  every 90 days.", "keys.md"))
    'keys.md "Keys rotate every 90 days."'
    >>> Location.at("webhooks.md#Retries/.").own
    True
    """

    id: str | None = None
    """The opaque id; None for a location in a file."""
    path: str | None = None
    """The normalised path; None for an id, and for a passage that may stand in any file."""
    lines: Lines | None = None
    """The lines meant, where the location names them."""
    heading: tuple[str, ...] = ()
    """The titles from the outermost heading to the one meant."""
    symbol: str | None = None
    """The qualified name of the symbol meant."""
    quote: str | None = None
    """The words of the passage, which `rankgate.truth.textsearch` finds."""
    start_char: int | None = None
    """Where the passage begins, counted in characters from 0: of several copies the nearest is meant."""
    own: bool = False
    """True for the text of a heading or a symbol alone, without what lies below it."""

    def __post_init__(self) -> None:
        if self.own and (self.heading == OPENING or not self.heading) and self.symbol is None:
            raise _wrong("location", "own text", "a heading or a symbol that has one")
        if (self.id is None) == (self.path is None) and (self.quote is None or self.id is not None):
            raise _wrong("location", repr((self.id, self.path)), "either an id or a path")
        details = (
            (self.lines is not None)
            + bool(self.heading)
            + (self.symbol is not None)
            + (self.quote is not None)
        )
        if details > (0 if self.id is not None else 1):
            raise _wrong(
                "location", f"{details} details", "a path with one of lines, heading, symbol or quote"
            )
        if self.start_char is not None and (self.quote is None or self.start_char < 0):
            raise _wrong("location", f"start_char {self.start_char}", "0 or more, beside a quote")
        if (
            self.id == ""
            or self.symbol == ""
            or (self.quote is not None and (not self.quote or self.quote.strip() != self.quote))
            or (self.heading != OPENING and any(one.strip() != one or not one for one in self.heading))
        ):
            raise _wrong("location", "an empty name, or a title or quote with space around it", "a name")
        if self.path is not None and normal_path(self.path) != self.path:
            raise _wrong("location", f"path {self.path!r}", f"the normal form {normal_path(self.path)!r}")

    @classmethod
    def of_id(cls, text: str) -> Location:
        """Take an id as it is; nothing in it is parsed."""
        return cls(id=text)

    @classmethod
    def of_quote(cls, text: str, path: str | None = None, start_char: int | None = None) -> Location:
        """Name a passage by its words, in one file or in whichever has it.

        Raises:
            LocationError: for a text without words, and for a path that is none.
        """
        name = None if path is None else normal_path(path)
        return cls(path=name, quote=text.strip(), start_char=start_char)

    @classmethod
    def at(cls, text: str) -> Location:
        """Parse a location in a file.

        Raises:
            LocationError: for what is not one of the four ways to write a location.
        """
        mark = _SPLIT.search(text)
        if mark is None:
            found = _LINES.search(text)
            if found is None:
                return cls(path=_path(text, text))
            first = int(found[1])
            return cls(path=_path(text[: found.start()], text), lines=Lines(first, int(found[2] or first)))
        path, rest = _path(text[: mark.start()], text), text[mark.end() :]
        if not rest and mark[0] == "#":
            return cls(path=path, heading=OPENING)
        if not rest:
            raise _wrong(repr(text), f"nothing after {mark[0]!r}", "a heading after # or a symbol after ::")
        own = rest.endswith(_OWN) and len(rest) > len(_OWN)
        rest = rest.removesuffix(_OWN) if own else rest
        if mark[0] == "::":
            return cls(path=path, symbol=_LAST_DOT.sub(_less_escaped, rest), own=own)
        titles = tuple(_title(title) for title in rest.split("/"))
        if "" in titles:
            raise _wrong(repr(text), "an empty title", "titles separated by /", "write / in a title as %2F")
        return cls(path=path, heading=titles, own=own)

    @property
    def whole(self) -> str:
        """The whole of it, by which files name it; of a long quote `str` shows the first words."""
        return str(self) if self.quote is None else self._quoted(" ".join(self.quote.split()))

    def _quoted(self, words: str) -> str:
        start = "" if self.start_char is None else f" from character {self.start_char}"
        path = "" if self.path is None else _escape(self.path, "#:") + " "
        return f'{path}"{words}"{start}'

    def __str__(self) -> str:
        if self.quote is not None:
            words = " ".join(self.quote[: 4 * _SHOWN].split())
            return self._quoted(words if len(words) <= _SHOWN else words[: _SHOWN - 1] + "…")
        if self.path is None:
            return str(self.id)
        path = _escape(self.path, "#:")
        if self.lines is not None:
            return f"{path}:{self.lines}"
        own = _OWN if self.own else ""
        if self.symbol is not None:
            return f"{path}::{_LAST_DOT.sub(_escaped_dot, self.symbol)}{own}"
        if self.heading:
            return f"{path}#" + "/".join(map(_escaped_title, self.heading)) + own
        return path


def normal_path(text: str) -> str:
    r"""Bring a path to the one spelling in which paths are compared.

    Backslashes become slashes, ``.`` segments and doubled slashes go, and characters are composed (NFC).

    >>> normal_path(".\\docs//auth.md")
    'docs/auth.md'

    Raises:
        LocationError: for a path that is empty, absolute, or climbs with ``..``.
    """
    if surely_normal(text):
        return text
    slashed = unicodedata.normalize("NFC", text.replace("\\", "/"))
    segments = _segments(slashed)
    if not segments or slashed.startswith("/") or ".." in segments or "\0" in slashed:
        raise _wrong(repr(text), "a path outside the corpus", "a relative path without ..")
    return "/".join(segments)


@lru_cache(maxsize=1 << 16)
def is_path(text: str) -> bool:
    """Check whether a text can be a path of a corpus: relative, without .., in any spelling."""
    try:
        normal_path(text)
    except LocationError:
        return False
    return True


def surely_normal(text: str) -> bool:
    """Check in a fifth of the time that `normal_path` would change nothing; most normal paths pass.

    >>> surely_normal("docs/auth.md"), surely_normal("docs/.hidden")
    (True, False)
    """
    framed = f"/{text}/"
    return (
        text.isascii() and "/." not in framed and "//" not in framed and "\\" not in text and "\0" not in text
    )


def fits_glob(path: str, glob: str) -> bool:
    """Check whether a whole path fits a glob: ``*`` stays inside a segment, ``**`` takes any number of them.

    >>> fits_glob("runbooks/db/restore.md", "runbooks/**"), fits_glob("old/runbooks/a.md", "runbooks/**")
    (True, False)
    >>> fits_glob("a.md", "**/*.md"), fits_glob("docs/a.md", "*.md")
    (True, False)
    """
    wanted = _segments(glob + "**" if glob.endswith("/") else glob)
    here = _segments(path)
    # The positions in the glob up to which the segments so far fit: time grows with a product at most.
    reached = _skipped({0}, wanted)
    for segment in here:
        after = set()
        for at in reached:
            if at < len(wanted):
                if wanted[at] == "**":
                    after.add(at)
                elif fnmatchcase(segment, wanted[at]):
                    after.add(at + 1)
        reached = _skipped(after, wanted)
    return len(wanted) in reached and (bool(here) or not wanted)


def _skipped(positions: set[int], wanted: Sequence[str]) -> set[int]:
    """Add the positions that are reached by letting ``**`` take nothing."""
    found = set(positions)
    for at in positions:
        while at < len(wanted) and wanted[at] == "**":
            at += 1  # noqa: PLW2901 - walks on from where it is
            found.add(at)
    return found


def _segments(text: str) -> list[str]:
    return [segment for segment in text.split("/") if segment not in ("", ".")]


def _path(text: str, whole: str) -> str:
    if ":" in text:
        fix = "lines are path:10-50, a symbol is path::name, a : inside a path is %3A"
        raise _wrong(repr(whole), "a stray ':'", "path, path:10-50, path#Heading or path::symbol", fix)
    return normal_path(_unescape(text))


def _title(text: str) -> str:
    return "." if text.strip().upper() == _DOT else _unescape(text).strip()


def _escaped_title(title: str) -> str:
    """Write a title; one that is a dot, or looks like the escape of one, so that it is read as what it is."""
    if title == ".":
        return _DOT
    return f"%25{title[1:]}" if title.upper() == _DOT else _escape(title, "/")


def _escaped_dot(found: re.Match[str]) -> str:
    """Write the end of a symbol that would else be read as the mark of an own text."""
    return _DOT if found[0] == "." else f"%25{found[0][1:]}"


def _less_escaped(found: re.Match[str]) -> str:
    return f"%{found[0][3:]}" if found[1] else "."


def _escape(text: str, marks: str) -> str:
    text = _BARE_PERCENT.sub("%25", text)
    for code, mark in _ESCAPES.items():
        if mark in marks:
            text = text.replace(mark, code)
    return text


def _unescape(text: str) -> str:
    return _ESCAPED.sub(lambda code: _ESCAPES[code[0].upper()], text) if "%" in text else text


def _wrong(where: str, found: str, expected: str, fix: str = "") -> LocationError:
    return LocationError(Problem(where, found, expected, fix))
