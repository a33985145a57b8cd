"""``rankgate sweep``: many variants of a system, and which of them is better."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankgate.cli.options import (
    PATH,
    exit_codes,
    format_option,
)
from rankgate.errors import Code, ExitCode, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command()
@click.argument("file", type=PATH, required=False)
@click.option("--only", metavar="TEXT", help="Ask and show only variants whose names contain this.")
@click.option(
    "--dry-run", is_flag=True, help="Say how many variants, indexes and questions there are; ask nothing."
)
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", help="Try the first N queries; keep nothing."
)
@click.option(
    "--latency", is_flag=True, help="Ask all variants once more, in turn, to measure how long they take."
)
@click.option("--shard", metavar="I/N", help="Ask only the I-th of N parts of the variants.")
@format_option("terminal", "markdown", "json", words="How to show it.")
@click.option("--output", "-o", type=PATH, help="Write it to a file.")
@exit_codes(ExitCode.WRONG_CALL, ExitCode.SYSTEM_FAILED, passed="answered")
def sweep(file: Path | None, dry_run: bool, style: str, output: Path | None, **chosen: Any) -> int:
    """Ask every variant of a sweep, and say which is better than the one in use.

    \b
    rankgate sweep
    rankgate sweep sweep.toml --dry-run
    rankgate sweep sweep.toml --only chunks=section --format markdown
    rankgate sweep sweep.toml --latency

    Without FILE it is sweep.toml here, or else the table [sweep] of rankgate.toml or [tool.rankgate.sweep] of
    pyproject.toml.

    What was asked before is not asked again. The p values are corrected for every variant that was ever asked
    in this sweep, also with --only. It decides nothing, so that the exit code is 0: gates do.
    """
    from rankgate.reports.sweep import render
    from rankgate.runs.asking.progress import TerminalProgress
    from rankgate.runs.parts import Part
    from rankgate.sweeps.flow import SweepOptions, dry_run_words, run_sweep, tried_words
    from rankgate.sweeps.sweep_file import find_sweep, read_sweep

    _check_one(chosen)
    only, limit, latency = (chosen[name] for name in ("only", "limit", "latency"))
    read = find_sweep(Path.cwd()) if file is None else read_sweep(file)
    part = Part.parse(chosen["shard"]) if chosen["shard"] else None
    options = SweepOptions(only or "", limit, part, TerminalProgress(), latency)
    if dry_run:
        click.echo(dry_run_words(read, options))
        return 0
    if limit:
        click.echo(tried_words(read, options))
        return 0
    result = run_sweep(read, options)
    text = render(result.reports, style)
    if output is None:
        click.echo(text, nl=False)
    else:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, encoding="utf-8", newline="\n")
    return int(result.code)


def _check_one(given: Mapping[str, object]) -> None:
    """Refuse options of which one leaves out what another needs."""
    if len(both := [f"--{name}" for name in ("shard", "limit", "latency") if given[name]]) > 1:
        raise InputError(Code.CONFLICT(both[0], f"{both[1]} too", "one of the two"))
