"""One ranking as reports read it: where its hits are, their marks, and where each target ended up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankgate.model.locations import Location
from rankgate.model.wording import many
from rankgate.reports.text.marks import BAD, GOOD, Mark, Unmarked
from rankgate.reports.text.printable import printable
from rankgate.runs.store.hits import location_text
from rankgate.truth.judgments.checks import GONE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.model import Case, Target
    from rankgate.runs.store.hits import HitRow
    from rankgate.scoring.placements import JudgedHits

_ANSWER_MOST = 120
FEW = ("no hits at all", "not the only hit")
"""How a location ended up where there are no hits, and where there is one."""
NO_LOCATION = "(no place)"
"""Where a hit is that has neither path nor id."""


@dataclass(frozen=True, slots=True)
class Expected:
    """One place that should have been found."""

    location: str
    """As the suite names it, with its grade where it has another than 1."""
    ended: str
    """Where it ended up, in words."""
    rank: int | None
    """Its rank; None where no hit reached it."""
    mark: Mark | Unmarked
    """Whether it was found; empty where another of its group was."""


def named_targets(
    case: Case, placed: JudgedHits, *, relevant: bool = True
) -> list[tuple[Mapping[str, object], str]]:
    """Return what should be found, or else what is judged wrong: each target, and its location in words."""
    rows = [row for row in placed.targets.get(case.id, ()) if (float(str(row["grade"])) > 0) is relevant]
    # The suite's own words say more than lines, as long as no targets were merged on the way.
    own = [target for target in case.targets if (target.grade > 0) is relevant]
    if len(own) != len(rows):
        return [(row, row_text(row)) for row in rows]
    return [(row, _target_text(target, row)) for row, target in zip(rows, own, strict=True)]


def _target_text(target: Target, row: Mapping[str, object]) -> str:
    """Write a target as the suite does; a quote with the lines where it stands."""
    quote = target.location.quote
    if quote is None:
        return str(target.location)
    return f"{row_text(row)} {Location.of_quote(quote)}"


def expected(case: Case, placed: JudgedHits, returned: int) -> tuple[Expected, ...]:
    """Return where everything ended up that should have been found."""
    named = named_targets(case, placed)
    rows, locations = [row for row, _ in named], [location for _, location in named]
    ranks = [placed.ranks.get((case.id, int(str(row["target"])))) for row in rows]
    if case.id in placed.estimated:
        return (_answer(case, min((rank for rank in ranks if rank is not None), default=None), returned),)
    met = {row["group"] for row, rank in zip(rows, ranks, strict=True) if rank is not None and row["group"]}
    return tuple(
        _one_expected(
            row,
            location,
            rank,
            returned,
            alternative=row["group"] in met,
            miscount=_miscount(placed, row, rank),
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
    return f"not in the first {returned}" if returned > 1 else FEW[returned]


def hit_mark(case: Case, placed: JudgedHits, rank: int) -> Mark | Unmarked:
    """Mark a hit: it found what was expected, is wrong by judgment, or nobody has judged it."""
    grade = placed.grades.get((case.id, rank))
    wrong = case.expect_empty or (case.exhaustive if grade is None else grade <= 0)
    return BAD if wrong else "" if grade is None else GOOD


def row_text(row: Mapping[str, Any]) -> str:
    """Write where a hit or a target is: its path and lines, or else its id."""
    return location_text(row["id"], row["path"], row["start"], row["end"]) or NO_LOCATION


def hit_text(hit: HitRow) -> str:
    """Write where a hit is: its path and lines, or else its id."""
    return hit.location or NO_LOCATION


def _miscount(placed: JudgedHits, row: Mapping[str, Any], rank: int | None) -> str:
    """Return what is wrong with the number of matches of the hit on a target; empty where nothing is."""
    key, wanted = (row["query"], rank or 0), row["matches"]
    if wanted is None or key not in placed.counted or wanted == (said := placed.counted[key]):
        return ""
    return f", {'no number of' if said is None else said} matches where {wanted} are expected"
