"""Proposed changes of a suite, as data: what, why, and what to look at before it is accepted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankgate.model.places import Location
    from rankgate.suites.edits import Edit


class Category(StrEnum):
    """What kind of change it is, which is how changes are accepted."""

    CREATE = "create"
    """Targets proposed by the engine for cases that have none; unreviewed, so that no gate counts them."""
    FIX = "fix"
    """What is wrong by the corpus, or too lenient by the run; never what the engine would have liked."""
    TRIM = "trim"
    """What says the same twice, or points at nothing."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change that a person may accept."""

    category: Category
    """How it is accepted."""
    case: str
    """The case it was found in."""
    what: str
    """What changes, in words."""
    why: str
    """The reason, in words."""
    edit: Edit
    """How the file changes."""
    sources: tuple[Location, ...] = ()
    """The places whose text shows whether it is right."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that wants a person and for which nothing is proposed."""

    case: str
    """The case."""
    what: str
    """What there is to see, and why nothing is proposed."""
