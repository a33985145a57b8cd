"""What a rule finds, and how bad it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankgate.errors import Problem

_WHERE = re.compile(r"(?P<file>.+?):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?", re.DOTALL)


class Severity(StrEnum):
    """How bad a finding is."""

    ERROR = "error"
    """The suite is wrong: what it scores means nothing until this is corrected."""
    WARNING = "warning"
    """The suite measures something else than it seems to."""
    HINT = "hint"
    """Worth knowing; nothing depends on it."""

    @property
    def weight(self) -> int:
        """Order severities from the worst."""
        return list(Severity).index(self)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a rule found.

    >>> from rankgate.errors import Problem
    >>> found = Finding("leak", Severity.WARNING, Problem("a.yaml:4:3", "x", "y"))
    >>> found.file, found.line, found.column, found.message
    ('a.yaml', 4, 3, 'found x, expected y')
    """

    rule: str
    """The name of the rule."""
    severity: Severity
    """How bad it is."""
    problem: Problem
    """Where it is, what was found, what was expected and what to do."""
    case: str | None = None
    """The case it is about; None where it is about the whole suite."""

    @property
    def file(self) -> str:
        """The file it is in, or whatever else `where` names."""
        return file_line_column(self.problem.where)[0]

    @property
    def line(self) -> int | None:
        """The line, where it is known."""
        return file_line_column(self.problem.where)[1]

    @property
    def column(self) -> int | None:
        """The column, where it is known."""
        return file_line_column(self.problem.where)[2]

    @property
    def message(self) -> str:
        """The finding in one sentence, without where it is."""
        problem = self.problem
        text = f"found {problem.found}, expected {problem.expected}"
        return f"{text}; {problem.fix}" if problem.fix else text


def file_line_column(where: str) -> tuple[str, int | None, int | None]:
    """Parse file, line and column.

    >>> file_line_column("a.yaml:4:3"), file_line_column("a.jsonl:7"), file_line_column("case rotate")
    (('a.yaml', 4, 3), ('a.jsonl', 7, None), ('case rotate', None, None))
    """
    found = _WHERE.fullmatch(where)
    if found is None:
        return where, None, None
    return found["file"], int(found["line"]), int(found["column"]) if found["column"] else None
