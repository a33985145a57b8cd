"""What a tool is, and what all of them work with."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import rankgate as rg
from rankgate_reference.answers import Answer, line_of, shape
from rankgate_reference.arguments import Argument, read_arguments, schema_of
from rankgate_reference.finding import Finder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rankgate_reference.library.library import Library

LEAST_BUDGET = 300
"""The smallest budget of tokens: one result and what is said around it."""
MOST_BUDGET = 250_000
"""The largest budget of tokens."""

CURSOR = {"type": ["string", "null"], "description": "Pass it as cursor to go on; null at the end."}
"""The JSON Schema of where a list goes on."""


@dataclass(frozen=True)
class Desk:
    """What the tools work with."""

    library: Library
    """What is read."""
    search: Callable[[str, rg.Query], rg.Ranking]
    """Finds nodes in the way that a mode names."""
    mode: str = "lexical"
    """How is searched where nobody says it."""

    @cached_property
    def finder(self) -> Finder:
        """Finds nodes by what agents call them."""
        return Finder(self.library)


@dataclass(frozen=True, slots=True)
class Tool:
    """Something that an agent can call."""

    name: str
    """Its name."""
    title: str
    """Its name for people."""
    says: str
    """When to call it and what it gives, for an agent that has never seen it."""
    arguments: tuple[Argument, ...]
    """What it takes."""
    fields: Mapping[str, Any]
    """The JSON Schema of what it answers, by field."""
    answer: Callable[[Desk, Mapping[str, Any]], Answer]
    """Answers."""
    optional: tuple[str, ...] = field(default=())
    """The fields that an answer may leave out."""

    def input_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of what it takes."""
        return schema_of(self.arguments)

    def output_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of what it answers."""
        return shape(self.fields, self.optional)

    def call(self, desk: Desk, given: Mapping[str, object]) -> Answer:
        """Answer, or say what is wrong and what to do."""
        try:
            return self.answer(desk, read_arguments(self.arguments, given))
        except rg.RankgateError as error:
            return Answer("\n".join(line_of(line, 1500) for line in str(error).split("\n")[:20]), error=True)


def budget(default: int | None, of: str) -> Argument:
    """Return the argument that says how many tokens an answer may have."""
    says = f"How many tokens the answer may take, counted as UTF-8 bytes / 4; {of}."
    return Argument("budget", "number", says, default, least=LEAST_BUDGET, most=MOST_BUDGET)


def position(cursor: str | None, most: int, what: str = "cursor") -> int:
    """Read a cursor that is a position.

    Raises:
        InputError: for anything else.
    """
    if not cursor:
        return 0
    if cursor.isascii() and cursor.isdigit() and len(cursor) < 16 and int(cursor) <= most:
        return int(cursor)
    fix = "leave it out to start again"
    raise rg.InputError(
        rg.Problem(what, repr(line_of(cursor, 80)), "next_cursor of an answer to the same call", fix)
    )
