"""Suites that a test names: found beside it, and read once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem
from rankgate.evaluation.configuration import shortest
from rankgate.suites.formats import load_suite

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rankgate.model import Suite


def find_suite(name: str | Path, folders: Sequence[Path]) -> Path:
    """Find a suite in the first folder that has it.

    Raises:
        InputError: where none has.
    """
    for folder in folders:
        if (folder / name).exists():
            return (folder / name).resolve()
    looked = " or ".join(dict.fromkeys(str(shortest(folder)) for folder in folders))
    raise InputError(Problem(str(name), "no such file", f"a suite in {looked}"))


def load_here(path: Path) -> Suite:
    """Read a suite so that its places are told as a person here would, wherever the process goes later."""
    suite = load_suite(shortest(path))
    return replace(suite, cases=tuple(suite.cases), path=str(path.resolve()))
