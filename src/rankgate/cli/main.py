"""``rankgate``: the group of commands, each in a module of its own."""

from __future__ import annotations

import sys
from importlib import import_module

import click

from rankgate.errors import RankgateError

COMMANDS = {
    "list": ("rankgate.cli.listing:listing", "Show what can be named: metrics."),
    "score": ("rankgate.cli.score:score", "Score runs against judgments."),
}
"""Where each command lives, and what it does in a few words; `--help` needs no more than this."""


class LazyCommands(click.Group):
    """A group that imports a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """List the commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands from the table, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in sorted(COMMANDS)])


@click.group(cls=LazyCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="rankgate", message="%(prog)s %(version)s")
def cli() -> None:
    """Hold search to what it should find: what pytest is to code, rankgate is to ranking."""


def main() -> None:
    """Run the command line; an error that rankgate raises on purpose is printed without a traceback."""
    try:
        code = cli.main(standalone_mode=False, prog_name="rankgate")
    except RankgateError as error:
        click.echo(f"{click.style('error:', fg='red', bold=True)} {error}", err=True)
        sys.exit(error.exit_code)
    except click.Abort:
        click.echo("stopped", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)
