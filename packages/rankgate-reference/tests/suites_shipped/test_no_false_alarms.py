"""Where hits are where they should be, no report says that the mapping is wrong."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.evaluation.flow import evaluate
from rankgate.model.suite import CorpusSource
from rankgate.suites.formats import load_suite
from rankgate.systems.registry import open_system
from support.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate import Evaluation, Suite

SUITES = ROOT / "suites"
HANDBOOK = SUITES / "handbook" / "handbook.yaml"
WINDOWS = {"by": "window", "lines": 20, "overlap": 10}


def _evaluated(suite: Suite, options: dict[str, Any], chunks: Any = None) -> Evaluation:
    system: Any = open_system("app", options)
    with closing(system):
        return evaluate(suite, system, chunks=chunks)


@pytest.mark.parametrize("kind", ["tantivy", "bm25s"])
@pytest.mark.parametrize("chunks", ["section", WINDOWS], ids=["sections", "windows"])
def test_engines_raise_none_on_the_handbook(kind: str, chunks: str | dict[str, object]) -> None:
    scored = _evaluated(load_suite(HANDBOOK), {"kind": kind}, chunks).scored
    assert scored.faults == ()
    assert set(scored.located.classes) == {"exact"}


def test_the_reference_system_and_a_search_of_lines_raise_none_on_the_handbook() -> None:
    corpus = str(HANDBOOK.parent / "corpus")
    for options in ({"kind": "reference", "root": corpus}, {"kind": "ripgrep", "root": corpus}):
        scored = _evaluated(load_suite(HANDBOOK), options).scored
        assert scored.faults == ()
        assert set(scored.located.classes) == {"exact"}


@pytest.mark.parametrize("kind", ["tantivy", "bm25s"])
def test_engines_raise_none_on_the_operations(kind: str) -> None:
    scored = _evaluated(load_suite(SUITES / "operations" / "operations.yaml"), {"kind": kind}).scored
    assert scored.faults == ()
    assert set(scored.located.classes) == {"exact"}


def test_an_engine_raises_none_on_scifact(shared_data: Path) -> None:
    suite = load_suite(shared_data / "beir" / "scifact", "beir")
    suite = replace(suite, corpus=CorpusSource("scifact", "beir"))
    scored = _evaluated(suite, {"kind": "tantivy"}).scored
    assert scored.faults == ()
    assert set(scored.located.classes) == {"exact"}
