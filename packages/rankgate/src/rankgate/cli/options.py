"""The options that commands share: which suites, which system, and how it is asked."""

from __future__ import annotations

import os
import sys
import time
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rankgate.errors import ExitCode
from rankgate.progress import listening

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from types import TracebackType
    from typing import Self, TextIO

    from rankgate.evaluation.configuration import SystemEntry
    from rankgate.evaluation.settings import RunOptions
    from rankgate.runs.asking.deadline import RunDeadline
    from rankgate.runs.store.run_writer import Existing

    F = TypeVar("F", bound=Callable[..., Any])

PATH = click.Path(path_type=Path)
"""A file or a folder."""
suites_argument = click.argument("suites", nargs=-1, metavar="[SUITE]...", type=PATH)
_SYSTEM = "One of rankgate.toml, module:attr or ./file.py:attr."
system_option = click.option("--system", "-s", metavar="NAME", help=_SYSTEM)
systems_option = click.option(
    "--system", "-s", "systems", multiple=True, metavar="NAME", help=f"{_SYSTEM} May be repeated."
)
run_option = click.option("--run", "folder", type=PATH, help="A run folder in place of the latest test.")
output_folder_option = click.option(
    "--output", "-o", "folder", required=True, type=PATH, help="The folder to write."
)


def _deadline(text: str) -> RunDeadline:
    """Start the clock for the whole command."""
    from rankgate.runs.asking.deadline import RunDeadline

    return RunDeadline(text, "--deadline")


_ASKING = (
    click.option("--k", type=click.IntRange(min=1), metavar="N", help="How many hits to ask for."),
    click.option(
        "--concurrency",
        "-c",
        type=click.IntRange(min=1),
        metavar="N",
        help="How many queries are asked at once.",
    ),
    click.option("--rate", type=float, metavar="N", help="How many queries begin in a second at most."),
    click.option(
        "--retries",
        type=click.IntRange(min=0),
        metavar="N",
        help="How often to ask a busy system again; 0 for never.",
    ),
    click.option(
        "--warmup",
        type=click.IntRange(min=0),
        metavar="N",
        help="How many queries each thread asks before those that count.",
    ),
    click.option(
        "--repeat",
        type=click.IntRange(min=1, max=1000),
        default=1,
        metavar="N",
        help="Ask everything N times, to see how much the answers vary.",
    ),
    click.option(
        "--deadline",
        metavar="TIME",
        callback=lambda _context, _option, text: None if text is None else _deadline(text),
        help="End after so long, such as 20m; what is not answered by then failed. Units: s, m, h.",
    ),
    click.option("--resume", is_flag=True, help="Ask what the last run did not get to, and what failed."),
)


def echo_names(text: str) -> None:
    """Print a text with names of files, suites or systems in it: what steers a terminal is escaped."""
    from rankgate.reports.text.printable import printable_block

    click.echo(printable_block(text))


def format_option(*styles: str, words: str) -> Callable[[F], F]:
    """Make the option that chooses a layout; the first style is the default."""
    return click.option(
        "--format", "style", type=click.Choice(styles), default=styles[0], show_default=True, help=words
    )


def exit_codes(*usual: ExitCode, **own: str) -> Callable[[F], F]:
    """Add exit codes to the help of a command; by name those that mean something of their own there."""
    words = {code: code.brief for code in (*usual, ExitCode.CRASHED)}
    words |= {ExitCode[name.upper()]: said for name, said in own.items()}
    listed = ", ".join(f"{code:d} {words[code]}" for code in sorted(words))

    def documented(command: F) -> F:
        command.__doc__ = f"{cleandoc(command.__doc__ or '')}\n\nExit codes: {listed}."
        return command

    return documented


def asking_options(command: F) -> F:
    """Add the options that say how a system is asked."""
    for option in reversed(_ASKING):
        command = option(command)
    return command


def asking_of(
    entry: SystemEntry, options: dict[str, Any], folder: Path, existing: Existing, project: Path
) -> RunOptions:
    """Return how to ask: options that are given stand in for what the configuration says."""
    from rankgate.evaluation.settings import RunOptions
    from rankgate.runs.asking.progress import TerminalProgress

    given = {name: options[name] for name in ("concurrency", "rate", "retries", "warmup")}
    return RunOptions(
        k=options["k"],
        folder=folder,
        existing="resume" if options["resume"] else existing,
        pace=entry.pace.but(**given),
        deadline=options["deadline"],
        repeat=options["repeat"],
        chunks=entry.chunks,
        locate=entry.locate,
        progress=TerminalProgress(),
        follow_ups=options.get("follow_ups", 0),
        entry=entry,
        project=project,
    )


PATIENCE = 2.0
"""How many seconds pass before anything is said."""

_BETWEEN = 0.1
_WIDTH = 78


class ProgressLine:
    """A line on a terminal that says what takes long, to a person who waits; gone when the work is done.

    In CI, where the variable ``CI`` is set, a line for every tenth of what is counted; nothing on any other
    pipe, and nothing of what ends within two seconds.
    """

    def __init__(
        self,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        *,
        in_ci: bool | None = None,
    ) -> None:
        self._stream = stream or sys.stderr
        self._clock = clock
        self._in_ci = os.environ.get("CI", "").lower() not in ("", "0", "false") if in_ci is None else in_ci
        self._begun = clock()
        self._said = self._begun - _BETWEEN
        self._shown = False
        self._works: dict[str, _Work] = {}
        self._heard: AbstractContextManager[None] | None = None

    def __enter__(self) -> Self:
        self._heard = listening(self)
        self._heard.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._heard is not None:
            self._heard.__exit__(None, None, None)
        self._clear()

    def tell(self, words: str) -> None:
        """Write what is under way, in place of what was written before."""
        now = self._clock()
        if now - self._begun >= PATIENCE:
            self._write(words, now)

    def step(self, doing: str, done: int, total: int) -> None:
        """Write how far some work is, once it has taken long enough to be worth it."""
        now = self._clock()
        work = self._works.setdefault(doing, _Work(now))
        seconds = now - work.begun
        if seconds < PATIENCE or not 0 < done < total:
            return
        from rankgate.runs.asking.progress import progress_text

        if self._stream.isatty():
            self._write(progress_text(done, total, 0, seconds, doing), now)
        elif self._in_ci and (tenths := done * 10 // total) > work.tenths:
            work.tenths = tenths
            self._stream.write(f"{10 * tenths} %: {progress_text(done, total, 0, seconds, doing)}\n")
            self._stream.flush()

    def end(self, doing: str) -> None:
        """Take the line away: what comes next may print."""
        self._works.pop(doing, None)
        self._clear()

    def _write(self, words: str, now: float) -> None:
        from rankgate.reports.text.printable import fitted, printable

        if now - self._said >= _BETWEEN and self._stream.isatty():
            self._said, self._shown = now, True
            self._stream.write("\r" + fitted(printable(words), _WIDTH))
            self._stream.flush()

    def _clear(self) -> None:
        if self._shown:
            self._shown = False
            self._stream.write("\r" + " " * _WIDTH + "\r")
            self._stream.flush()


class _Work:
    """When some work was first told of, and how many tenths of it were."""

    def __init__(self, begun: float) -> None:
        self.begun, self.tenths = begun, 0
