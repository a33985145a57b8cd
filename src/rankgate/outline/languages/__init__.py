"""The languages that tree-sitter outlines, each described by a query in a file of its own."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from rankgate.outline.language import Language

# Where several are named, the one that reads a file with the fewest errors is meant.
_BY_SUFFIX = {
    ".c": ("c:C",),
    ".cc": ("c:CPP",),
    ".cjs": ("javascript:JAVASCRIPT",),
    ".cpp": ("c:CPP",),
    ".cs": ("csharp:CSHARP",),
    ".cts": ("javascript:TYPESCRIPT",),
    ".cxx": ("c:CPP",),
    ".go": ("go:GO",),
    ".h": ("c:C", "c:CPP"),
    ".hh": ("c:CPP",),
    ".hpp": ("c:CPP",),
    ".hxx": ("c:CPP",),
    ".java": ("java:JAVA",),
    ".js": ("javascript:JAVASCRIPT",),
    ".jsx": ("javascript:JAVASCRIPT",),
    ".mjs": ("javascript:JAVASCRIPT",),
    ".mts": ("javascript:TYPESCRIPT",),
    ".py": ("python:PYTHON",),
    ".rb": ("ruby:RUBY",),
    ".rs": ("rust:RUST",),
    ".ts": ("javascript:TYPESCRIPT",),
    ".tsx": ("javascript:TSX",),
}

SUFFIXES = tuple(_BY_SUFFIX)
"""How the names of files in these languages end."""


def languages_of(suffix: str) -> list[Language]:
    """Name the languages that a file of a suffix may be in; none for a suffix that is not known.

    >>> [language.name for language in languages_of(".h")]
    ['C', 'C++']
    """
    return [_language(place) for place in _BY_SUFFIX.get(suffix, ())]


def _language(place: str) -> Language:
    module, _, name = place.partition(":")
    return cast("Language", getattr(import_module(f"{__name__}.{module}"), name))
