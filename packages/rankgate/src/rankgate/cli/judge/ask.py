"""``rankgate judge ask``: a model judge grades unjudged hits; the cost is shown first."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

import click

from rankgate.cli.options import PATH, announced, echo_names, exit_codes
from rankgate.errors import Code, ExitCode, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rankgate.judging.models.asking import AskingResult

_SHOWN = 5


@click.command()
@click.argument("path", required=False, metavar="[SUITE]", type=PATH, callback=announced)
@click.option("--judge", "name", metavar="NAME", help="A table [judges.NAME] of rankgate.toml.")
@click.option(
    "--from",
    "sources",
    multiple=True,
    metavar="ANSWERS",
    help="A system, a run or a baseline whose hits are judged; by default the latest of every system.",
)
@click.option(
    "--depth", type=click.IntRange(min=1), default=10, show_default=True, help="Hits of each query."
)
@click.option("--yes", is_flag=True, help="Ask without confirmation; required in CI and without a terminal.")
@exit_codes(ExitCode.WRONG_CALL, ExitCode.SYSTEM_FAILED, passed="every passage has its label")
def ask(path: Path | None, name: str | None, sources: tuple[str, ...], depth: int, yes: bool) -> int:
    """Let a model judge grade what systems found and nobody has judged.

    \b
    rankgate judge ask search.yaml --judge reader
    rankgate judge ask search.yaml --judge reader --from bm25 --from hybrid --depth 5 --yes

    First it shows the number of passages, calls and tokens, and the cost. Every label is written at
    once to judgments/NAME.jsonl beside the suite, with the digest of the prompt; what was graded by the same
    prompt is not asked again, so that a call that was stopped is continued by the next. Labels of a model
    count where the suite's gating_sources names models, and nowhere else.
    """
    from rankgate.judging.models.asking import JudgeAsker, estimated
    from rankgate.judging.models.task import open_task, waiting_passages
    from rankgate.project.project import Project
    from rankgate.runs.asking.progress import TerminalProgress
    from rankgate.truth.judgments.labels import LabelLog

    project = Project.of(path)
    suite = project.suite(path)
    with open_task(project, suite, name) as task:
        waiting = waiting_passages(project, suite, task, sources, depth)
        entry = task.entry
        for note in waiting.notes:
            echo_names(note)
        if waiting.kept:
            click.echo(f"{waiting.kept:,} graded before by the same prompt and judge: not asked again")
        if not waiting.units:
            click.echo("nothing to ask")
            return 0
        echo_names(f"{entry.name} ({entry.kind}), prompt {entry.settings.prompt}, {task.identity}")
        click.echo(estimated(waiting.units, task.prompt, entry.settings, entry.pace).words())
        if not yes and not _agreed():
            click.echo("nothing was asked")
            return 0
        log = LabelLog(suite.path or "", entry.name)
        asker = JudgeAsker(task.judge, task.prompt, entry.settings.repeats, entry.pace)
        result = asker.ask(waiting.units, log, task.blank, TerminalProgress())
    for line in _told(result):
        echo_names(line)
    echo_names(f"written to {log.path}")
    return int(ExitCode.SYSTEM_FAILED if result.failures else ExitCode.PASSED)


def _agreed() -> bool:
    """Ask whoever waits; refuse where nobody does.

    Raises:
        InputError: in CI, and where there is no terminal.
    """
    from rankgate.progress import in_ci

    if in_ci() or not (sys.stdin.isatty() and sys.stdout.isatty()):
        found = "no --yes in CI" if in_ci() else "no --yes and no terminal"
        raise InputError(Code.NEEDS_CONSENT("rankgate judge ask", found, "consent to the cost", "add --yes"))
    return click.confirm("Ask?", default=False)


def _told(result: AskingResult) -> Iterator[str]:
    from rankgate.judging.models.answer import UNSURE, repeat_words

    given = Counter(UNSURE if one.grade is None else str(one.grade) for one in result.opinions)
    grades = ", ".join(f"{grade}: {count}" for grade, count in sorted(given.items()))
    yield f"{len(result.opinions):,} labels ({grades or 'none'}), {result.calls:,} calls"
    if result.wrong:
        yield f"{result.wrong:,} calls returned an invalid answer"
    if words := repeat_words(result.opinions):
        yield words
    if result.failures:
        yield f"{len(result.failures):,} passages have no label; run the command again to ask for them:"
        reasons = Counter(result.failures).most_common()
        yield from (f"  {count:,} × {reason}" for reason, count in reasons[:_SHOWN])
        if len(reasons) > _SHOWN:
            yield f"  and {len(reasons) - _SHOWN:,} other reasons"
    if result.stopped:
        yield "stopped after several failures in a row; the other passages were not asked"
