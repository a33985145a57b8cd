"""What a rule is: a name, a severity, and a check that makes remarks about a suite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rankgate.model.suite import Case
    from rankgate.truth.lint.finding import Severity
    from rankgate.truth.lint.subject import Subject


GO_BACK = "go back to the state that was judged (a commit or a copy) and run rankgate suite drift from there"
"""What to do where the corpus changed under a suite: drift starts from places that are right."""


@dataclass(frozen=True, slots=True)
class Remark:
    """What a check has to say; the rule gives it its name and severity."""

    found: str
    """What stands there now."""
    expected: str
    """What should stand there."""
    fix: str = ""
    """What to do about it."""
    case: Case | None = None
    """The case it is about; None where it is about the whole suite."""
    where: str = ""
    """The file, line and column, where it is not the case's."""
    severity: Severity | None = None
    """How bad it is, where it is not as bad as the rule says."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of `rankgate suite lint`."""

    name: str
    """What people call it, in kebab-case."""
    severity: Severity
    """How bad its findings are, unless one says otherwise."""
    about: str
    """What it finds, in a few words."""
    check: Callable[[Subject], Iterator[Remark]]
    """Goes through a suite and says what it finds."""
    needs_corpus: bool = False
    """True where it has nothing to look at without a corpus."""
