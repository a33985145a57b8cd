"""``rankgate list``: what can be named in a suite or a command."""

from __future__ import annotations

import inspect
import math
from dataclasses import fields
from textwrap import indent
from typing import TYPE_CHECKING

import click

from rankgate.errors import PluginError
from rankgate.plugins import listed, load
from rankgate.scoring.expressions import ALIASES, GROUP, metric_named, unknown_metric
from rankgate.scoring.matches import Cut

if TYPE_CHECKING:
    from rankgate.scoring.metric import Metric

_MARGIN = " " * 15
_CUTS = {"rank": "k", "tokens": "Ntokens"}
_TRIED = (10, 20)
"""The cuts that tell whether a range follows the cut."""


@click.group("list")
def listing() -> None:
    """Show what can be named."""


@listing.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--format",
    "form",
    type=click.Choice(["terminal", "json"]),
    default="terminal",
    help="How to show them.  [default: terminal]",
)
def metrics(names: tuple[str, ...], form: str) -> None:
    """Show every metric with its parameters, range, direction, depth and meaning, or only those named."""
    kinds = [_kind(name) for name in names or sorted(listed(GROUP))]
    if form == "json":
        import json

        click.echo(json.dumps([_facts(kind) for kind in kinds], indent=2, ensure_ascii=False))
        return
    click.echo("\n\n".join(map(_described, kinds)))


@listing.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
def formats(names: tuple[str, ...]) -> None:
    """Show every format of suites with its options, or only those named."""
    from rankgate.suites.formats import format_named, format_names

    own = format_named("mapped").options
    for name in names or format_names():
        known = format_named(name)
        click.echo(f"{_title(name)}{known.about}")
        able = "reads and writes" if known.write is not None else "reads only"
        click.echo(f"{_MARGIN}{click.style(able, dim=True)}")
        if known.options == own and name != "mapped":
            click.echo(f"{_MARGIN}a preset: --option KEY=FIELD changes a key of `mapped`")
            continue
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
def chunkers() -> None:
    """Show every way to cut documents for an index, with its options."""
    from rankgate.chunks.chunking import GROUP as CHUNKERS
    from rankgate.chunks.chunking import Chunking, option_defaults

    for name in sorted(listed(CHUNKERS)):
        try:
            kind = Chunking(name).kind
        except PluginError as error:
            click.echo(f"{_title(name)}{error}")
            continue
        about = (inspect.getdoc(kind) or "").partition("\n")[0].rstrip(".")
        click.echo(f"{_title(name)}{about}")
        options = ", ".join(f"{key} = {_default(value)}" for key, value in option_defaults(kind).items())
        if options:
            click.echo(f"{_MARGIN}{click.style(options, dim=True)}")


@listing.command()
@click.argument("file", required=False, type=click.Choice(["suite", "configuration"]))
def schema(file: str | None) -> None:
    """Save the JSON Schemas of suites and of rankgate.toml for editors, or print one."""
    import json
    from pathlib import Path

    from rankgate.io.compressed import write_text
    from rankgate.project.find import find_configuration
    from rankgate.project.schema import configuration_schema
    from rankgate.suites.dump import SCHEMA_FILE
    from rankgate.suites.schema import suite_schema
    from rankgate.wording import shortest

    schemas = {"suite": suite_schema, "configuration": configuration_schema}
    if file:
        click.echo(json.dumps(schemas[file](), indent=2))
        return
    path = find_configuration(Path.cwd()).root / SCHEMA_FILE
    path.parent.mkdir(exist_ok=True)
    for name, made in schemas.items():
        one = path.with_name(f"{name}.schema.json")
        write_text(one, [json.dumps(made(), indent=2) + "\n"])
        click.echo(f"Saved: {shortest(one)}")


