"""Pairs of a query and a place that two labelled blind: how far they agree, and with the suites."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from page_tables import table_of
from rankgate.judging.agreement.measure import pair_agreement
from rankgate.judging.agreement.ratings import Rating, Ratings
from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rankgate.judging.agreement.intervals import Estimate
    from rankgate.judging.agreement.measure import PairAgreement

CUTS = (1.0, 2.0)
"""The least grade that counts: for nDCG, recall and P; for MRR and P@1."""

SUITES = ROOT / "suites"
METHOD = SUITES / "METHOD.md"
LABELS = SUITES / "agreement"
RELEASES = LABELS / "releases"
"""The pairs of the suites over pinned releases, drawn before any system was asked."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A query and a place, and what the suite says of it."""

    pair: str
    """Its number among all, in an order drawn by chance."""
    suite: str
    case: str
    place: str
    """A path with lines, or the id of an operation."""
    grade: float | None
    """What the suite says; None where it says nothing."""
    text: str
    """The hash of the text that was labelled."""


def agreement_table(folder: Path = LABELS) -> str:
    """Read pairs and labels, and lay out how far everybody agrees."""
    return report(read_pairs(folder), read_labels("a", folder), read_labels("b", folder))


def read_pairs(folder: Path = LABELS) -> list[Pair]:
    """Read the pairs that were labelled."""
    lines = (folder / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    return [Pair(**json.loads(line)) for line in lines]


def read_labels(who: str, folder: Path = LABELS) -> dict[str, int]:
    """Read one annotator's labels, by pair."""
    found = json.loads((folder / f"labels-{who}.json").read_text(encoding="utf-8"))
    return {pair: int(label) for pair, label in found.items()}


def report(pairs: Sequence[Pair], one: dict[str, int], other: dict[str, int]) -> str:
    """Lay out how far two annotators agree with each other and with the suites, for which unjudged is 0."""
    suite = {pair.pair: int(pair.grade or 0) for pair in pairs}
    said = {"A and B": (one, other), "A and the suite": (one, suite), "B and the suite": (other, suite)}
    parts = _parts(pairs)
    columns = ("who", "pairs", "n", "kappa", "quadratic kappa", "95 % interval", "same grade")
    rows = []
    for who, (these, those) in said.items():
        for part, chosen in parts.items():
            if part == _FOUND and who != "A and B":
                continue
            rows.append((who, part, *_cells(compared(chosen, these, those))))
    at_cuts = tuple(f"kappa at grade {cut:g} or more" for cut in CUTS)
    return table_of((*columns, "at most one apart", *at_cuts), rows)


_FOUND = "found, not judged"


def _parts(pairs: Sequence[Pair]) -> dict[str, list[Pair]]:
    """Return all pairs and those of each suite; where some are not judged, also those that are."""
    names = sorted({pair.suite for pair in pairs})
    judged = [pair for pair in pairs if pair.grade is not None]
    found = [pair for pair in pairs if pair.grade is None]
    parts = {"all": list(pairs)}
    parts |= {name: [pair for pair in pairs if pair.suite == name] for name in names}
    if found:
        parts["judged"] = judged
        parts |= {
            f"judged, {name}": these
            for name in names
            if (these := [pair for pair in judged if pair.suite == name]) != parts[name]
        }
        parts[_FOUND] = found
    return parts


def compared(pairs: Sequence[Pair], one: dict[str, int], other: dict[str, int]) -> PairAgreement:
    """Return how far two agree on some pairs."""
    rows = [
        Rating(who, pair.pair, f"{pair.suite} {pair.case}", said[pair.pair])
        for pair in pairs
        for who, said in (("one", one), ("other", other))
    ]
    return pair_agreement(Ratings.of(rows), CUTS)


def _cells(found: PairAgreement) -> tuple[str, ...]:
    # Rounded down: one that is far apart must be seen.
    shares = (round((one.value or 0.0) * found.units) for one in (found.same, found.near))
    same, near = (f"{100 * many // found.units} %" for many in shares)
    kappa, _, interval = _figure(found.quadratic).partition(", ")
    plain = _figure(found.kappa).partition(", ")[0]
    return f"{found.units}", plain, kappa, interval, same, near, *(_figure(cut.kappa) for cut in found.cuts)


def _figure(found: Estimate) -> str:
    if found.value is None:
        return "undefined"
    interval = "" if found.low is None else f", {found.low:.2f} to {found.high:.2f}"
    return f"{found.value:.2f}{interval}"
