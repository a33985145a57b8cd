"""What a system showed of the targets of a suite, where it was asked for their texts (``--system``).

The suite and the corpus alone say nothing of it: without a system these rules find nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.truth.lint.context import LintContext, LintRemark, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("not-returned", Severity.WARNING, "the system does not return a target for its own text (`--system`)")
def not_returned(_context: LintContext) -> Iterator[LintRemark]:
    """Return nothing: what a system cannot return is found by asking it."""
    return iter(())


@rule("other-location", Severity.WARNING, "the system returns a target under other lines (`--system`)")
def other_location(_context: LintContext) -> Iterator[LintRemark]:
    """Return nothing: what a system names otherwise is found by asking it."""
    return iter(())


@rule("competing-copy", Severity.WARNING, "a copy of a target is returned above it (`--system`)")
def competing_copy(_context: LintContext) -> Iterator[LintRemark]:
    """Return nothing: which copies a system returns is found by asking it."""
    return iter(())
