"""The queries that matter on the first screen: those that broke, in one order, and those that were won."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from rankgate.gates.language import Measure
from rankgate.model import Answer, Status
from rankgate.reports.rankings import expected as ended_up
from rankgate.reports.text.marks import GOOD
from rankgate.reports.text.printable import file_line, printable
from rankgate.truth.facts.checked import FactKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankgate.gates.outcomes import Outcome
    from rankgate.gates.scored import Scored
    from rankgate.model import Case
    from rankgate.reports.evaluation.failures import Failure
    from rankgate.reports.evaluation.summary.commands import SummaryCommands
    from rankgate.reports.rankings import Expected
    from rankgate.scoring.placements import JudgedHits
    from rankgate.truth.facts.checked import CheckedFact

DEPTH = 10
"""A query is lost where its first relevant hit was among so many and is not any more; won the other way."""
MOST = 100
"""How many queries that broke are named, and how many that were won; the counts are of all."""
MISPLACED = (FactKind.MOVED, FactKind.GONE, FactKind.TEXT_CHANGED)
"""The facts that say that a target is not where, or what, it was when it was judged."""
_MESSAGE_MOST = 300


class QueryKind(StrEnum):
    """What became of a query; those that broke are told in this order."""

    TARGET = "target moved"
    """What it should find moved, changed or is gone: that is mended in the suite."""
    LOST = "lost"
    """Its first relevant hit was in the top 10 of the baseline and is not any more."""
    ERROR = "error"
    """The system did not answer."""
    NOTHING = "nothing found"
    """It returned nothing relevant."""
    CHECK = "check failed"
    """What must hold for this query does not."""
    LOW = "low"
    """It found something relevant, and a gate that failed counts it; those that cost most come first."""
    WON = "won"
    """Its first relevant hit is in the top 10, and was not in the baseline."""


@dataclass(frozen=True, slots=True)
class QueryLine:
    """One query on the first screen; of errors with one message, all of them."""

    kind: QueryKind
    """What became of it."""
    query: str
    """What was asked; of several, the first."""
    case: str
    """The id of its case."""
    where: str
    """The file and line of the case; empty where it was not read from a file."""
    count: int = 1
    """How many queries this stands for: more than one of errors alone."""
    was: int | None = None
    """The rank of its first relevant hit in the baseline; null where there was none, or no baseline."""
    now: int | None = None
    """The same now."""
    ranks: str = ""
    """Both in words, or the one there is; empty for errors."""
    expected: str = ""
    """What it should find; empty where it should find nothing."""
    first: str = ""
    """What came first instead; empty where nothing came, or the right answer did."""
    reason: str = ""
    """What is wrong: the error's message, the check or the gate that failed, where the target moved."""
    command: str = ""
    """The command that asks it again."""


class BrokenQuery(NamedTuple):
    """A query that broke."""

    kind: QueryKind
    """How."""
    outcome: Outcome
    """How its case ended."""


class QueryLines(NamedTuple):
    """All that is said of single queries."""

    broken: tuple[QueryLine, ...]
    """Those that broke and are listed, in order; errors once a message."""
    won: tuple[QueryLine, ...]
    """Those that were won, the first of them."""
    weakest: int
    """How many others fell short of the value of a gate that passed."""
    fine: int
    """How many are neither, and no known miss."""
    counts: Counter[QueryKind]
    """How many queries there are of each kind, listed or not."""
    unfound: int
    """How many of those that were lost find nothing relevant any more."""

    @property
    def named(self) -> int:
        """How many queries broke."""
        return sum(number for kind, number in self.counts.items() if kind is not QueryKind.WON)

    def of(self, kind: QueryKind) -> list[QueryLine]:
        """Return those that broke in one way and are listed."""
        return [line for line in self.broken if line.kind is kind]


def broken_queries(
    scored: Scored, ended: Sequence[Outcome], facts: Iterable[CheckedFact], costs: Mapping[str, float]
) -> list[BrokenQuery]:
    """Return the queries that broke, in the order in which they are told: by kind, the costliest first.

    Args:
        scored: What was tested, judged.
        ended: How every case ended.
        facts: What was checked.
        costs: What each case costs of the gated metric.
    """
    lost, moved = _lost(scored), _misplaced(facts)
    found = []
    for one in ended:
        kind = None if one.known is not None else _kind(one, lost, moved)
        if kind is not None:
            found.append(BrokenQuery(kind, one))
    order = list(QueryKind)
    found.sort(key=lambda one: (order.index(one.kind), -costs.get(one.outcome.case.id, 0.0)))
    return found


