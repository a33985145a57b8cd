"""The queries that fell short: what was expected, where it ended up, and what came first instead."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import filterfalse
from typing import TYPE_CHECKING, NamedTuple

from rankgate.gates.scored import AnswerSummary
from rankgate.model import Answer
from rankgate.model.wording import many
from rankgate.reports.rankings import FEW, Expected, expected, hit_mark, hit_note, shown_hit
from rankgate.reports.text.marks import BAD, DOUBTFUL, Mark, Unmarked
from rankgate.reports.text.printable import columns, file_line, printable
from rankgate.runs.store.hits import read_hits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankgate.gates.outcomes import Outcome
    from rankgate.gates.scored import Scored
    from rankgate.model import Case
    from rankgate.model.wording import TitleOf
    from rankgate.runs.store.hits import HitRow
    from rankgate.scoring.placements import JudgedHits

HITS_SHOWN = 5
"""How many hits of a failed query are shown."""
_REASON_MOST = 300
_WEAK = "•"


@dataclass(frozen=True, slots=True)
class ShownHit:
    """One hit of a failed query."""

    rank: int
    """Its rank, from 1."""
    location: str
    """Where it points."""
    mark: Mark | Unmarked
    """Found what was expected, wrong by judgment, or empty where nobody has judged it."""
    note: str = ""
    """What it is worth: its grade, or that it earns nothing again; empty where it is unjudged."""

    @property
    def judged(self) -> str:
        """The mark with what it means."""
        return f"{self.mark} {self.note}".strip()


@dataclass(frozen=True, slots=True)
class Failure:
    """A query that fell short."""

    case: str
    """The case's id."""
    query: str
    """What was asked."""
    where: str
    """The file and line of the case; empty where it was not read from a file."""
    mark: Mark
    """❌ where it is part of why the run failed, ⚠️ where it is not."""
    errored: bool
    """True where the system did not answer."""
    reasons: tuple[str, ...]
    """What is wrong, in words."""
    expected: tuple[Expected, ...]
    """What should have been found."""
    hits: tuple[ShownHit, ...]
    """What came first."""
    returned: str
    """How many hits there were, in words."""
    filters: str = ""
    """The facets it was asked with."""
    gone: bool = False
    """True where all that it should find is gone from the documents, so that it is not scored."""

    @property
    def blocks(self) -> bool:
        """True where it is part of why the run failed."""
        return self.mark == BAD

    def explain(self) -> str:
        """Return the whole story in a few lines."""
        name = f"{self.case}, {self.where}" if self.where else self.case
        # What is merely weak asks for nothing: a warning sign would.
        lines = [f"{BAD if self.blocks else _WEAK} {self.query}", f"   {name}"]
        lines += [f"   - {reason}" for reason in self.reasons]
        if self.filters:
            lines.append(f"   asked with {self.filters}")
        if self.expected:
            width = max(columns(one.location) for one in self.expected)
            lines.append("   expected")
            for one in self.expected:
                lines.append(f"     {one.location}{' ' * (width - columns(one.location))}  {one.ended}")
        if self.hits:
            lines.append(f"   top {len(self.hits)} of {self.returned}")
            digits = len(str(self.hits[-1].rank))
            lines += [
                f"     {hit.rank:>{digits}}  {hit.location}  {hit.judged}".rstrip() for hit in self.hits
            ]
        return "\n".join(lines)


class FailureSection(NamedTuple):
    """Some of the queries that fell short, for the long form."""

    title: str
    """What they are, with their number."""
    failures: tuple[Failure, ...]
    """Their stories, of those that are listed."""
    left_out: int = 0
    """How many others there are."""

    def __bool__(self) -> bool:
        """Whether it has any, listed or not."""
        return bool(self.failures or self.left_out)


def broken_and_weakest(
    stories: Sequence[Failure], broke: Iterable[str], left_out: tuple[int, int]
) -> tuple[FailureSection, FailureSection]:
    """Return the queries that broke, in the order of the first screen, and those that merely fell short.

    Args:
        stories: All that fell short.
        broke: The cases that broke, by their ids, in the order of the first screen.
        left_out: How many of both are not among the stories.
    """
    order = {case: at for at, case in enumerate(broke)}
    failures = sorted(stories, key=lambda one: order.get(one.case, len(order)))

    def is_broken(one: Failure) -> bool:
        return one.case in order or one.blocks or one.errored

    broken, weakest = tuple(filter(is_broken, failures)), tuple(filterfalse(is_broken, failures))
    numbers = len(broken) + left_out[0], len(weakest) + left_out[1]
    return (
        FailureSection(many(numbers[0], "query that broke", "queries that broke"), broken, left_out[0]),
        FailureSection(many(numbers[1], "weakest query", "weakest queries"), weakest, left_out[1]),
    )


def told_once(failures: Sequence[Failure]) -> list[tuple[Failure, str]]:
    """Return the failures; of those with one and the same error only the first, with how many more."""
    same = Counter(failure.reasons for failure in failures if failure.errored)
    told: set[tuple[str, ...]] = set()
    found: list[tuple[Failure, str]] = []
    for failure in failures:
        if not failure.errored:
            found.append((failure, ""))
        elif failure.reasons not in told:
            told.add(failure.reasons)
            others = same[failure.reasons] - 1
            more = many(others, "more query", "more queries") if others else ""
            found.append((failure, f"and {more} with the same error" if more else ""))
    return found


