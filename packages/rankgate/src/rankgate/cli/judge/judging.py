"""``rankgate judge SUITE``: passages to judge, in the browser or in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankgate.cli.options import PATH, announced
from rankgate.cli.serving import no_browser_option, port_option, serve
from rankgate.errors import Code, InputError, did_you_mean
from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.argument("path", required=False, metavar="[SUITE]", type=PATH, callback=announced)
@click.option("--judge", "name", metavar="NAME", help="Name of the judge; by default the user name.")
@click.option("--only", multiple=True, metavar="CASE", help="Judge this case alone. May be repeated.")
@click.option("--terminal", is_flag=True, help="Judge in the terminal, without a browser.")
@port_option
@no_browser_option
@click.option(
    "--from",
    "sources",
    multiple=True,
    metavar="ANSWERS",
    help="A system (its latest test), a run, a baseline. May be repeated; by default every system.",
)
@click.option(
    "--depth", type=click.IntRange(min=1), default=10, metavar="N", help="How many hits of each query."
)
@click.option(
    "--overlap",
    type=click.FloatRange(0, 1),
    default=0.0,
    metavar="SHARE",
    help="Share of the passages judged by others to judge again, such as 0.2.",
)
@click.option("--hits-only", is_flag=True, help="Leave out plain search and neighbours of targets.")
@click.option("--in-turn", is_flag=True, help="Judge query by query, in random order.")
def judge(  # noqa: PLR0913, PLR0917 - one argument for each option
    path: Path | None,
    sources: tuple[str, ...],
    depth: int,
    overlap: float,
    hits_only: bool,
    in_turn: bool,
    name: str | None,
    only: tuple[str, ...],
    terminal: bool,
    port: int,
    no_browser: bool,
) -> int:
    """Judge what systems find and nobody has judged: blind, and pooled over systems.

    \b
    rankgate judge search.yaml                                   every system's latest test
    rankgate judge search.yaml --from bm25 --from runs/hybrid    these
    rankgate judge search.yaml --judge ada --overlap 0.2         a fifth of what others judged, too

    The first ranks come first; at each rank, passages that only one system returned. Overlapping hits become
    one passage of a section, at most about 60 lines. Nobody sees which system found it, at which rank or with
    which score. Every judgment is written at once to judgments/NAME.jsonl beside the suite, to be committed;
    stop whenever you like. Only this machine can see the page.
    """
    from rankgate.cli.progress_line import ProgressLine
    from rankgate.judging.opened import opened_session
    from rankgate.judging.pool.gather import PoolWishes
    from rankgate.project.project import Project
    from rankgate.web.judging import JudgingSite

    project = Project.of(path)
    suite = project.suite(path)
    known = {case.id for case in suite.cases}
    for case in only:
        if case not in known:
            raise InputError(Code.UNKNOWN_CASE("--only", repr(case), "a case", did_you_mean(case, known)))
    wishes = PoolWishes(
        name or signed_in(),
        sources,
        depth,
        overlap,
        plain=not hits_only,
        only=frozenset(only),
        in_turn=in_turn,
    )
    with ProgressLine() as waiting:
        waiting.tell("collecting unjudged passages")
        session, notes = opened_session(project, suite, wishes)
    for note in notes:
        click.echo(printable(note), err=True)
    if not session.task.units:
        click.echo(printable(f"{suite.path}: nothing to judge"))
        return 0
    if terminal:
        from rankgate.judging.session.terminal import JudgingTerminal

        JudgingTerminal(session, input, click.echo).run()
        return 0
    what = f"{suite.path} to {session.judge}: {session.progress().remaining.words}"
    serve(JudgingSite(session), port, what, no_browser=no_browser)
    return 0


def signed_in() -> str:
    """Return the name of the user, as a name of a judge."""
    import getpass
    import re

    try:
        name = getpass.getuser()
    except (KeyError, OSError, ImportError):
        name = ""
    return re.sub(r"[^\w.@+-]", "-", name).strip("-.") or "me"
