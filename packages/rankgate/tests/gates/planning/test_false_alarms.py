"""How often a gate fails on an unchanged system: estimated from repeats, without any assumed and said."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from rankgate.gates.language import parse_gate
from rankgate.gates.planning.false_alarms import FalseAlarms, false_alarms
from rankgate.model import GateText
from support.wavering import lost_by_chance, wavering

if TYPE_CHECKING:
    from rankgate.gates.scored import Scored


def estimated(scored: Scored, *gates: str) -> FalseAlarms:
    found = false_alarms(scored, [parse_gate(GateText(gate)) for gate in gates], draws=250)
    assert found is not None
    return found


def steady(times: int = 1) -> Scored:
    return wavering(48, 0, 0.0, times, np.random.default_rng(0))


def test_without_a_gate_that_compares_there_is_nothing_to_say() -> None:
    assert false_alarms(steady(), [parse_gate(GateText("rr >= 0.5"))]) is None
    # Against another system a drop is none of its own.
    assert false_alarms(steady(), [parse_gate(GateText("drop(rr) < 0.1 against other"))]) is None


def test_without_repeats_it_is_assumed_that_answers_stay_the_same_and_the_words_say_so() -> None:
    found = estimated(steady(), "drop(rr) < 0.05", "lost(10 -> absent@10)")
    assert (found.chance, found.repeats, found.no_worse) == (0.0, 1, None)
    assert found.words == (
        "unchanged system: one of the 2 gates on the baseline fails in 0 of 100 tests, "
        "if it answers the same each time, which --repeat 5 would measure"
    )


def test_noninferior_adds_five_of_a_hundred_for_each_claim_where_answers_change() -> None:
    found = estimated(steady(), "noninferior(rr) within 0.1", "noninferior(rr) within 0.05")
    assert (found.chance, found.no_worse) == (0.0, 0.1)
    assert found.words.endswith("noninferior fails in at most 10 of 100 (5 for each of 2 claims)")


def test_small_slices_are_one_claim() -> None:
    scored = steady()
    tables = scored.judgments.cases.with_columns(
        category=pl.Series(["rare"] * 3 + ["odd"] * 3 + ["usual"] * 42)
    )
    sliced = replace(scored, judgments=replace(scored.judgments, cases=tables))
    assert estimated(sliced, "worst(category) noninferior(rr) within 0.1").no_worse == 0.1


def test_repeats_that_agree_never_fail() -> None:
    found = estimated(steady(5), "drop(rr) < 0.05", "lost(10 -> absent@10)")
    assert (found.chance, found.low, found.repeats) == (0.0, 0.0, 5)
    assert found.high == pytest.approx(1 - 0.025 ** (1 / 250))


@pytest.mark.parametrize(("times", "short"), [(3, 0.3), (5, 0.2)])
def test_what_repeats_say_is_about_how_often_the_gate_really_fails_and_rather_less(
    times: int, short: float
) -> None:
    """What no repeat showed is not drawn either, so that few repeats say too little.

    Six of 48 queries are lost three times in ten; lost is what half found before and fewer do now.
    """
    rate, flaky, rng = 0.3, 6, np.random.default_rng(times)
    really = lost_by_chance(flaky, rate, times)
    found = [
        estimated(wavering(48, flaky, rate, times, rng), "lost(10 -> absent@10)").chance for _ in range(8)
    ]
    assert really - short <= np.mean(found) <= really + 0.1


def test_a_drop_fails_as_often_as_by_its_own_noise() -> None:
    """Each of 48 queries is found every other time, three times asked: a deviation of 0.059."""
    rng = np.random.default_rng(1)
    really = 0.5 * math.erfc(0.05 / math.sqrt(2 * 0.25 * (2 / 3) / 48))
    found = [estimated(wavering(48, 48, 0.5, 3, rng), "drop(rr) < 0.05").chance for _ in range(8)]
    assert np.mean(found) == pytest.approx(really, abs=0.05)
