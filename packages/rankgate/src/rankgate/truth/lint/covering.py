"""Targets that cover more than was judged: what lies below a heading or a class has its grade, too."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.outline import own_end
from rankgate.truth.lint.context import LintRemark, Severity, named, rule
from rankgate.truth.locations.lookup import Miss, Spot

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankgate.model import Case
    from rankgate.truth.lint.context import CaseLocation, LintContext


@dataclass(frozen=True, slots=True)
class _Whole:
    """A heading or a symbol that is meant with what lies below it."""

    written: CaseLocation
    path: str
    own: int
    """The last line of its own text."""
    end: int

    def below(self, spot: Spot) -> bool:
        """Check whether something lies below it, and none of it in its own text."""
        inside = spot.path == self.path and spot.start is not None and spot.end is not None
        return inside and self.own < (spot.start or 0) and (spot.end or 0) <= self.end


@rule(
    "inherited-grade",
    Severity.WARNING,
    "a section or symbol below a target is judged lower, and has the target's grade all the same",
    needs_corpus=True,
)
def inherited_grade(context: LintContext) -> Iterator[LintRemark]:
    """Look for targets of one case that lie below another one of it, which has a higher grade."""
    for whole, others in _wholes(context):
        target = whole.written.target
        if target is None:
            continue
        for other, spot in others:
            # What is judged irrelevant is told by contradictory-grades.
            if other.target is not None and 0 < other.target.grade < target.grade and whole.below(spot):
                found = f"'{other.location}' with the grade {other.target.grade:g} below '{target.location}' "
                found += f"of grade {target.grade:g}, which covers it"
                fix = f"write '{target.location}/.' if its own text is meant, or leave out what is below it"
                yield LintRemark(found, "one grade for a text", fix, whole.written.case)


@rule(
    "passed-from-below",
    Severity.WARNING,
    "a check of the first hits passes on a section or symbol that is judged lower, or not relevant",
    needs_corpus=True,
)
def passed_from_below(context: LintContext) -> Iterator[LintRemark]:
    """Look for `top` at a heading or symbol below which the case has something of a lower grade."""
    for whole, others in _wholes(context):
        if whole.written.target is not None or not _must_be_found(whole.written):
            continue
        best = max((one.target.grade for one, _ in others if one.target is not None), default=0.0)
        lower = [
            one
            for one, spot in others
            if one.target is not None and one.target.grade < best and whole.below(spot)
        ]
        if lower:
            location, grade = whole.written.location, lower[0].target.grade if lower[0].target else 0.0
            found = f"top: '{location}', which a hit on '{lower[0].location}' of grade {grade:g} satisfies"
            fix = f"write '{location}/.' if its own text is meant"
            yield LintRemark(found, "a check that only the answer satisfies", fix, whole.written.case)


@rule(
    "answers-another",
    Severity.HINT,
    "below the best target of a query stands what another query asks for",
    needs_corpus=True,
)
def answers_another(context: LintContext) -> Iterator[LintRemark]:
    """Look for best targets of one case that lie below those of another, which has not judged them."""
    best = _best_by_path(context)
    for whole, others in _wholes(context):
        target, case = whole.written.target, whole.written.case
        if target is None or target.grade < _highest(case):
            continue
        judged = {one.found for one, _ in others}
        foreign = [
            one
            for one, spot in best.get(whole.path, ())
            if whole.below(spot) and spot not in judged and not _alike(case, one.case)
        ]
        if foreign:
            first = foreign[0]
            more = f" and {len(foreign) - 1} more" if len(foreign) > 1 else ""
            found = f"'{target.location}', below which '{first.location}' "
            found += f"is what {named(first.case)} asks for{more}"
            fix = f"write '{target.location}/.' if only its own text answers {case.query!r:.60}"
            yield LintRemark(found, "a target whose every part answers the query", fix, case)


def _wholes(context: LintContext) -> Iterator[tuple[_Whole, Sequence[tuple[CaseLocation, Spot]]]]:
    """Return what is meant with something below it, and what else its case names in that file."""
    beside: dict[tuple[str, str], list[tuple[CaseLocation, Spot]]] = defaultdict(list)
    for each in context.case_locations:
        if isinstance(each.found, Spot) and each.found.path is not None:
            beside[each.case.id, each.found.path].append((each, each.found))
    for (_, path), located in beside.items():
        for each, spot in located:
            location = each.location
            if location.own or not (location.heading or location.symbol) or spot.end is None:
                continue
            node = context.reader.lookup.node(location)
            if isinstance(node, Miss):
                continue
            own = own_end(context.reader.lookup.nodes(path), node)
            if own < spot.end:
                yield _Whole(each, path, own, spot.end), [one for one in located if one[0] is not each]


def _best_by_path(context: LintContext) -> Mapping[str, Sequence[tuple[CaseLocation, Spot]]]:
    found: dict[str, list[tuple[CaseLocation, Spot]]] = defaultdict(list)
    for each in context.case_locations:
        spot, grade = each.found, 0.0 if each.target is None else each.target.grade
        if isinstance(spot, Spot) and spot.path is not None and 0 < grade == _highest(each.case):
            found[spot.path].append((each, spot))
    return found


def _highest(case: Case) -> float:
    return max((target.grade for target in case.targets), default=0.0)


def _alike(one: Case, other: Case) -> bool:
    return one.id == other.id or (one.group is not None and one.group == other.group)


def _must_be_found(written: CaseLocation) -> bool:
    return any(top.location == written.location and not top.never for top in written.case.top)
