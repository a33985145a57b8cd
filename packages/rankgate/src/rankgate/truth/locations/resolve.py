"""From a suite and its corpus to judgments: every target becomes an id, a file, or lines of a file.

Everything that a suite names is looked up before any of it is refused. A target that the corpus does not have
any more is gone (`rankgate.truth.gone`): it stays among the judgments, where no hit reaches it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError, Problem
from rankgate.io.problems import SHOWN
from rankgate.model import Top
from rankgate.outline import needed_extra
from rankgate.suites.asked_suite import is_gating
from rankgate.truth.gone import GoneLocation
from rankgate.truth.judgments.checks import GONE
from rankgate.truth.judgments.table import CASES, TARGETS, Judgments, case_row, target_row
from rankgate.truth.labelled import labelled_rows
from rankgate.truth.locations.lookup import Lookup, Miss, MissReason, Spot, is_gone, why_gone
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.locations import Location
    from rankgate.model import Case, Suite, Target


class LocationIndex:
    """Looks locations up and keeps what was missed until all have been looked at."""

    def __init__(self, corpus: Corpus | None) -> None:
        self.lookup = Lookup(corpus)
        """What finds them."""
        self._corpus = corpus
        # A location that one owner names twice, such as a target that is also a `top`, is told once.
        self._missed: dict[tuple[str, Location], tuple[str, Miss]] = {}
        self._wrong: list[Problem] = []

    def find(self, owner: str, where: str, location: Location) -> Spot | None:
        """Find one location; None where it is not there, or not only once.

        Args:
            owner: What names it, such as ``case rotate``.
            where: The file, line and column that names it, where they are known.
            location: What to find.
        """
        found = self.lookup.find(location)
        if isinstance(found, Spot):
            return found
        self._missed[owner, location] = (where or owner, found)
        return None

    def tops(self, owner: str, where: str, tops: Iterable[Top]) -> tuple[ResolvedTop, ...]:
        """Find what must be among the first hits; what is not there is left out."""
        found = (resolved_top(top, self.find(owner, where, top.location)) for top in tops)
        return tuple(each for each in found if each is not None)

    def wrong(self, problem: Problem) -> None:
        """Keep something else that is wrong."""
        self._wrong.append(problem)

    def check(self, suite: str) -> None:
        """Raise an error if a location of a suite, named by its file, is wrong. A missing one is none.

        Raises:
            InputError: with every wrong location, where it was written. If outlines need an extra that is
                not installed, the error is only about the extra.
        """
        self._check_extras(suite)
        missed = [
            (where, location, miss)
            for (_, location), (where, miss) in self._missed.items()
            if not self._is_gone(location, miss)
        ]
        # Near misses take long to find in a large corpus, so only those that are told are looked for.
        problems = [
            Code.TARGET_NOT_FOUND(where, *self.lookup.explain(location, miss))
            for where, location, miss in missed[:SHOWN]
        ]
        refuse(suite, [*problems, *self._wrong], len(missed) + len(self._wrong))

    def _check_extras(self, suite: str) -> None:
        """Raise an error if outlines need an extra that is not installed."""
        needed = Counter(
            needed_extra(str(location.path))
            for (_, location), (_, miss) in self._missed.items()
            if miss.why is MissReason.NO_EXTRA
        )
        problems = []
        for (extra, kind), targets in needed.items():
            sentence = f"{suite}: the outline of {kind} files needs an extra ({many(targets, 'target')})"
            fix = f"pip install 'rankgate[{extra}]'"
            found = f"{many(targets, 'target')} in {kind} files"
            problems.append(Code.MISSING_EXTRA(suite, found, f"rankgate[{extra}]", fix, sentence))
        if problems:
            raise InputError(problems)

    def _is_gone(self, location: Location, miss: Miss) -> bool:
        return is_gone(location, miss, self._corpus)

    def gone(self) -> dict[tuple[str, Location], GoneLocation]:
        """Return what was missed and is gone, by what names it and its location."""
        found: dict[tuple[str, Location], GoneLocation] = {}
        for (owner, location), (where, miss) in self._missed.items():
            if self._is_gone(location, miss):
                # Near misses take long to find, and nobody reads the hundredth.
                likely = self.lookup.explain(location, miss, near=len(found) < SHOWN)[2]
                why = why_gone(location, miss, self._corpus)
                written = "" if where == owner else where
                found[owner, location] = GoneLocation(owner, written, str(location), why, likely)
        return found


def refuse(suite: str, problems: Sequence[Problem], count: int) -> None:
    """Raise the first problems of a suite, and say how many more there are; nothing where there are none.

    Raises:
        InputError: with the first `SHOWN` of them.
    """
    if not problems:
        return
    shown = list(problems[:SHOWN])
    if more := count - len(shown):
        shown.append(
            Code.TARGET_NOT_FOUND(suite, f"{more} more problems", "none", f"correct the first {SHOWN}")
        )
    raise InputError(shown)


@dataclass(frozen=True, slots=True)
class ResolvedTop:
    """A check of the first hits, with the location of what must be among them."""

    top: Top
    """The check as it was written."""
    id: str | None = None
    """The opaque id; None for a location in a file."""
    path: str | None = None
    """The file; None for an id."""
    start: int | None = None
    """The first line; None for an id or a whole file."""
    end: int | None = None
    """The last line, included."""
    start_char: int | None = None
    """The first character of a quote; None for everything else."""
    end_char: int | None = None
    """Where the quote ends: the first character behind it."""
    copies: tuple[ResolvedTop, ...] = ()
    """The alternatives: other occurrences of a quote, and other targets of an `any_of` group."""


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """What a suite says, with every location resolved."""

    judgments: Judgments
    """The targets and the cases, for scoring."""
    tops: Mapping[str, tuple[ResolvedTop, ...]]
    """The checks of the first hits, by case; cases without one are not in it."""
    counts: Mapping[str, int]
    """How many targets were found how: id, path, lines, heading, symbol, quote; and how many are gone."""
    gone: tuple[GoneLocation, ...] = ()
    """The locations that the corpus does not have any more."""
    notes: tuple[str, ...] = ()
    """Which labels do not count, in words and with counts."""


def resolve(suite: Suite, corpus: Corpus | None) -> Truth:
    """Find every target and every `top` of a suite.

    Without a corpus, ids, paths and lines are taken as they are written. Alternatives keep their group: they
    count once, whichever is found. A passage in several places is a group of these. What is gone is among the
    targets that should be found and has no location.

    Raises:
        InputError: with every location that is wrong or not unique, where its case was written.
    """
    index = LocationIndex(corpus)
    rows = [row for case in suite.cases for row in _rows(case, index)]
    tops = {
        case.id: (*_target_tops(case, index), *index.tops(_owner(case), case.where, case.top))
        for case in suite.cases
    }
    index.check(suite.path or f"suite {suite.name}")
    labelled = labelled_rows(suite, corpus)
    written = {_place(row) for row in rows}
    judgments = Judgments.of(
        TARGETS.of_rows([*rows, *(row for row in labelled.rows if _place(row) not in written)]),
        CASES.of_rows([case_row(case) for case in suite.cases]),
        where=suite.path or f"suite {suite.name}",
        matching=suite.matching,
        max_grade=suite.max_grade,
        no_relevant=suite.no_relevant,
        suite=suite.fingerprint,
        corpus=None if corpus is None else corpus.fingerprint,
    )
    lost = index.gone()
    return Truth(
        judgments,
        {case: found for case, found in tops.items() if found},
        dict(Counter(str(row["strategy"]) for row in rows)),
        tuple(_of_case(suite, lost)),
        labelled.notes,
    )


def _place(row: Mapping[str, object]) -> tuple[object, ...]:
    """Return what two rows share that speak of one location; the suite's own comes before a label."""
    return tuple(row[name] for name in ("query", "id", "path", "start", "end"))


