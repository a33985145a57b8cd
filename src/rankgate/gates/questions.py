"""What a gate asks, and all that is known of the cases it asks about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.errors import Problem
from rankgate.gates.language import NEGATED
from rankgate.gates.slices import Slices
from rankgate.gates.wording import decimals_to_tell, figure
from rankgate.model import Answer, Status, Verdict

if TYPE_CHECKING:
    from datetime import date

    from rankgate.gates.against import Against
    from rankgate.gates.checks import Checks
    from rankgate.gates.language import Gate
    from rankgate.model import Counts, Suite
    from rankgate.scoring.matches import Bools
    from rankgate.scoring.scores import Scores
    from rankgate.truth.judgments import Judgments

UNREVIEWED = "reviewed, gates not enforced"
"""How the reason ends where nobody has reviewed a case."""


@dataclass(frozen=True, slots=True)
class Cases:
    """What gates need to know of every case, in the order of the scores."""

    scores: Scores
    names: tuple[str, ...]
    slices: Slices
    judged: Bools
    """Cases with a relevant target that is no estimate."""
    unreviewed: Bools
    """Cases with a relevant target that nobody has reviewed."""
    excused: Bools
    """Known misses."""
    errored: Bools
    missing: Bools
    allow_estimated: bool
    """True where gates may count estimated labels."""

    @classmethod
    def of(cls, scores: Scores, judgments: Judgments, suite: Suite, today: date) -> Cases:
        """Gather it."""
        relevant = judgments.targets.filter(pl.col("grade") > 0)
        known = pl.Series(list(excused(suite, today)), dtype=pl.String)

        def among(queries: pl.Series) -> Bools:
            return scores.queries.is_in(queries.unique().implode()).to_numpy()

        return cls(
            scores=scores,
            names=tuple(scores.queries.to_list()),
            slices=Slices(judgments.cases),
            judged=among(relevant["query"]) & ~scores.estimated,
            unreviewed=among(relevant.filter(~pl.col("reviewed"))["query"]),
            excused=among(known),
            errored=errored_cases(scores),
            missing=(scores.status == Answer.MISSING.value).to_numpy(),
            allow_estimated=suite.allow_estimated,
        )

    @property
    def everything(self) -> Bools:
        """Mark every case."""
        return np.ones(len(self.names), dtype=bool)

    @property
    def reviewed(self) -> int:
        """How many judged cases somebody has reviewed."""
        return int((self.judged & ~self.unreviewed).sum())

    @property
    def not_enforced(self) -> str | None:
        """Say so where a suite has targets and nobody has reviewed a single case."""
        if not self.judged.any() or self.reviewed:
            return None
        return f"0 of {int(self.judged.sum())} {UNREVIEWED}"


@dataclass(frozen=True, slots=True)
class Question:
    """One gate, and all it takes to judge it."""

    gate: Gate
    mask: Bools
    cases: Cases
    checks: Checks
    min_n: int
    against: Against | None = None
    """What the run is held against; None where there is nothing."""

    def verdict(self, status: Status, value: float | None, reason: str, counts: Counts) -> Verdict:
        """Give the verdict on it; one that passes says whether the goal is reached as well."""
        if self.gate.goal is not None and status is Status.PASSED and value is not None:
            met = "reached: make it the bar" if self.gate.reaches_goal(value) else "not reached"
            reason = f"{reason}; goal {self.gate.goal_text} {met}"
        return Verdict(self.gate.text, status, value, reason, counts, self.gate.where)

    def decided(self, value: float) -> Status:
        """Say whether a value is on the right side of the bar."""
        return Status.PASSED if self.gate.holds(value) else Status.FAILED

    def comparison(self, value: float) -> str:
        """Write the value, how it stands to the bar, and the bar."""
        sign = self.gate.sign if self.gate.holds(value) else NEGATED[self.gate.sign]
        return f"{value_text(self.gate, value)} {sign} {self.gate.bar_text}"


def value_text(gate: Gate, value: float) -> str:
    """Write a value with enough digits to see on which side of the gate's bar it is.

    >>> from rankgate.gates.language import parse_gate
    >>> from rankgate.model import GateText
    >>> value_text(parse_gate(GateText("ndcg@10 >= 0.65")), 0.64996)
    '0.64996'
    """
    return figure(value, gate.unit, decimals=decimals_to_tell(value, gate.bar, gate.unit))


def excused(suite: Suite, today: date) -> frozenset[str]:
    """Give the cases that are known misses today."""
    return frozenset(case.id for case in suite.cases if case.xfail and today <= case.xfail.until)


def errored_cases(scores: Scores) -> Bools:
    """Mark the cases that the system failed to answer."""
    return scores.status.is_in([Answer.ERROR.value, Answer.TIMEOUT.value]).to_numpy()


def nothing_scored(gate: Gate, found: str) -> Problem:
    """Say that a gate is over nothing."""
    fix = "a gate over nothing would always pass; correct the slice, or give its cases relevant targets"
    return Problem(gate_place(gate), f"{gate.text!r} over 0 scored cases ({found})", "at least one", fix)


def gate_place(gate: Gate) -> str:
    """Say where a gate was written."""
    return gate.where or f"gate {gate.text!r}"
