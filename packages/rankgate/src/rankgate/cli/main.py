"""``rankgate``: the group of commands, each in a module of its own."""

from __future__ import annotations

import gc
import io
import os
import sys
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

import click

from rankgate.errors import Code, ExitCode, contained

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

COMMANDS = {
    "baseline": ("rankgate.cli.baseline:baseline", "Keep what a system finds, to hold it to that."),
    "compare": ("rankgate.cli.compare:compare", "Compare what systems found, query by query."),
    "doctor": ("rankgate.cli.doctor.doctor:doctor", "Check the project, and say what mends what is wrong."),
    "init": ("rankgate.cli.init:init", "Start: a configuration, a suite to fill, a CI workflow."),
    "judge": ("rankgate.cli.judge:judge", "Judge what systems find: blind, pooled, by several."),
    "list": ("rankgate.cli.listing:listing", "Show what can be named: metrics, formats, corpora."),
    "query": ("rankgate.cli.query:query", "Ask a system one query, and see everything."),
    "report": ("rankgate.cli.stages.report:report", "Lay a stored report out again, in any format."),
    "run": ("rankgate.cli.stages.run:run", "Ask a system every query, and keep the answers."),
    "runs": ("rankgate.cli.stages.run:runs", "Work with runs: merge."),
    "score": ("rankgate.cli.stages.score:score", "Score runs against judgments."),
    "suite": ("rankgate.cli.suite:suite", "Keep a suite right: lint, fix, update, convert."),
    "sweep": ("rankgate.cli.sweep:sweep", "Ask many variants of a system: which is better?"),
    "test": ("rankgate.cli.test:test", "Ask, score, judge and report: pass or fail."),
}
"""Where each command lives, and what it does in a few words; `--help` needs no more than this."""
GROUPS = {
    "Begin": "init test query doctor",
    "Gate": "baseline compare",
    "Look and judge": "report judge",
    "Keep the suite right": "suite",
    "Tune": "sweep list",
    "One stage at a time": "run runs score",
}
"""The commands by what they are for, in the order of first use."""
_HANDLER_SECONDS = 30.0
_FIRST = "First steps: rankgate init, then rankgate test. Guides and reference: rankgate's documentation."


class _ClosedPipe(Exception):  # noqa: N818 - no error: whoever read has seen enough
    """Raised in place of a broken pipe."""


@contextmanager
def _told_closed_pipe() -> Iterator[None]:
    """Raise what click does not catch: of a broken pipe it makes an exit that tells nobody why."""
    try:
        yield
    except BrokenPipeError as error:
        raise _ClosedPipe from error


class LazyCommands(click.Group):
    """A group over a table of commands, each imported when it is called, so that ``--help`` imports none."""

    def __init__(self, *args: Any, commands_table: Mapping[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._table = commands_table

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """List the commands."""
        return sorted(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one command."""
        if cmd_name not in self._table:
            return None
        module, _, name = self._table[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Parse the arguments, which prints the help where it is asked for."""
        with _told_closed_pipe():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        with _told_closed_pipe():
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands from the table, without importing any."""
        groups = GROUPS if self._table is COMMANDS else {"Commands": " ".join(sorted(self._table))}
        for title, names in groups.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<8}", self._table[name][1]) for name in names.split()])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find a command; of one that `rankgate suite` has, say how it is called."""
        if args[0] not in self._table and args[0] in import_module("rankgate.cli.suite").COMMANDS:
            import shlex

            ctx.fail(f"{args[0]!r} is a command of suites: {shlex.join(['rankgate', 'suite', *args])}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyCommands,
    commands_table=COMMANDS,
    epilog=_FIRST,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="rankgate", message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Hold search to what it should find: what pytest is to code, rankgate is to ranking."""
    from rankgate.cli.progress_line import ProgressLine

    context.with_resource(ProgressLine())


def main() -> None:
    """Run the command line and raise `SystemExit` with its exit code; only a crash may show a traceback."""
    # A large suite is millions of objects that stay: to look for cycles among them every 700 takes a tenth.
    gc.set_threshold(100_000, 20, 20)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without box lines still gets its table
    if os.environ.get("GITHUB_ACTIONS") != "true":
        sys.exit(int(_called()))
    from rankgate.reports.text.command_guard import guarded

    with guarded():
        code = int(_called())
    sys.exit(code)


def run() -> NoReturn:
    """Run the command line, and end the process with its exit code.

    Threads that still run are not waited for. Exit handlers run, and can't change the exit code.
    """
    code: object = ExitCode.CRASHED
    try:
        main()
    except SystemExit as ended:
        code = ended.code
    _end(code if isinstance(code, int) else int(ExitCode.CRASHED))


def _end(code: int) -> NoReturn:
    """Flush the output, run the exit handlers of at most `_HANDLER_SECONDS`, and end the process."""
    from atexit import _run_exitfuncs
    from threading import Timer

    _flush()
    end_process = os._exit
    last = Timer(_HANDLER_SECONDS, end_process, (code,))
    last.daemon = True
    last.start()

    def end_with_code(_status: int = 0) -> NoReturn:
        end_process(code)

    # A handler that ends the process ends it with this code.
    os._exit = end_with_code  # type: ignore[assignment]
    with suppress(BaseException):
        _run_exitfuncs()
    _flush()
    end_process(code)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        # Whoever read the output may be gone, and a system may have closed it.
        with suppress(Exception):
            stream.flush()


def _called() -> int:
    try:
        with contained():
            code = cli.main(standalone_mode=False, prog_name="rankgate")
    except _ClosedPipe:
        return _closed_pipe()
    except click.Abort as error:
        # An end of input where nobody was asked for any is no interrupt.
        return _refused(error.__cause__) if isinstance(error.__cause__, EOFError) else _stopped()
    except KeyboardInterrupt:
        return _stopped()
    except click.NoSuchOption as error:
        # By less likeness --limit was answered with --timings.
        from difflib import get_close_matches

        near = get_close_matches(error.option_name, error.possibilities or (), 1, 0.75)
        return _wrong_usage(click.NoSuchOption(error.option_name, possibilities=near, ctx=error.ctx))
    except click.ClickException as error:
        return _wrong_usage(error)
    except Exception as error:  # noqa: BLE001 - told in one line
        return _refused(error)
    return code if isinstance(code, int) else ExitCode.PASSED


def _wrong_usage(error: click.ClickException) -> int:
    click.UsageError(f"{error.format_message()} [{Code.USAGE}]", getattr(error, "ctx", None)).show()
    return ExitCode.WRONG_CALL


def _refused(error: Exception) -> int:
    from rankgate.project.stopped import shown_error
    from rankgate.reports.text.printable import printable

    shown = shown_error(error)
    text = "\n".join(printable(line) for line in shown.coded.split("\n"))
    click.echo(f"{click.style('error:', fg='red', bold=True)} {text}", err=True)
    return shown.exit_code


def _stopped() -> int:
    click.echo("stopped", err=True)
    return ExitCode.INTERRUPTED


def _closed_pipe() -> int:
    """Whoever read the output has seen enough; nothing is left to flush at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ExitCode.CLOSED_PIPE
