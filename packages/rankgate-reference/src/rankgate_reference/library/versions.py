"""What nodes and terms are made by: with another version of it, or without it, they may be others."""

from __future__ import annotations

import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version

import rankgate as rg

STEMMERS = ("pystemmer", "snowballstemmer")
"""The distributions that stem; the first is used where it is there."""


@cache
def parsers() -> tuple[str, ...]:
    """Name what makes nodes; Python is outlined by its own parser, which reads what its version knows."""
    python = f"python {sys.version_info[0]}.{sys.version_info[1]}"
    return (python, *(_named(one) for one in ("rankgate", *rg.OUTLINE_LIBRARIES)))


@cache
def stemmers() -> tuple[str, ...]:
    """Name what makes terms."""
    return tuple(_named(one) for one in STEMMERS)


def _named(distribution: str) -> str:
    try:
        return f"{distribution} {version(distribution)}"
    except PackageNotFoundError:
        return f"no {distribution}"
