"""Passages as a page shows them: numbered lines in their context, coloured, with nothing that is markup.

What no reader could see, such as control characters and those that turn the direction of a line, is shown as
escapes. Long lines are cut, and that is told.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from itertools import takewhile
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from rankgate.judging.session.documents import lines_of
from rankgate.reports.text.printable import printable, printable_block
from rankgate.web.colours import coloured, suffix

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.judging.session.session import JudgingSession
    from rankgate.judging.units import JudgingUnit
    from rankgate.truth.judgments.labels import Label

AROUND = 6
"""How many lines are shown above and below a passage at first."""
STEP = 200
"""How many lines are given at once."""
LONGEST = 2_000
"""How many characters of a line are shown."""
_COLOURED = 400_000
_KEPT = 24
_MARKDOWN = {".md", ".markdown", ".mdx"}
_ENTRIES = 150
_ALTERNATIVES = 50


@dataclass(frozen=True, slots=True)
class ShownText:
    """The lines of a file or of a text, ready to be shown."""

    first: int
    """The number of the first line."""
    lines: tuple[dict[str, Any], ...]
    """What each line is: its text, the colours, its kind in Markdown, how much is cut."""

    @property
    def last(self) -> int:
        """The number of the last line."""
        return self.first + len(self.lines) - 1

    def between(self, start: int, end: int) -> list[dict[str, Any]]:
        """Return some lines, those that there are."""
        start = max(start, self.first)
        found = self.lines[start - self.first : max(start, end + 1) - self.first]
        return [{"n": start + at, **line} for at, line in enumerate(found)]


class Passages:
    """Makes what the page shows of the passages of a session."""

    def __init__(self, session: JudgingSession) -> None:
        self._session = session
        self._texts: OrderedDict[str, tuple[Sequence[str], ShownText]] = OrderedDict()

    def passage(self, unit: JudgingUnit) -> dict[str, Any]:
        """Return a passage with some lines around it, and what was said of it."""
        text = self._text(unit)
        start = text.first if unit.start is None else unit.start
        end = text.last if unit.end is None else min(unit.end, text.last)
        outline = () if unit.path is None else self._session.task.documents.outline(unit.path)
        return {
            "number": self._session.number(unit),
            "query": printable(unit.query),
            "location": printable(unit.location),
            "lines": unit.path is not None and unit.start is not None,
            "outline": [printable(title) for title in unit.outline],
            "contents": [
                {"title": printable(one.title, 120), "level": one.level, "start": one.start, "end": one.end}
                for one in outline[:_ENTRIES]
            ],
            "markdown": _is_markdown(unit),
            "start": start,
            "end": end,
            "first": text.first,
            "last": text.last,
            "shown": text.between(start - AROUND, min(end + AROUND, start + STEP)),
            "label": _said(self._session.label(unit)),
            "alternatives": self.alternatives(unit),
        }

    def alternatives(self, unit: JudgingUnit) -> list[dict[str, Any]]:
        """Return the passages that it may be an alternative to, the latest first."""
        return [
            {"location": label.unit[1], "shown": printable(label.unit[1]), "grade": label.grade}
            for label in self._session.alternatives(unit)[:_ALTERNATIVES]
        ]

    def lines(self, unit: JudgingUnit, start: int, end: int) -> list[dict[str, Any]]:
        """Return some lines of what a passage stands in, at most so many at once."""
        return self._text(unit).between(start, min(end, start + STEP - 1))

    def _text(self, unit: JudgingUnit) -> ShownText:
        lines, first = lines_of(unit, self._session.task.documents)
        key = unit.path if unit.path is not None and first == 1 else f"\n{self._session.number(unit)}"
        known = self._texts.get(key)
        if known is not None and known[0] is lines:
            self._texts.move_to_end(key)
            return known[1]
        made = ShownText(first, tuple(_shown(lines, unit)))
        self._texts[key] = lines, made
        if len(self._texts) > _KEPT:
            self._texts.popitem(last=False)
        return made


def _shown(lines: Sequence[str], unit: JudgingUnit) -> Iterator[dict[str, Any]]:
    """Return the lines of a text as the page's script reads them."""
    texts = [printable_block(line.removesuffix("\r")) for line in lines]
    cut = [text[:LONGEST] for text in texts]
    colours = coloured("\n".join(cut), suffix(unit.path or ""), _COLOURED)
    kinds = _kinds(cut) if _is_markdown(unit) else [""] * len(cut)
    runs = _by_line(cut, colours)
    for text, short, tokens, kind in zip(texts, cut, runs, kinds, strict=True):
        line: dict[str, Any] = {"t": short}
        if tokens:
            line["c"] = tokens
        if kind:
            line["k"] = kind
        if len(short) < len(text):
            line["more"] = len(text) - len(short)
        yield line


def _by_line(lines: Sequence[str], colours: Sequence[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    """Cut the colours of a text at the ends of its lines; the ends themselves have none."""
    rest = iter(colours)
    length, name = next(rest, (0, ""))
    for line in lines:
        tokens, left = [], len(line)
        while left and length:
            taken = min(left, length)
            tokens.append((taken, name))
            left, length = left - taken, length - taken
            if not length:
                length, name = next(rest, (0, ""))
        # The line feed belongs to whatever goes on there.
        length -= 1 if length else 0
        if not length:
            length, name = next(rest, (0, ""))
        yield tokens if any(name for _, name in tokens) else []


def _kinds(lines: Sequence[str]) -> Iterator[str]:
    """Return what each line of Markdown is: a heading of a level, code, a quotation, a table, or text."""
    fence = ""
    for line in lines:
        bare = line.strip()
        if fence:
            ends = bare.startswith(fence) and not bare.strip(fence[0])
            fence = "" if ends else fence
            yield "code"
        elif bare.startswith(("```", "~~~")):
            fence = "".join(takewhile(lambda char, first=bare[0]: char == first, bare))  # type: ignore[misc]
            yield "code"
        elif bare.startswith("#"):
            level = len(bare) - len(bare.lstrip("#"))
            yield f"h{level}" if level <= 6 and bare[level : level + 1] in ("", " ", "\t") else ""
        else:
            yield "quote" if bare.startswith(">") else "table" if bare.startswith("|") else ""


def _is_markdown(unit: JudgingUnit) -> bool:
    return PurePosixPath(unit.path or "").suffix.lower() in _MARKDOWN


def _said(label: Label | None) -> dict[str, Any] | None:
    if label is None:
        return None
    better = None if label.better is None else printable(label.better)
    comment = printable_block(label.comment or "")
    return {"said": label.said, "grade": label.grade, "comment": comment, "better": better}