def query_lines(
    scored: Scored,
    ended: Sequence[Outcome],
    broken: Sequence[BrokenQuery],
    stories: Mapping[str, Failure],
    facts: Iterable[CheckedFact],
    commands: SummaryCommands,
    most: int | None = None,
) -> QueryLines:
    """Write what is said of the queries that broke and of those that were won.

    Args:
        scored: What was tested, judged.
        ended: How every case ended.
        broken: Those that broke, in order.
        stories: What is told of each that fell short and is listed, by the id of its case.
        facts: What was checked.
        commands: What names the commands.
        most: How many of those that broke are listed; None for all.
    """
    ranks, moved = _Ranks.of(scored), _misplaced(facts)
    lines: list[QueryLine] = []
    for kind in QueryKind:
        if kind is QueryKind.ERROR:
            lines += _errors([one for its, one in broken if its is kind], scored, commands)
        else:
            lines += [
                _line(kind, one, stories.get(one.case.id), ranks, moved.get(one.case.id, ""), commands)
                for its, one in broken[:most]
                if its is kind
            ]
    won = _won(scored, ended, ranks)
    placed = scored.judged_hits.only([case.id for case in won[:MOST]])
    ids = {one.case.id for _, one in broken}
    known = sum(one.known is not None for one in ended)
    weakest = sum(bool(one.reasons) and one.known is None and one.case.id not in ids for one in ended)
    return QueryLines(
        tuple(lines),
        tuple(_won_line(case, placed, ranks, commands) for case in won[:MOST]),
        weakest,
        len(ended) - len(ids) - known - weakest,
        Counter(one.kind for one in broken) + Counter({QueryKind.WON: len(won)}),
        sum(not ranks.now.get(one.case.id) for kind, one in broken if kind is QueryKind.LOST),
    )


def _kind(one: Outcome, lost: set[str], moved: Mapping[str, str]) -> QueryKind | None:
    """Return how a query broke; None where it did not, or where nothing that failed counts it."""
    if one.answer in (Answer.ERROR, Answer.TIMEOUT):
        return QueryKind.ERROR
    if one.blocks and (one.gone or one.case.id in moved):
        return QueryKind.TARGET
    if one.case.id in lost:
        return QueryKind.LOST
    if not one.blocks:
        return None
    if one.missed:
        return QueryKind.NOTHING
    return QueryKind.CHECK if one.unchecked else QueryKind.LOW


def _misplaced(facts: Iterable[CheckedFact]) -> dict[str, str]:
    """Return what became of the targets of cases, in words, by the id of the case."""
    found: dict[str, str] = {}
    for fact in facts:
        if fact.kind in MISPLACED:
            word = {FactKind.MOVED: "moved", FactKind.GONE: "gone"}.get(fact.kind, "text changed")
            details = fact.details or ("",) * len(fact.cases)
            for case, detail in zip(fact.cases, details, strict=True):
                found.setdefault(case, f"{word}: {detail}" if detail else word)
    return found


def _lost(scored: Scored) -> set[str]:
    """Return the cases whose first relevant hit is gone: from the top 10, or by a gate that failed."""
    against = scored.own_baseline
    if against is None or against.gated is None:
        return set()
    comparison = against.gated
    rows = comparison.lost(DEPTH, DEPTH)
    names = scored.scores.queries.to_list()
    found = {names[row] for row in rows.nonzero()[0].tolist()}
    for verdict in scored.verdicts:
        gate = verdict.rule
        if gate.measure is Measure.LOST and not gate.against and verdict.status is Status.FAILED:
            found |= {one.query for one in verdict.lost}
    return found


class _Ranks(NamedTuple):
    """The rank of the first relevant hit of each query; 0 where there is none."""

    before: Mapping[str, int]
    """Of those that the baseline was asked as well."""
    now: Mapping[str, int]

    @classmethod
    def of(cls, scored: Scored) -> _Ranks:
        names = scored.scores.queries.to_list()
        against = scored.own_baseline
        comparison = None if against is None else against.comparison
        if comparison is None:
            ranks = scored.judged_hits.first_relevant().tolist()
            return cls({}, dict(zip(names, ranks, strict=True)))
        both = zip(names, comparison.first_before.tolist(), comparison.shared.tolist(), strict=True)
        return cls(
            {name: rank for name, rank, shared in both if shared},
            dict(zip(names, comparison.first_after.tolist(), strict=True)),
        )

    def words(self, case: str, returned: str) -> str:
        """Return where the first relevant hit was and is."""
        now = f"rank {self.now[case]}" if self.now.get(case) else _absent(returned)
        if case not in self.before:
            return now
        was = f"rank {self.before[case]}" if self.before[case] else "not found"
        if was == now or not (self.before[case] or self.now.get(case)):
            return f"{now}, unchanged"
        return f"{was} → {now.removeprefix('rank ') if was.startswith('rank ') else now}"