def _of_case(suite: Suite, gone: Mapping[tuple[str, Location], GoneLocation]) -> Iterator[GoneLocation]:
    """Say of which case each is, and whether anything depends on it."""
    cases = {_owner(case): case for case in suite.cases}
    for (owner, location), one in gone.items():
        case = cases[owner]
        relevant = {
            target.location for target in case.targets if target.grade > 0 and is_gating(target, suite)
        }
        checked = {top.location for top in case.top}
        yield replace(one, case=case.id, counts=location in relevant | checked)


def _owner(case: Case) -> str:
    return f"case {case.id}"


def _rows(case: Case, index: LocationIndex) -> Iterator[dict[str, object]]:
    """Return the targets of a case as rows: at each of their places, or nowhere where they are gone."""
    found = [(target, index.find(_owner(case), case.where, target.location)) for target in case.targets]
    gone: set[Location] = set()
    for target, spot in found:
        if spot is None:
            # What is gone is expected all the same; what is not relevant would be expected of nobody.
            if target.grade > 0 and target.location not in gone:
                gone.add(target.location)
                yield target_row(case, target, GONE)
            continue
        for each, place in _alternatives(case, target, spot.every):
            yield target_row(case, each, place.strategy, **place.fields())


def _alternatives(case: Case, target: Target, spots: Sequence[Spot]) -> Iterator[tuple[Target, Spot]]:
    """Return a target at each of its places, of which any will do."""
    if len(spots) > 1 and target.group is None:
        taken = {each.group for each in case.targets}
        at = case.targets.index(target) + 1
        target = replace(target, group=next(one for one in _names(f"quote-{at}") if one not in taken))
    yield from ((target, spot) for spot in spots)


def _names(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def resolved_top(top: Top, spot: Spot | None) -> ResolvedTop | None:
    """Put a check of the first hits beside where its location was found; None where it was not."""
    if spot is None:
        return None
    first, *others = (ResolvedTop(top, **each.fields()) for each in spot.every)
    return replace(first, copies=tuple(others))


def _target_tops(case: Case, index: LocationIndex) -> Iterator[ResolvedTop]:
    """Yield a check for each relevant target of a case, and one for each `any_of` group."""
    if case.targets_within is None:
        return
    units: dict[object, list[ResolvedTop]] = {}
    for number, target in enumerate(case.targets):
        spot = index.find(_owner(case), case.where, target.location) if target.grade > 0 else None
        top = resolved_top(Top(target.location, case.targets_within), spot)
        if top is not None:
            unit = units.setdefault(number if target.group is None else target.group, [])
            unit += [top, *top.copies]
    for first, *others in units.values():
        yield replace(first, copies=tuple(others))
