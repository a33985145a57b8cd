"""A system that loses some queries every now and then, asked several times."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.model import Case
from support.evaluations import evaluated, target

if TYPE_CHECKING:
    from numpy.random import Generator

    from rankgate.gates.scored import Scored


def wavering(queries: int, flaky: int, rate: float, times: int, rng: Generator) -> Scored:
    """Ask several times a system that loses some queries at a rate, each time anew."""
    cases = [Case(f"q{number}", f"query {number}", (target("right"),)) for number in range(queries)]
    asked = [
        evaluated(
            cases,
            {
                case.id: ["wrong" if at < flaky and rng.random() < rate else "right"]
                for at, case in enumerate(cases)
            },
            metrics=["rr"],
        )
        for _ in range(times)
    ]
    first = asked[0].scored()
    each = tuple(one.scores for one in asked)
    return replace(first, repeats=tuple(one.run for one in asked[1:]), each=each if times > 1 else ())


def lost_by_chance(flaky: int, rate: float, times: int) -> float:
    """Give how often at least one query is lost: found by half of the repeats before, and by fewer now."""
    gone = sum(
        math.comb(times, lost) * rate**lost * (1 - rate) ** (times - lost)
        for lost in range(times // 2 + 1, times + 1)
    )
    return 1 - (1 - (1 - gone) * gone) ** flaky
