"""``rankgate doctor``: what keeps a project from being tested, and what mends it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankgate.cli.options import echo_names, exit_codes, suites_argument, system_option
from rankgate.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.cli.doctor.health import HealthResult


@click.command()
@suites_argument
@system_option
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
@exit_codes(passed="healthy", wrong_call="something is wrong")
def doctor(suites: tuple[Path, ...], system: str | None, as_json: bool) -> int:
    """Check a project from its configuration to its baseline, and say what mends what is wrong.

    One question is asked, and nothing is prepared, written or kept.

    \b
    rankgate doctor
    rankgate doctor search.yaml --system app
    rankgate doctor --json
    """
    from rankgate.cli.doctor.environment_checks import CHECKS
    from rankgate.cli.doctor.health import ExaminedProject, HealthState, examine

    results = examine(ExaminedProject(suites, system), CHECKS)
    wrong = [result for result in results if result.state is HealthState.WRONG]
    if as_json:
        checks = [asdict(result) for result in results]
        click.echo(json.dumps({"healthy": not wrong, "checks": checks}, indent=2, ensure_ascii=False))
    else:
        echo_names(_text(results, wrong))
    return int(ExitCode.WRONG_CALL if wrong else ExitCode.PASSED)


def _text(results: Sequence[HealthResult], wrong: Sequence[HealthResult]) -> str:
    """Lay the results out: what is wrong first, with what mends it, then a line a check."""
    marks = {"ok": "✅", "wrong": "❌", "not checked": "➖"}
    wide = max(len(result.name) for result in results)
    head = [f"❌ {result}" for result in wrong] or ["✅ healthy: rankgate test can be run"]
    rows = []
    for result in results:
        said = "see above" if result in wrong else result.said
        said = f"not checked, {said}" if result.state == "not checked" else said
        rows.append(f"{marks[result.state]} {result.name:<{wide}}  {said}")
    return "\n".join([*head, "", *rows])
