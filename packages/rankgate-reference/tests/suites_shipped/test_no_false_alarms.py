"""Where hits are where they should be, no report says that the mapping is wrong."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.flow import evaluate
from rankgate.model import CorpusSource
from rankgate.runs.store.hits import hit_counts
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
    found = _evaluated(load_suite(HANDBOOK), {"kind": kind}, chunks)
    assert "hits could not be located" not in found.report.causes
    assert set(hit_counts(found.run).classes) == {"exact"}


def test_the_reference_system_and_a_search_of_lines_raise_none_on_the_handbook() -> None:
    corpus = str(HANDBOOK.parent / "corpus")
    for options in ({"kind": "reference", "root": corpus}, {"kind": "ripgrep", "root": corpus}):
        found = _evaluated(load_suite(HANDBOOK), options)
        assert "hits could not be located" not in found.report.causes
        assert set(hit_counts(found.run).classes) == {"exact"}


@pytest.mark.parametrize("kind", ["tantivy", "bm25s"])
def test_engines_raise_none_on_the_operations(kind: str) -> None:
    found = _evaluated(load_suite(SUITES / "operations" / "operations.yaml"), {"kind": kind})
    assert "hits could not be located" not in found.report.causes
    assert set(hit_counts(found.run).classes) == {"exact"}


def test_an_engine_raises_none_on_scifact(shared_data: Path) -> None:
    suite = load_suite(shared_data / "beir" / "scifact", "beir")
    suite = replace(suite, corpus=CorpusSource("scifact", "beir"))
    found = _evaluated(suite, {"kind": "tantivy"})
    assert "hits could not be located" not in found.report.causes
    assert set(hit_counts(found.run).classes) == {"exact"}
