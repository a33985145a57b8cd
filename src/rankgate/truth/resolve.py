"""From a suite and its corpus to judgments: every target becomes an id, a file, or lines of a file."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.truth.judgments import CASES, TARGETS, Judgments, case_row
from rankgate.truth.seeking import Seeking

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.corpora.corpus import Corpus
    from rankgate.model.places import Location
    from rankgate.model.suite import Case, Suite, Target, Top
    from rankgate.truth.lookup import Spot


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
    seeking = Seeking(corpus)
    rows = [
        _target_row(case, target, spot)
        for case in suite.cases
        for target in case.targets
        if (spot := _find(case, target.location, seeking)) is not None
    ]
    tops = {case.id: _tops(case, seeking) for case in suite.cases if case.top}
    seeking.check(suite)
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


def _tops(case: Case, seeking: Seeking) -> tuple[ResolvedTop, ...]:
    found = [resolved_top(top, _find(case, top.location, seeking)) for top in case.top]
    return tuple(each for each in found if each is not None)


def resolved_top(top: Top, spot: Spot | None) -> ResolvedTop | None:
    """Put a check of the first hits beside where its place was found; None where it was not."""
    return None if spot is None else ResolvedTop(top, spot.id, spot.path, spot.start, spot.end)


def _find(case: Case, location: Location, seeking: Seeking) -> Spot | None:
    return seeking.find(f"case {case.id}", case.where, location)


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
