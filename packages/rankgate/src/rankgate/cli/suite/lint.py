"""The command ``rankgate suite lint``."""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import TYPE_CHECKING

import click

from rankgate.cli.github import print_commands
from rankgate.cli.options import exit_codes, format_option, suites_argument
from rankgate.cli.progress_line import ProgressLine
from rankgate.cli.suite.options import chosen_suites, reading_options
from rankgate.errors import Code, ExitCode, FormatError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rankgate.cli.suite.options import SuiteReader
    from rankgate.model import Suite
    from rankgate.reports.lint import LintReport
    from rankgate.truth.lint import Finding


@click.command()
@suites_argument
@format_option("text", "json", "github", words="The format of the findings.")
@click.option("--rule", "rules", multiple=True, metavar="NAME", help="Run this rule alone. May be repeated.")
@click.option("--ignore", multiple=True, metavar="NAME", help="Leave this rule out. May be repeated.")
@click.option("--strict", is_flag=True, help="Exit with 1 if there are warnings.")
@reading_options
@exit_codes(
    ExitCode.SYSTEM_FAILED,
    passed="nothing or hints",
    gate_failed="warnings under --strict",
    wrong_call="errors",
)
def lint(
    suites: tuple[Path, ...],
    style: str,
    rules: tuple[str, ...],
    ignore: tuple[str, ...],
    strict: bool,
    reader: SuiteReader,
) -> int:
    """Check suites for errors and weaknesses.

    \b
    rankgate suite lint
    rankgate suite lint search.yaml --strict --format github

    docs/lint.md explains every rule.
    """
    from rankgate.reports.lint import LintReport
    from rankgate.truth.lint import selected_rules

    selected_rules(rules, ignore)  # Reject an unknown rule before any file is read.
    findings: list[Finding] = []
    cases = 0
    paths = chosen_suites(suites)
    with ProgressLine() as waiting:
        for path in paths:
            waiting.tell(f"reading {path}")
            suite, found = _read(path, reader)
            findings += found
            if suite is not None:
                cases += len(suite.cases)
                findings += _lint(suite, rules, ignore, waiting.tell)
    report = LintReport(tuple(findings), len(paths), cases)
    show = print_commands if style == "github" else partial(click.echo, nl=False)
    show(_rendered(report, style))
    return report.exit_code(strict=strict)


def _read(path: Path, reader: SuiteReader) -> tuple[Suite | None, tuple[Finding, ...]]:
    """Read a suite. The problems of an invalid one are findings."""
    from rankgate.truth.lint import findings_of

    try:
        return reader.read(path), ()
    except FormatError as error:
        return None, findings_of(error)


def _lint(
    suite: Suite,
    rules: tuple[str, ...],
    ignore: tuple[str, ...],
    tell: Callable[[str], None],
) -> tuple[Finding, ...]:
    from rankgate.project.opening import guidelines_file, open_corpus
    from rankgate.truth.lint import findings_of, in_order
    from rankgate.truth.lint import lint as lint_suite

    corpus, refused = None, _gate_problems(suite)
    try:
        corpus = open_corpus(suite, None)
        guidelines_file(suite)
    except InputError as error:
        refused = (*refused, *findings_of(error))
    found = lint_suite(suite, corpus, rules=rules, ignore=ignore, tell=tell)
    return in_order([*refused, *found])


def _gate_problems(suite: Suite) -> tuple[Finding, ...]:
    from rankgate.truth.lint import findings_of

    if not suite.gates and suite.k is None:
        return ()
    from rankgate.gates.language import missing_slice, parse_gates
    from rankgate.project.settings import depth

    try:
        gates = parse_gates(suite.gates, suite.metrics)
        depth(suite, suite.metrics, gates, None)
    except InputError as error:
        return findings_of(error)
    found = [(gate, missing_slice(gate, suite.cases)) for gate in gates]
    problems = [
        Code.WRONG_GATE(gate.location, "", "", said=f"the gate {gate.text!r} reads nothing. {why}")
        for gate, why in found
        if why
    ]
    return findings_of(InputError(problems)) if problems else ()


def _rendered(report: LintReport, style: str) -> str:
    from rankgate.reports.lint import lint_github, lint_json, lint_text

    if style == "json":
        return lint_json(report)
    if style == "github":
        return lint_github(report)
    return lint_text(report, colour=sys.stdout.isatty() and "NO_COLOR" not in os.environ)
