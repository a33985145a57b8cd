"""Runs in the formats of others."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from rankgate.errors import FormatError, InputError
from rankgate.io.compressed import write_text
from rankgate.locations import Lines
from rankgate.model import Hit, Ranking
from rankgate.runs.formats.jsonl import read_jsonl_run
from rankgate.runs.formats.load import load_run
from rankgate.runs.formats.trec import read_trec_run
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.run_writer import RunWriter
from rankgate.runs.store.tables import Shard
from rankgate.truth.judgments.formats import load_judgments

if TYPE_CHECKING:
    from rankgate.runs.store.tables import Run

words = st.text(
    alphabet=st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=4
)
queries = words.filter(lambda word: not word.startswith("#"))
scores = st.sampled_from([0.0, -0.0, 1.0, 1 + 1e-9, 1 - 1e-9, 3e38, 1e39, -1e39, 1e-300]) | st.floats(-9, 9)
hits = st.builds(Hit, id=words, score=scores)
found = st.dictionaries(queries, st.lists(hits, min_size=1, max_size=6), min_size=1, max_size=4)


@pytest.fixture(scope="module")
def data() -> Path:
    folder = os.environ.get("RANKGATE_SHARED_DATA")
    if not folder:
        pytest.skip("RANKGATE_SHARED_DATA is not set")
    return Path(folder)


def only(run: Run) -> Shard:
    (shard,) = run.shards()
    assert isinstance(shard, Shard)
    return shard


def write(path: Path, rankings: dict[str, list[Hit]]) -> None:
    """Write a run file by hand."""
    write_text(
        path,
        (
            f"{query} Q0 {hit.id} {rank} {hit.score!r} tag\n"
            for query, listed in rankings.items()
            for rank, hit in enumerate(listed, 1)
        ),
    )


@pytest.mark.parametrize("name", ["a.run", "a.run.gz", "a.run.zst"])
@given(rankings=found)
@example(rankings={"{": [Hit("}", score=1.0)]})
@settings(deadline=None, max_examples=40)
def test_a_run_file_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, name: str, rankings: dict[str, list[Hit]]
) -> None:
    path = tmp_path_factory.mktemp("trec") / name
    shard = Shard.of_rankings(rankings)
    write(path, rankings)
    run = load_run(path, order="returned")
    assert run.name == "tag"
    assert_frame_equal(only(run).hits, shard.hits)
    assert_frame_equal(only(run).queries, shard.queries)


@given(found)
@settings(deadline=None)
def test_trec_order_is_float32_then_id_bytes_both_descending(
    tmp_path_factory: pytest.TempPathFactory, rankings: dict[str, list[Hit]]
) -> None:
    path = tmp_path_factory.mktemp("trec") / "a.run"
    write(path, rankings)
    read = only(read_trec_run(path)).hits
    for query, listed in rankings.items():
        with np.errstate(over="ignore"):
            keys = [(float(np.float32(hit.score or 0.0)), (hit.id or "").encode()) for hit in listed]
        expected = [name.decode() for _, name in sorted(keys, reverse=True)]
        rows = read.filter(pl.col("query") == query)
        assert rows["id"].to_list() == expected
        assert rows["rank"].to_list() == list(range(1, len(listed) + 1))


def test_queries_that_stand_apart_in_the_file_are_put_together(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("q Q0 a 9 1 t\nr Q0 b 1 1 t\nq Q0 c 5 2 t\nq Q0 a 5 2 t\n")
    run = read_trec_run(tmp_path / "a")
    assert only(run).hits.select("query", "rank", "id").rows() == [
        ("q", 1, "c"), ("q", 2, "a"), ("q", 3, "a"), ("r", 1, "b"),
    ]  # fmt: skip
    assert run.notes == ("1 hits repeat an id of their query and keep their rank",)
    assert run.order == "trec"
    returned = only(read_trec_run(tmp_path / "a", order="returned")).hits
    assert returned["id"].to_list() == ["c", "a", "a", "b"]
    assert returned["score"].to_list() == [2.0, 2.0, 1.0, 1.0]


def test_every_bad_score_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("q Q0 a 1 x t\nq Q0 b 2 nan t\nq Q0 c 3 1e3 t\nq Q0 d 4 -inf t\n")
    with pytest.raises(FormatError) as caught:
        read_trec_run(path)
    assert [problem.where for problem in caught.value.problems] == [f"{path}:1", f"{path}:2"]


def test_json_lines_hold_all_that_a_run_does(tmp_path: Path) -> None:
    shard = Shard.of_rankings(
        {
            "q": Ranking(
                (
                    Hit("a", score=1.5, text="hello"),
                    Hit(path="b.md", lines=Lines(2, 3), tokens=4),
                ),
                tokens=9,
            ),
            "r": [],
        },
        texts="full",
    )
    failed = pl.DataFrame({"query": ["s"], "status": ["timeout"], "error": ["slow"], "latency_ms": [1.25]})
    other = Shard.of(failed, shard.hits.clear())
    hits = [
        {"id": "a", "score": 1.5, "text": "hello"},
        {"path": "b.md", "start": 2, "end": 3, "tokens": 4},
    ]
    lines = [
        {"query": "q", "tokens": 9, "hits": hits},
        {"query": "r", "hits": []},
        {"query": "s", "status": "timeout", "error": "slow", "latency_ms": 1.25, "hits": []},
    ]
    with gzip.open(tmp_path / "mine.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    run = load_run(tmp_path / "mine.jsonl.gz")
    assert run.name == "mine"
    assert_frame_equal(only(run).queries, pl.concat([shard.queries, other.queries]))
    assert_frame_equal(only(run).hits, shard.hits)
    assert_frame_equal(only(run).texts, shard.texts)


def test_a_hit_may_be_its_id_alone(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"query": "q", "hits": ["a", {"id": "b"}], "took": 3}\n')
    run = read_jsonl_run(tmp_path / "a.jsonl")
    assert only(run).hits["id"].to_list() == ["a", "b"]
    assert run.notes == ("field 'took' ignored once",)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"hits": []}', "the key `query` is missing."),
        ('{"query": "q", "hits": {}, "tokens": -1}', "`tokens` should be greater than or equal to 0"),
        ('{"query": "q", "hits": "a"}', "`hits` should be a list, found the text 'a'."),
        ('{"query": "q", "hits": [3]}', "hits[0]: a hit should be an id or an object."),
        ('{"query": "q", "hits": [{"id": 3}]}', "`hits[0].id` should be a text, found 3."),
        ('{"query": "q", "hits": [{"start": 4294967296}]}', "`hits[0].start` should be less than"),
        ('{"query": "q", "hits": [{"path": "a", "start": 3, "end": 2}]}', "lines 3-2"),
        ('{"query": "q", "hits": [{"path": "a", "start": 1, "end": 2, "end_char": 5}]}', "characters None-5"),
        ('{"query": "q", "status": "fine"}', "status 'fine'"),
        ('{"query": "q"}\n{"query": "q"}', "more than one row"),
    ],
)
def test_a_bad_json_line_is_refused(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "a.jsonl").write_text(line)
    with pytest.raises(FormatError) as caught:
        read_jsonl_run(tmp_path / "a.jsonl")
    assert message in str(caught.value)


def test_the_format_is_told_by_name_and_content(tmp_path: Path) -> None:
    with RunWriter(tmp_path / "run", Manifest("stored")) as writer:
        writer.add(Shard.of_rankings({"q": ["a"]}))
    (tmp_path / "lines").write_text('{"query": "q"}\n')
    (tmp_path / "words").write_text("q Q0 a 1 1 tag\n")
    assert [load_run(tmp_path / name).name for name in ("run", "lines", "words")] == [
        "stored",
        "lines",
        "tag",
    ]
    with pytest.raises(FormatError, match="folder, jsonl, parquet, trec"):
        load_run(tmp_path)
    with pytest.raises(FormatError, match="format 'xml'"):
        load_run(tmp_path / "words", format="xml")
    with pytest.raises(InputError, match="does not exist"):
        load_run(tmp_path / "absent")


def test_real_run_files_are_read(data: Path) -> None:
    tests = data / "trec" / "trec_eval-tests"
    truncated = only(load_run(tests / "results.trunc"))
    assert truncated.queries["query"].sort().to_list() == ["301", "303"]
    commented = load_run(tests / "results.comment.test")
    assert only(commented).hits["id"].str.contains("#").all()
    passage = only(load_run(data / "runs" / "dl19" / "run.msmarco-v1-passage.bm25-default.dl19.txt"))
    assert passage.queries.height == 43
    assert passage.hits.filter(pl.col("query") == "19335")["id"].head(3).to_list() == [
        "8412684",
        "3175481",
        "8635981",
    ]


def test_carriage_return_within_lines_is_counted_in_a_note(tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_bytes(b"q Q0 right 1 2.0 t\rq Q0 wrong 2 1.0 t\n")
    (tmp_path / "qrels.txt").write_bytes(b"q 0 right 1\rq 0 wrong 1\n")
    note = "1 carriage return within lines, read as white space, which ends no line"
    assert note in load_run(tmp_path / "run.txt").notes
    assert note in load_judgments(tmp_path / "qrels.txt").notes
