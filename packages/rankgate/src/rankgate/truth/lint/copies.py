"""Copies of pages that a suite declares: how many of its targets they have, and which they lack."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from rankgate.model.wording import many
from rankgate.truth.lint.context import LintRemark, Severity, rule
from rankgate.truth.locations.copies import PageCopies
from rankgate.truth.locations.lookup import Spot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.truth.lint.context import CaseLocation, LintContext
    from rankgate.truth.locations.copies import LocationCopy

_SHOWN = 3
"""How many copies a line names."""


@rule(
    "no-copies",
    Severity.WARNING,
    "no two files of the corpus are the copies that are declared",
    needs_corpus=True,
)
def no_copies(context: LintContext) -> Iterator[LintRemark]:
    """Name the declarations of which every page has one file at most."""
    pages = PageCopies(context.suite.copies, context.corpus).pages
    for number, (patterns, found) in enumerate(zip(context.suite.copies, pages, strict=True)):
        if all(len(files) < 2 for files in found.values()):
            fit = many(len(found), "file fits", "files fit")
            said = f"no page of two files for copies[{number}] {', '.join(patterns)} ({fit})"
            fix = "correct the pattern: {page} is what copies have in common"
            yield LintRemark(said, "files that are copies of each other", fix)


@rule(
    "copies",
    Severity.HINT,
    "how many targets have copies, and in how many of them they are",
    needs_corpus=True,
)
def copies(context: LintContext) -> Iterator[LintRemark]:
    """Count the targets in pages that have copies, in one line."""
    found = list(_copies(context))
    if found:
        there = sum(isinstance(copy.found, Spot) for _, copy in found)
        targets = many(len({id(each) for each, _ in found}), "target")
        said = f"{there} of {many(len(found), 'copy', 'copies')} of {targets} in declared copies of pages"
        yield LintRemark(said, "each target in every copy of its page")


@rule("missing-copy", Severity.HINT, "a copy of a page does not have what a target names", needs_corpus=True)
def missing_copy(context: LintContext) -> Iterator[LintRemark]:
    """Name the targets that some copies of their page lack, each with the first of these."""
    for each, group in groupby(_copies(context), key=lambda pair: pair[0]):
        missed = [copy.path for _, copy in group if not isinstance(copy.found, Spot)]
        if missed:
            more = f" and {len(missed) - _SHOWN} more" if len(missed) > _SHOWN else ""
            said = f"'{each.location}' not found in {', '.join(missed[:_SHOWN])}{more}"
            what = (
                "the same text" if each.location.lines is not None else "the same heading, symbol or passage"
            )
            fix = "a hit there earns nothing; name what corresponds to it in any_of"
            yield LintRemark(said, what, fix, each.case)


def _copies(context: LintContext) -> Iterator[tuple[CaseLocation, LocationCopy]]:
    """Go through the copies of all targets that copies count for."""
    if not context.suite.copies:
        return
    pages = PageCopies(context.suite.copies, context.corpus)
    for each in context.case_locations:
        if each.target is not None and each.target.grade > 0 and isinstance(each.found, Spot):
            for copy in pages.find(each.location, each.found, context.reader.lookup):
                yield each, copy
