"""``rankgate suite``: what keeps a suite right, each command in a module of its own."""

from __future__ import annotations

import click

from rankgate.cli.main import LazyCommands

COMMANDS = {
    "convert": ("rankgate.cli.suite.convert:convert", "Read a suite in one format and write it in another."),
    "fix": ("rankgate.cli.suite.fix:fix", "Make a suite right again after its documents changed."),
    "lint": ("rankgate.cli.suite.lint:lint", "Check a suite against its corpus and against itself."),
    "sample": ("rankgate.cli.suite.sample:sample", "Draw queries from a log of searches, to be judged."),
    "update": ("rankgate.cli.suite.update:update", "Propose changes of what it expects, after a test."),
}
"""Where each command lives, and what it does in a few words."""


@click.group(cls=LazyCommands, commands_table=COMMANDS)
def suite() -> None:
    """Keep a suite right."""
