"""A regular expression of a suite or a system that takes long on one text is stopped, and named."""

from __future__ import annotations

import sys
import time
from contextlib import chdir
from typing import TYPE_CHECKING

from support.commands import rankgate, rankgate_alone

if TYPE_CHECKING:
    from pathlib import Path

LETTERS = 2_000
CUBIC = "(.*)(.*)(.*)x"
NEVER = "(a|aa)+$(?<!a)"
SUITE = """\
map: [{{from: '{pattern}', to: 'other'}}]
cases: [{{query: rotate a key, id: {id}}}]
"""


def project(root: Path, pattern: str) -> None:
    """Write a suite with a rule, and a function that returns one long id."""
    (root / "search.yaml").write_text(SUITE.format(pattern=pattern, id="a" * LETTERS))
    (root / "app.py").write_text(f"def search(query, k):\n    return ['a' * {LETTERS}]\n")
    (root / "rankgate.toml").write_text("[systems.app]\nfunction = 'app:search'\n")


def test_a_rule_of_cubic_time_costs_no_seconds(tmp_path: Path) -> None:
    project(tmp_path, CUBIC)
    with chdir(tmp_path):
        begun = time.process_time()
        done = rankgate("run", "search.yaml", "-o", "kept")
    assert done.code == 0, done.err
    assert time.process_time() - begun < 5


def test_a_rule_that_does_not_end_is_refused_with_the_rule_and_the_limit(tmp_path: Path) -> None:
    project(tmp_path, NEVER)
    with chdir(tmp_path):
        done = rankgate_alone("test", "search.yaml", timeout=120)
    assert done.code == 2, done.out
    assert f"map[0].from: found '{NEVER}', stopped after 1 s on" in done.err
    assert "(2,000 characters)" in done.err


def test_a_pattern_of_a_command_that_does_not_end_is_an_error_of_that_query(tmp_path: Path) -> None:
    project(tmp_path, "x")
    printing = f"print('a' * {LETTERS})"
    table = {"command": [sys.executable, "-c", printing, "{query}"], "output": "lines"}
    lines = [f"{key} = {value!r}" for key, value in table.items()]
    pattern = f"pattern = '(?P<id>^{NEVER})'"
    (tmp_path / "rankgate.toml").write_text("\n".join(["[systems.app]", *lines, pattern]))
    with chdir(tmp_path):
        done = rankgate_alone("test", "search.yaml", timeout=120)
    assert done.code == 3, done.err
    assert "app.pattern" in done.out
    assert "stopped after 1 s" in done.out
