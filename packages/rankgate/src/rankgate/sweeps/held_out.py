"""Queries that are held out: variants are ranked without them, and the winner alone is measured on them.

The best of many is partly the luckiest: on the queries by which it was chosen its gain is too large, on
others it is not. That holds for the first look: whoever chooses the next winner has seen the last one.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankgate.files.atomic import replacing
from rankgate.model.wording import many
from rankgate.project.named_answers import NamedAnswers, compared_pair
from rankgate.reports.compare import interval_text, signed_text
from rankgate.reports.sweep import HeldOut
from rankgate.reports.text.printable import printable
from rankgate.sweeps.comparing.claims import decided, leading
from rankgate.truth.locations.resolve import resolve

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rankgate.corpora.corpus import Corpus
    from rankgate.model import Suite
    from rankgate.sweeps.table import ComparedVariant, SweepTable

_LOG = "held_out.json"


@dataclass(frozen=True, slots=True)
class Split:
    """A suite in two parts; the cases of a group are in one of them."""

    seen: Suite
    """What variants are ranked on."""
    held_out: Suite
    """What only the winner is measured on."""


def split(suite: Suite, share: float, seed: int) -> Split:
    """Part a suite: each group of cases, by chance, with a seed; a case that is added moves no other."""
    held = {name for name in {one.group or one.id for one in suite.cases} if drawn_share(name, seed) < share}

    def part(*, wanted: bool) -> Suite:
        cases = tuple(one for one in suite.cases if ((one.group or one.id) in held) is wanted)
        return replace(suite, cases=cases, scenarios=(), invariants=())

    return Split(part(wanted=False), part(wanted=True))


def drawn_share(name: str, seed: int) -> float:
    """Return a number from 0 to 1 for a name: always the same one for a seed."""
    digest = hashlib.sha256(f"{seed}\0{name}".encode(errors="surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def held_out_report(
    parts: Split, table: SweepTable, corpus: Corpus | None, metrics: Sequence[str], folder: Path, seed: int
) -> HeldOut | None:
    """Measure the winner of the ranked part on the other, and note that the other was looked at.

    Args:
        parts: The two parts.
        table: The variants compared on the first.
        corpus: What the suite's locations are in.
        metrics: What is measured; the first decides.
        folder: Where the looks are noted.
        seed: What the parts were drawn with.

    Returns:
        None where there is no other variant, or no query on one side.
    """
    less = table.base.metrics[0].less_is_better
    winner = _winner(table, less=less)
    if winner is None or not parts.held_out.cases:
        return None
    base = NamedAnswers(table.baseline.variant.name, table.baseline.run)
    best = NamedAnswers(winner.asked.variant.name, winner.asked.run)
    judgments = resolve(parts.held_out, corpus).judgments
    comparison, _ = compared_pair(parts.held_out, judgments, (base, best), metrics)
    metric = comparison.after.metrics[0]
    measured, apparent = decided(comparison), decided(winner.comparison)
    look = [parts.held_out.fingerprint, seed, table.baseline.run.folder.name, winner.asked.run.folder.name]
    gone = apparent.mean - measured.mean
    kept = signed_text(measured.mean, metric.unit)
    interval = interval_text(measured.low, measured.high, metric.unit)
    detectable = measured.detectable
    return HeldOut(
        winner=printable(winner.asked.variant.name),
        seen=f"{signed_text(apparent.mean, metric.unit)} on the {_queries(apparent.cases)} it was chosen by",
        measured=f"{kept} ({interval}) on {_queries(measured.cases)} held out",
        shrinkage=f"shrinkage {signed_text(gone, metric.unit)}",
        detectable="The held-out queries are too few to show any difference."
        if detectable is None
        else f"They can show differences of {detectable:.3f} or more.",
        uses=_looks(folder / _LOG, look),
        numbers=(apparent.mean, measured.mean, measured.low, measured.high, measured.p),
    )


def _queries(number: int) -> str:
    return many(number, "query", "queries")


def _winner(table: SweepTable, *, less: bool) -> ComparedVariant | None:
    """Return the best of the other variants; None where there is none in the file."""
    names = {one.variant.name for one in table.shown}
    known = [one for one in table.compared if one.asked.variant.name in names and one.metric is not None]
    at = leading([one.metric.difference for one in known if one.metric is not None], less=less)
    return None if at is None else known[at]


def _looks(file: Path, look: list[object]) -> int:
    """Note a look at the held-out part, and return its number, from 1; the same one counts once."""
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError):
        found = []
    if look not in found:
        found.append(look)
        with replacing(file) as aside:
            aside.write_text(json.dumps(found, indent=1), encoding="utf-8", newline="\n")
    return int(found.index(look)) + 1
