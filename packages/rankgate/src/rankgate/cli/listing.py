"""``rankgate list``: what can be named in a suite or a command."""

from __future__ import annotations

import inspect
from dataclasses import fields
from textwrap import indent
from typing import TYPE_CHECKING

import click

from rankgate.errors import PluginError
from rankgate.plugins import listed, load
from rankgate.scoring.expressions import ALIASES, GROUP, metric_named, unknown_metric

if TYPE_CHECKING:
    from rankgate.scoring.metric import Metric

_MARGIN = " " * 15


@click.group("list")
def listing() -> None:
    """Show what can be named."""


@listing.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
def metrics(names: tuple[str, ...]) -> None:
    """Show every metric with its parameters and what it means, or only those named."""
    for number, name in enumerate(names or sorted(listed(GROUP))):
        kind = metric_named(name)
        if kind is None:
            raise unknown_metric(name, "rankgate list metrics")
        click.echo(("\n" if number else "") + _described(kind))


@listing.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
def formats(names: tuple[str, ...]) -> None:
    """Show every format of suites with its options, or only those named."""
    from rankgate.suites.formats import format_named, format_names

    for name in names or format_names():
        known = format_named(name)
        click.echo(f"{_title(name)}{known.about}")
        able = "reads and writes" if known.write is not None else "reads only"
        click.echo(f"{_MARGIN}{click.style(able, dim=True)}")
        for key, about in known.options.items():
            click.echo(f"{_MARGIN}--option {key}=…  {about}")


@listing.command()
def corpora() -> None:
    """Show every kind of corpus that a suite can name."""
    from rankgate.corpora.corpus import GROUP as CORPORA

    for name in sorted(listed(CORPORA)):
        about = inspect.getdoc(load(CORPORA, name)) or ""
        click.echo(f"{_title(name)}{about.partition(chr(10))[0].rstrip('.')}")


@listing.command()
def systems() -> None:
    """Show the systems of this project, and every kind of system that can be configured."""
    from pathlib import Path

    from rankgate.evaluation.configuration import find_configuration, shortest
    from rankgate.reports.text.printable import printable
    from rankgate.systems.registry import GROUP as SYSTEMS
    from rankgate.systems.registry import kind_of

    configuration = find_configuration(Path.cwd())
    for entry in configuration.systems.values():
        mark = " (asked where none is named)" if entry.name == configuration.system else ""
        target = " ".join(entry.target) if isinstance(entry.target, list) else entry.target
        what = f"{entry.source} {target}"
        click.echo(f"{_title(printable(entry.name))}{printable(what)}{mark}")
    if configuration.path is not None:
        file = printable(str(shortest(configuration.path)))
        click.echo(f"{_MARGIN}{click.style(f'of {file}; any of them after --system', dim=True)}\n")
    for name in sorted(listed(SYSTEMS)):
        try:
            kind = kind_of(name)
        except PluginError as error:
            click.echo(f"{_title(name)}{error}")
            continue
        click.echo(f"{_title(name)}{kind.about}")
        for words in (kind.tested, "" if kind.installed else f"not here; {kind.install}"):
            if words:
                click.echo(f"{_MARGIN}{click.style(words, dim=True)}")


def _title(name: str) -> str:
    return click.style(f"{name:<{len(_MARGIN)}}", bold=True, fg="cyan")


def _described(kind: type[Metric]) -> str:
    others = ", ".join(sorted(alias for alias, meant in ALIASES.items() if meant == kind.name))
    also = click.style(f"  also: {others}", dim=True) if others else ""
    text = inspect.cleandoc(kind.__doc__ or "")
    return f"{click.style(_usage(kind), bold=True, fg='cyan')}{also}\n{indent(text, '  ')}"


def _usage(kind: type[Metric]) -> str:
    parameters = [
        f"{field.name}={_default(field.default)}"
        for field in fields(kind)
        if field.name not in ("cut", "stat")
    ]
    cut = "@k" if kind.cut_required else "[@k]" if kind.cut_by else ""
    cut += " or @Ntokens" if "tokens" in kind.cut_by else ""
    stat = ".p95" if any(field.name == "stat" for field in fields(kind)) else ""
    return kind.name + stat + (f"({', '.join(parameters)})" if parameters else "") + cut


def _default(value: object) -> str:
    return "…" if value is None else str(value).lower() if isinstance(value, bool) else f"{value}"
