"""``rankgate score``: judgments and runs in, figures out."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankgate.cli.options import format_option
from rankgate.errors import Code, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.runs.formats.load import LoadedRun
    from rankgate.runs.store.tables import Run
    from rankgate.truth.judgments.table import Judgments

_DEFAULTS = ("ndcg@10", "rr", "p@5", "r@10", "ap")


@click.command()
@click.option(
    "--qrels",
    "-q",
    required=True,
    metavar="FILE",
    help="Judgments: TREC qrels, BEIR, JSONL, Parquet or a folder.",
)
@click.option(
    "--run",
    "-r",
    "runs",
    required=True,
    multiple=True,
    metavar="FILE",
    help="A run: TREC, JSONL, Parquet or a folder. Repeat to compare.",
)
@click.option(
    "--metric",
    "-m",
    "metrics",
    multiple=True,
    metavar="EXPR",
    help=f"A metric, such as 'ap(rel=2)'. Default: {', '.join(_DEFAULTS)}.",
)
@click.option("--by", metavar="COLUMN", help="Show means by a column of runs in Parquet, too.")
@click.option("--per-query", is_flag=True, help="Show every query, not the means alone.")
@format_option("table", "json", "csv", "trec", words="How to write it.")
@click.option(
    "--trec/--no-trec", default=None, help="Order and count as trec_eval does. Default: for TREC run files."
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write per-query scores as Parquet, too.",
)
def score(
    qrels: str,
    runs: tuple[str, ...],
    metrics: tuple[str, ...],
    by: str | None,
    trec: bool | None,
    **shown: Any,
) -> None:
    """Score runs against judgments, side by side.

    \b
    rankgate score --qrels qrels.txt --run bm25.txt -m ndcg@10 -m 'ap(rel=2)'
    rankgate score -q beir/scifact -r old/ -r new/ --per-query --format csv
    """
    from rankgate.reports.score import render, score_report
    from rankgate.runs.formats.parquet import ParquetRun
    from rankgate.scoring.expressions import parse_all
    from rankgate.scoring.repeats import score_all
    from rankgate.scoring.scores import write_scores
    from rankgate.truth.judgments.formats import load_judgments

    wanted = metrics or _DEFAULTS
    parse_all(wanted)  # a misspelt metric is reported before any file is read
    first = [_opened(path, trec=trec, by=by) for path in runs]
    read = partial(load_judgments, qrels)
    slow = next((run for run in first if isinstance(run, ParquetRun)), None)
    judgments = read() if slow is None else slow.counted_while(read)
    loaded = [_every(run, judgments, wanted) for run in first]
    as_trec = _semantics(first, trec)
    scores = [
        replace(score_all(judgments, each, wanted, trec=as_trec), run=name)
        for each, name in zip(loaded, _names(first, runs), strict=True)
    ]
    if shown["output"] is not None:
        write_scores(scores, shown["output"])
    sliced = zip(first, scores, strict=True) if by is not None else ()
    slices = [run.slices_of(one.queries) for run, one in sliced if isinstance(run, ParquetRun)]
    report = score_report(qrels, judgments, scores, per_query=shown["per_query"], slices=slices)
    click.echo(render(report, shown["style"]), nl=False)


def _opened(path: str, *, trec: bool | None, by: str | None) -> LoadedRun:
    """Open a run, to be shown by a column of its own where one is named."""
    from rankgate.runs.formats.load import load_run
    from rankgate.runs.formats.parquet import ParquetRun

    run = load_run(path, order="returned" if trec is False else "trec")
    if isinstance(run, ParquetRun):
        return replace(run, by=by)
    if by is not None:
        found = f"{run.name}, which has no columns of its own"
        fix = "name hits in Parquet that have the column"
        raise InputError(Code.UNKNOWN_SLICE("--by", found, "a run in Parquet", fix))
    return run


def _every(run: LoadedRun, judgments: Judgments, metrics: Sequence[str]) -> list[Run]:
    """Return a run, with its repeats where its folder has some."""
    from rankgate.project.kept_answers import judged_run
    from rankgate.project.settings import cuts
    from rankgate.runs.store.run_folder import StoredRun, repeat_folders

    if not isinstance(run, StoredRun):
        return [run]
    every = (run, *map(StoredRun.open, repeat_folders(run.folder)))
    return [judged_run(one, judgments, max(cuts(metrics), default=None)) for one in every]


def _names(runs: Sequence[Run], paths: tuple[str, ...]) -> list[str]:
    """Call the runs by their own names where these tell them apart, and by their files where not."""
    for names in ([run.name for run in runs], [Path(path).name for path in paths]):
        if len(set(names)) == len(names):
            return names
    return list(paths)


def _semantics(runs: Sequence[Run], trec: bool | None) -> bool:
    if trec is not None:
        return trec
    orders = {getattr(run, "order", "returned") for run in runs}
    if len(orders) > 1:
        found = "TREC files beside runs of another kind"
        raise InputError(
            Code.MISSING_OPTION("--run", found, "one way to order and count", "say --trec or --no-trec")
        )
    return orders == {"trec"}