def failures(short: Sequence[Outcome], scored: Scored) -> tuple[Failure, ...]:
    """Return the story of every outcome that fell short, in their order."""
    names = [outcome.case.id for outcome in short]
    hits, placed = read_hits(scored.run, names, HITS_SHOWN), scored.judged_hits.only(names)
    return tuple(_failure(one, scored, placed, hits.get(one.case.id, ())) for one in short)


def _failure(
    outcome: Outcome,
    scored: Scored,
    placed: JudgedHits,
    hits: Iterable[HitRow],
) -> Failure:
    case, titles = outcome.case, scored.titles
    about = scored.answers.get(case.id, AnswerSummary(None, 0, None))
    errored = outcome.answer in (Answer.ERROR, Answer.TIMEOUT)
    return Failure(
        case=printable(case.id),
        query=printable(case.query),
        where=file_line(case.where),
        mark=BAD if outcome.blocks else DOUBTFUL,
        errored=errored,
        reasons=tuple(printable(reason, _REASON_MOST) for reason in outcome.reasons),
        expected=() if errored else expected(case, placed, about.hits, titles),
        hits=() if errored else tuple(_shown(case, placed, hit, titles) for hit in hits),
        returned=many(about.hits, "hit"),
        filters=filters_text(case),
        gone=outcome.gone,
    )


def filters_text(case: Case) -> str:
    """Write the facets that a case is asked with."""
    return ", ".join(
        printable(f"{key}={value if isinstance(value, str) else '|'.join(value)}")
        for key, value in case.filters.items()
    )


def _shown(case: Case, placed: JudgedHits, hit: HitRow, titles: TitleOf) -> ShownHit:
    mark, note = hit_mark(case, placed, hit.rank), hit_note(case, placed, hit.rank)
    return ShownHit(hit.rank, printable(shown_hit(hit, titles)), mark, note)


ABOVE = 3
"""How many hits above the first that was expected are shown."""
EXPECTED = 5
"""How many of those expected are shown."""
_NOWHERE = "–"
_WIDEST = 60


def ranking_rows(failure: Failure, looked_for: Mapping[str, int | None] | None = None) -> list[str]:
    """Lay the ranking of a query out, a line a hit, with arrows at what was expected.

    Locations that were looked for, with their ranks, are shown as well.

    >>> from rankgate.reports.rankings import Expected
    >>> from rankgate.reports.evaluation.failures import Failure, ShownHit
    >>> hits = (ShownHit(1, "sso.md:1-9", ""), ShownHit(2, "keys.md:4-20", "✅"))
    >>> wanted = Expected("keys.md#Rotation", "rank 2", 2, "✅"), Expected("api.md", "not found", None, "❌")
    >>> rows = ranking_rows(Failure("c", "rotate", "", "❌", False, (), wanted, hits, "9 hits"))
    >>> for row in rows:
    ...     print(row)
    1  sso.md:1-9
    2  keys.md#Rotation  ← expected
    –  api.md            ← expected, not found
    """
    wanted = sorted(failure.expected, key=_rank)
    marked = [*wanted[:EXPECTED], *_others(failure, looked_for or {})]
    first = min((one.rank for one in marked if one.rank is not None), default=None)
    before = [hit for hit in failure.hits if first is None or hit.rank < first]
    rows = [_hit(hit) for hit in before[:ABOVE]]
    if first is not None and first - 1 > len(rows):
        rows.append(("…", many(first - 1 - len(rows), "more hit"), ""))
    rows += [_marked(one, expected=one in failure.expected) for one in sorted(marked, key=_rank)]
    if len(wanted) > EXPECTED:
        rows.append(("", f"and {len(wanted) - EXPECTED} more expected", ""))
    if not rows and not failure.errored:
        rows.append((_NOWHERE, "no hits at all", ""))
    return _aligned(rows)


def _rank(one: Expected) -> float:
    return float("inf") if one.rank is None else one.rank


def _others(failure: Failure, locations: Mapping[str, int | None]) -> list[Expected]:
    known = {one.location.partition(" (")[0] for one in failure.expected}
    return [
        Expected(printable(location), FEW[0] if rank is None else f"rank {rank}", rank, "")
        for location, rank in locations.items()
        if location not in known
    ]


def _hit(hit: ShownHit) -> tuple[str, str, str]:
    return str(hit.rank), hit.location, "← not wanted" if hit.mark == BAD else ""


def _marked(one: Expected, *, expected: bool) -> tuple[str, str, str]:
    arrow = "← expected" if expected else "← looked for"
    if one.rank is not None:
        return str(one.rank), one.location, arrow + one.ended.removeprefix(f"rank {one.rank}")
    # The hit that is the only one stands in the line above.
    return _NOWHERE, one.location, f"{arrow}, {'not found' if one.ended in FEW else one.ended}"


def _aligned(rows: Iterable[tuple[str, str, str]]) -> list[str]:
    rows = list(rows)
    digits = max((len(rank) for rank, _, _ in rows), default=0)
    width = min(_WIDEST, max((columns(location) for _, location, mark in rows if mark), default=0))
    return [
        f"{rank:>{digits}}  {location}{' ' * (width - columns(location))}  {mark}".rstrip()
        for rank, location, mark in rows
    ]
