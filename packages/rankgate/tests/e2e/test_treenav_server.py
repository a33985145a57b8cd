"""treenav-mcp itself, all 67 queries; RANKGATE_TREENAV is a checkout of joesaby/treenav-mcp with bun by npm.

It indexes the corpus that the suite pins, by ``{corpus}``. Every query has the score of its own formula but
the two whose target is no node of its tree: they are judged by the source, and fall short.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import rankgate as rg
from rankgate.project.find import find_configuration
from rankgate.project.opening import opened
from support.treenav import (
    CODE_PROBES,
    HIDDEN_AT,
    ONLY_IN_MEMORY,
    PROBES,
    Nodes,
    configured,
    node_names,
    own_formula,
    suite,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def checkout() -> Path:
    folder = Path(os.environ.get("RANKGATE_TREENAV", "nowhere"))
    if not (folder / "node_modules" / ".bin" / "bun").exists():
        pytest.skip("RANKGATE_TREENAV is not a checkout of treenav-mcp with bun")
    return folder


@pytest.fixture(scope="module")
def queries() -> list[dict[str, Any]]:
    file = Path(os.environ.get("RANKGATE_SHARED_DATA", "nowhere")) / "treenav" / "qrels.json"
    if not file.is_file():
        pytest.skip("RANKGATE_SHARED_DATA is not set, or has no treenav")
    found: list[dict[str, Any]] = json.loads(file.read_text())
    return found


@pytest.fixture(scope="module")
def project(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("treenav")
    fixtures = checkout / "tests" / "fixtures" / "search-quality"
    shutil.copytree(fixtures / "md", folder / "corpus")
    shutil.copytree(fixtures / "code", folder / "corpus", dirs_exist_ok=True)
    command = [str(checkout / "node_modules" / ".bin" / "bun"), "run", str(checkout / "src" / "server.ts")]
    written = f'{json.dumps(command)}\nenv = {{ DOCS_ROOT = "{{corpus}}", CODE_ROOT = "{{corpus}}" }}'
    (folder / "rankgate.toml").write_text(configured(COMMAND=written))
    (folder / "empty.yaml").write_text("corpus: corpus\ncases: [{query: none, expect: empty}]\n")
    return folder


@pytest.fixture(scope="module")
def server(project: Path) -> Iterator[Any]:
    configuration = find_configuration(project)
    indexed = rg.load_suite(project / "empty.yaml")
    with opened(configuration.entry("treenav"), configuration.root, indexed) as system:
        yield system


@pytest.fixture(scope="module")
def nodes(server: Any) -> Nodes:
    return Nodes(server)


@pytest.fixture(scope="module")
def result(project: Path, nodes: Nodes, queries: list[dict[str, Any]]) -> rg.Evaluation:
    cases = []
    for query in queries:
        case = nodes.case(query)
        if at := HIDDEN_AT.get(query["id"]):
            case["at"] = [{"at": at, "grade": 3}, *case["at"]]
            case["top"] = {"at": at, "within": 5}
        if query["relevant"]:
            cases.append(case)
    probes = {name: [*PROBES[name], *CODE_PROBES.get(name, [])] for name in PROBES}
    written = suite(cases, corpus="corpus", **probes)
    (project / "treenav.yaml").write_text(json.dumps(written))
    return rg.evaluate(rg.load_suite(project / "treenav.yaml"), "treenav")


def test_every_query_has_the_score_of_its_own_formula_but_the_two_it_hides(
    result: rg.Evaluation, server: Any, nodes: Nodes, queries: list[dict[str, Any]]
) -> None:
    assert len(queries) == 67
    scores = result.scores.per_query("ndcg@10")
    differing = {}
    for query in (one for one in queries if one["relevant"]):
        filters = {name: tuple(values) for name, values in query.get("filter", {}).items()}
        ranked = node_names(server.search(rg.Query(query["query"], k=10, filters=filters)).hits)
        grades = {target.node: target.grade for target in nodes.targets(query)}
        expected = own_formula(ranked, grades) if grades else 1.0
        if scores[query["id"]] != pytest.approx(expected, abs=1e-9):
            differing[query["id"]] = (expected, scores[query["id"]])
    assert differing.keys() == HIDDEN_AT.keys(), differing
    assert differing["RB3"] == (1.0, 0.0)
    own, judged = differing["CPP1"]
    assert judged is not None
    assert judged < own


def test_what_fails_is_what_its_own_test_hides(result: rg.Evaluation) -> None:
    failed = {one.name for one in result.report.cases if not all(check.passed for check in one.checks)}
    assert failed == set(HIDDEN_AT), str(result)


def test_its_scenarios_and_invariants_hold_but_two_that_hold_in_its_memory_alone(
    result: rg.Evaluation,
) -> None:
    failed = {one.name for one in result.report.scenarios if one.state != "passed"}
    assert failed == ONLY_IN_MEMORY, str(result)
    assert all(one.state == "passed" for one in result.report.invariants), str(result)