@listing.command()
def systems() -> None:
    """Show the systems of this project, and every kind of system that can be configured."""
    from pathlib import Path

    from rankgate.project.find import find_configuration
    from rankgate.reports.text.printable import printable
    from rankgate.systems.registry import GROUP as SYSTEMS
    from rankgate.systems.registry import kind_of
    from rankgate.wording import shortest

    configuration = find_configuration(Path.cwd())
    for entry in configuration.systems.values():
        mark = " (asked where none is named)" if entry.name == configuration.system else ""
        target = " ".join(map(str, entry.target)) if isinstance(entry.target, list) else entry.target
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
    # A name that is as long as the margin has its words below it.
    below = f"\n{_MARGIN}" if len(name) >= len(_MARGIN) else ""
    return click.style(name if below else f"{name:<{len(_MARGIN)}}", bold=True, fg="cyan") + below


def _kind(name: str) -> type[Metric]:
    kind = metric_named(name)
    if kind is None:
        raise unknown_metric(name, "rankgate list metrics")
    return kind


def _described(kind: type[Metric]) -> str:
    others = ", ".join(_others(kind))
    also = click.style(f"  also: {others}", dim=True) if others else ""
    text = inspect.cleandoc(kind.__doc__ or "")
    facts = (
        ("Range", _range_words(kind)),
        ("Direction", f"{kind.better} is better"),
        ("Depth", kind.depth_words()),
        ("Failure", kind.failure),
    )
    body = "\n".join([text, "", *(f"{name + ':':<11}{words}" for name, words in facts if words)])
    return f"{click.style(_usage(kind), bold=True, fg='cyan')}{also}\n{indent(body, '  ')}"


def _range_words(kind: type[Metric]) -> str:
    """Return which values a query can have; where they follow the cut, in terms of k, or with the cut."""
    found, unknown = kind.usual().range, "unknown, so that no gate takes it: its class has no limits"
    if found is None or not kind.cut_required:
        return unknown if found is None else str(found)
    cuts = [Cut(size, tokens="rank" not in kind.cut_by) for size in _TRIED]
    ranges = [kind(cut=cut).range for cut in cuts]  # type: ignore[call-arg]
    if ranges[0] == ranges[1]:
        return str(found)
    ends = [None if one is None else (one.lowest, one.highest) for one in ranges]
    if ends == [(0.0, float(cut.size)) for cut in cuts]:
        return f"0 to {_CUTS[kind.cut_by[0]].removesuffix('tokens')}"
    return f"{ranges[0]} where the cut is {cuts[0]}"


def _facts(kind: type[Metric]) -> dict[str, object]:
    found = kind.usual().range
    ends = None if found is None else (found.lowest, found.highest)
    return {
        "name": kind.name,
        "usage": _usage(kind),
        "aliases": _others(kind),
        "unit": kind.unit,
        # A limit that there is none of is null, as a range is that nobody has declared.
        "range": ends and dict(zip(("lowest", "highest"), map(_limit, ends), strict=True)),
        "better": kind.better,
        "depth": kind.depth_words(),
        "failure": kind.failure,
        "about": inspect.cleandoc(kind.__doc__ or ""),
    }


def _limit(end: float) -> float | None:
    return end if math.isfinite(end) else None


def _others(kind: type[Metric]) -> list[str]:
    return sorted(alias for alias, meant in ALIASES.items() if meant == kind.name)


def _usage(kind: type[Metric]) -> str:
    parameters = [
        f"{field.name}={_default(field.default)}"
        for field in fields(kind)
        if field.name not in ("cut", "stat")
    ]
    cut = " or ".join(f"@{_CUTS[by]}" for by in kind.cut_by)
    cut = cut if kind.cut_required or not cut else f"[{cut}]"
    stat = ".p95" if any(field.name == "stat" for field in fields(kind)) else ""
    return kind.name + stat + (f"({', '.join(parameters)})" if parameters else "") + cut


def _default(value: object) -> str:
    return "…" if value is None else str(value).lower() if isinstance(value, bool) else f"{value}"
