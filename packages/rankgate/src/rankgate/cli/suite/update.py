"""``rankgate suite update``: write changes that the latest test suggests."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING

import click

from rankgate.cli.options import PATH, announced, exit_codes, refuse_in_ci, run_option
from rankgate.errors import Code, ExitCode, InputError, did_you_mean
from rankgate.reports.text.difference import difference
from rankgate.reports.text.printable import printable
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from rankgate.locations import Location
    from rankgate.suite_update import Change, Plan, SuiteUpdate
    from rankgate.suites.edit import Revised
    from rankgate.truth.lookup import CorpusReader

_CATEGORIES = {
    "create": "first results as targets, unreviewed: no gate counts them",
    "fix": "targets whose text moved, xfails that pass",
    "trim": "duplicates, missing targets, proposals that are not returned any more",
}
_AROUND = 2
"""The number of lines that are shown before and after a location."""
_MOST = 16
"""The number of lines of a location that are shown."""
_WIDTH = 110


@click.command()
@click.argument("path", required=False, metavar="[SUITE]", type=PATH, callback=announced)
@click.option("--system", "-s", metavar="NAME", help="Whose results; by default the project's system.")
@run_option
@click.option(
    "--accept",
    "accepted",
    multiple=True,
    type=click.Choice(tuple(_CATEGORIES)),
    help="Write the changes of this category. May be repeated.",
)
@click.option("--only", multiple=True, metavar="CASE", help="Only this case. May be repeated.")
@click.option("--interactive", "-i", is_flag=True, help="Ask about each change, and show its source.")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if there is something to change.")
@exit_codes(
    ExitCode.WRONG_CALL,
    passed="shown or written",
    gate_failed="something to change (with --check) or not possible in place",
)
def update(
    path: Path | None,
    system: str | None,
    folder: Path | None,
    accepted: tuple[str, ...],
    only: tuple[str, ...],
    interactive: bool,
    check: bool,
) -> int:
    """Propose changes of a suite from the results of its latest test.

    \b
    rankgate suite update search.yaml                  show them; nothing is written
    rankgate suite update search.yaml --interactive    ask about each
    rankgate suite update search.yaml --accept fix     write one category

    \b
    create  the first results of cases without targets, unreviewed: no gate counts them
    fix     targets whose text moved, xfails that pass
    trim    duplicates, missing targets, proposals that are not returned any more

    A judgment is never overwritten. Run `rankgate test` afterwards. Refused in CI.
    """
    from datetime import UTC, datetime

    from rankgate.cli.progress_line import ProgressLine
    from rankgate.project.project import Project
    from rankgate.suite_update import plan, review

    if bool(accepted) + interactive + check > 1:
        expected = "one of --accept, --interactive and --check"
        raise InputError(Code.CONFLICT("rankgate suite update", "several of them", expected))
    if accepted or interactive:
        refuse_in_ci(os.environ, "accepting changes")
    if interactive and not (sys.stdin.isatty() and sys.stdout.isatty()):
        found = "--interactive without a terminal"
        fix = "call it in a terminal, or accept categories with --accept"
        raise InputError(Code.NEEDS_CONSENT("rankgate suite update", found, "a person to ask", fix))
    project = Project.of(path)
    suite = project.suite(path, as_written=True)
    names = {case.id for case in suite.cases}
    for name in only:
        if name not in names:
            fix = did_you_mean(name, names)
            raise InputError(Code.UNKNOWN_CASE("--only", repr(name), "a case", fix))
    with ProgressLine() as waiting:
        waiting.tell("reading the latest test")
        reviewed = review(project, suite, system, folder, datetime.now(UTC).date())
        planned = plan(reviewed).only(only)
    if interactive:
        return _interactive(reviewed, planned.changes)
    if accepted:
        changes = [change for change in planned.changes if change.category in accepted]
        return _accept(reviewed, changes, " and ".join(dict.fromkeys(accepted)))
    for line in _plan_lines(reviewed, planned, f" --system {system}" if system else ""):
        click.echo(line)
    return 1 if check and planned.changes else 0


def _plan_lines(update: SuiteUpdate, plan: Plan, options: str) -> Iterator[str]:
    """Show every category with its difference, the remarks, and the commands that accept changes."""
    file = _file(update)
    found = {name: [one for one in plan.changes if one.category == name] for name in _CATEGORIES}
    found = {name: changes for name, changes in found.items() if changes}
    counts = ", ".join(f"{len(changes)} {name}" for name, changes in found.items())
    words = f"{many(len(plan.changes), 'change')} proposed ({counts})" if counts else "nothing to change"
    remarks = f"; {many(len(plan.remarks), 'remark')}" if plan.remarks else ""
    yield printable(f"{file}, {update.about}: {words}{remarks}")
    for name, changes in found.items():
        yield ""
        yield f"{name}: {many(len(changes), 'change')}; {_CATEGORIES[name]}"
        yield from _change_lines(update, changes, update.revised(changes), name)
    if plan.remarks:
        yield ""
        yield "look at:"
        for remark in plan.remarks:
            yield printable(f"  {remark.case}: {remark.what}")
    if found:
        call = f"rankgate suite update {shlex.quote(file)}{options}"
        yield ""
        yield printable(f"to decide about each: {call} --interactive")
        yield printable(f"to accept a category: {call} --accept {'|'.join(found)}")


def _change_lines(
    update: SuiteUpdate, changes: Sequence[Change], revised: Revised, label: str
) -> Iterator[str]:
    for change in changes:
        yield printable(f"  {change.case}: {change.what}")
        yield printable(f"      {change.why}")
    yield from _left_lines(changes, revised)
    yield from difference(update.written, revised.text, _file(update), label)


def _left_lines(changes: Sequence[Change], revised: Revised) -> Iterator[str]:
    """Name the changes that the layout of the file does not allow."""
    for each in revised.left:
        what = next((change.what for change in changes if change.edit == each.edit), "")
        yield printable(f"  not possible in place: {what}: {each.why}")


def _accept(update: SuiteUpdate, changes: Sequence[Change], named: str) -> int:
    if not changes:
        click.echo(printable(f"{_file(update)}, {update.about}: nothing to {named}"))
        return 0
    revised = update.revised(changes)
    click.echo(printable(f"{_file(update)}, {update.about}: accepting {named}"))
    for line in _change_lines(update, changes, revised, named):
        click.echo(line)
    return _write(update, revised, changes)


def _interactive(update: SuiteUpdate, changes: Sequence[Change]) -> int:
    """Ask about each change, and once more before the file is written."""
    queries = {case.id: case.query for case in update.suite.cases}
    accepted: list[Change] = []
    for number, change in enumerate(changes, 1):
        one = update.revised([change])
        lines = [
            printable(f"{number} of {len(changes)}, {change.category}: {change.case}"),
            printable(f"  query: {queries[change.case]}"),
            printable(f"  {change.what}"),
            printable(f"  {change.why}"),
        ]
        lines += [f"  {line}" for place in change.sources for line in _source_lines(update.reader, place)]
        lines += difference(update.written, one.text, _file(update), str(change.category))
        lines += [printable(f"  not possible in place: {each.why}") for each in one.left]
        click.echo("\n".join(lines))
        answer = _answer("[a]ccept, [s]kip, [q]uit", "asq")
        if answer == "q":
            break
        accepted += [change] if answer == "a" else []
        click.echo()
    if not accepted:
        words = "nothing accepted, nothing written" if changes else "nothing to change"
        click.echo(f"{_file(update)}: {words}")
        return 0
    revised = update.revised(accepted)
    for line in _left_lines(accepted, revised):
        click.echo(line)
    if _answer(f"write {len(accepted)} of {len(changes)} changes? [y]es, [n]o", "yn") == "n":
        click.echo(f"{_file(update)}: nothing written")
        return 0
    return _write(update, revised, accepted)


def _source_lines(reader: CorpusReader, location: Location) -> Iterator[str]:
    """Show a location in its document, with a few lines around it."""
    from rankgate.truth.lookup import Spot

    spot = reader.find(location)
    document = reader.document(spot) if isinstance(spot, Spot) else None
    if not isinstance(spot, Spot) or document is None:
        why = "an id without a text" if isinstance(spot, Spot) else "not in the documents"
        yield f"{printable(str(location))}: {why}"
        return
    text = reader.text_of(document)
    last = text.last_line
    start, end = spot.start or 1, spot.end or last
    shown = min(end, start + _MOST - 1)
    yield printable(str(location))
    digits = len(str(min(last, shown + _AROUND)))
    for number in range(max(1, start - _AROUND), min(last, shown + _AROUND) + 1):
        inside = start <= number <= end
        if number > shown and inside:
            break
        line = printable(text.between(number, number).rstrip("\n"), _WIDTH)
        yield f"  {'>' if inside else ' '} {number:>{digits}}  {line}".rstrip()
    if end > shown:
        yield f"    … and {end - shown} more lines"


def _answer(question: str, letters: str) -> str:
    while True:
        answer = click.prompt(question, default="", show_default=False, prompt_suffix=": ").strip().lower()
        if answer[:1] and answer[:1] in letters:
            return str(answer[:1])


def _write(update: SuiteUpdate, revised: Revised, changes: Sequence[Change]) -> int:
    """Write changes; the exit code is 1 if the layout of the file does not allow one."""
    from rankgate.suite_update import write
    from rankgate.truth.anchors import anchors_path

    made = len(changes) - len(revised.left)
    if not made:
        click.echo(f"{_file(update)}: nothing written")
        return 1
    anchored = write(update, revised, changes)
    beside = f" and {anchors_path(_file(update))}" if anchored else ""
    click.echo(
        f"{_file(update)}{beside} written: {many(made, 'change')}; read the difference, then test again"
    )
    return 1 if revised.left else 0


def _file(update: SuiteUpdate) -> str:
    return printable(str(update.suite.path))
