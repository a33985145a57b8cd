"""``rankgate judge``: judgments by people and by models; one module a command."""

from __future__ import annotations

import click

from rankgate.cli.main import LazyCommands

COMMANDS = {
    "agreement": (
        "rankgate.cli.judge.agreement:agreement",
        "Measure how far judges agree, and list their disagreements.",
    ),
    "apply": ("rankgate.cli.judge.apply:apply", "Make targets of what was judged, as edits of the suite."),
    "ask": ("rankgate.cli.judge.ask:ask", "Grade unjudged hits by a model; the cost is shown first."),
    "open": ("rankgate.cli.judge.judging:judge", "Judge passages; `rankgate judge SUITE` is short for it."),
}
"""Where each command lives, and what it does in a few words."""
_DEFAULT = "open"


class _JudgeCommands(LazyCommands):
    """A group in which a first argument that names no command belongs to the command `open`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the name of the default command before arguments that name none."""
        if not args or (args[0] not in self._table and args[0] not in ctx.help_option_names):
            args = [_DEFAULT, *args]
        return super().parse_args(ctx, args)


@click.group(cls=_JudgeCommands, commands_table=COMMANDS)
def judge() -> None:
    """Judge what systems find: blind, pooled over systems, the most telling passages first.

    \b
    rankgate judge search.yaml                        the unjudged hits of the latest test
    rankgate judge search.yaml --from bm25 --from hybrid --depth 10
    rankgate judge apply search.yaml                  make targets of what was judged
    """
