from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import InputError, PluginError, SystemFailedError
from rankgate.model import Document, Query
from rankgate.systems.adapter.failures import TimedOutError
from rankgate.systems.registry import open_system
from rankgate.testing import check_system
from rankgate_engines.lancedb import LancedbOptions, LancedbSystem
from support.engine_material import functions, queries
from support.hashing_embedder import embed

if TYPE_CHECKING:
    from pathlib import Path

EMBEDDER = "support.hashing_embedder:embed"
MODES = ("text", "vector", "hybrid")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table of click's functions."""
    folder = tmp_path_factory.mktemp("lancedb")
    LancedbSystem(LancedbOptions(folder=str(folder), embedder=EMBEDDER)).build(functions(), "click")
    return folder


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A table that somebody has: other columns, written without rankgate."""
    import lancedb
    import pyarrow as pa
    from lancedb.index import FTS

    rows = {
        "sku": [1, 2, 3],
        "name": ["Red shoes", "Laces", "Blue shoes"],
        "body": ["Shoes for running", "Laces for red shoes and blue shoes", "For walking AND running"],
        "colour": ["red", "white", "it's blue"],
        "meaning": pa.array(embed(["red shoes", "laces", "blue shoes"]), pa.list_(pa.float32(), 64)),
    }
    table = lancedb.connect(str(tmp_path / "shop")).create_table("goods", pa.table(rows))
    for column in ("name", "body"):
        table.create_index(column, config=FTS())
    return tmp_path / "shop"


def opened(kept: Path, mode: Any = "text", **options: Any) -> LancedbSystem:
    system = LancedbSystem(LancedbOptions(folder=str(kept), mode=mode, embedder=EMBEDDER, **options))
    assert not system.build((), "click")
    return system


def ids(system: Any, text: str, **filters: str | tuple[str, ...]) -> list[str | None]:
    return [hit.id for hit in system.search(Query(text, 10, filters)).hits]


@pytest.mark.parametrize("mode", MODES)
def test_a_lancedb_table_keeps_the_contract_in_every_mode(kept: Path, mode: str) -> None:
    check_system(opened(kept, mode), queries()[:5])


def test_lancedb_ranks_as_the_bare_client_does_in_every_mode(kept: Path) -> None:
    import lancedb
    from lancedb.query import MatchQuery
    from lancedb.rerankers import RRFReranker

    (folder,) = kept.iterdir()
    table = lancedb.connect(str(folder)).open_table("documents")

    def text(query: str) -> Any:
        return table.search(MatchQuery(query, "all_words"), query_type="fts").limit(10).to_arrow()

    def vector(query: str) -> Any:
        found = table.search(embed([query])[0], query_type="vector").distance_type("cosine")
        return found.limit(10).to_arrow()

    def hybrid(query: str) -> Any:
        both = (
            table.search(query_type="hybrid").vector(embed([query])[0]).text(MatchQuery(query, "all_words"))
        )
        return both.distance_type("cosine").rerank(reranker=RRFReranker()).limit(10).to_arrow()

    for mode, bare in zip(MODES, (text, vector, hybrid), strict=True):
        system, found = opened(kept, mode), 0
        for query in queries()[::4]:
            hits, expected = system.search(Query(query, 10)).hits, bare(query)["id"].to_pylist()
            assert [hit.id for hit in hits] == expected, (mode, query)
            found += len(expected)
        assert found > 400


def test_an_existing_lancedb_table_is_searched_as_it_is(shop: Path) -> None:
    import lancedb
    from lancedb.query import MultiMatchQuery

    options: dict[str, object] = {
        "kind": "lancedb",
        "uri": "shop",
        "root": str(shop.parent),
        "table": "goods",
    }
    options |= {"fields": {"id": "sku", "text": "name"}, "filters": {"tint": "colour"}}
    text = open_system("shop", {**options, "search": {"name": 1, "body": 50}})
    table = lancedb.connect(str(shop)).open_table("goods")
    request = MultiMatchQuery("red shoe", ["name", "body"], boosts=[1.0, 50.0])
    bare = table.search(request, query_type="fts").limit(10).to_arrow()["sku"].to_pylist()
    assert ids(text, "red shoe") == [str(one) for one in bare] != []
    named = open_system("shop", {**options, "search": {"name": 1}, "where": "sku > 1"})
    assert ids(named, "shoes") == ["3"]
    vectors = {"vector": "meaning", "embedder": EMBEDDER, "mode": "vector"}
    assert ids(open_system("shop", {**options, **vectors}), "blue shoes")[0] == "3"
    hit = open_system("shop", {**options, **vectors}).search(Query("laces", 1)).hits[0]
    assert (hit.id, hit.text) == ("2", "Laces")
    check_system(text, ("shoes",))


def test_filters_of_an_existing_lancedb_table_are_values_and_never_sql(shop: Path) -> None:
    options = {"kind": "lancedb", "uri": str(shop), "table": "goods", "fields": {"id": "sku"}}
    system = open_system("shop", {**options, "search": {"name": 1}, "filters": {"tint": "colour"}})
    assert ids(system, "shoes", tint="it's blue") == ["3"]
    assert set(ids(system, "shoes", tint=("it's blue", "red"))) == {"1", "3"}
    assert ids(system, "shoes", tint="x' OR '1'='1") == []
    with pytest.raises(SystemFailedError, match="filters colour"):
        system.search(Query("shoes", filters={"colour": "red"}))


def test_a_reranker_of_the_user_joins_both_kinds(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lancedb.rerankers import LinearCombinationReranker

    first = LinearCombinationReranker(weight=1.0)
    monkeypatch.setattr(sys.modules[__name__], "vector_first", first, raising=False)
    mine = opened(kept, "hybrid", rerank=f"{__name__}:vector_first")
    for query in queries()[:5]:
        assert ids(mine, query)[0] == ids(opened(kept, "vector"), query)[0]


def test_an_embedder_that_fails_is_told_and_a_late_answer_is_a_timeout(kept: Path, tmp_path: Path) -> None:
    wrong = LancedbSystem(LancedbOptions(folder=str(tmp_path), embedder="support.hashing_embedder:wrong"))
    with pytest.raises(SystemFailedError, match="0 vectors of lengths"):
        wrong.build([Document("1", "word")], "docs")
    with pytest.raises(TimedOutError):
        opened(kept, timeout=1e-9).search(Query("word"))


def test_wrong_options_of_lancedb_are_told_when_it_is_opened(shop: Path, tmp_path: Path) -> None:
    wrong: tuple[tuple[dict[str, object], str], ...] = (
        ({"uri": "nowhere", "search": {"a": 1}}, "where there is none"),
        ({"uri": str(shop), "search": {"name": 1}}, "a table of the database"),
        ({"uri": str(shop), "table": "goods"}, "found no column"),
        ({"uri": str(shop), "table": "goods", "search": {"nmae": 1}}, "no column end, id, nmae"),
        ({"mode": "vector"}, "embedder = "),
        ({"mode": "vector", "embedder": "hashing_embedder"}, "module:attr"),
        ({"timeout": 0}, "a number of seconds"),
        ({"fields": {"name": "x"}}, "unknown field"),
    )
    for options, said in wrong:
        with pytest.raises(InputError, match=said):
            open_system("app", {"kind": "lancedb", "root": str(tmp_path), **options})
    assert not (tmp_path / "nowhere").exists()
    with pytest.raises(PluginError):
        LancedbSystem(LancedbOptions(embedder="support.hashing_embedder:nothing"))
    with pytest.raises(SystemFailedError, match="one that was built"):
        LancedbSystem(LancedbOptions()).search(Query("a"))
