"""``rankgate suite sample``: queries of a log become a suite that is to be judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rankgate.cli.options import PATH, echo_names
from rankgate.errors import Code, InputError
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rankgate.model import Case
    from rankgate.suites.sample import DrawnLog, DrawnQuery


@click.command()
@click.argument("logs", metavar="LOG...", type=PATH, nargs=-1, required=True)
@click.option("-o", "--output", "target", metavar="OUT", type=PATH, required=True, help="The suite to write.")
@click.option(
    "-n", "--cases", "size", type=click.IntRange(1), default=100, show_default=True, help="How many."
)
@click.option(
    "--by",
    type=click.Choice(["traffic", "queries"]),
    default="traffic",
    show_default=True,
    help="What means are over: searches, or different queries.",
)
@click.option(
    "--stratify",
    metavar="COLUMN",
    help="Draw as many of each value of a column; 'frequency' for head, torso and tail; "
    "'column:frequency' for a column of that name.",
)
@click.option("--column", help="The column that has the query, where its name does not tell.")
@click.option(
    "--least", type=click.IntRange(1), default=1, help="Leave out queries that were asked fewer times."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Another draws others.")
@click.option("--force", is_flag=True, help="Write over OUT.")
def sample(logs: tuple[Path, ...], target: Path, size: int, force: bool, **options: Any) -> int:
    """Draw queries from a log of searches, so that means over them are those over all searches.

    \b
    rankgate suite sample searches.parquet -o search.yaml
    rankgate suite sample log.csv.gz -n 300 --stratify market -o search.suite.jsonl

    Queries are folded (case, white space) and counted. One is drawn the more likely the more often it was
    asked; its weight and how likely it was drawn stand in the suite. What they should find is yours to judge:
    rankgate judge.
    """
    from rankgate.model import Suite
    from rankgate.suites.formats import OWN, format_for
    from rankgate.suites.sample import COLUMN, FREQUENCY, draw_log

    fix = "name it search.yaml or search.suite.jsonl"
    writes = format_for(target, fix)
    if writes.write is None or writes.name not in OWN:
        raise InputError(
            Code.CANNOT_CONVERT(str(target), f"the format {writes.name}", "one that keeps weights", fix)
        )
    if target.exists() and not force:
        fix = "write over it with --force"
        raise InputError(Code.ALREADY_THERE(str(target), "something is there", "a new file", fix))
    drawn = draw_log(logs, size, **options)
    echo_names(_counted(drawn, options["least"]))
    if drawn.hides_column:
        echo_names(f"note   the log has a column {FREQUENCY!r}: --stratify {COLUMN}{FREQUENCY} draws by that")
    tag = options["stratify"].removeprefix(COLUMN) if options["stratify"] else None
    cases = _cases(drawn.queries, tag)
    lost = writes.write(Suite(target.stem.removesuffix(".suite"), cases, path=str(target)), target)
    means = "searches" if options["by"] == "traffic" else "different queries"
    echo_names(
        f"drew   {many(len(cases), 'query', 'queries')}, which are {drawn.share:.0%} of these searches "
        f"(seed {options['seed']}); weighted, means are over all {means}"
    )
    echo_names(f"wrote  {target}: judge what they find with rankgate judge {target}")
    for words in lost:
        echo_names(f"warn   {words}")
    return 0


def _counted(drawn: DrawnLog, least: int) -> str:
    from rankgate.suites.sample import LONGEST

    left = {"without a query": drawn.empty, f"of more than {LONGEST} characters": drawn.long}
    said = [f"{count:,} {words}" for words, count in left.items() if count]
    out = f"; left out: {', '.join(said)}" if said else ""
    rare = f"; {many(drawn.rare, 'query', 'queries')} asked fewer than {least} times left out"
    different = many(drawn.different, "different query", "different queries")
    return f"read   {many(drawn.rows, 'row')}{out}; {different}{rare if drawn.rare else ''}"


def _cases(queries: Iterable[DrawnQuery], tag: str | None) -> tuple[Case, ...]:
    """Make a case of each query, without targets."""
    from rankgate.model import Case, Sampled
    from rankgate.suites.native import TakenNames, slug

    names = TakenNames()
    return tuple(
        Case(
            names.free(slug(one.text)),
            one.text,
            weight=float(f"{one.weight:.6g}"),
            tags=frozenset({f"{tag}={one.stratum}"} if tag and one.stratum is not None else ()),
            sampled=Sampled(one.seen, float(f"{one.inclusion:.6g}")),
        )
        for one in queries
    )
