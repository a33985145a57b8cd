"""Drawn states: rankgate decides each as the reference does.

`RANKGATE_STATES` is the number of states (300), and `RANKGATE_FIRST_STATE` the first one (0).
"""

from __future__ import annotations

import os
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from verdicts.drawing import draw, is_covered
from verdicts.observed import by_command, by_pytest, by_python, differences

STATES = int(os.environ.get("RANKGATE_STATES", "300"))
FIRST = int(os.environ.get("RANKGATE_FIRST_STATE", "0"))
PARTS = 6
KINDS = """
    case passed, case failed, case error, case regressed, case improved, case unchanged, case unknown,
    case new, case unstable, case known, case passes,
    exit code 0, exit code 1, exit code 2, exit code 3, exit code 4,
    lost passed, lost failed, lost inconclusive, lost not enforced, lost over nothing,
    regressed passed, regressed failed, drop passed, drop failed, drop inconclusive, overlap passed,
    overlap failed, min failed, worst failed, zero failed, errors passed, checks failed,
    error within max_errors, new, removed, unstable, default gate, default gate beside a sliced one,
    selection, stored run, missing target, more than 200 queries, deeper than the baseline
"""


@pytest.mark.once
@pytest.mark.parametrize("part", range(PARTS))
def test_rankgate_decides_drawn_states(part: int, tmp_path: Path) -> None:
    wrong = {}
    for seed in range(FIRST + part, FIRST + STATES, PARTS):
        state = draw(seed)
        if found := differences(state.expected(), by_python(tmp_path, state)):
            wrong[seed] = found
    assert wrong == {}


@pytest.mark.once
def test_command_and_pytest_agree_with_python(tmp_path: Path) -> None:
    wrong = {}
    for seed in range(FIRST, FIRST + STATES, 10):
        state = draw(seed, datetime.now(UTC).date())
        expected = state.expected()
        if found := differences(expected, by_command(tmp_path, state)):
            wrong[seed, "command"] = found
        code = by_pytest(tmp_path, state).exit_code
        if state.only is None and code != expected.exit_code:
            wrong[seed, "pytest"] = [f"exit code: {expected.exit_code} ({expected.headline}), not {code}"]
    assert wrong == {}


def test_drawn_states_are_of_all_kinds() -> None:
    found = Counter(kind for seed in range(1500) for kind in is_covered(draw(seed)))
    expected = {kind.strip() for kind in KINDS.split(",")}
    assert expected - {kind for kind, count in found.items() if count >= 3} == set()
