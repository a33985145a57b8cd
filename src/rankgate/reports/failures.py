"""The queries that fell short: what was expected, where it ended up, and what came first instead."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

import polars as pl

from rankgate.model import Answer
from rankgate.model.wording import many
from rankgate.reports.printable import columns, printable
from rankgate.scoring.placements import reaches

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankgate.gates.outcomes import Outcome
    from rankgate.model import Case
    from rankgate.runs.tables import Run
    from rankgate.truth.judgments import Judgments

Mark: TypeAlias = Literal["✅", "⚠️", "❌"]
Unmarked: TypeAlias = Literal[""]
GOOD: Final = "✅"
DOUBTFUL: Final = "⚠️"
BAD: Final = "❌"
HITS_SHOWN = 5
"""How many hits of a failed query are shown."""
_REASON_MOST = 300
_ANSWER_MOST = 120
FEW = ("no hits at all", "not the only hit")
"""How a place ended up where there are no hits, and where there is one."""
_PLACE = re.compile(r"(?P<file>.*?):(?P<line>\d+)(?::\d+)?\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Expected:
    """One place that should have been found."""

    place: str
    """As the suite names it, with its grade where it has another than 1."""
    ended: str
    """Where it ended up, in words."""
    rank: int | None
    """Its rank; None where no hit reached it."""
    mark: Mark | Unmarked
    """Whether it was found; empty where another of its group was."""


@dataclass(frozen=True, slots=True)
class ShownHit:
    """One hit of a failed query."""

    rank: int
    """Its rank, from 1."""
    place: str
    """Where it points."""
    mark: Mark | Unmarked
    """Found what was expected, wrong by judgment, or empty where nobody has judged it."""


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

    @property
    def blocks(self) -> bool:
        """True where it is part of why the run failed."""
        return self.mark == BAD

    def explain(self) -> str:
        """Tell the whole story in a few lines."""
        name = f"{self.case}, {self.where}" if self.where else self.case
        lines = [f"{self.mark} {self.query}", f"   {name}"]
        lines += [f"   - {reason}" for reason in self.reasons]
        if self.filters:
            lines.append(f"   asked with {self.filters}")
        if self.expected:
            width = max(columns(one.place) for one in self.expected)
            lines.append("   expected")
            for one in self.expected:
                lines.append(f"     {one.place}{' ' * (width - columns(one.place))}  {one.ended}")
        if self.hits:
            lines.append(f"   found, first of {self.returned}")
            digits = len(str(self.hits[-1].rank))
            lines += [f"     {hit.rank:>{digits}}  {hit.place}  {hit.mark}".rstrip() for hit in self.hits]
        return "\n".join(lines)


class Answered(NamedTuple):
    """What a run says of one query."""

    error: str | None
    hits: int
    seconds: float | None


def answered(run: Run) -> dict[str, Answered]:
    """Read what a run says of its queries."""
    found: dict[str, Answered] = {}
    for shard in run.shards():
        for query, error, hits, latency in shard.queries.select(
            "query", "error", "hits", "latency_ms"
        ).iter_rows():
            found[query] = Answered(error, hits, None if latency is None else latency / 1000)
    return found


class Placed:
    """Where the targets of a suite ended up."""

    def __init__(self, judgments: Judgments, run: Run) -> None:
        joined = reaches(judgments, run).join(
            judgments.targets.select("query", "target", "grade"),
            on=["query", "target"],
            maintain_order="left",
        )
        self.ranks: dict[tuple[str, int], int] = {}
        """The rank of the first hit on each target, by query and target."""
        self.grades: dict[tuple[str, int], float] = {}
        """The best grade that each hit reached, by query and rank."""
        self.reached: dict[tuple[str, int], list[int]] = {}
        """The targets that each hit reached, by query and rank."""
        for query, target, rank, grade in joined.iter_rows():
            self.ranks.setdefault((query, target), rank)
            self.reached.setdefault((query, rank), []).append(target)
            self.grades[query, rank] = max(grade, self.grades.get((query, rank), grade))
        self.targets: dict[str, list[dict[str, object]]] = {}
        """The targets of each query."""
        for row in judgments.targets.iter_rows(named=True):
            self.targets.setdefault(row["query"], []).append(row)
        self.estimated = set(judgments.cases.filter("estimated")["query"])
        """The queries whose labels are estimated."""
        self._said = _said(judgments, run)

    def miscount(self, row: Mapping[str, object], rank: int | None) -> str:
        """Say what is wrong with the number of matches of the hit on a target; empty where nothing is."""
        hit, wanted = (row["query"], rank), row["matches"]
        if hit not in self._said or wanted is None or wanted == (said := self._said[hit]):
            return ""
        return f", {'no number of' if said is None else said} matches where {wanted} are expected"

    @property
    def found(self) -> set[str]:
        """The queries in which a hit reached something relevant."""
        return {query for (query, _), grade in self.grades.items() if grade > 0}


def _said(judgments: Judgments, run: Run) -> dict[tuple[object, int | None], int | None]:
    """Read how many matches hits report, by query and rank, for the queries in which that counts."""
    said: dict[tuple[object, int | None], int | None] = {}
    counted = judgments.targets.filter(pl.col("matches").is_not_null())["query"].unique()
    if judgments.matching.miscounted < 1 and len(counted):
        wanted = pl.col("query").is_in(counted.implode())
        for shard in run.shards():
            for query, rank, matches in (
                shard.scan_hits(["query", "rank", "matches"]).filter(wanted).collect().iter_rows()
            ):
                said[query, rank] = matches
    return said


def failures(
    short: Sequence[Outcome], placed: Placed, run: Run, answers: Mapping[str, Answered]
) -> tuple[Failure, ...]:
    """Tell the story of every outcome that fell short, in their order."""
    hits = _first_hits(run, [outcome.case.id for outcome in short])
    return tuple(_failure(outcome, placed, hits.get(outcome.case.id, ()), answers) for outcome in short)


def split_where(where: str) -> tuple[str, int | None]:
    """Take file, line and column apart.

    >>> split_where("suites/search.yaml:12:5")
    ('suites/search.yaml', 12)
    """
    found = _PLACE.match(where)
    return (found["file"], int(found["line"])) if found else (where, None)


def file_line(where: str) -> str:
    """Write a place without its column."""
    file, line = split_where(where)
    return printable(file if line is None else f"{file}:{line}")


def _failure(
    outcome: Outcome, placed: Placed, hits: Iterable[tuple[int, str]], answers: Mapping[str, Answered]
) -> Failure:
    case = outcome.case
    about = answers.get(case.id, Answered(None, 0, None))
    errored = outcome.answer in (Answer.ERROR, Answer.TIMEOUT)
    return Failure(
        case=printable(case.id),
        query=printable(case.query),
        where=file_line(case.where),
        mark=BAD if outcome.blocks else DOUBTFUL,
        errored=errored,
        reasons=tuple(printable(reason, _REASON_MOST) for reason in outcome.reasons),
        expected=() if errored else expected(case, placed, about.hits),
        hits=() if errored else tuple(_shown(case, placed, rank, place) for rank, place in hits),
        returned=many(about.hits, "hit"),
        filters=filters_text(case),
    )


def filters_text(case: Case) -> str:
    """Write the facets that a case is asked with."""
    return ", ".join(
        printable(f"{key}={value if isinstance(value, str) else '|'.join(value)}")
        for key, value in case.filters.items()
    )


def named_targets(
    case: Case, placed: Placed, *, relevant: bool = True
) -> list[tuple[Mapping[str, object], str]]:
    """Give what should be found, or else what is judged wrong: each target, and its place in words."""
    rows = [row for row in placed.targets.get(case.id, ()) if (float(str(row["grade"])) > 0) is relevant]
    # The suite's own words say more than lines, as long as no targets were merged on the way.
    own = [target for target in case.targets if (target.grade > 0) is relevant]
    places = (
        [str(target.location) for target in own] if len(own) == len(rows) else list(map(place_text, rows))
    )
    return list(zip(rows, places, strict=True))


def expected(case: Case, placed: Placed, returned: int) -> tuple[Expected, ...]:
    """Tell where everything ended up that should have been found."""
    named = named_targets(case, placed)
    rows, places = [row for row, _ in named], [place for _, place in named]
    ranks = [placed.ranks.get((case.id, int(str(row["target"])))) for row in rows]
    if case.id in placed.estimated:
        return (_answer(case, min((rank for rank in ranks if rank is not None), default=None), returned),)
    met = {row["group"] for row, rank in zip(rows, ranks, strict=True) if rank is not None and row["group"]}
    return tuple(
        _one_expected(
            row, place, rank, returned, alternative=row["group"] in met, miscount=placed.miscount(row, rank)
        )
        for row, place, rank in zip(rows, places, ranks, strict=True)
    )


def _answer(case: Case, rank: int | None, returned: int) -> Expected:
    """Tell which hit is like the answer that was expected; that it is, is an estimate."""
    ended = (
        f"no text like it in {many(returned, 'hit')}" if rank is None else f"a text like it at rank {rank}"
    )
    place = f"answer: {printable(case.answer or '', _ANSWER_MOST)} (estimated)"
    return Expected(place, ended, rank, BAD if rank is None else GOOD)


def _one_expected(
    row: Mapping[str, object],
    place: str,
    rank: int | None,
    returned: int,
    *,
    alternative: bool,
    miscount: str,
) -> Expected:
    details = [
        f"grade {row['grade']:g}" if row["grade"] != 1 else "",
        "" if row["reviewed"] else "unreviewed",
    ]
    detail = ", ".join(filter(None, details))
    if rank is not None:
        ended = f"rank {rank}{miscount}"
    elif alternative:
        ended = "not found, but another of its group was"
    else:
        ended = absent_text(returned)
    mark: Mark | Unmarked = GOOD if rank is not None else "" if alternative else BAD
    return Expected(printable(place) + (f" ({detail})" if detail else ""), ended, rank, mark)


def absent_text(returned: int) -> str:
    """Say that something is not among the hits."""
    return f"not in the first {returned}" if returned > 1 else FEW[returned]


def _shown(case: Case, placed: Placed, rank: int, place: str) -> ShownHit:
    return ShownHit(rank, printable(place), hit_mark(case, placed, rank))


def hit_mark(case: Case, placed: Placed, rank: int) -> Mark | Unmarked:
    """Mark a hit: it found what was expected, is wrong by judgment, or nobody has judged it."""
    grade = placed.grades.get((case.id, rank))
    wrong = case.expect_empty or (case.exhaustive if grade is None else grade <= 0)
    return BAD if wrong else "" if grade is None else GOOD


def _first_hits(run: Run, cases: list[str]) -> dict[str, list[tuple[int, str]]]:
    found: dict[str, list[tuple[int, str]]] = {}
    if not cases:
        return found
    wanted = pl.col("query").is_in(cases) & (pl.col("rank") <= HITS_SHOWN)
    for shard in run.shards():
        columns = ["query", "rank", "id", "path", "start", "end"]
        for row in shard.scan_hits(columns).filter(wanted).collect().iter_rows(named=True):
            found.setdefault(row["query"], []).append((row["rank"], place_text(row)))
    return {query: sorted(hits) for query, hits in found.items()}


def place_text(row: Mapping[str, object]) -> str:
    """Write where a hit or a target is: its path and lines, or else its id."""
    return place_words(row["id"], row["path"], row["start"], row["end"])


def place_words(name: object, path: object, start: object, end: object) -> str:
    """Write a place of which the parts are known.

    >>> place_words(None, "docs/a.md", 10, 20), place_words("a", None, None, None)
    ('docs/a.md:10-20', 'a')
    """
    if path is None:
        return str(name) if name is not None else "(no place)"
    if start is None:
        return str(path)
    return f"{path}:{start}" if start == end else f"{path}:{start}-{end}"
