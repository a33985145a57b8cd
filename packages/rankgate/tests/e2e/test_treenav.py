"""treenav-mcp, an MCP server that answers in text, tested by a configuration alone on its recorded exchanges.

Its own test computes nDCG over nodes. On the queries over documents rankgate has the same score. Of the other
queries, two have a target that is no node of its tree: there its test passes without a look.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import rankgate as rg
from rankgate.project.find import find_configuration
from rankgate.systems.registry import open_system
from support.repository import SUPPORT
from support.treenav import HIDDEN, PROBES, Nodes, configured, node_names, own_formula, suite

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def treenav() -> Path:
    folder = Path(os.environ.get("RANKGATE_SHARED_DATA", "")) / "treenav"
    if "RANKGATE_SHARED_DATA" not in os.environ or not folder.is_dir():
        pytest.skip("RANKGATE_SHARED_DATA is not set, or has no treenav")
    return folder


@pytest.fixture(scope="module")
def project(treenav: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("treenav")
    words = [sys.executable, SUPPORT / "mcp_replay_server.py", treenav / "transcript.jsonl.gz"]
    (folder / "rankgate.toml").write_text(configured(COMMAND=json.dumps(list(map(str, words)))))
    return folder


@pytest.fixture(scope="module")
def server(project: Path) -> Iterator[Any]:
    entry = find_configuration(project).entry("treenav")
    system: Any = open_system("treenav", {"kind": entry.target, **entry.options})
    yield system
    system.close()


@pytest.fixture(scope="module")
def nodes(server: Any) -> Nodes:
    return Nodes(server)


@pytest.fixture(scope="module")
def queries(treenav: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((treenav / "qrels.json").read_text())
    return found


@pytest.fixture(scope="module")
def over_documents(nodes: Nodes, queries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    targets = {one["id"]: nodes.targets(one) for one in queries}
    return [one for one in queries if targets[one["id"]] and all(at.of_document for at in targets[one["id"]])]


@pytest.fixture(scope="module")
def result(treenav: Path, project: Path, nodes: Nodes, over_documents: list[dict[str, Any]]) -> rg.Evaluation:
    written = suite(
        [nodes.case(one) for one in over_documents], corpus=str(treenav / "corpus" / "md"), **PROBES
    )
    (project / "treenav.yaml").write_text(json.dumps(written))
    return rg.evaluate(rg.load_suite(project / "treenav.yaml"), "treenav")


def test_every_query_over_documents_has_the_score_of_its_own_formula(
    result: rg.Evaluation, server: Any, nodes: Nodes, over_documents: list[dict[str, Any]]
) -> None:
    assert len(over_documents) == 42
    scores = result.scores.per_query("ndcg@10")
    for query in over_documents:
        filters = {name: tuple(values) for name, values in query.get("filter", {}).items()}
        ranked = node_names(server.search(rg.Query(query["query"], k=10, filters=filters)).hits)
        expected = own_formula(ranked, {target.node: target.grade for target in nodes.targets(query)})
        assert scores[query["id"]] == pytest.approx(expected, abs=1e-9), query["id"]


def test_its_gates_scenarios_and_invariants_hold(result: rg.Evaluation) -> None:
    assert result.exit_code == 0, str(result)


def test_a_hit_has_the_score_and_the_snippet_below_it(server: Any) -> None:
    first = server.search(rg.Query("oauth", k=10)).hits[0]
    assert (first.id, first.score) == ("OAuth 2.0 Guide (docs:auth:oauth:n1)", 15.3)
    assert first.text is not None
    assert first.text.startswith("OAuth 2.0 is the industry-standard")


def test_the_two_targets_that_are_no_node_are_named(nodes: Nodes, queries: list[dict[str, Any]]) -> None:
    missing = {
        query["id"]: one["nodeTitle"]
        for query in queries
        for one in query["relevant"]
        if nodes.node(nodes.document(one["docTitle"]), one.get("nodeTitle")) is None
    }
    assert missing == HIDDEN
