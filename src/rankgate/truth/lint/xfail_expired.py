"""Known misses whose day has passed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.truth.lint.finding import Severity
from rankgate.truth.lint.rule import Remark, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.truth.lint.subject import Subject


def check(subject: Subject) -> Iterator[Remark]:
    """Compare the last day of every known miss with today."""
    for case in subject.cases:
        if case.xfail is not None and case.xfail.until < subject.today:
            found = f"an xfail until {case.xfail.until}, which has passed: {case.xfail.reason}"
            yield Remark(found, "a day to come", "delete the xfail, or say anew until when", case)


RULE = Rule("xfail-expired", Severity.WARNING, "the day of a known miss has passed", check)
