"""Write the pages that the program itself knows: docs/commands.md, errors.md, metrics.md and python.md.

python tools/generated_reference.py
"""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.testing import CliRunner
from explanations import explanations
from python_reference import python_page

from rankgate.cli.main import cli

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCS = Path(__file__).parents[1] / "docs"

COMMANDS_HEAD = """# Commands

Every command with every option. `just reference-pages` writes this page from the program, and a test compares
it. `rankgate COMMAND --help` prints the same. Exit codes are [listed here](verdicts.md#exit-codes), settings
of `rankgate.toml` [here](configuration.md).
"""

METRICS_HEAD = """# Metrics

Every metric that `rankgate list metrics` shows. `just reference-pages` writes this page from the program, and
a test compares it. Which one answers your question is said in [choosing a metric](concepts/metrics.md). `k`
is a number of hits, `N` one of tokens; `rel=2` counts grades from 2 on as relevant. A metric of your own is
[a plugin](plugins.md#a-metric).

A weighted sum is a metric too, with a name: `relevance = 0.4*p@5 + 0.3*r@5 + 0.3*rr`.
"""

ERRORS_HEAD = """# Errors

Every code that stands in brackets at the end of a message. `just reference-pages` writes this
page, and a test compares it. A code keeps its meaning from version to version, whatever becomes of the words.
`…` stands for what differs. [Troubleshooting](troubleshooting.md) has what
people meet most, with commands to follow; [exit codes](verdicts.md#exit-codes) say who must act.
"""

NOT_STAGED = """## Not staged

Every code above is raised by a test through the command line, and where a local edit mends it, the test
carries the edit out. These are raised by tests below the command line alone:
"""

DAILY = ("init", "query", "test", "compare", "judge", "view")


def commands(
    group: click.Group, words: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Return every command with the words that call it; a group comes before what is in it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        yield (*words, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name))


def section(words: tuple[str, ...], command: click.Command) -> str:
    """Return the part of the page about one command."""
    called = " ".join(("rankgate", *words))
    context = click.Context(command, info_name=called)
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [
        f"{'#' * (1 + len(words))} {called}",
        "",
        f"    {called} {usage}",
        "",
        *_help(command.help or ""),
        "",
    ]
    rows = [row for row in map(_row, command.params) if row]
    if rows:
        lines += ["| option | |", "|---|---|", *rows, ""]
    return "\n".join(lines)


def _help(text: str) -> list[str]:
    """Return a help text as Markdown: blocks that click leaves as they are become code."""
    blocks = re.split(r"\n\n+", inspect.cleandoc(text))
    lines: list[str] = []
    for block in blocks:
        shown = block.removeprefix("\b\n")
        if shown != block:
            lines += ["", *(f"    {line}" for line in shown.splitlines()), ""]
        else:
            lines += ["", _escaped(" ".join(block.split())), ""]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n").split("\n")


def _row(parameter: click.Parameter) -> str | None:
    """Return the row of one option; the help of an argument is in the text above."""
    if not isinstance(parameter, click.Option) or parameter.hidden:
        return None
    record = parameter.get_help_record(click.Context(click.Command("")))
    if record is None:
        return None
    names, words = record
    return f"| `{names.replace('|', chr(92) + '|')}` | {_escaped(' '.join(words.split()))} |"


def _escaped(text: str) -> str:
    """Return a text in which nothing is markup or ends a cell, except code in back quotes."""
    parts = re.split(r"(`[^`]*`)", text)
    escaped = [part if part.startswith("`") else re.sub(r"([\\*_\[\]<])", r"\\\1", part) for part in parts]
    return "".join(escaped).replace("|", "\\|")


def commands_page() -> str:
    """Return the page of every command."""
    found = list(commands(cli))
    order = {name: at for at, name in enumerate(DAILY)}
    found.sort(key=lambda one: (order.get(one[0][0], len(order)), one[0]))
    return "\n".join([COMMANDS_HEAD, *(section(words, command) for words, command in found)])


def metrics_page() -> str:
    """Return the page of every metric."""
    listed = json.loads(
        CliRunner().invoke(cli, ["list", "metrics", "--format", "json"], catch_exceptions=False).output
    )
    rows = [f"| [`{one['name']}`](#{one['name']}) | {_title(one)} |" for one in listed]
    return "\n".join([METRICS_HEAD, "| metric | |", "|---|---|", *rows, "", *map(_metric, listed)])


def _title(facts: dict[str, Any]) -> str:
    return _escaped(str(facts["about"]).partition("\n")[0])


def _metric(facts: dict[str, Any]) -> str:
    """Return the part of the page about one metric: its docstring, and what it declares."""
    _, _, about = str(facts["about"]).partition("\n")
    lines = [f"## {facts['name']}", "", f"`{facts['usage']}`. {_title(facts)}", ""]
    if facts["aliases"]:
        lines += ["Also called " + ", ".join(f"`{name}`" for name in facts["aliases"]) + ".", ""]
    for head, text in re.findall(r"^(\w[\w ]*): ?((?:.*)(?:\n(?:    .*|(?=\n    )))*)", about, re.MULTILINE):
        block = inspect.cleandoc(text)
        shown = re.split(r"^(?=>>> )", block, maxsplit=1, flags=re.MULTILINE)
        lines += [f"**{head}**: {_sentence(shown[0])}".rstrip(), ""]
        if len(shown) > 1:
            lines += ["```pycon", shown[1].rstrip(), "```", ""]
    unit = f" {facts['unit']}" if facts["unit"] else ""
    bounds = f"Range: {_range(facts['range'])}{unit}; {facts['better']} is better."
    depth, failure = _escaped(facts["depth"]), _escaped(facts["failure"])
    lines += [f"{bounds} Depth: {depth}. A failure is worth: {failure}.", ""]
    return "\n".join(lines)


def _range(bounds: dict[str, float | None]) -> str:
    lowest, highest = bounds["lowest"], bounds["highest"]
    if lowest is None or highest is None:
        return f"{lowest:g} or more" if lowest is not None else f"{highest:g} or less"
    return f"{lowest:g} to {highest:g}"


def _sentence(text: str) -> str:
    return _escaped(" ".join(text.replace("``", "`").split()))


def errors_page() -> str:
    """Return the page of every code."""
    lines, group = [ERRORS_HEAD], ""
    known = explanations()
    for code, facts in known.items():
        if facts.group != group:
            group = facts.group
            lines += [f"## {group}", ""]
        lines += [f"### {code}", "", facts.means, ""]
        if facts.says:
            lines += ["```text", facts.says, "```", ""]
        more = f" More: [{facts.see}]({facts.see})." if facts.see else ""
        lines += [f"**What to do:** {facts.do}{more}", ""]
    left = [f"- [`{code}`](#{code}): {facts.unstaged}" for code, facts in known.items() if facts.unstaged]
    return "\n".join([*lines, NOT_STAGED, *left, ""])


def api_page() -> str:
    """Return the page of every public name."""
    return python_page(_escaped)


PAGES = {
    "commands.md": commands_page,
    "errors.md": errors_page,
    "metrics.md": metrics_page,
    "python.md": api_page,
}
"""How each page is written, by its name in docs/."""


if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
