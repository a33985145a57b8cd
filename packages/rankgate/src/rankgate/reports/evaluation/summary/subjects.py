"""What an error is about, so that nobody looks at the suite for a variable that is not set."""

from __future__ import annotations

from enum import StrEnum
from pathlib import PurePath
from typing import TYPE_CHECKING

from rankgate.errors import Code
from rankgate.reports.text.printable import split_where

if TYPE_CHECKING:
    from rankgate.errors import RankgateError


class Subject(StrEnum):
    """What is wrong."""

    SUITE = "suite"
    """The suite: its keys, cases, targets, metrics or gates."""
    USAGE = "usage"
    """The command: its options, and what they name."""
    CONFIGURATION = "configuration"
    """``rankgate.toml``, a variable or what is installed."""
    CORPUS = "corpus"
    """The documents."""
    RUN = "run"
    """Answers that were kept."""
    BASELINE = "baseline"
    """What the run is compared with."""
    FILE = "file"
    """Another file."""


_CORPUS = "corpus "
"""How the corpus of a suite is named."""
_CONFIGURATIONS = frozenset({"rankgate.toml", "pyproject.toml"})
_FIRST = {
    Code.USAGE: Subject.USAGE,
    Code.NO_SUCH_FILE: Subject.FILE,
    Code.WRONG_FORMAT: Subject.SUITE,
    Code.OUTSIDE_PROJECT: Subject.CORPUS,
    Code.TWO_CONFIGURATIONS: Subject.CONFIGURATION,
    Code.NO_ANSWERS: Subject.RUN,
    Code.NO_BASELINE: Subject.BASELINE,
    Code.UNKNOWN_JUDGE: Subject.USAGE,
}
"""The first kind of problem of each subject: kinds stand in the order of the page of errors."""
_OTHERWISE = {
    Code.NO_CORPUS: Subject.CORPUS,
    Code.WRONG_INPUT: Subject.SUITE,
    Code.CRASHED: Subject.SUITE,
    Code.NOT_PASSED: Subject.BASELINE,
}
"""What stands among others on that page."""


def _by_code() -> dict[Code, Subject]:
    found, subject = {}, Subject.USAGE
    for code in Code:
        subject = _FIRST.get(code, subject)
        found[code] = _OTHERWISE.get(code, subject)
    return found


_SUBJECTS = _by_code()


def subject_of(error: RankgateError, system: str = "", suite: str = "") -> Subject:
    """Return what an error is about: where it stands says most, and else its kind.

    >>> from rankgate.errors import InputError
    >>> str(subject_of(InputError(Code.UNKNOWN_KEY("rankgate.toml: suitse", "an unknown key", "suites"))))
    'configuration'

    Args:
        error: What is wrong.
        system: The name of the system, which begins what is said of its table.
        suite: The file of the suite; empty where there is none.
    """
    where = error.problems[0].where if error.problems else ""
    file = split_where(where.partition(": ")[0])[0]
    if where.startswith("--"):
        return Subject.USAGE
    if PurePath(file).name in _CONFIGURATIONS or (system and where.startswith(f"{system}.")):
        return Subject.CONFIGURATION
    kind = _SUBJECTS[error.code]
    if where.startswith(_CORPUS) and kind is not Subject.CONFIGURATION:
        return Subject.CORPUS
    if suite and PurePath(file) == PurePath(suite) and kind is not Subject.CORPUS:
        return Subject.SUITE
    return kind
