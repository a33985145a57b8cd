"""The options that commands share: which suites, which system, and how it is asked.

Where a path may be an address of an object store, such as ``s3://bucket/run``, commands get the path of a
copy: of what is read, fetched before the command begins; of what is written, a folder whose run is written to
the store as it grows, or a file that is written there when the command ends. Nothing of it is imported where
only paths are named.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from rankgate.errors import Code, ExitCode, InputError, RankgateError, escaped
from rankgate.files.stores.address import is_address

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from rankgate.evaluation.configuration import SystemEntry
    from rankgate.evaluation.executors.executor import RayExecutor
    from rankgate.evaluation.settings import RunOptions
    from rankgate.runs.asking.deadline import RunDeadline
    from rankgate.runs.store.run_writer import Existing

    F = TypeVar("F", bound=Callable[..., Any])


class _Location(click.Path):
    """A path, or an address that is made one."""

    def __init__(self, made: Callable[[str, click.Context | None], Path], **kwargs: Any) -> None:
        super().__init__(path_type=Path, **kwargs)
        self._made = made

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path."""
        return self._made(value, ctx) if is_address(value) else super().convert(value, param, ctx)


def refuse_address(text: str, _context: click.Context | None = None) -> NoReturn:
    """Refuse an address where something is written, or read with what lies around it.

    Raises:
        InputError: with what to do.
    """
    fix = "fetch it, work on the copy, and put it back; docs/object-stores.md says what may be at an address"
    raise InputError(Code.WRONG_ADDRESS(text, "an address", "a file or folder of this machine", fix))


def _suite(text: str, _context: click.Context | None) -> Path:
    from rankgate.files.stores.suite_copies import suite_copy

    return suite_copy(text)


def _run(text: str, _context: click.Context | None) -> Path:
    from rankgate.runs.store.fetched import fetched_run

    return fetched_run(text)


def _file(text: str, _context: click.Context | None) -> Path:
    from rankgate.files.stores.copies import fetched_file

    return fetched_file(text)


def _new_run(text: str, _context: click.Context | None) -> Path:
    from rankgate.files.stores.copies import new_copy

    return new_copy(text)


def _new_file(text: str, context: click.Context | None) -> Path:
    return written_file(text, context or click.get_current_context())


def written_file(text: str, context: click.Context) -> Path:
    """Return a file to write; at the end of the command it is written to its address, where it is there."""
    from rankgate.files.stores.copies import new_file

    path, publish = new_file(text)
    context.call_on_close(publish)
    return path


def shown(path: Path) -> str:
    """Return a path as it was given: an address, where it is that of a copy."""
    copies = sys.modules.get("rankgate.files.stores.copies")
    return str(path) if copies is None else copies.named_as_given(str(path))


PATH = _Location(refuse_address)
"""A file or a folder of this machine."""
SUITE = _Location(_suite)
"""A suite that is read."""
RUN = _Location(_run)
"""A run that is read."""
FILE = _Location(_file)
"""A file that is read."""
NEW_RUN = _Location(_new_run)
"""A run that is written."""
NEW_FILE = _Location(_new_file)
"""A file that is written."""
NEW_TABLE = _Location(_new_file, dir_okay=False)
"""A file that is written, and is no folder now."""


def announced(context: click.Context, _parameter: click.Parameter, value: Any) -> Any:
    """Say which suite is taken, where none is named; change nothing."""
    if not value and not context.resilient_parsing:
        announce_suite()
    return value


def announce_suite() -> None:
    """Say which suite is taken, where the configuration lists none and one lies there."""
    from rankgate.evaluation.configuration import find_configuration

    try:
        found = find_configuration(Path.cwd())
    except RankgateError:
        # The command itself says so.
        return
    for file in () if found.suites else found.suite_files:
        here = file.resolve().parent == Path.cwd()
        click.echo(escaped(f"{file}, the only suite {'here' if here else 'of the project'}"), err=True)


suites_argument = click.argument("suites", nargs=-1, metavar="[SUITE]...", type=SUITE, callback=announced)
suite_files_argument = click.argument("suites", nargs=-1, metavar="[SUITE]...", type=PATH, callback=announced)
_SYSTEM = "One of rankgate.toml, module:attr or ./file.py:attr."
system_option = click.option("--system", "-s", metavar="NAME", help=_SYSTEM)
systems_option = click.option(
    "--system", "-s", "systems", multiple=True, metavar="NAME", help=f"{_SYSTEM} May be repeated."
)
run_option = click.option("--run", "folder", type=RUN, help="A run folder in place of the latest test.")
output_folder_option = click.option(
    "--output", "-o", "folder", required=True, type=NEW_RUN, help="The folder to write, or s3://bucket/run."
)


def executor_option(work: str) -> Callable[[F], F]:
    """Make the option that says where a work is done."""
    return click.option(
        "--executor",
        type=click.Choice(["local", "ray"]),
        default="local",
        show_default=True,
        help=f"Where {work}: here, or on a Ray cluster (RAY_ADDRESS).",
    )


def connected_executor(name: str) -> AbstractContextManager[RayExecutor | None]:
    """Connect to what `--executor` names, for a while; None for this process."""
    if name == "local":
        return nullcontext()
    from rankgate.evaluation.executors.executor import ray_executor

    return ray_executor()


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
    entry: SystemEntry, options: dict[str, Any], folder: Path | None, existing: Existing, project: Path
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
