"""``rankgate judge apply``: what judges agree on, as targets of the suite."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from rankgate.cli.options import PATH, announced, exit_codes, refuse_in_ci
from rankgate.errors import ExitCode
from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rankgate.judging.apply import AppliedLabel, ApplyPlan
    from rankgate.suites.edit import Edit

_SHOWN = 20


@click.command()
@click.argument("path", required=False, metavar="[SUITE]", type=PATH, callback=announced)
@click.option("--accept", is_flag=True, help="Write the changes; without it they are only shown.")
@click.option("--overwrite", is_flag=True, help="Change grades, too, that a person gave before.")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if there is something to write.")
@exit_codes(
    ExitCode.WRONG_CALL,
    passed="shown or written",
    gate_failed="something to write (with --check) or not possible in place",
)
def apply(path: Path | None, accept: bool, overwrite: bool, check: bool) -> int:
    """Make targets of what was judged, as edits of the suite that people read first.

    \b
    rankgate judge apply search.yaml            show the difference; nothing is written
    rankgate judge apply search.yaml --accept   write it, comments kept

    A grade above 0 becomes the smallest section or symbol that holds the passage, or the lines that the
    judge chose; who gave it, when, by which guidelines, and the second opinion stand beside it. What is not
    relevant stays in judgments/, and counts as judged. What judges do not agree on is not written. A grade
    that a person gave stays, and is shown, unless --overwrite is given. Refused in CI.
    """
    from rankgate.judging.apply import planned, write
    from rankgate.project.project import Project
    from rankgate.reports.text.difference import difference
    from rankgate.truth.judgments.labels import read_labels
    from rankgate.truth.labelled import counted_labels, current_labels
    from rankgate.truth.lookup import CorpusReader

    if accept:
        refuse_in_ci(os.environ, "writing judgments")
    project = Project.of(path)
    suite = project.suite(path, as_written=True)
    file = str(suite.path)
    corpus = project.corpus(suite)
    labels = counted_labels(suite, current_labels(suite, read_labels(file), corpus))
    reader = CorpusReader(corpus)
    plan = planned(suite, labels, reader, sources=suite.gating_sources, overwrite=overwrite)
    for line in difference(plan.written, plan.revised.text, file, "judged"):
        click.echo(line)
    for line in (*map(printable, labels.notes), *_told(plan)):
        click.echo(line)
    if accept and plan.changes:
        anchored = write(suite, plan, reader)
        beside = " and its anchors" if anchored else ""
        click.echo(printable(f"{file}{beside} written; read the difference, then test again"))
    elif plan.changes:
        click.echo(printable(f"to write it: rankgate judge apply {file} --accept"))
    return 1 if (check and plan.changes) or plan.revised.left else 0


def _told(plan: ApplyPlan) -> Iterator[str]:
    """Return what is written, and what is not and why."""
    from rankgate.wording import many

    added, changed = len(plan.added), len(plan.regraded)
    yield f"{many(added, 'new target')}, {many(changed, 'changed grade')}, {plan.irrelevant} not relevant"
    for one in plan.kept[:_SHOWN]:
        yield printable(f"kept: {_shown(one)}; --overwrite changes it")
    for said in plan.disputed[:_SHOWN]:
        grades = ", ".join(f"{label.judge} {label.grade:g}" for label in said)
        yield printable(f"disputed: {said[0].query}: {said[0].unit[1]}: {grades}")
    if plan.disputed:
        yield f"{many(len(plan.disputed), 'passage')} disputed: judges grade them differently"
    for new, known in plan.apart[:_SHOWN]:
        yield printable(f"{new} is an alternative to the target {known}: write both as one list of any_of")
    for left in plan.revised.left:
        yield printable(f"not written: {_edit_words(left.edit)}; {left.why}")


def _edit_words(edit: Edit) -> str:
    """Return what an edit would do."""
    from rankgate.suites.edit import AddTargets, Regrade

    if isinstance(edit, AddTargets):
        targets = ", ".join(f"{target.location} (grade {target.grade:g})" for target in edit.targets)
        return f"case {edit.case}: new {targets}"
    if isinstance(edit, Regrade):
        return f"case {edit.case}: target {edit.number + 1} to grade {edit.grade:g}"
    return str(edit)


def _shown(one: AppliedLabel) -> str:
    label = one.label
    return f"{label.query}: {one.location}: {one.old:g} by {one.by}, judged {label.grade:g} by {label.judge}"
