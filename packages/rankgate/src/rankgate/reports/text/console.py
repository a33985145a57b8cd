"""What terminal reports are laid out with: the colours of marks, kinds of columns, tables, points."""

from __future__ import annotations

import io
import os
import re
import sys
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from rankgate.reports.text.printable import columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import ConsoleOptions, RenderableType

STYLES = {"✅": "green", "⚠️": "yellow", "❌": "bold red"}
"""How what stands beside a mark is shown."""
Column: TypeAlias = dict[str, Any]
"""How a column is laid out."""
WORDS: Column = {"overflow": "fold"}
"""Text that may wrap anywhere."""
NUMBER: Column = {"justify": "right", "no_wrap": True}
"""A figure, which is never cut in two."""
MARK: Column = {"no_wrap": True, "width": 2}
"""A mark."""
DIM: Column = {"style": "dim"}
"""Said quietly; joined with one of the others."""
_WHOLE: Column = {"no_wrap": True}
_PIPE_WIDTH = 120
_ANY_WIDTH = 10_000
_PARTS = re.compile(r"(?<=[\s/_-])(?<!\d-)(?=[^\s/_-])")
"""Where a line may end: behind a space, a slash, a hyphen that is not inside of numbers."""


def laid_out(
    parts: Iterable[RenderableType],
    width: int | None = None,
    *,
    colour: bool = True,
    pipe_width: int = _PIPE_WIDTH,
    stream: TextIO | None = None,
) -> str:
    """Write parts as wide as the terminal is, or as `width` says, in colour where a terminal shows it.

    Text that must not wrap (`no_wrap`) is written whole, however wide it is. It is for standard output, where
    no other stream is named.
    """
    tty = colour and (stream or sys.stdout).isatty()
    if width is None and not tty and "COLUMNS" not in os.environ:
        width = pipe_width
    console = Console(file=io.StringIO(), force_terminal=tty, width=width, highlight=False)
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, Text) and part.no_wrap is True)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def points(lines: Iterable[str | Text], sign: str | Text = "-") -> Table:
    """List points, each with a sign and its own indent where it wraps."""
    table = grid((_WHOLE, WORDS), ((sign, Text(line) if isinstance(line, str) else line) for line in lines))
    table.padding = (0, 1, 0, 0)
    return table


def grid(kinds: Iterable[Column], rows: Iterable[Sequence[Any]]) -> Table:
    """Return a table without any lines."""
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for kind in kinds:
        table.add_column(**kind)
    return _filled(table, rows)


def ruled(heads: Iterable[tuple[str | Text, Column]], rows: Iterable[Sequence[Any]]) -> Table:
    """Return a table with a line under its head."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for head, kind in heads:
        table.add_column(head, **kind)
    return _filled(table, rows)


def _filled(table: Table, rows: Iterable[Sequence[Any]]) -> Table:
    for row in rows:
        table.add_row(*row)
    return table


def broken_lines(text: str, width: int) -> list[str]:
    """Break a text into lines: at spaces, and inside of names where one of their parts ends.

    >>> broken_lines("docs/how-billing-handles-refunds.md › Refunds", 20)
    ['docs/how-billing-', 'handles-refunds.md ›', 'Refunds']
    """
    lines = [""]
    for part in _PARTS.split(text):
        if lines[-1] and columns(lines[-1] + part.rstrip()) > width:
            lines[-1] = lines[-1].rstrip()
            lines.append("")
        lines[-1] += part
    return lines


class Fitting:
    """The first of two layouts where it fits the width, else the second: a cut figure tells nothing.

    The first may become narrower by `spare` columns, by folding words. Where it is several parts under each
    other, `also` has the further ones, each with its own spare columns, and all of them must fit.
    """

    def __init__(
        self,
        wide: RenderableType,
        narrow: RenderableType,
        spare: int,
        also: Sequence[tuple[RenderableType, int]] = (),
    ) -> None:
        self._parts, self._narrow = ((wide, spare), *also), narrow

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        any_width = options.update(max_width=_ANY_WIDTH)
        needed = [Measurement.get(console, any_width, part).maximum - spare for part, spare in self._parts]
        if max(needed) > options.max_width:
            yield self._narrow
            return
        for number, (part, _) in enumerate(self._parts):
            if number:
                yield Text("")
            yield part
