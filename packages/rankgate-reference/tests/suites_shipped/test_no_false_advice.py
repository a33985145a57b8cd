"""Of an index that was built of the whole corpus, no advice says that something is missing or copied."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from rankgate.evaluation.advice.findings import checked_facts
from rankgate.evaluation.advice.suite_targets import shown_targets
from rankgate.evaluation.flow import Stopwatch, run_evaluation
from rankgate.evaluation.settings import RunOptions, Settings
from rankgate.suites.formats import load_suite
from rankgate.systems.registry import open_system
from rankgate.truth.facts.checked import FactKind
from support.repository import ROOT

TRUE_OF_ANY_INDEX = {
    FactKind.OUTAGE,  # filters that the built index does not have
    FactKind.BELOW,
    FactKind.OUT_OF_REACH,
    FactKind.NO_SHARED_WORD,
    FactKind.MISSPELT,
    FactKind.UNWANTED,
}


@pytest.mark.parametrize(("name", "kind"), [("handbook", "tantivy"), ("operations", "bm25s")])
def test_of_a_whole_index_nothing_is_said_to_be_missing(name: str, kind: str) -> None:
    suite = load_suite(ROOT / "suites" / name / f"{name}.yaml")
    system: Any = open_system("app", {"kind": kind})
    asking = RunOptions()
    with closing(system):
        done = run_evaluation(suite, system, Settings(asking=asking), Stopwatch())
        facts = checked_facts(done.scored, system, done.corpus, replace(asking, follow_ups=1000))
        # Both engines stem, so that no form of a word is kept from another.
        assert {fact.kind for fact in facts} <= TRUE_OF_ANY_INDEX
        assert sum(fact.kind is FactKind.BELOW for fact in facts) > 2
        assert shown_targets(suite, system, done.corpus, asking) == {}
