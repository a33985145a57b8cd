"""From a suite and its corpus to judgments: every target becomes an id, a file, or lines of a file."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem
from rankgate.files.problems import SHOWN
from rankgate.truth.judgments import CASES, TARGETS, Judgments, case_row
from rankgate.truth.lookup import Lookup, Miss, Spot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.corpora.corpus import Corpus
    from rankgate.model.places import Location
    from rankgate.model.suite import Case, Suite, Target, Top


@dataclass(frozen=True, slots=True)
class ResolvedTop:
    """A check of the first hits, with the place of what must be among them."""

    top: Top
    """The check as it was written."""
    id: str | None = None
    """The opaque id; None for a place."""
    path: str | None = None
    """The file; None for an id."""
    start: int | None = None
    """The first line; None for an id or a whole file."""
    end: int | None = None
    """The last line, included."""


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """What a suite says, with every place resolved."""

    judgments: Judgments
    """The targets and the cases, for scoring."""
    tops: Mapping[str, tuple[ResolvedTop, ...]]
    """The checks of the first hits, by case; cases without one are not in it."""
    counts: Mapping[str, int]
    """How many targets were found how: id, path, lines, heading, symbol."""


def resolve(suite: Suite, corpus: Corpus | None) -> Truth:
    """Find every target and every `top` of a suite in its corpus.

    Without a corpus, ids, paths and paths with lines are taken as they are.

    Raises:
        InputError: with every target that is not there or not unique, where its case was written.
    """
    finding = _Finding(corpus)
    rows = [
        _target_row(case, target, spot)
        for case in suite.cases
        for target in case.targets
        if (spot := finding.find(case, target.location)) is not None
    ]
    tops = {case.id: finding.tops(case) for case in suite.cases if case.top}
    finding.check(suite)
    judgments = Judgments.of(
        TARGETS.of_rows(rows),
        CASES.of_rows([case_row(case) for case in suite.cases]),
        where=suite.path or f"suite {suite.name}",
        matching=suite.matching,
        max_grade=suite.max_grade,
        suite=suite.fingerprint,
        corpus=None if corpus is None else corpus.fingerprint,
    )
    return Truth(judgments, tops, dict(Counter(str(row["strategy"]) for row in rows)))


class _Finding:
    """Looks places up and keeps what was missed until all have been looked at."""

    def __init__(self, corpus: Corpus | None) -> None:
        self._lookup = Lookup(corpus)
        self._missed: list[tuple[Case, Location, Miss]] = []

    def find(self, case: Case, location: Location) -> Spot | None:
        found = self._lookup.find(location)
        if isinstance(found, Spot):
            return found
        self._missed.append((case, location, found))
        return None

    def tops(self, case: Case) -> tuple[ResolvedTop, ...]:
        found = [(top, self.find(case, top.location)) for top in case.top]
        return tuple(
            ResolvedTop(top, spot.id, spot.path, spot.start, spot.end)
            for top, spot in found
            if spot is not None
        )

    def check(self, suite: Suite) -> None:
        # A target that is also a `top` would be told twice.
        missed = list(
            {(case.id, location): (case, location, miss) for case, location, miss in self._missed}.values()
        )
        if not missed:
            return
        # Near misses take long to find in a large corpus, so only those that are told are looked for.
        problems = [
            Problem(case.where or f"case {case.id}", *self._lookup.explain(location, miss))
            for case, location, miss in missed[:SHOWN]
        ]
        if (more := len(missed) - SHOWN) > 0:
            where = suite.path or f"suite {suite.name}"
            problems.append(Problem(where, f"{more} more problems", "none", f"correct the first {SHOWN}"))
        raise InputError(problems)


def _target_row(case: Case, target: Target, spot: Spot) -> dict[str, object]:
    return {
        "query": case.id,
        "target": 0,
        "group": target.group,
        "grade": float(target.grade),
        "id": spot.id,
        "path": spot.path,
        "start": spot.start,
        "end": spot.end,
        "strategy": spot.strategy,
        "source": target.source,
        "reviewed": target.reviewed,
        "matches": target.matches,
    }
