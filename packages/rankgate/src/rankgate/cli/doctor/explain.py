"""``rankgate explain``: what a code at the end of a message means, and what to do about it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files

import click

from rankgate.errors import Code, InputError, did_you_mean

PAGE = "docs/errors.md"
"""The page with every code."""


@dataclass(frozen=True, slots=True)
class CodeFacts:
    """What is known of one code."""

    group: str
    """What it is about: the heading of its part of the page."""
    means: str
    """What is wrong."""
    do: str
    """The next command or edit."""
    says: str = ""
    """A message of the kind, in which … stands for what differs."""
    see: str = ""
    """A page of the documentation with more; empty where there is none."""
    unstaged: str = ""
    """Why no test stages it through the command line; empty where one does."""


def explanations() -> dict[Code, CodeFacts]:
    """Read what is known of every code, in the order of the page.

    >>> explanations()[Code.TWO_CONFIGURATIONS].do
    'Keep one: move its settings over, and remove the other.'
    """
    groups = tomllib.loads(files("rankgate").joinpath("explained.toml").read_text(encoding="utf-8"))
    return {
        Code(code): CodeFacts(group, **facts)
        for group, codes in groups.items()
        for code, facts in codes.items()
    }


@click.command()
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Explain CODE, the word in brackets at the end of a message; without it, list all.

    \b
    rankgate explain target-not-found
    """
    known = explanations()
    if code is None:
        wide = max(map(len, known))
        for one, facts in known.items():
            click.echo(f"{one:<{wide}}  {facts.means}")
        return
    name = code.strip("[]").lower()
    if name not in list(Code):
        fix = did_you_mean(name, known, otherwise="`rankgate explain` lists all")
        raise InputError(Code.WRONG_OPTION("rankgate explain", repr(code), "a code of a message", fix))
    facts = known[Code(name)]
    click.echo(f"{name}: {facts.means}\n")
    if facts.says:
        click.echo(f"Example     {facts.says}")
    click.echo(f"What to do  {facts.do}")
    click.echo(f"More        {PAGE}#{name}" + (f", docs/{facts.see}" if facts.see else ""))
