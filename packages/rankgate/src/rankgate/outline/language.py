"""A language as data: which grammar reads it, and a query for what has a name.

The query is in tree-sitter's own language. What it captures:

=============  ==================================================================================
``@class`` …   a definition, under its kind; where several have one name, the widest, then the first pattern
``@name``      its name
``@owner``     the type that a definition belongs to though it does not stand in it
``@scope``     what names its inside and is not listed itself, such as an ``impl`` of Rust
``@attribute`` what stands before a definition and belongs to it
``@comment``   what may stand between the two, and what is cut off the end of a definition
=============  ==================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

TYPES = frozenset({"class", "interface", "trait", "struct", "union", "enum"})
"""The kinds in which a function is a method."""


@dataclass(frozen=True, slots=True)
class Language:
    """One language."""

    name: str
    """What people call it."""
    package: str
    """The module that has the grammar."""
    query: str
    """What is captured."""
    function: str = "language"
    """The function of the module that gives the grammar."""
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Where the names are inside a node that stands for a name: its fields, the outermost first.

    A node without the field has its name in its first named child; ``*`` means all named children."""
    until: Mapping[str, str] = field(default_factory=dict)
    """The field before which a name ends, for nodes that hold more than their name."""
    unnamed: frozenset[str] = frozenset()
    """Names that say nothing about where something belongs, such as ``exports``."""
    types: frozenset[str] = TYPES
    """The kinds in which a function is a method."""
    to_the_end: frozenset[str] = frozenset()
    """Nodes that hold whatever follows them, to the end of the file."""
