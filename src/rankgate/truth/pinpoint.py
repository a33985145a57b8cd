"""A suite whose headings and symbols have become lines, so that any format can hold them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.errors import Problem
from rankgate.files.problems import Problems
from rankgate.model.places import Lines, Location
from rankgate.truth.lookup import Lookup, Miss

if TYPE_CHECKING:
    from rankgate.corpora.corpus import Corpus
    from rankgate.model.suite import Case, Suite


def needs_a_corpus(suite: Suite) -> bool:
    """Tell whether a suite names headings or symbols."""
    return any(
        _named(location)
        for case in suite.cases
        for location in [*(target.location for target in case.targets), *(top.location for top in case.top)]
    )


def pinpointed(suite: Suite, corpus: Corpus | None) -> Suite:
    """Turn every heading and symbol into lines, and note how many there were.

    Raises:
        FormatError: with every one that is not in the corpus or not unique.
    """
    lookup = Lookup(corpus)
    problems = Problems(suite.path or f"suite {suite.name}")
    count = 0

    def lines_of(case: Case, location: Location) -> Location:
        nonlocal count
        if not _named(location):
            return location
        spot = lookup.find(location)
        if isinstance(spot, Miss):
            problems.add(Problem(case.where or f"case {case.id}", *lookup.explain(location, spot)))
            return location
        count += 1
        return Location(path=spot.path, lines=Lines(spot.start or 1, spot.end or 1))

    cases = tuple(
        replace(
            case,
            targets=tuple(
                replace(target, location=lines_of(case, target.location)) for target in case.targets
            ),
            top=tuple(replace(top, location=lines_of(case, top.location)) for top in case.top),
        )
        for case in suite.cases
    )
    problems.check()
    said = f"{count} headings and symbols became the lines they stand for"
    return replace(suite, cases=cases, notes=(*suite.notes, said)) if count else suite


def _named(location: Location) -> bool:
    return bool(location.heading) or location.symbol is not None
