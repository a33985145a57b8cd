from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import InputError, RetriableError, SystemFailedError
from rankgate.model import Query
from rankgate.systems.adapter.failures import TimedOutError
from rankgate.systems.registry import open_system
from rankgate.testing import ODD, check_system
from support.commands import rankgate

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


def test_a_table_of_sqlite_keeps_the_contract(shop: Path) -> None:
    check_system(opened(shop, sql=SQL), ("shoes", "red laces"))
    check_system(opened(shop, sql=SQL, query="raw"), ("shoes",))


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
    said = rankgate("query", "shop", "laces").printed()
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
    with closing(sqlite3.connect(tmp_path / "two.db")) as database, database:
        database.execute("CREATE VIRTUAL TABLE words USING fts5 (id UNINDEXED, title, text)")
        database.executemany("INSERT INTO words VALUES (?, '', ?)", texts.items())
    system = opened(
        tmp_path / "two.db", sql="SELECT id FROM words WHERE words MATCH :query LIMIT :k", query=how
    )
    words = set("".join(char if char.isalnum() else " " for char in text.lower()).split())
    held = {name: words & set(one.split()) for name, one in texts.items()}
    expected = {name for name, found in held.items() if found and (how == "any" or found == words)}
    assert set(ids(system, text)) == expected


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
        ({}, "sql or sql_file"),
        ({"sql_file": "nowhere.sql"}, "text in UTF-8 that can be read"),
        ({"sql": "SELECT 1 AS id"}, "no :query"),
        ({"sql": "SELECT :query AS id, :qury"}, "did you mean :query"),
        ({"sql": "SELECT ? AS id, :query"}, r"found \?"),
        ({"sql": "SELEC :query"}, "syntax error"),
        ({"sql": "SELECT :query AS id FROM nowhere"}, "no such table"),
        ({"sql": "SELECT :query AS id; SELECT 2"}, "one SELECT"),
        ({"sql": SQL, "timeout": 0}, "a number of seconds"),
        ({"sql": SQL, "qery": "any"}, "Did you mean `query`"),
    )
    for options, said in wrong:
        with pytest.raises(InputError, match=said):
            opened(shop, **options)
    (shop.parent / "text.db").write_text("not a database, but long enough to be read as one" * 20)
    with pytest.raises(InputError, match="not a database"):
        opened(shop, database="text.db", sql=SQL)
    with pytest.raises(SystemFailedError, match="the key"):
        opened(shop, sql="SELECT :query AS name").search(Query("a"))
