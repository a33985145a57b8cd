"""Batches: how a run is split changes no bit of any score."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from rankgate.errors import InputError
from rankgate.runs.store.batches import batches
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.run_folder import StoredRun
from rankgate.runs.store.run_writer import RunWriter
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.truth.judgments.table import Judgments
from support.builders import at

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.model import Hit

METRICS = ["ndcg@5", "ndcg", "ap", "rr", "p@3", "r@5", "rbp", "bpref", "judged@5", "pndcg@5", "f1", "rprec"]


def judged(chance: random.Random, queries: list[str]) -> Judgments:
    rows = [
        (
            query,
            f"f{chance.randrange(4)}.py",
            start,
            start + chance.randrange(8),
            chance.choice((0.0, 0.3, 1.0, 2.0)),
        )
        for query in queries
        for start in chance.sample(range(1, 40), 4)
    ]
    schema = ["query", "path", "start", "end", "grade"]
    cases = pl.DataFrame(
        {
            "query": queries,
            "weight": [chance.choice((1.0, 0.1, 0.7)) for _ in queries],
            "exhaustive": [chance.random() < 0.3 for _ in queries],
        }
    )
    return Judgments.of(pl.DataFrame(rows, schema=schema, orient="row"), cases)


def answered(chance: random.Random, queries: list[str]) -> dict[str, list[Hit | str]]:
    return {
        query: [
            at(f"f{chance.randrange(4)}.py", start := chance.randrange(1, 40), start + chance.randrange(15))
            for _ in range(chance.randrange(9))
        ]
        for query in queries
    }


@pytest.fixture(scope="module")
def suite() -> tuple[Judgments, list[Shard]]:
    chance = random.Random(11)
    queries = [f"q{number}" for number in range(60)]
    judgments = judged(chance, queries)
    asked = [*queries[5:], "unjudged 1", "unjudged 2"]
    chance.shuffle(asked)
    return judgments, [
        Shard.of_rankings(answered(chance, asked[at : at + 7])) for at in range(0, len(asked), 7)
    ]


@pytest.fixture
def most(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    limit: int = request.param
    whole = batches
    monkeypatch.setattr("rankgate.scoring.evaluate.batches", lambda shards: whole(shards, limit))
    return limit


@pytest.mark.parametrize("most", [1, 10, 57, 100_000], indirect=True)
def test_the_size_of_a_batch_changes_no_bit(
    suite: tuple[Judgments, list[Shard]], most: int, tmp_path: Path
) -> None:
    judgments, shards = suite
    one = Shard.of(
        pl.concat([shard.queries for shard in shards]), pl.concat([shard.hits for shard in shards])
    )
    whole = score(judgments, MemoryRun("whole", [one]), METRICS)
    with RunWriter(tmp_path, Manifest("stored")) as writer:
        for shard in shards:
            writer.add(shard)
    for run in (MemoryRun("split", shards), MemoryRun("turned", shards[::-1]), StoredRun.open(tmp_path)):
        split = score(judgments, run, METRICS)
        assert_frame_equal(split.frame(), whole.frame(), check_exact=True)
        for metric in METRICS:
            assert split[metric] == whole[metric]
            assert split.counts(metric) == whole.counts(metric)
        assert split.unjudged == whole.unjudged == 2


@pytest.mark.parametrize("most", [1], indirect=True)
def test_a_query_in_two_shards_is_refused(most: int) -> None:
    judgments = Judgments.of(pl.DataFrame({"query": ["q"], "id": ["a"]}))
    shard = Shard.of_rankings({"q": ["a", "b"]})
    with pytest.raises(InputError, match="a query in two shards"):
        score(judgments, MemoryRun("one", [shard, shard]), ["rr"])


def test_shards_are_gathered_up_to_the_limit_and_a_larger_one_stands_alone() -> None:
    sizes = (2, 2, 1, 9, 0, 3, 3)
    shards = [Shard.of_rankings({f"q{number}": ["x"] * size}) for number, size in enumerate(sizes)]
    gathered = [[int(part.queries["hits"].sum()) for part in batch.parts] for batch in batches(shards, 5)]
    assert gathered == [[2, 2, 1], [9], [0, 3], [3]]


def test_a_batch_gives_the_hits_of_all_its_shards() -> None:
    shards = [Shard.of_rankings({"q1": ["a", "b"]}), Shard.of_rankings({"q2": ["c"]})]
    (batch,) = batches(shards)
    assert batch.scan_hits(["query", "id"]).collect().rows() == [("q1", "a"), ("q1", "b"), ("q2", "c")]
    assert batch.queries["query"].to_list() == ["q1", "q2"]


def test_a_run_without_shards_scores_as_if_nothing_was_answered() -> None:
    judgments = Judgments.of(pl.DataFrame({"query": ["q"], "id": ["a"]}))
    scores = score(judgments, MemoryRun("empty", []), ["rr"])
    assert scores["rr"] == 0
    assert scores.counts("rr").missing == 1
