"""``rankgate suite changes``: what a change of the documents does to a suite, and to what a search finds."""

from __future__ import annotations

from pathlib import Path

import click

from rankgate.cli.options import PATH, announced, exit_codes
from rankgate.errors import ExitCode

_STATE = "COMMIT|VERSION|PATH"
_FORMATS = ("text", "github-comment", "json")


@click.command()
@click.argument("suite", type=PATH, required=False, callback=announced)
@click.option("--from", "since", metavar=_STATE, help="The documents as they were; by default as anchored.")
@click.option("--system", "-s", help="The system to ask over both states; by default the configured one.")
@click.option("--targets-only", is_flag=True, help="Ask no system.")
@click.option("--format", "style", type=click.Choice(_FORMATS), default="text", help="How to show it.")
@click.option("--output", "-o", type=PATH, help="Write it to a file.")
@exit_codes(ExitCode.WRONG_CALL, ExitCode.SYSTEM_FAILED, passed="the changes are shown, whatever they are")
def changes(
    suite: Path | None,
    since: str | None,
    system: str | None,
    targets_only: bool,
    style: str,
    output: Path | None,
) -> int:
    """Say what a change of the documents does: to targets, to cases, to what a search finds.

    \b
    rankgate suite changes search.yaml --from origin/main
    rankgate suite changes search.yaml --from origin/main --system app --format github-comment -o changes.md

    Which targets are followed without asking, which cases the change touches, which targets need a decision;
    and, with a system that is made of the documents, which queries find more or less than before. It decides
    nothing: `rankgate suite mend` settles targets, `rankgate test` holds the search to its gates. Without
    SUITE it is the project's; where several systems are configured, one is asked that is named.
    """
    from rankgate.cli.progress_line import ProgressLine
    from rankgate.evaluation.changes.document_change import document_change
    from rankgate.evaluation.project.project import Project
    from rankgate.reports.suite.changes import changes_comment, changes_json, changes_text

    project = Project.of(suite)
    chosen = project.suite(suite).path
    configuration = project.configuration
    named = system or configuration.system or len(configuration.systems) == 1
    asked = configuration.entry(system).name if named and not targets_only else None
    with ProgressLine() as waiting:
        change = document_change(Path(str(chosen)), since, asked, waiting.tell)
    layouts = {"text": changes_text, "github-comment": changes_comment, "json": changes_json}
    text = layouts[style](change)
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8", newline="\n")
    return 0
