from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import InputError, RetriableError, SystemFailedError
from rankgate.model.search import Document, Indexer, Query
from rankgate.systems.adapter.failures import TimedOutError
from rankgate.systems.engines.sqlite.system import SqliteOptions, SqliteSystem
from rankgate.systems.registry import open_system
from rankgate.testing import ODD, check_system
from support.commands import rankgate
from support.engine_material import InTurns, functions, queries, scifact
from support.scifact_settings import PUBLISHED, TOLERANCE, ndcg_of, settings_of

if TYPE_CHECKING:
    from pathlib import Path

SQL = """
-- the shop's own request; :this is a comment
SELECT sku AS id, -bm25(goods, 5.0, 1.0) AS score FROM goods
WHERE goods MATCH :query AND (:filters_colour IS NULL OR colour = :filters_colour) AND name <> ':k'
ORDER BY bm25(goods, 5.0, 1.0) LIMIT :k
"""
ENDLESS = """
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS id FROM n WHERE :query <> ''
"""


@pytest.fixture
def system(tmp_path: Path) -> SqliteSystem:
    system = SqliteSystem(SqliteOptions(folder=str(tmp_path)))
    system.build(functions(), "click")
    return system


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A database that somebody has: another table, written without rankgate."""
    path = tmp_path / "shop #1.db"
    rows = (
        ("1", "Red shoes", "Shoes for running", "red"),
        ("2", "Laces", "Laces for red shoes and blue shoes", "white"),
        ("3", "Blue shoes", "For walking and running", "blue"),
    )
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "CREATE VIRTUAL TABLE goods USING fts5 (name, body, sku UNINDEXED, colour UNINDEXED)"
        )
        database.executemany("INSERT INTO goods (sku, name, body, colour) VALUES (?, ?, ?, ?)", rows)
    return path


def opened(path: Path, **options: object) -> Any:
    return open_system("shop", {"kind": "sqlite", "database": path.name, "root": str(path.parent), **options})


def ids(system: Any, text: str, **filters: str | tuple[str, ...]) -> list[str | None]:
    return [hit.id for hit in system.search(Query(text, 10, filters)).hits]


def test_a_table_of_sqlite_keeps_the_contract(system: SqliteSystem, shop: Path) -> None:
    check_system(system, queries()[:5])
    check_system(opened(shop, sql=SQL), ("shoes", "red laces"))
    check_system(opened(shop, sql=SQL, query="raw"), ("shoes",))


def test_sqlite_ranks_as_the_bare_client_does_and_costs_little_more(
    tmp_path: Path, system: SqliteSystem, record_property: Any
) -> None:
    # Written apart: a table of its own, without rankgate's.
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(
            "CREATE VIRTUAL TABLE t USING fts5 (title, text, id UNINDEXED, tokenize = 'porter unicode61')"
        )
        rows = [(one.title, one.text, one.id) for one in functions()]
        database.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
        sql = "SELECT id, -bm25(t) FROM t WHERE t MATCH ? ORDER BY bm25(t), rowid LIMIT 10"

        def bare(text: str) -> list[tuple[str, float]]:
            words = " OR ".join(f'"{word}"' for word in dict.fromkeys(text.split()))
            return database.execute(sql, (words,)).fetchall()

        both = InTurns(system, bare)
        total = 0
        for text in queries():
            hits, expected = both.ask(text)
            assert [(hit.id, hit.score) for hit in hits] == expected, text
            total += len(expected)
        assert total > 1500
        record_property("figures", both.overhead())


def test_hits_of_a_built_table_say_where_they_lie(system: SqliteSystem) -> None:
    document = next(one for one in functions() if one.title == "get_best_encoding")
    hit = system.search(Query("get_best_encoding", 1)).hits[0]
    assert (hit.id, hit.path, hit.lines) == (document.id, document.path, document.lines)
    assert (hit.score or 0) > 0


def test_a_database_that_is_there_is_asked_with_the_users_own_sql(shop: Path) -> None:
    (shop.parent / "search.sql").write_text(SQL, encoding="utf-8")
    for own in (opened(shop, sql=SQL), opened(shop, sql_file="search.sql")):
        assert ids(own, "red shoes") == ["1", "2", "3"]
        assert ids(own, "shoes", colour="blue") == ["3"]
        assert ids(own, "shoes", colour="blue' OR 'a' = 'a") == []
        with pytest.raises(SystemFailedError, match="filters size"):
            own.search(Query("shoes", filters={"size": "44"}))
        with pytest.raises(SystemFailedError, match="2 values"):
            own.search(Query("shoes", filters={"colour": ("red", "blue")}))
        assert own.search(Query("red shoes", 2)).hits[0].score == pytest.approx(-bm25_of(shop), abs=1e-12)


def test_a_configuration_names_the_database_from_its_own_folder(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shop.parent / "search.sql").write_text(SQL, encoding="utf-8")
    settings = f'[systems.shop]\nkind = "sqlite"\ndatabase = "{shop.name}"\nsql_file = "search.sql"\n'
    (shop.parent / "rankgate.toml").write_text(settings, encoding="utf-8")
    (shop.parent / "below").mkdir()
    monkeypatch.chdir(shop.parent / "below")
    said = rankgate("ask", "shop", "laces").printed()
    assert "2" in said.split()


def bm25_of(shop: Path) -> float:
    sql = "SELECT bm25(goods, 5.0, 1.0) FROM goods WHERE goods MATCH 'red OR shoes' AND sku = '1'"
    with closing(sqlite3.connect(shop)) as database:
        return float(database.execute(sql).fetchone()[0])


def test_several_values_of_a_filter_are_bound_as_json(shop: Path) -> None:
    wanted = "colour IN (SELECT value FROM json_each(:filters, '$.colour'))"
    own = opened(shop, sql=f"SELECT sku AS id FROM goods WHERE goods MATCH :query AND {wanted} ORDER BY sku")
    assert ids(own, "shoes", colour=("red", "blue")) == ["1", "3"]
    assert ids(own, "shoes", colour="white") == ["2"]


def test_the_language_of_fts5_is_read_where_the_options_say_so(shop: Path) -> None:
    assert ids(opened(shop, sql=SQL, query="raw"), "shoes NOT laces") == ["1", "3"]
    assert ids(opened(shop, sql=SQL, query="all"), "red shoes") == ["1", "2"]
    with pytest.raises(SystemFailedError, match="unterminated string"):
        opened(shop, sql=SQL, query="raw").search(Query('"'))


@pytest.mark.parametrize(
    "text",
    [*ODD.values(), "AND", "NOT word", "title:word", "word __ other", "word^9 -other", "wo*", "NEAR(a b)"],
)
@pytest.mark.parametrize("how", ["any", "all"])
def test_operators_of_fts5_are_words_by_default(tmp_path: Path, text: str, how: Any) -> None:
    texts = {"1": "word other", "2": "and not title"}
    system = SqliteSystem(SqliteOptions(folder=str(tmp_path), query=how, tokenizer="unicode61"))
    system.build([Document(name, one) for name, one in texts.items()], "two")
    words = set("".join(char if char.isalnum() else " " for char in text.lower()).split())
    held = {name: words & set(one.split()) for name, one in texts.items()}
    expected = {name for name, found in held.items() if found and (how == "any" or found == words)}
    assert set(ids(system, text)) == expected


def test_facets_of_a_built_table_filter_whatever_they_are_called(tmp_path: Path) -> None:
    facets = ({"lang": "py", "a.b": "x y"}, {"lang": "go", 'a"\\ b': "Ünï"})
    system = SqliteSystem(SqliteOptions(folder=str(tmp_path)))
    system.build([Document(str(number), "word", one) for number, one in enumerate(facets)], "two")
    assert ids(system, "word", lang="go") == ["1"]
    assert ids(system, "word", **{"a.b": "x y"}) == ["0"]
    assert ids(system, "word", **{'a"\\ b': ("no", "Ünï")}) == ["1"]
    assert ids(system, "word", lang="py", **{'a"\\ b': "Ünï"}) == []
    plain, filtered = (system.search(Query("word", 10, one)).hits[0] for one in ({}, {"lang": "py"}))
    assert plain.score == filtered.score


def test_words_in_the_title_count_as_the_weights_say(tmp_path: Path) -> None:
    documents = [Document("text", "key key", title="lock"), Document("title", "lock lock", title="key")]
    best = {}
    for title, text in ((9.0, 1.0), (1.0, 9.0)):
        options = SqliteOptions(folder=str(tmp_path), title_weight=title, text_weight=text)
        system = SqliteSystem(options)
        system.build(documents, "two")
        best[title] = ids(system, "key")[0]
    assert best == {9.0: "title", 1.0: "text"}


def test_a_built_table_is_kept_and_a_half_built_one_never_used(tmp_path: Path) -> None:
    system = SqliteSystem(SqliteOptions(folder=str(tmp_path)))
    assert isinstance(system, Indexer)

    def broken() -> Any:
        yield Document("1", "words")
        raise KeyError

    with pytest.raises(KeyError):
        system.build(broken(), "docs")
    assert list(tmp_path.iterdir()) == []
    assert system.build([Document("1", "words \ud800")], "docs")
    assert not system.build(broken(), "docs")
    assert ids(system, "word") == ["1"]
    other = SqliteSystem(SqliteOptions(folder=str(tmp_path), tokenizer="unicode61"))
    assert other.build([Document("1", "words")], "docs")
    assert ids(other, "word") == []
    with pytest.raises(InputError, match="parse error in tokenize"):
        SqliteSystem(SqliteOptions(folder=str(tmp_path), tokenizer="'); --")).build([], "docs")
    with pytest.raises(InputError, match="no index"):
        SqliteSystem(SqliteOptions()).search(Query("a"))


def test_a_database_is_never_written(shop: Path) -> None:
    before = shop.read_bytes()
    for sql in ("DELETE FROM goods WHERE name = :query", "CREATE TABLE t AS SELECT :query"):
        own = opened(shop, sql=sql)
        with pytest.raises(SystemFailedError, match="readonly database"):
            own.search(Query("shoes"))
    for sql in (
        f"ATTACH '{shop.parent / 'new.db'}' AS :query",
        f"VACUUM INTO '{shop.parent / 'new.db'}' || :query",
    ):
        with pytest.raises((InputError, SystemFailedError)):
            opened(shop, sql=sql).search(Query("shoes"))
    assert shop.read_bytes() == before
    assert [path.name for path in shop.parent.iterdir()] == [shop.name]


def test_a_query_without_end_is_a_time_out(shop: Path) -> None:
    start = time.monotonic()
    with pytest.raises(TimedOutError, match=r"no answer in 0\.2 s"):
        opened(shop, sql=ENDLESS, timeout=0.2).search(Query("a"))
    assert time.monotonic() - start < 5


def test_closing_ends_a_query_that_another_thread_asks(shop: Path) -> None:
    system = opened(shop, sql=ENDLESS)
    said: list[str] = []

    def ask() -> None:
        try:
            system.search(Query("a"))
        except SystemFailedError as error:
            said.append(str(error))

    thread = threading.Thread(target=ask)
    thread.start()
    time.sleep(0.2)
    system.close()
    thread.join(10)
    assert not thread.is_alive()
    assert "closed" in said[0]


def test_a_locked_database_may_be_asked_again(shop: Path) -> None:
    system = opened(shop, sql=SQL, timeout=0.2)
    with closing(sqlite3.connect(shop, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(RetriableError, match="locked"):
            system.search(Query("shoes"))
        other.execute("ROLLBACK")
    assert ids(system, "laces") == ["2"]


def test_wrong_options_of_sqlite_are_told_when_it_is_opened(shop: Path) -> None:
    wrong: tuple[tuple[dict[str, object], str], ...] = (
        ({"database": "nowhere.db", "sql": SQL}, "no file"),
        ({"sql": SQL, "sql_file": "x"}, "one of the two"),
        ({}, "a database without it"),
        ({"sql_file": "nowhere.sql"}, "text in UTF-8 that can be read"),
        ({"sql": "SELECT 1 AS id"}, "no :query"),
        ({"sql": "SELECT :query AS id, :qury"}, "did you mean :query"),
        ({"sql": "SELECT ? AS id, :query"}, r"found \?"),
        ({"sql": "SELEC :query"}, "syntax error"),
        ({"sql": "SELECT :query AS id FROM nowhere"}, "no such table"),
        ({"sql": "SELECT :query AS id; SELECT 2"}, "one SELECT"),
        ({"sql": SQL, "timeout": 0}, "more than 0"),
        ({"sql": SQL, "qery": "any"}, "did you mean query"),
    )
    for options, said in wrong:
        with pytest.raises(InputError, match=said):
            opened(shop, **options)
    (shop.parent / "text.db").write_text("not a database, but long enough to be read as one" * 20)
    with pytest.raises(InputError, match="not a database"):
        opened(shop, database="text.db", sql=SQL)
    with pytest.raises(SystemFailedError, match="the key"):
        opened(shop, sql="SELECT :query AS name").search(Query("a"))


@pytest.mark.long
def test_sqlite_reaches_the_published_figure_of_scifact(
    shared_data: Path, tmp_path: Path, record_property: Any
) -> None:
    (setting,) = settings_of("sqlite")
    found = ndcg_of(setting, scifact(shared_data), folder=str(tmp_path))
    record_property("figures", f"SciFact nDCG@10 {found:.4f}; {setting.remark}")
    assert found == pytest.approx(PUBLISHED, abs=TOLERANCE)
