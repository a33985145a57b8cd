"""Drawn states: the command line, pytest and Python say what the oracle says."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
STATES = 100


@pytest.mark.once
@pytest.mark.parametrize("half", [0, 1])
def test_every_way_to_ask_for_a_verdict_agrees_with_the_oracle(half: int) -> None:
    count = STATES // 2
    done = subprocess.run(
        [sys.executable, "-m", "verdicts", str(count), str(half * count), "--processes", "34"],
        env={**os.environ, "PYTHONPATH": str(HERE.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.once
def test_every_list_of_gates_is_judged_as_the_oracle_says() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "verdicts.gate_states", "200", "--ways", "2"],
        env={**os.environ, "PYTHONPATH": str(HERE.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_the_oracle_imports_nothing_of_rankgate() -> None:
    for path in (HERE / "state.py", HERE / "gate_drawing.py", *HERE.glob("oracle/*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.split(".")[0] == "rankgate"], path


def test_forty_kinds_of_sabotage_are_among_the_actions() -> None:
    from verdicts.edits import EDITS
    from verdicts.sabotage import SABOTAGE

    assert len({**EDITS, **SABOTAGE}) >= 40


def test_every_fault_can_be_put_into_the_source_of_today() -> None:
    from verdicts.fault_table import FAULTS
    from verdicts.faults import SOURCE
    from verdicts.gate_fault_table import GATE_FAULTS

    for fault in (*FAULTS, *GATE_FAULTS):
        text = (SOURCE / "rankgate" / fault.file).read_text(encoding="utf-8")
        assert fault.applied(text) != text
    assert len({fault.name for fault in FAULTS}) >= 20
    assert len({fault.name for fault in (*FAULTS, *GATE_FAULTS)}) == len(FAULTS) + len(GATE_FAULTS)
