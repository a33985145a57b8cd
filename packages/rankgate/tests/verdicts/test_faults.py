"""The seeded faults fit the source. `python -m verdicts.faults` checks that the tests find each."""

from __future__ import annotations

import pytest

from verdicts.fault_table import FAULTS, GONE, Fault
from verdicts.faults import SOURCE


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_fault_replaces_one_line_of_the_source(fault: Fault) -> None:
    path = SOURCE / fault.file
    compile(fault.applied(path.read_text(encoding="utf-8")), str(path), "exec")


def test_fault_names_are_unique() -> None:
    names = [*(fault.name for fault in FAULTS), *GONE]
    assert len(names) == len(set(names))
