"""The figures of docs/judge-agreement.md are those of the log of `just full calibration`."""

from __future__ import annotations

import re

from page_tables import read_tables
from support.repository import ROOT

PAGE = ROOT / "docs" / "judge-agreement.md"
LOG = ROOT / "benchmarks" / "full" / "calibration.log"


def test_every_row_of_the_tables_stands_in_the_log() -> None:
    log = LOG.read_text(encoding="utf-8").splitlines()
    tables = read_tables(PAGE.read_text(encoding="utf-8"))
    assert sorted(tables) == ["bounds", "corrected", "passing", "two-conditions"]
    assert [row for table in tables.values() for row in table.splitlines() if row not in log] == []
    assert all(len(table.splitlines()) > 3 for table in tables.values())


def test_the_log_passed_and_says_how_many_pairs_are_enough() -> None:
    log = LOG.read_text(encoding="utf-8")
    assert re.search(r"^passed after", log, re.MULTILINE)
    enough = re.search(r"^Good judges pass in at least 80% from (\d+) pairs on\.$", log, re.MULTILINE)
    assert enough is not None
    assert f"{enough[1]} pairs" in PAGE.read_text(encoding="utf-8")
