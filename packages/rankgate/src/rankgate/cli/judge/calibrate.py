"""``rankgate judge calibrate``: a model judge measured against people, before its labels count."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from rankgate.cli.options import PATH, announced, echo_names, exit_codes, format_option
from rankgate.errors import Code, ExitCode, InputError
from rankgate.model.wording import many

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.evaluation.project.project import Project
    from rankgate.judging.models.calibrating import MeasuredJudge, ModelLog
    from rankgate.model.suite import Suite
    from rankgate.truth.judgments.calibrations import KeptCalibration
    from rankgate.truth.judgments.labels import Labels


@click.command()
@click.argument("path", required=False, metavar="[SUITE]", type=PATH, callback=announced)
@click.option("--judge", "name", required=True, metavar="NAME", help="The model judge.")
@click.option(
    "--pairs", type=click.IntRange(min=2), metavar="N", help="Pairs for people to judge; by default 300."
)
@click.option(
    "--queries",
    type=click.IntRange(min=50),
    metavar="N",
    help="Also draw N queries for people to grade whole, so that means can be corrected.",
)
@click.option(
    "--from",
    "sources",
    multiple=True,
    metavar="ANSWERS",
    help="A system, a run or a baseline whose hits were judged; by default the latest of every system.",
)
@click.option(
    "--depth", type=click.IntRange(min=1), default=10, show_default=True, help="Hits of each query."
)
@format_option("terminal", "json", words="How to show what was measured.")
@exit_codes(
    ExitCode.WRONG_CALL,
    passed="the bar is met",
    gate_failed="below the bar",
    inconclusive="people have not judged all pairs",
)
def calibrate(
    path: Path | None,
    name: str,
    pairs: int | None,
    queries: int | None,
    sources: tuple[str, ...],
    depth: int,
    style: str,
) -> int:
    """Measure a model judge against people: first draw pairs for them, then measure the agreement.

    \b
    rankgate judge calibrate search.yaml --judge reader               draws 300 pairs
    rankgate judge search.yaml --drawn                                people judge them, blind
    rankgate judge calibrate search.yaml --judge reader               confusion, kappa, bias, the bar
    rankgate judge calibrate search.yaml --judge reader --pairs 400   draws more; what was drawn stays
    rankgate judge calibrate search.yaml --judge reader --queries 50  queries for people to grade whole

    Pairs are drawn from what the model graded, by its grade and by what found them, and weighted back. The
    bar: the lower 95 % bound of quadratic kappa is at least 0.6, the interval of the bias between any two
    systems lies within 0.1 grades, and first ranks are not favoured by more. Below it, labels of the model
    may order the queue and never gate. What was drawn and measured stands in judgments/calibration-NAME.json,
    for this prompt, model and guidelines alone.
    """
    from rankgate.evaluation.project.project import Project
    from rankgate.judging.models.calibrating import ModelLog, measured_judge
    from rankgate.reports.judging.calibration import calibration_json
    from rankgate.truth.judgments.calibrations import read_calibration, write_calibration
    from rankgate.truth.judgments.labels import read_labels
    from rankgate.truth.labelled import current_labels
    from rankgate.truth.model_truth import draw_queries

    project = Project.of(path)
    suite = project.suite(path)
    file = suite.path or ""
    labels = read_labels(file)
    log = ModelLog.of(labels, name)
    kept = read_calibration(file, name)
    if kept is None or not log.has_drawn(kept) or pairs not in {None, len(kept.drawn)}:
        _refuse_fewer(log, kept, pairs)
        before = () if kept is None else kept.queries
        kept = replace(_drawn(project, suite, log, labels, sources, depth, pairs), queries=before)
        where = write_calibration(file, name, kept)
        if style == "terminal":
            echo_names(f"{many(len(kept.drawn), 'pair')} drawn for people to judge: {where}")
    corpus = project.corpus(suite)
    if queries is not None:
        kept = replace(kept, queries=draw_queries(suite.cases, queries, kept.queries))
        write_calibration(file, name, kept)
    state = {"suite": suite.fingerprint} | ({} if corpus is None else {"corpus": corpus.fingerprint})
    found = measured_judge(suite.name, log, kept, labels, state)
    if found.kept != kept:
        write_calibration(file, name, found.kept)
    if style == "json":
        click.echo(calibration_json(found.report), nl=False)
    else:
        _echo_terminal(found, log, current_labels(suite, labels, corpus), file)
    if found.kept.verdict is None:
        return int(ExitCode.INCONCLUSIVE)
    return int(ExitCode.PASSED if found.report.passed else ExitCode.GATE_FAILED)


def _echo_terminal(found: MeasuredJudge, log: ModelLog, labels: Labels, file: str) -> None:
    """Print what was measured, and what is left for people."""
    from rankgate.reports.judging.calibration_terminal import render_calibration
    from rankgate.truth.judgments.calibrations import PEOPLE
    from rankgate.truth.model_truth import graded_whole

    if found.report.pairs:
        click.echo(render_calibration(found.report), nl=False)
    if found.left:
        echo_names(f"{many(len(found.left), 'pair')} left for people: rankgate judge {file} --drawn")
    if (grown := len(log.labels) - len(found.kept.pool)) > 0:
        why = "no system found them, or they are newer"
        click.echo(f"{many(grown, 'label')} of the model not in the pool: {why}")
    if queries := found.kept.queries:
        by_model = {label.case for label in log.labels.values()}
        open_ones = [case for case in queries if case in by_model]
        whole = len(graded_whole(open_ones, log.labels.values(), labels.settled(PEOPLE)))
        drawn = many(len(queries), "query drawn", "queries drawn")
        without = f", {left} without labels of the model" if (left := len(queries) - len(open_ones)) else ""
        echo_names(f"{drawn}{without}, {whole} graded whole by people: rankgate judge {file} --drawn")


_PAIRS = 300
"""With 100, a good judge meets the bar in one draw of twenty."""


def _refuse_fewer(log: ModelLog, kept: KeptCalibration | None, pairs: int | None) -> None:
    """Refuse to draw fewer pairs of the same labels: some of them would meet the bar by luck.

    Raises:
        InputError: for fewer pairs.
    """
    if kept is not None and log.has_drawn(kept) and pairs is not None and pairs < len(kept.drawn):
        raise InputError(
            Code.WRONG_OPTION("--pairs", str(pairs), f"{len(kept.drawn)}, which are drawn, or more")
        )


def _drawn(
    project: Project,
    suite: Suite,
    log: ModelLog,
    labels: Labels,
    sources: tuple[str, ...],
    depth: int,
    pairs: int | None,
) -> KeptCalibration:
    from rankgate.judging.models.calibrating import drawn_calibration
    from rankgate.judging.pool.gather import PoolWishes, gathered

    wishes = PoolWishes(log.judge, sources, depth, plain=False, mending=False)
    answers = gathered(project, suite, labels, wishes).answers
    return drawn_calibration(log, answers, depth, pairs or _PAIRS)
