"""What could not be checked, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.truth.lint.finding import Severity
from rankgate.truth.lint.rule import Remark, Rule
from rankgate.truth.lookup import Spot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.truth.lint.subject import Subject


def check(subject: Subject) -> Iterator[Remark]:
    """Name the rules that had no corpus to look in, and count the ids that have no text."""
    if subject.corpus is None:
        if subject.idle:
            found = f"no corpus, so these rules were not run: {', '.join(subject.idle)}"
            yield Remark(found, "a corpus to look in", "name it as corpus: in the suite, or with --corpus")
        return
    opaque = sum(
        isinstance(each.found, Spot)
        and each.found.strategy == "id"
        and subject.passages.document(each.found) is None
        for each in subject.wanted
    )
    if opaque and subject.idle:
        found = f"{opaque} of {len(subject.wanted)} targets that are opaque ids, of which no text is known"
        yield Remark(found, "places in the corpus", "write them as at: if they are places")


RULE = Rule("not-run", Severity.HINT, "what could not be checked, and why", check)
