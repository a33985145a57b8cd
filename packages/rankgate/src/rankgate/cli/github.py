"""Where GitHub runs a command: paths as the repository has them, links, annotations, the summary."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankgate.errors import Code
from rankgate.reports.text.command_guard import CommandGuard, on_github
from rankgate.reports.text.github import WEB

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from rankgate.errors import RankgateError
    from rankgate.report import Report


class Repository:
    """Turns paths as a command was given them into paths below the repository's root."""

    def __init__(self, *folders: Path) -> None:
        self._folders = (Path.cwd(), *folders)
        workspace = os.environ.get("GITHUB_WORKSPACE")
        self._root = Path(workspace).resolve() if workspace else _root(Path.cwd().resolve())

    def path_of(self, file: str) -> str:
        """Write a path as the repository has it; as it is, where it lies elsewhere.

        A report that is read again may have been made in another folder: the first that has the file counts.
        """
        paths = [folder / file for folder in self._folders]
        try:
            path = next((one for one in paths if one.is_file()), paths[0]).resolve()
        except (OSError, ValueError, RuntimeError):
            return file
        return path.relative_to(self._root).as_posix() if path.is_relative_to(self._root) else file


def _root(start: Path) -> Path:
    """Without a workspace, the folder of the repository; without that, this one."""
    return next((folder for folder in (start, *start.parents) if (folder / ".git").exists()), start)


_REPORT_URL = f"{__name__}.report_url"


def report_url_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option that says where people read the report; `report_url` knows what it was set to."""

    def keep(context: click.Context, _: click.Parameter, value: str | None) -> None:
        from rankgate.errors import InputError

        if value and not value.lower().startswith(WEB):
            raise InputError(
                Code.WRONG_OPTION("--report-url", repr(value), "an address that begins with https://")
            )
        context.meta[_REPORT_URL] = value

    words = (
        "Where the whole report can be read: the comment links to it; by default report_url of rankgate.toml."
    )
    option = click.option("--report-url", metavar="URL", expose_value=False, callback=keep, help=words)
    return option(command)


def report_url(reports: Sequence[Report]) -> str:
    """Return where people read a report: by the option, or the configuration, or else the page of the CI run.

    Nothing where none of them is known.
    """
    context = click.get_current_context(silent=True)
    given = context.meta.get(_REPORT_URL) if context is not None else None
    if url := given or _configured_url(reports):
        return str(url)
    names = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")
    server, repository, run = (os.environ.get(name, "") for name in names)
    return f"{server}/{repository}/actions/runs/{run}" if server and repository and run else ""


def _configured_url(reports: Sequence[Report]) -> str:
    from rankgate.errors import RankgateError
    from rankgate.project.find import configuration_for

    suites = dict.fromkeys(report.path for report in reports if report.path)
    for suite in (*filter(None, suites), None):
        try:
            url = configuration_for(suite).report_url
        except RankgateError:
            # It is told of as what it is; a report is written all the same.
            continue
        if url:
            return url
    return ""


SUMMARY_LIMIT = 1 << 20
"""How many bytes GitHub takes of a step's summary: with one more it shows nothing at all."""
_NOTE_ROOM = 500


def print_commands(text: str) -> None:
    """Print workflow commands of our own, as `rankgate.reports` lays them out."""
    stream = sys.stdout
    click.echo(text, nl=False, file=stream.unguarded if isinstance(stream, CommandGuard) else stream)


def tell(
    reports: Sequence[Report],
    written: Sequence[Path] = (),
    summed: Sequence[Report] | None = None,
) -> None:
    """Print annotations and append to the summary, where GitHub asks for them.

    Args:
        reports: what to say.
        written: the files that hold the Markdown report already.
        summed: what the summary says, where that is more: what was refused is annotated where it was written.
    """
    summed = reports if summed is None else summed
    if not summed:
        return
    from rankgate.reports.formats import laid_out

    if on_github() and reports:
        print_commands(laid_out("github", reports, path_of=Repository().path_of))
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary and not any(_same(Path(summary), path) for path in written):
        from rankgate.reports import comment

        path = Path(summary)
        room = SUMMARY_LIMIT - (path.stat().st_size if path.exists() else 0)
        url = report_url(summed)
        _append(path, comment.render(*summed, limit=max(room, 0), url=url, marked=False))


def tell_error(error: RankgateError) -> None:
    """Annotate why nothing was judged, at the line where it is wrong; of a crash what was raised."""
    if not on_github():
        return
    from rankgate.reports.annotations import SHOWN
    from rankgate.reports.text.github import command
    from rankgate.reports.text.printable import split_where

    path_of, title = Repository().path_of, f"rankgate: {error.exit_code.brief}"
    for problem in error.problems[:SHOWN]:
        file, line = split_where(problem.where)
        known = Path(file).is_file()
        words = problem.coded.removeprefix(f"{problem.where}: ") if known else problem.coded
        place = {"file": path_of(file), "line": line} if known else {}
        print_commands(command("error", words, **place, title=title) + "\n")
    if not error.problems:
        print_commands(command("error", str(error).splitlines()[0], title=title) + "\n")


def _append(path: Path, text: str) -> None:
    with path.open("ab") as file:
        file.write(fitted(text, SUMMARY_LIMIT - file.tell()).encode())


def fitted(text: str, room: int) -> str:
    r"""Cut a text to a number of bytes at the end of a line, and say what was cut.

    >>> fitted("a" * 600 + "\n" + "b" * 600 + "\n", 1150).splitlines()[-1]
    'Cut here: 1 more line does not fit into what GitHub shows of a step; report.md has all of it.'
    """
    from rankgate.wording import many

    if len(text.encode()) <= room:
        return text
    lines = text.splitlines(keepends=True)
    kept, left = 0, room - _NOTE_ROOM
    for line in lines:
        left -= len(line.encode())
        if left < 0:
            break
        kept += 1
    does = "does" if len(lines) - kept == 1 else "do"
    more = f"{many(len(lines) - kept, 'more line')} {does} not fit into what GitHub shows of a step"
    note = f"\n\nCut here: {more}; report.md has all of it.\n"
    return "".join(lines[:kept]) + note if len(note) <= room else ""


def _same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()
