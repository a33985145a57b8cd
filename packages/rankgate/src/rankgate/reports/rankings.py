"""One ranking as reports read it: where its hits are, their marks, and where each target ended up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankgate.model.locations import Location
from rankgate.model.wording import many, no_titles
from rankgate.reports.text.marks import BAD, GOOD, Mark, Unmarked
from rankgate.reports.text.printable import printable
from rankgate.runs.store.hits import location_text
from rankgate.truth.judgments.checks import GONE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.model import Case, Target
    from rankgate.model.wording import TitleOf
    from rankgate.runs.store.hits import HitRow
    from rankgate.scoring.placements import JudgedHits

_ANSWER_MOST = 120
_TITLE_MOST = 80
FEW = ("no hits at all", "not in the top 1")
"""How a location ended up where there are no hits, and where there is one."""
NO_LOCATION = "(no location)"
"""Where a hit is that has neither path nor id."""


@dataclass(frozen=True, slots=True)
class Expected:
    """One location that should have been found."""

    location: str
    """Its path, lines and heading or symbol, or its id; with its grade where the case has others than 1."""
    ended: str
    """Where it ended up, in words."""
    rank: int | None
    """Its rank; None where no hit reached it."""
    mark: Mark | Unmarked
    """Whether it was found; empty where another of its group was."""


def named_targets(
    case: Case, placed: JudgedHits, *, relevant: bool = True, titles: TitleOf = no_titles
) -> list[tuple[Mapping[str, object], str]]:
    """Return what should be found, or else what is judged wrong: each target, and its location in words."""
    rows = [row for row in placed.targets.get(case.id, ()) if (float(str(row["grade"])) > 0) is relevant]
    # The suite's own words name headings without a corpus, as long as no targets were merged on the way.
    own = [target for target in case.targets if (target.grade > 0) is relevant]
    if len(own) != len(rows):
        return [(row, shown_row(row, titles)) for row in rows]
    return [(row, _target_text(target, row, titles)) for row, target in zip(rows, own, strict=True)]


def _target_text(target: Target, row: Mapping[str, Any], titles: TitleOf) -> str:
    """Write a target as hits are written, so that the two match by eye; a quote with its words."""
    location = target.location
    if row["strategy"] == GONE or row["path"] is None:
        return str(location)
    if location.quote is not None:
        return f"{shown_row(row, titles)} {Location.of_quote(location.quote)}"
    title = titles(row["path"], row["start"], row["end"]) or location.symbol or " › ".join(location.heading)
    return _titled(row_text(row), title)


def expected(
    case: Case, placed: JudgedHits, returned: int, titles: TitleOf = no_titles
) -> tuple[Expected, ...]:
    """Return where everything ended up that should have been found."""
    named = named_targets(case, placed, titles=titles)
    rows, locations = [row for row, _ in named], [location for _, location in named]
    ranks = [placed.ranks.get((case.id, int(str(row["target"])))) for row in rows]
    if case.id in placed.estimated:
        return (_answer(case, min((rank for rank in ranks if rank is not None), default=None), returned),)
    met = {row["group"] for row, rank in zip(rows, ranks, strict=True) if rank is not None and row["group"]}
    graded = _is_graded(case, placed)
    return tuple(
        _one_expected(
            row,
            location,
            rank,
            returned,
            graded=graded,
            alternative=row["group"] in met,
        )
        for row, location, rank in zip(rows, locations, ranks, strict=True)
    )


def _answer(case: Case, rank: int | None, returned: int) -> Expected:
    """Return which hit is like the answer that was expected; that it is, is an estimate."""
    ended = (
        f"no text like it in {many(returned, 'hit')}" if rank is None else f"a text like it at rank {rank}"
    )
    location = f"answer: {printable(case.answer or '', _ANSWER_MOST)} (estimated)"
    return Expected(location, ended, rank, BAD if rank is None else GOOD)


def _one_expected(
    row: Mapping[str, object],
    location: str,
    rank: int | None,
    returned: int,
    *,
    graded: bool,
    alternative: bool,
) -> Expected:
    details = [
        f"grade {row['grade']:g}" if graded else "",
        "" if row["reviewed"] else "unreviewed",
    ]
    detail = ", ".join(filter(None, details))
    if rank is not None:
        ended = f"rank {rank}"
    elif row["strategy"] == GONE:
        ended = "gone from the documents"
    elif alternative:
        ended = "not found, but another of its group was"
    else:
        ended = absent_text(returned)
    mark: Mark | Unmarked = GOOD if rank is not None else "" if alternative else BAD
    return Expected(printable(location) + (f" ({detail})" if detail else ""), ended, rank, mark)


def absent_text(returned: int) -> str:
    """Write how something ended up that is not among the hits."""
    return f"not in the top {returned}" if returned > 1 else FEW[returned]


def hit_mark(case: Case, placed: JudgedHits, rank: int) -> Mark | Unmarked:
    """Mark a hit: it found what was expected, is wrong by judgment, or nobody has judged it."""
    grade = placed.grades.get((case.id, rank))
    wrong = case.expect_empty or (case.exhaustive if grade is None else grade <= 0)
    return BAD if wrong else "" if grade is None else GOOD


def hit_note(case: Case, placed: JudgedHits, rank: int) -> str:
    """Write what a hit is worth: its grade, or "again" where it earns nothing; empty where it is unjudged."""
    grade = placed.grades.get((case.id, rank))
    if case.expect_empty:
        return "no result expected"
    if grade is None:
        return "not expected" if case.exhaustive else ""
    if grade <= 0:
        return "judged irrelevant"
    if (case.id, rank) not in placed.credited:
        return "again"
    return f"grade {grade:g}" if _is_graded(case, placed) else "expected"


def _is_graded(case: Case, placed: JudgedHits) -> bool:
    """Check whether grades tell the targets of a case apart from those of most suites, which are 1."""
    return any(row["grade"] > 0 and row["grade"] != 1 for row in placed.targets.get(case.id, ()))


def shown_hit(hit: HitRow, titles: TitleOf = no_titles) -> str:
    """Write where a hit is, for people: its path, lines and heading or symbol, or else its id."""
    return _titled(hit_text(hit), hit_title(hit, titles))


def hit_title(hit: HitRow, titles: TitleOf) -> str:
    """Write the heading or symbol that a hit is in; empty where none is known."""
    return "" if hit.path is None else printable(titles(hit.path, hit.start, hit.end), _TITLE_MOST)


def shown_row(row: Mapping[str, Any], titles: TitleOf = no_titles) -> str:
    """Write where a hit or a target is, for people."""
    title = "" if row["path"] is None else titles(row["path"], row["start"], row["end"])
    return _titled(row_text(row), title)


def _titled(location: str, title: str) -> str:
    return f"{location} › {printable(title, _TITLE_MOST)}" if title else location


def row_text(row: Mapping[str, Any]) -> str:
    """Write where a hit or a target is: its path and lines, or else its id."""
    return location_text(row["id"], row["path"], row["start"], row["end"]) or NO_LOCATION


def hit_text(hit: HitRow) -> str:
    """Write where a hit is: its path and lines, or else its id."""
    return hit.location or NO_LOCATION
