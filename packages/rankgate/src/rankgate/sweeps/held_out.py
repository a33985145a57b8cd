"""Queries that are held out: variants are ranked without them, and the winner alone is measured on them.

The best of many is partly the luckiest: on the queries by which it was chosen its gain is too large, on
others it is not. That holds for the first look: whoever chooses the next winner has seen the last one.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankgate.io.atomic import replacing
from rankgate.project.named_answers import NamedAnswers, compared_pair
from rankgate.reports.sweep import HeldOut
from rankgate.sweeps.table import compared_family, leading
from rankgate.truth.resolve import resolve

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rankgate.corpora.corpus import Corpus
    from rankgate.model import Suite
    from rankgate.sweeps.table import SweepTable

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
    names = {one.variant.name for one in table.shown}
    known = [one for one in table.compared if one.asked.variant.name in names]
    at = leading([one.metric for one in known])
    if at is None or not parts.held_out.cases:
        return None
    winner, base = known[at].asked, table.baseline
    both = (NamedAnswers(base.variant.name, base.run), NamedAnswers(winner.variant.name, winner.run))
    judgments = resolve(parts.held_out, corpus).judgments
    comparison, _ = compared_pair(parts.held_out, judgments, both, metrics)
    seen, (measured,) = known[at].metric, compared_family([comparison])
    if seen is None or measured is None:
        return None
    look = [parts.held_out.fingerprint, seed, base.run.folder.name, winner.run.folder.name]
    return HeldOut(
        winner=winner.variant.name,
        seen=seen,
        measured=measured,
        shrinkage=seen.difference - measured.difference,
        uses=_looks(folder / _LOG, look),
    )


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
