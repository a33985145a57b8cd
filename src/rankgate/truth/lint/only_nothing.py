"""Globs of `only` that no document of the corpus fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.model.globs import matches
from rankgate.truth.lint.finding import Severity
from rankgate.truth.lint.rule import Remark, Rule
from rankgate.truth.lint.subject import quoted
from rankgate.truth.probe_places import invariant_owner

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.truth.lint.subject import Subject


def check(subject: Subject) -> Iterator[Remark]:
    """Try every glob on the names of the documents."""
    if subject.corpus is None:
        return
    for invariant in subject.suite.invariants:
        for glob in invariant.only:
            if not any(matches(path, glob) for path in subject.corpus.paths()):
                found = f"only: {quoted(glob)}, which no document of the corpus fits"
                fix = "paths are those of the corpus; docs/** is all below docs, **/*.md every Markdown file"
                where = subject.place(invariant.where, invariant_owner(invariant))
                yield Remark(found, "a glob of one document or more", fix, where=where)


RULE = Rule(
    "only-nothing",
    Severity.ERROR,
    "a glob of `only` fits no document of the corpus",
    check,
    needs_corpus=True,
)
