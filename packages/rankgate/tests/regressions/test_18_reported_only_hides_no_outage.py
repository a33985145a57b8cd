"""``gate = false`` takes the force out of gates; a system that does not answer is still exit code 3."""

from __future__ import annotations

from contextlib import chdir
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.pytest_sessions import GOOD, Project

if TYPE_CHECKING:
    from pathlib import Path

BROKEN = dict.fromkeys([*GOOD, "blockchain"], "the index is gone")
ONE_BROKEN = {**GOOD, "sign in": "the index is gone"}


@pytest.mark.parametrize(
    ("answers", "max_errors", "code"),
    [(BROKEN, 0, 3), (BROKEN, 4, 3), (BROKEN, 5, 0), (ONE_BROKEN, 0, 3), (ONE_BROKEN, 1, 0), ({}, 0, 0)],
)
def test_an_outage_is_exit_3_unless_errors_are_allowed(
    tmp_path: Path, answers: dict[str, list[str] | str], max_errors: int, code: int
) -> None:
    Project.of(tmp_path, answers=answers)
    table = f'[systems.app]\nfunction = "./app.py:search"\ngate = false\nmax_errors = {max_errors}\n'
    (tmp_path / "rankgate.toml").write_text(table)
    with chdir(tmp_path):
        done = rankgate("test", "search.yaml")
    assert done.code == code, done.out
    assert ("System error on" in done.out) is (code == 3)
    assert ("Not enforced: " in done.out) is (code == 0)
