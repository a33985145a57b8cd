"""``rankgate suite update``: changes of what a suite expects, proposed, read and accepted."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from rankgate.cli.options import PATH, announced, exit_codes, run_option
from rankgate.errors import Code, ExitCode, InputError
from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rankgate.project.review.plan_text import PlannedEffect
    from rankgate.project.review.subject import Category, Change
    from rankgate.project.suite_update import SuiteUpdate

_CATEGORIES = ("create", "fix", "trim")


@click.command()
@click.argument("path", required=False, metavar="[SUITE]", type=PATH, callback=announced)
@click.option("--system", "-s", metavar="NAME", help="Whose answers; by default the project's system.")
@run_option
@click.option(
    "--accept",
    "accepted",
    multiple=True,
    type=click.Choice(_CATEGORIES),
    help="Write the changes of this category. May be repeated.",
)
@click.option("--only", multiple=True, metavar="CASE", help="Look at this case alone. May be repeated.")
@click.option("--interactive", "-i", is_flag=True, help="Read the changes one by one, with their source.")
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
    """Propose changes of what a suite expects, after a test.

    \b
    rankgate suite update search.yaml                  show them; nothing is written
    rankgate suite update search.yaml --interactive    read them one by one
    rankgate suite update search.yaml --accept fix     write one category

    \b
    create  the first hits for cases without targets, unreviewed: no gate counts them
    fix     places whose text moved, xfails that pass, proposals that contradict a person
    trim    targets and cases said twice, targets that are gone, proposals not made any more

    What accepting would hide comes first: the figures of the same answers under both truths. There is no
    `--accept all`: a category is small enough to be read. Refused in CI, and by a run that is not whole.
    """
    from rankgate.cli.progress_line import ProgressLine
    from rankgate.project.project import Project
    from rankgate.project.review.subject import Category
    from rankgate.project.review.writing import refuse_in_ci
    from rankgate.project.suite_update import review

    _refuse_together(accepted=bool(accepted), interactive=interactive, check=check)
    if accepted or interactive:
        refuse_in_ci(os.environ, "accepting changes")
    if interactive:
        _refuse_without_a_person()
    project = Project.of(path)
    suite = project.suite(path, retired=True)
    known_cases = {case.id for case in suite.cases}
    for name in only:
        if name not in known_cases:
            from rankgate.errors import did_you_mean

            raise InputError(
                Code.UNKNOWN_CASE("--only", repr(name), "a case", did_you_mean(name, known_cases))
            )
    with ProgressLine() as waiting:
        updating = review(project, suite, system, folder, waiting.tell)
    changes = updating.plan.only(only).changes
    if interactive:
        return _read_one_by_one(updating, changes)
    if accepted:
        wanted = [Category(name) for name in dict.fromkeys(accepted)]
        return _accept(updating, [change for change in changes if change.category in wanted], wanted)
    _show(updating, only, f" --system {system}" if system else "")
    return 1 if check and changes else 0


def _refuse_together(*, accepted: bool, interactive: bool, check: bool) -> None:
    if accepted + interactive + check > 1:
        expected = "one of --accept, --interactive and --check"
        raise InputError(Code.CONFLICT("rankgate suite update", "two ways at once", expected))


def _refuse_without_a_person() -> None:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        found = "--interactive without a terminal"
        fix = "call it in a terminal, or accept categories with --accept"
        raise InputError(Code.NEEDS_CONSENT("rankgate suite update", found, "a person to ask", fix))


def _show(updating: SuiteUpdate, only: Sequence[str], options: str) -> None:
    from rankgate.project.review.plan_text import command_lines, plan_lines
    from rankgate.project.review.subject import Category

    plan = updating.plan.only(only)
    effects = {each: updating.effect(plan.of(each)) for each in Category if plan.of(each)}
    file = _file(updating)
    for line in plan_lines(file, updating.written, plan, effects, updating.about):
        click.echo(line)
    if effects:
        click.echo()
        for line in command_lines(file, list(effects), options):
            click.echo(line)


def _accept(updating: SuiteUpdate, changes: Sequence[Change], categories: Sequence[Category]) -> int:
    from rankgate.project.review.plan_text import effect_lines

    named = " and ".join(categories)
    if not changes:
        click.echo(printable(f"{_file(updating)}, {updating.about}: nothing to {named}"))
        return 0
    effect = updating.effect(changes)
    click.echo(printable(f"{_file(updating)}, {updating.about}: accepting {named}"))
    for line in effect_lines(_file(updating), updating.written, effect, named):
        click.echo(line)
    return _write(updating, effect)


def _read_one_by_one(updating: SuiteUpdate, changes: Sequence[Change]) -> int:
    """Ask about each change, then show what all that were accepted would hide, and ask once more."""
    from rankgate.project.review.plan_text import (
        change_lines,
        difference,
        hidden_lines,
        left_lines,
        source_lines,
    )
    from rankgate.suites.editing.revision import revised_suite

    suite, reader = updating.subject.suite, updating.subject.reader
    queries = {case.id: case.query for case in suite.cases}
    accepted: list[Change] = []
    for number, change in enumerate(changes, 1):
        one = revised_suite(updating.written, suite, [change.edit])
        shown = [*change_lines(change, number, len(changes), queries[change.case])]
        shown += [f"  {line}" for place in change.sources for line in source_lines(reader, place)]
        shown += difference(updating.written, one.text, _file(updating), str(change.category))
        shown += [f"  not possible in place: {each.why}" for each in one.left]
        click.echo("\n".join(shown))
        answer = _asked("[a]ccept, [s]kip, [q]uit", "asq")
        if answer == "q":
            break
        accepted += [change] if answer == "a" else []
        click.echo()
    if not accepted:
        said = "nothing accepted, nothing written" if changes else "nothing to change"
        click.echo(f"{_file(updating)}: {said}")
        return 0
    effect = updating.effect(accepted)
    for line in (*left_lines(effect), *hidden_lines(effect.hidden)):
        click.echo(line)
    if _asked(f"write {len(accepted)} of {len(changes)} changes? [y]es, [n]o", "yn") == "n":
        click.echo(f"{_file(updating)}: nothing written")
        return 0
    return _write(updating, effect)


def _asked(question: str, letters: str) -> str:
    while True:
        answer = click.prompt(question, default="", show_default=False, prompt_suffix=": ").strip().lower()
        if answer[:1] and answer[:1] in letters:
            return str(answer[:1])


def _write(updating: SuiteUpdate, effect: PlannedEffect) -> int:
    """Write what was accepted; what the layout of the file does not allow makes the exit code 1."""
    from rankgate.model.wording import many
    from rankgate.truth.anchors import anchors_path

    made = len(effect.changes) - len(effect.revised.left)
    if not made:
        click.echo(f"{_file(updating)}: nothing written")
        return 1
    anchored = updating.write(effect)
    beside = f" and {anchors_path(_file(updating))}" if anchored else ""
    said = f"{_file(updating)}{beside} written: {many(made, 'change')}"
    click.echo(f"{said}; read the difference, then test again")
    return 1 if effect.revised.left else 0


def _file(updating: SuiteUpdate) -> str:
    return printable(str(updating.subject.suite.path))
