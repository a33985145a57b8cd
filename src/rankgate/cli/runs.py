"""``rankgate runs``: work with runs that were made."""

from __future__ import annotations

from pathlib import Path

import click


@click.group()
def runs() -> None:
    """Work with runs that were made."""


@runs.command()
@click.argument("folders", nargs=-1, required=True, metavar="RUN...", type=click.Path(path_type=Path))
@click.option(
    "--output", "-o", "folder", required=True, type=click.Path(path_type=Path), help="The folder to write."
)
def merge(folders: tuple[Path, ...], folder: Path) -> int:
    """Join the parts that `rankgate run --shard` made into one run.

    \b
    rankgate runs merge part-1 part-2 part-3 part-4 -o whole
    """  # noqa: D301 - click wants the character itself
    from rankgate.reports.run_summary import render, summary
    from rankgate.runs.merging import merge as join

    click.echo(render(summary(join(folders, folder), str(folder))), nl=False)
    return 0
