"""``rankgate report``: a stored report laid out again, without asking the system."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankgate.cli.github import Repository, print_commands, report_url, report_url_option
from rankgate.cli.options import PATH, format_option
from rankgate.errors import Code, InputError
from rankgate.reports.formats import FORMATS, PAGES

if TYPE_CHECKING:
    from collections.abc import Sequence


@click.command()
@click.argument("locations", nargs=-1, metavar="[FOLDER|REPORT.JSON]...", type=PATH)
@format_option(*FORMATS, *PAGES, words="How to lay it out.")
@click.option("--output", "-o", type=PATH, help="Write to this file; by default print.")
@report_url_option
def report(locations: tuple[Path, ...], style: str, output: Path | None) -> None:
    """Lay out what `rankgate test` kept, in any format, without asking the system again.

    \b
    rankgate report
    rankgate report .rankgate/search/app --format github-comment -o comment.md
    rankgate report .rankgate/*/* --format junit -o rankgate.xml

    By default the project's latest, where there is one suite and one system. Several become one document.
    The exit code is 0, whatever the report says: verdicts are the matter of `rankgate test`.
    """
    from rankgate.project.find import find_configuration
    from rankgate.reports.formats import laid_out
    from rankgate.reports.html.page import render as page
    from rankgate.reports.json_report import read

    root = find_configuration(Path.cwd()).root
    files = [_file(location) for location in locations] or [_latest(root)]
    reports = [one for file in files for one in read(file)]
    if style in PAGES:
        if len(reports) > 1:
            raise InputError(
                Code.AMBIGUOUS("rankgate report", f"{len(reports)} reports", "one, for a page", "name one")
            )
        _show(page(reports[0]), output)
        return
    path_of, url = Repository(root).path_of, report_url(reports)
    text = laid_out(style, reports, path_of=path_of, colour=output is None, url=url)
    if style == "github" and output is None:
        print_commands(text)
    else:
        _show(text, output)


def _show(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
    else:
        write_report(output, text)


def write_report(path: Path, text: str) -> None:
    """Write a report to a file, in a folder that may not be there yet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")


def _file(location: Path) -> Path:
    from rankgate.project.results import REPORT

    if not location.is_dir():
        return location
    if (location / REPORT).is_file():
        return location / REPORT
    below = sorted(location.glob(f"*/{REPORT}")) or sorted(location.glob(f"*/*/{REPORT}"))
    fix = f"name one or several of {_names(below)}" if below else "run `rankgate test`, which writes it"
    raise InputError(
        Code.NO_REPORT(str(location), f"a folder without {REPORT}", "the folder of an evaluation", fix)
    )


def _latest(root: Path) -> Path:
    from rankgate.project.configuration import HOME
    from rankgate.project.results import kept_reports
    from rankgate.wording import shortest

    kept = kept_reports(root)
    if len(kept) == 1:
        return kept[0]
    home = str(shortest(root / HOME))
    if not kept:
        fix = "run `rankgate test`, which keeps one"
        raise InputError(Code.NO_REPORT(home, "no report", "that of an evaluation", fix))
    fix = f"name one or several of {_names([shortest(path) for path in kept])}"
    raise InputError(Code.AMBIGUOUS(home, f"{len(kept)} reports", "one, where none is named", fix))


def _names(files: Sequence[Path]) -> str:
    return ", ".join(str(file.parent) for file in files)
