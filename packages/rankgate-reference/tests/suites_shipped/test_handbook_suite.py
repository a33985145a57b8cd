"""The suite of the handbook: as large as it says, true to its corpus, and passed by the reference system."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from rankgate.project.find import find_configuration
from rankgate.suites.asked_suite import source_kind
from rankgate.suites.formats import load_suite
from rankgate_reference.documents.languages import LANGUAGES
from rankgate_reference.documents.nodes import nodes_of
from reference_support import handbook
from support.commands import rankgate
from support.flows import shown
from support.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate import Suite

FOLDER = ROOT / "suites" / "handbook"
CORPUS = FOLDER / "corpus"
SUITE = FOLDER / "handbook.yaml"
LEAST = {
    "exact": 12,
    "multi-term": 16,
    "synonym": 10,
    "symbol": 24,
    "filtered": 10,
    "discriminating": 10,
    "empty": 5,
}
PAGES = {"guide": 3, "reference": 3, "architecture": 2, "runbook": 2, "tutorial": 2, "glossary": 1}
SYSTEMS = ("lexical", "mcp")


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_suite(SUITE)


def test_nothing_is_found_wrong_with_it_and_every_anchor_is_that_of_its_text() -> None:
    assert "no problems" in rankgate("suite", "lint", "--strict", SUITE).printed()
    assert rankgate("suite", "fix", "--check", SUITE).code == 0


def test_there_are_as_many_queries_as_were_wanted_of_each_category(suite: Suite) -> None:
    counts = Counter(case.category for case in suite.cases)
    assert {name: counts[name] >= least for name, least in LEAST.items()} == dict.fromkeys(LEAST, True)
    assert len(suite.cases) >= 90
    assert set(counts) == set(LEAST)
    assert len(suite.scenarios) >= 10
    assert len(suite.invariants) >= 12


def test_grades_use_the_whole_scale_and_checks_are_at_nodes(suite: Suite) -> None:
    grades = Counter(target.grade for case in suite.cases for target in case.targets)
    assert set(grades) == {0.0, 1.0, 2.0, 3.0}
    for case in suite.cases:
        if case.category != "empty":
            assert max(target.grade for target in case.targets) == 3, case.id
    tops = [top for case in suite.cases for top in case.top]
    assert len(tops) >= 60
    assert all(top.location.heading or top.location.symbol for top in tops)


def test_each_judgment_says_that_a_model_made_it(suite: Suite) -> None:
    assert {source_kind(target.source) for case in suite.cases for target in case.targets} == {"model"}
    assert suite.gating_sources == ("model",)


def test_every_category_that_is_scored_has_a_gate_of_its_own() -> None:
    for entry in find_configuration(FOLDER).suites:
        gates = str(entry.gates)
        for name in LEAST.keys() - {"empty"}:
            assert f"where category = {name}" in gates


def test_there_are_documents_of_every_type_with_front_matter_and_headings_of_three_levels() -> None:
    types: Counter[str] = Counter()
    deepest = 0
    for file in CORPUS.rglob("*.md"):
        nodes = nodes_of(file.relative_to(CORPUS).as_posix(), file.read_text(encoding="utf-8"))
        facets = nodes[0].facets
        assert {"title", "description", "tags", "type"} <= facets.keys(), file
        assert max(node.level for node in nodes) >= 3, file
        deepest = max(deepest, *(node.level for node in nodes))
        types[facets["type"][0]] += 1
    assert types.total() >= 15
    assert all(types[name] >= least for name, least in PAGES.items()), types
    assert deepest == 4


def test_there_is_code_in_eight_languages_with_symbols_below_symbols() -> None:
    languages = set()
    for file in (CORPUS / "code").iterdir():
        nodes = nodes_of(f"code/{file.name}", file.read_text(encoding="utf-8"))
        assert any("." in node.symbol for node in nodes), file
        languages.add(LANGUAGES[file.suffix])
    assert languages == {"cpp", "csharp", "go", "java", "python", "ruby", "rust", "typescript"}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the suite, so that nothing is written beside it, with the systems of the code under test."""
    folder = tmp_path_factory.mktemp("suites") / "handbook"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns(".rankgate"))
    shutil.copy(FOLDER.parent / "GUIDELINES.md", folder.parent)
    text = (folder / "rankgate.toml").read_text(encoding="utf-8")
    cache = json.dumps(str(folder.parent / "lexical"))
    served = json.dumps(handbook.command(folder / "corpus", folder.parent / "mcp"))
    for found, ours in (
        (
            '[systems.lexical]\nkind = "reference"\n',
            f'[systems.lexical]\nkind = "reference"\ncache = {cache}\n',
        ),
        ('command = ["rankgate-reference", "serve", "corpus"]', f"command = {served}"),
    ):
        assert text.count(found) == 1
        text = text.replace(found, ours)
    (folder / "rankgate.toml").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.once
def test_the_reference_system_passes_every_gate_and_scores_the_same_over_mcp(
    project: Path, suite: Suite
) -> None:
    scores = []
    for system in SYSTEMS:
        text = shown(project, f"rankgate test --system {system} --report json={system}.json")
        assert text.endswith("exit 0\n\n"), text
        assert re.match(r"\$ .*\n+✓ handbook · \w+ · \d+ queries passed", text), text[:200]
        report = json.loads((project / f"{system}.json").read_text(encoding="utf-8"))
        assert {gate["state"] for gate in report["gates"]} == {"passed"}
        for kind, count in (("scenarios", len(suite.scenarios)), ("invariants", len(suite.invariants))):
            assert [probe["state"] for probe in report[kind]] == ["passed"] * count
        scores.append({one["metric"]: one["value"] for one in report["metrics"]})
    assert scores[0] == scores[1]
    assert float(scores[0]["ndcg@10"]) >= 0.71


def test_hybrid_search_is_reported_and_held_to_nothing() -> None:
    systems = find_configuration(FOLDER).systems
    entries = find_configuration(FOLDER).suites
    assert {entry.system for entry in entries} == {"lexical", "mcp"}
    assert {"hybrid", "words", "vectors"} <= systems.keys()
