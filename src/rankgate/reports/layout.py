"""What terminal reports are laid out with: the colours of marks, plain grids, ruled tables, points."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import ConsoleOptions, RenderableType

STYLES = {"✅": "green", "⚠️": "yellow", "❌": "bold red"}
"""How what stands beside a mark is shown."""
_PIPE_WIDTH = 120
_ANY_WIDTH = 10_000


def laid_out(parts: Iterable[RenderableType], width: int | None = None, *, colour: bool = True) -> str:
    """Write parts as wide as the terminal is, or as `width` says, in colour where a terminal shows it."""
    tty = colour and sys.stdout.isatty()
    if width is None and not tty and "COLUMNS" not in os.environ:
        width = _PIPE_WIDTH
    console = Console(file=io.StringIO(), force_terminal=tty, width=width, highlight=False)
    for part in parts:
        console.print(part)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def points(lines: Sequence[str]) -> Table:
    """List points, each with a dash and its own indent where it wraps."""
    table = grid()
    table.padding = (0, 1, 0, 0)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for line in lines:
        table.add_row("-", Text(line))
    return table


def grid() -> Table:
    """Give a table without any lines."""
    return Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))


def ruled() -> Table:
    """Give a table with a line under its head."""
    return Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)


class Fitting:
    """The first of two layouts where it fits the width, else the second: a cut figure tells nothing.

    The first may become narrower by `spare` columns, by folding words.
    """

    def __init__(self, wide: RenderableType, narrow: RenderableType, spare: int) -> None:
        self._wide, self._narrow, self._spare = wide, narrow, spare

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        needed = Measurement.get(console, options.update(max_width=_ANY_WIDTH), self._wide).maximum
        yield self._wide if needed - self._spare <= options.max_width else self._narrow