def _absent(returned: str) -> str:
    number = returned.partition(" ")[0]
    return "no hits" if number == "0" else f"not in the top {number}"


def _line(
    kind: QueryKind,
    one: Outcome,
    story: Failure | None,
    ranks: _Ranks,
    moved: str,
    commands: SummaryCommands,
) -> QueryLine:
    case = one.case
    wanted = () if story is None else story.expected
    hits = () if story is None else story.hits
    first = hits[0].location if hits and hits[0].mark != GOOD else ""
    words = "" if case.expect_empty else ranks.words(case.id, "0 hits" if story is None else story.returned)
    return QueryLine(
        kind=kind,
        query=printable(case.query),
        case=printable(case.id),
        where=file_line(case.where),
        was=ranks.before.get(case.id) or None,
        now=ranks.now.get(case.id) or None,
        ranks=words,
        expected=expected_words(wanted),
        first=first,
        reason=printable(moved)
        if kind is QueryKind.TARGET and moved
        else printable("; ".join(one.counted), _MESSAGE_MOST),
        command=commands.ask(case.id),
    )


def expected_words(wanted: Sequence[Expected]) -> str:
    """Return what a query should find: the one that is found first, or else the first, and how many others.

    Where the first hit is right already, the one that is worst is what a gate counts.
    """
    if not wanted:
        return ""
    found = [one for one in wanted if one.rank is not None]
    best = min(found, key=lambda one: one.rank or 0, default=wanted[0])
    if best.rank == 1:
        best = max(wanted, key=lambda one: float("inf") if one.rank is None else one.rank)
    more = len(wanted) - 1
    return f"{best.location} and {more} more" if more else best.location


def _errors(some: Sequence[Outcome], scored: Scored, commands: SummaryCommands) -> list[QueryLine]:
    """Return one line for each message, the most frequent first."""
    groups: dict[str, list[Case]] = {}
    shown: dict[str, str] = {}
    for one in some:
        answer = scored.answers.get(one.case.id)
        said = " ".join(((answer.error if answer else None) or "").split())
        said = said or ("timed out" if one.answer is Answer.TIMEOUT else "no answer")
        key = message_key(said, one.case)
        groups.setdefault(key, []).append(one.case)
        shown.setdefault(key, printable(said, _MESSAGE_MOST))
    return [
        QueryLine(
            kind=QueryKind.ERROR,
            query=printable(cases[0].query),
            case=printable(cases[0].id),
            where=file_line(cases[0].where),
            count=len(cases),
            reason=shown[key],
            command=commands.ask(cases[0].id),
        )
        for key, cases in sorted(groups.items(), key=lambda pair: -len(pair[1]))
    ]


def message_key(message: str, case: Case) -> str:
    """Return what messages about the same fault share: neither the query nor figures such as times and ports.

    >>> from rankgate.model import Case
    >>> message_key("'rotate' timed out after 2.03 s", Case("a", "rotate"))
    "'…' timed out after # s"
    """
    for own in sorted({case.query, case.id} - {""}, key=len, reverse=True):
        message = re.sub(rf"(?<!\w){re.escape(own)}(?!\w)", "…", message)
    return re.sub(r"\d+(?:\.\d+)?", "#", message)


def _won(scored: Scored, ended: Sequence[Outcome], ranks: _Ranks) -> list[Case]:
    """Return the cases that are found now and were not in the baseline, the first hits first."""

    def good(rank: int) -> bool:
        return 0 < rank <= DEPTH

    against = scored.own_baseline
    if against is None or against.comparison is None:
        return []
    # What could not be placed in the documents of today had no rank that anybody knows.
    out = set(scored.scores.queries.filter(against.comparison.left_out.tolist()))
    cases = [
        one.case
        for one in ended
        if one.case.id in ranks.before
        and one.case.id not in out
        and good(ranks.now.get(one.case.id, 0))
        and not good(ranks.before[one.case.id])
    ]
    return sorted(cases, key=lambda case: ranks.now[case.id])


def _won_line(case: Case, placed: JudgedHits, ranks: _Ranks, commands: SummaryCommands) -> QueryLine:
    return QueryLine(
        kind=QueryKind.WON,
        query=printable(case.query),
        case=printable(case.id),
        where=file_line(case.where),
        was=ranks.before[case.id] or None,
        now=ranks.now[case.id],
        ranks=ranks.words(case.id, ""),
        expected=expected_words(ended_up(case, placed, 0)),
        command=commands.ask(case.id),
    )
