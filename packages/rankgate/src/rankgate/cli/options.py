"""The options that commands share: which suites, which system, and how it is asked."""

from __future__ import annotations

from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rankgate.errors import Code, ExitCode, InputError, RankgateError, escaped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rankgate.project.configuration import SystemEntry
    from rankgate.project.settings import RunOptions
    from rankgate.runs.asking.deadline import RunDeadline
    from rankgate.runs.store.run_writer import Existing

    F = TypeVar("F", bound=Callable[..., Any])


PATH = click.Path(path_type=Path)
"""A file or a folder."""


def announced(context: click.Context, _parameter: click.Parameter, value: Any) -> Any:
    """Say which suite is taken, where none is named; change nothing."""
    if not value and not context.resilient_parsing:
        announce_suite()
    return value


def announce_suite() -> None:
    """Say which suite is taken, where the configuration lists none and one lies there."""
    from rankgate.project.find import find_configuration

    try:
        found = find_configuration(Path.cwd())
    except RankgateError:
        # The command itself says so.
        return
    for file in () if found.suites else found.suite_files:
        here = file.resolve().parent == Path.cwd()
        click.echo(escaped(f"{file}, the only suite {'here' if here else 'of the project'}"), err=True)


suites_argument = click.argument("suites", nargs=-1, metavar="[SUITE]...", type=PATH, callback=announced)
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


_REPEAT = click.option(
    "--repeat",
    type=click.IntRange(min=1, max=1000),
    default=1,
    metavar="N",
    help="Ask everything N times, to see how much the answers vary.",
)
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
    _REPEAT,
    click.option(
        "--deadline",
        metavar="TIME",
        callback=lambda _context, _option, text: None if text is None else _deadline(text),
        help="End after so long, such as 20m; what is not answered by then failed. Units: s, m, h.",
    ),
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


def pace_options(command: F) -> F:
    """Add the same options but `--repeat`."""
    for option in reversed(_ASKING):
        command = command if option is _REPEAT else option(command)
    return command


def asking_of(
    entry: SystemEntry, options: dict[str, Any], folder: Path | None, existing: Existing, project: Path
) -> RunOptions:
    """Return how to ask: options that are given stand in for what the configuration says."""
    from rankgate.project.settings import RunOptions
    from rankgate.runs.asking.progress import TerminalProgress

    given = {name: options[name] for name in ("concurrency", "rate", "retries", "warmup")}
    return RunOptions(
        k=options["k"],
        folder=folder,
        existing="resume" if options.get("resume") else existing,
        pace=entry.pace.but(**given),
        deadline=options["deadline"],
        repeat=options.get("repeat", 1),
        chunks=entry.chunks,
        locate=entry.locate,
        progress=TerminalProgress(),
        entry=entry,
        project=project,
    )


_CI = (
    *("CI", "GITHUB_ACTIONS", "GITLAB_CI", "BUILDKITE", "CIRCLECI", "TRAVIS", "APPVEYOR", "DRONE"),
    *("JENKINS_URL", "TEAMCITY_VERSION", "TF_BUILD", "BITBUCKET_BUILD_NUMBER", "CODEBUILD_BUILD_ID"),
)


def refuse_in_ci(environment: Mapping[str, str], what: str) -> None:
    """Raise an InputError if a variable says that this is CI, where no person reads what is written."""
    for name in _CI:
        if environment.get(name, "").strip().lower() not in ("", "0", "false", "no", "off"):
            found = f"{what} in CI ({name} is set)"
            fix = "run it where somebody reads the changes, and commit what they accept; --check works here"
            raise InputError(
                Code.NEEDS_CONSENT("rankgate suite update", found, "a person who reads them", fix)
            )
