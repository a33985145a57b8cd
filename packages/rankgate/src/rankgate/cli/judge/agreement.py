"""``rankgate judge agreement``: how far the judges of a suite agree, and where they do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankgate.cli.options import exit_codes, format_option, suites_argument
from rankgate.errors import Code, ExitCode, InputError

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@suites_argument
@click.option("--all", "every", is_flag=True, help="Show every disagreement, and not the first ten.")
@format_option("terminal", "json", words="How to show it.")
@exit_codes(ExitCode.PASSED, ExitCode.WRONG_CALL)
def agreement(suites: tuple[Path, ...], every: bool, style: str) -> int:
    """Measure how far the judges of a suite agree, and list their disagreements.

    \b
    rankgate judge agreement search.yaml
    rankgate judge agreement search.yaml --all        every disagreement, with both comments
    rankgate judge agreement search.yaml --format json

    Raw agreement, Cohen's and Fleiss' kappa, Krippendorff's alpha, over all grades and at the cut of each
    metric, with 95 % intervals over queries; per two judges, per judge and per category. Labels are read
    from the folder judgments beside the suite.
    """
    from rankgate.gates.language import parse_gates
    from rankgate.judging.agreement.reporting import agreement_report, cuts_of
    from rankgate.project.project import projects
    from rankgate.reports.agreement import agreement_json, render_agreement
    from rankgate.truth.judgments.labels import labels_folder, read_labels

    for _, suite in projects(suites):
        labels = read_labels(suite.path or "")
        if not labels.each:
            folder = str(labels_folder(suite.path or ""))
            raise InputError(
                Code.NO_LABELS(folder, "no labels", "a log of each judge", "judge first: rankgate judge")
            )
        cuts = cuts_of(suite.metrics, parse_gates(suite.gates, suite.metrics))
        report = agreement_report(suite, labels, cuts)
        click.echo(
            agreement_json(report) if style == "json" else render_agreement(report, every=every), nl=False
        )
    return 0
