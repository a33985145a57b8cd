"""Three nodes of OpenSearch, one of which is killed in the middle of a run."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from rankgate.runs.store.run_folder import StoredRun
from support.engine_material import queries
from support.opensearch_server import Cluster
from support.search_engines import CLICK, have_click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = [pytest.mark.long, pytest.mark.once, pytest.mark.xdist_group("opensearch")]

COUNT, SHARDS, RATE = 2000, 3, 100
KILLED_AFTER = 600


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(3) as started:
        yield started


def project(folder: Path, cluster: Cluster, replicas: int) -> str:
    """Have an index on the cluster, and write a suite of queries to it; give the name of the index."""
    index = "click"
    have_click(cluster, shards=SHARDS, replicas=replicas)
    cluster.ask("GET", f"/_cluster/health/{index}?wait_for_status=green&timeout=60s")
    texts = queries()
    asked = [f"{texts[number % 200]} {texts[number // 200]}" for number in range(COUNT)]
    cases = [{"name": f"q{number}", "query": text, "id": "x"} for number, text in enumerate(asked)]
    about = {"version": 1, "name": "docs", "metrics": ["rr@10"]}
    lines = "\n".join(map(json.dumps, [about, *cases]))
    (folder / "docs.suite.jsonl").write_text(lines, encoding="utf-8")
    (folder / "query.json").write_text(json.dumps(CLICK), encoding="utf-8")
    (folder / "rankgate.toml").write_text(
        f"[systems.docs]\nkind = 'opensearch'\nhosts = {cluster.urls}\nindex = '{index}'\n"
        f"body_file = 'query.json'\nfields.id = 'fields.id'\nconcurrency = 16\nrate = {RATE}\n",
        encoding="utf-8",
    )
    return index


def started(folder: Path, *args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "rankgate", *args],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def asked_so_far(cluster: Cluster, index: str) -> int:
    """Count the searches of an index: each asks every shard."""
    total = cluster.ask("GET", f"/{index}/_stats/search")["_all"]["total"]["search"]["query_total"]
    return int(total) // SHARDS


def kill_in_the_middle(cluster: Cluster, index: str, node: int) -> None:
    before, end = asked_so_far(cluster, index), time.monotonic() + 120
    while asked_so_far(cluster, index) < before + KILLED_AFTER:
        assert time.monotonic() < end, "the run does not get on"
        time.sleep(0.1)
    cluster.nodes[node].kill()


def told(run: StoredRun) -> dict[str, tuple[Any, ...]]:
    rows = (
        shard.queries.select("query", "status", "attempts", "error").iter_rows() for shard in run.shards()
    )
    return {row[0]: row[1:] for found in rows for row in found}


def rankings(run: StoredRun) -> pl.DataFrame:
    frames = [shard.scan_hits(["query", "rank", "id", "score"]).collect() for shard in run.shards()]
    return pl.concat(frames).sort("query", "rank")


@pytest.mark.parametrize("node", [0, 2], ids=["the manager", "another"])
def test_with_replicas_no_query_is_lost_when_a_node_is_killed(
    cluster: Cluster, tmp_path: Path, node: int, record_property: Callable[[str, object], None]
) -> None:
    index = project(tmp_path, cluster, replicas=1)
    runs = []
    for name in ("undisturbed", "disturbed"):
        process = started(tmp_path, "run", "docs.suite.jsonl", "--system", "docs", "-o", name)
        if name == "disturbed":
            kill_in_the_middle(cluster, index, node)
        said, _ = process.communicate(timeout=300)
        assert process.returncode == 0, said
        runs.append(StoredRun.open(tmp_path / name))
    undisturbed, disturbed = map(told, runs)
    assert len(undisturbed) == len(disturbed) == COUNT
    assert {row[0] for row in disturbed.values()} == {"ok"}
    again = sum(attempts > 1 for _, attempts, _ in disturbed.values())
    assert sum(attempts > 1 for _, attempts, _ in undisturbed.values()) == 0
    assert cluster.nodes[node].process.returncode == -9
    # The copies hold the same documents, none deleted, so they score alike; equal scores are ordered by id.
    first, second = map(rankings, runs)
    assert first.height > COUNT
    assert first.equals(second)
    record_property(
        "figures", f"{COUNT} queries, node {node} killed: {again} asked again, none lost, rankings equal"
    )


def test_without_replicas_missing_answers_are_errors_and_the_verdict_is_exit_3(
    cluster: Cluster, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    index = project(tmp_path, cluster, replicas=0)
    process = started(tmp_path, "test", "docs.suite.jsonl", "--system", "docs", "-o", "markdown=report.md")
    kill_in_the_middle(cluster, index, 2)
    said, _ = process.communicate(timeout=300)
    assert process.returncode == 3, said
    assert "Traceback" not in said
    kept = tmp_path / ".rankgate/docs/docs"
    found = told(StoredRun.open(kept / "run"))
    assert len(found) == COUNT
    failed = {query: row for query, row in found.items() if row[0] != "ok"}
    # What is under way counts among the searches and may fail all the same.
    assert COUNT / 3 < len(failed) <= COUNT - KILLED_AFTER + 20
    missing = [row for row in failed.values() if "1 of 3 shards without an answer" in row[2]]
    assert len(missing) > len(failed) * 0.9
    words = " ".join(said.replace(",", "").split())
    assert f"System error on {len(failed)} of {COUNT} queries" in words
    for path in (tmp_path / "report.md", kept / "report.md"):
        assert "shards without an answer" in path.read_text(encoding="utf-8")
    assert json.loads((kept / "verdicts.json").read_text(encoding="utf-8"))["exit_code"] == 3
    record_property(
        "figures",
        f"{COUNT} queries, node 2 killed: {len(failed)} errors, {len(missing)} by missing shards, exit 3",
    )
