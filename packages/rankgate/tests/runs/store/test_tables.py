"""The tables of a run: what is checked and what is brought into order."""

from __future__ import annotations

import polars as pl
import pytest

from rankgate.errors import FormatError
from rankgate.locations import Lines
from rankgate.model import Hit, Ranking
from rankgate.runs.store.columns import snippet, text_hash
from rankgate.runs.store.schemas import HITS, QUERIES, TEXTS
from rankgate.runs.store.tables import MemoryRun, Shard

QUERY = {"query": ["q"]}


def test_rankings_become_tables() -> None:
    shard = Shard.of_rankings(
        {
            "q": Ranking((Hit("a", score=2), Hit(path="./b.md", lines=Lines(1, 9), tokens=7)), tokens=30),
            "r": [],
        }
    )
    assert shard.queries.rows() == [
        ("q", "ok", None, 1, None, 30, 2, None, None),
        ("r", "ok", None, 1, None, None, 0, None, None),
    ]
    unplaced = [None] * 7
    assert shard.hits.rows() == [
        ("q", 1, "a", None, None, None, 2.0, None, None, *unplaced),
        ("q", 2, None, "b.md", 1, 9, None, None, 7, *unplaced),
    ]
    for frame, schema in ((shard.queries, QUERIES), (shard.hits, HITS), (shard.texts, TEXTS)):
        assert frame.schema == schema.types


@pytest.mark.parametrize(("level", "kept"), [("none", []), ("snippet", [4096]), ("full", [9000])])
def test_texts_are_kept_as_far_as_asked_and_named_by_the_whole(level: str, kept: list[int]) -> None:
    text = "x" * 9000
    shard = Shard.of_rankings({"q": [Hit("a", text=text), Hit("b", text=text)]}, texts=level)  # type: ignore[arg-type]
    assert shard.hits["text"].to_list() == [text_hash(text)] * 2
    assert shard.texts["text"].str.len_chars().to_list() == kept


def test_a_snippet_never_ends_inside_a_character() -> None:
    assert snippet("a" + "é" * 4000) == "a" + "é" * 2047


def test_half_a_surrogate_pair_does_not_stop_a_run() -> None:
    shard = Shard.of_rankings({"q": [Hit("a", text="x\ud800")]}, texts="full")
    assert shard.texts["text"].to_list() == ["x?"]


def test_no_rankings_are_an_empty_shard() -> None:
    assert Shard.of_rankings({}).hits.height == 0


def test_hits_are_put_together_and_in_order() -> None:
    hits = pl.DataFrame({"query": ["b", "a", "b", "a"], "rank": [2, 1, 1, 2], "id": ["w", "x", "y", "z"]})
    shard = Shard.of(pl.DataFrame({"query": ["a", "b"]}), hits)
    assert shard.hits["id"].to_list() == ["y", "w", "x", "z"]
    assert shard.queries["hits"].to_list() == [2, 2]


@pytest.mark.parametrize(
    ("queries", "hits", "message"),
    [
        (QUERY, {"query": ["q", "q"], "rank": [1, 3]}, "rank 3"),
        (QUERY, {"query": ["q", "q"], "rank": [1, 1]}, "rank 1"),
        (QUERY, {"query": ["q"], "rank": [0]}, "rank 0"),
        (QUERY, {"query": ["q", "r"], "rank": [1, 1]}, "hits of an unlisted query"),
        ({"query": ["q"], "hits": [2]}, {"query": ["q"], "rank": [1]}, "found 1 hits, expected 2"),
        ({"query": ["q", "q"]}, {"query": [], "rank": []}, "more than one row"),
        ({"query": ["q"], "status": ["fine"]}, {"query": [], "rank": []}, "status 'fine'"),
        ({"query": ["q"], "latency_ms": [float("nan")]}, {"query": [], "rank": []}, "latency_ms nan"),
        (QUERY, {"query": ["q"], "rank": [1], "path": ["/etc"]}, "path: found '/etc'"),
        (QUERY, {"query": ["q"], "rank": [1], "path": ["a"], "start": [2]}, "lines 2-None"),
        (QUERY, {"query": ["q"], "rank": [1], "score": [float("nan")]}, "score NaN"),
        (QUERY, {"query": ["q"]}, "hits.rank: found no such column"),
    ],
)
def test_tables_that_cannot_be_are_refused(
    queries: dict[str, list[object]], hits: dict[str, list[object]], message: str
) -> None:
    with pytest.raises(FormatError) as caught:
        Shard.of(pl.DataFrame(queries), pl.DataFrame(hits))
    assert message in str(caught.value)


def test_a_hash_that_names_two_texts_is_refused() -> None:
    texts = pl.DataFrame({"hash": ["h", "h"], "text": ["a", "b"]})
    with pytest.raises(FormatError, match="different texts"):
        Shard.of(pl.DataFrame(QUERY), HITS.empty(), texts)


def test_numbers_that_do_not_fit_are_refused() -> None:
    with pytest.raises(FormatError, match="such as 4294967296"):
        Shard.of_rankings({"q": [Hit(path="a", tokens=2**32)]})


def test_a_run_in_memory_gives_its_columns() -> None:
    run = MemoryRun("mine", [Shard.of_rankings({"q": ["a", "b"]})], notes=["odd"])
    (shard,) = run.shards()
    assert shard.scan_hits(["id", "rank"]).collect().rows() == [("a", 1), ("b", 2)]
    assert (run.name, run.notes, run.order) == ("mine", ("odd",), "returned")
