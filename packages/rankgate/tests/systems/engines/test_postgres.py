from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from rankgate.errors import InputError, RetriableError, SystemFailedError
from rankgate.model import Query
from rankgate.systems.adapter.failures import TimedOutError
from rankgate.systems.engines.postgres.system import PostgresSystem
from rankgate.systems.registry import open_system
from rankgate.testing import check_system
from support.hashing_embedder import embed
from support.postgres_server import postgres_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

EMBEDDER = "support.hashing_embedder:embed"

SQL = """
SELECT sku AS id, ts_rank(to_tsvector('english', name || ' ' || body), q) AS score
FROM goods, websearch_to_tsquery('english', %(query)s) AS q
WHERE to_tsvector('english', name || ' ' || body) @@ q
  AND (%(filters_tint)s::text[] IS NULL OR colour = ANY(%(filters_tint)s))
ORDER BY score DESC, sku LIMIT %(k)s"""

NEAREST = """
SELECT sku, name, 1 - (meaning <=> %(embedding)s::vector) AS closeness FROM goods
ORDER BY meaning <=> %(embedding)s::vector LIMIT %(k)s"""


@pytest.fixture(scope="module")
def dsn() -> Iterator[str]:
    """A server of PostgreSQL 18 with pgvector, with a table that somebody has."""
    with postgres_server() as address:
        with psycopg.connect(address) as connection:
            connection.execute("CREATE EXTENSION vector")
            connection.execute(
                "CREATE TABLE goods (sku int, name text, body text, colour text, meaning vector(64))"
            )
            rows = (
                (1, "Red shoes", "Shoes for running", "red"),
                (2, "Laces", "Laces for red shoes and blue shoes", "white"),
                (3, "Blue shoes", "For walking AND running", "it's blue"),
            )
            for row, vector in zip(rows, embed([name for _, name, _, _ in rows]), strict=True):
                connection.execute("INSERT INTO goods VALUES (%s, %s, %s, %s, %s)", (*row, str(vector)))
        yield address


@pytest.fixture
def opened(dsn: str) -> Iterator[Callable[..., PostgresSystem]]:
    """Open systems, and close them all at the end."""
    systems = []

    def open_one(**options: Any) -> PostgresSystem:
        system = open_system("shop", {"kind": "postgres", "dsn": dsn, **options})
        assert isinstance(system, PostgresSystem)
        systems.append(system)
        return system

    yield open_one
    for system in systems:
        system.close()


def ids(system: Any, text: str, **filters: str | tuple[str, ...]) -> list[str | None]:
    return [hit.id for hit in system.search(Query(text, 10, filters)).hits]


def test_ones_own_sql_is_asked_with_everything_bound(
    dsn: str, opened: Callable[..., PostgresSystem], tmp_path: Path
) -> None:
    (tmp_path / "query.sql").write_text(SQL, encoding="utf-8")
    system = opened(sql_file="query.sql", root=str(tmp_path))
    with psycopg.connect(dsn) as connection:
        bare = connection.execute(SQL, {"query": "red shoes", "k": 10, "filters_tint": None}).fetchall()
    hits = system.search(Query("red shoes", 10)).hits
    assert [(hit.id, hit.score) for hit in hits] == [(str(sku), score) for sku, score in bare] != []
    assert ids(system, "shoes", tint="it's blue") == ["3"]
    assert set(ids(system, "shoes", tint=("it's blue", "red"))) == {"1", "3"}
    assert ids(system, "'); DROP TABLE goods; --", tint="' OR 1=1 --") == []
    with pytest.raises(SystemFailedError, match="filters colour"):
        system.search(Query("shoes", filters={"colour": "red"}))
    with pytest.raises(SystemFailedError, match="a NUL"):
        system.search(Query("a\0b"))
    check_system(system, ("shoes", "red shoes"))


def test_vectors_that_somebody_has_are_searched_by_the_users_own_embedder(
    opened: Callable[..., PostgresSystem],
) -> None:
    fields = {"id": "sku", "text": "name", "score": "closeness"}
    hit = opened(sql=NEAREST, embedder=EMBEDDER, fields=fields).search(Query("blue shoes", 1)).hits[0]
    assert (hit.id, hit.text) == ("3", "Blue shoes")
    assert hit.score == pytest.approx(1.0)


def test_a_statement_that_is_late_is_a_timeout_and_the_next_is_answered(
    opened: Callable[..., PostgresSystem],
) -> None:
    sql = (
        "SELECT 'a' AS id, pg_sleep(CASE %(query)s WHEN 'slow' THEN 20 ELSE 0 END)::text AS text LIMIT %(k)s"
    )
    system = opened(sql=sql, timeout=0.3)
    start = time.monotonic()
    with pytest.raises(TimedOutError):
        system.search(Query("slow"))
    assert time.monotonic() - start < 5
    assert ids(system, "quick") == ["a"]


def test_a_connection_that_is_lost_can_be_asked_again(
    dsn: str, opened: Callable[..., PostgresSystem]
) -> None:
    system = opened(sql="SELECT %(query)s::text AS id LIMIT %(k)s")
    assert ids(system, "a") == ["a"]
    with psycopg.connect(dsn, autocommit=True) as connection:
        ask = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'rankgate'"
        connection.execute(ask)
    with pytest.raises(RetriableError):
        system.search(Query("a"))
    assert ids(system, "a") == ["a"]


def test_a_statement_can_change_nothing(opened: Callable[..., PostgresSystem]) -> None:
    gone = "WITH gone AS (DELETE FROM goods RETURNING sku)"
    system = opened(sql=f"{gone} SELECT sku AS id FROM gone WHERE %(query)s <> '' LIMIT %(k)s")
    with pytest.raises(SystemFailedError, match="read-only"):
        system.search(Query("a"))


def test_what_comes_back_is_read_whatever_its_type(opened: Callable[..., PostgresSystem]) -> None:
    sql = """SELECT gen_random_uuid() AS id, 1.5::numeric AS score, 3::numeric AS start, 4::bigint AS "end",
        'a/b.md' AS path FROM generate_series(1, 5) WHERE %(query)s <> '' OR %(k)s > 0"""
    system = opened(sql=sql)
    hits = system.search(Query("a", 2)).hits
    assert (len(hits), system.dropped) == (2, 3)
    assert (hits[0].score, str(hits[0].lines), len(str(hits[0].id))) == (1.5, "3-4", 36)


def test_wrong_options_of_postgres_are_told_when_it_is_opened(
    dsn: str, opened: Callable[..., PostgresSystem], monkeypatch: pytest.MonkeyPatch
) -> None:
    good = "SELECT sku AS id FROM goods WHERE name = %(query)s LIMIT %(k)s"
    wrong: tuple[tuple[dict[str, object], str], ...] = (
        ({"sql": good.replace("goods", "nothing")}, 'relation "nothing" does not exist'),
        ({"sql": good.replace("LIMIT", "LIMIT LIMIT")}, "syntax error"),
        ({"sql": good + "; DELETE FROM goods"}, "multiple commands"),
        ({"sql": good.replace("%(query)s", "'x'")}, "no %.query"),
        ({"sql": good.replace("LIMIT %(k)s", "")}, "no %.k"),
        ({"sql": good.replace("name", "'50%'")}, "a single %"),
        ({"sql": good.replace("query", "qery")}, "%.qery.s, expected one of query"),
        ({"sql": NEAREST}, "embedder = "),
        ({"sql": good, "sql_file": "x"}, "one of the two"),
        ({"sql_file": "nowhere.sql"}, "nowhere.sql"),
        ({}, "sql or sql_file"),
        ({"sql": good, "timeout": 0}, "timeout"),
        ({"sql": good, "dsn": "host=x passwd=s3cr3t-word"}, "libpq cannot read"),
        ({"sql": good, "dsn": "postgresql://${NO_SUCH_HOST}/x"}, "which is not set"),
    )
    for options, said in wrong:
        with pytest.raises(InputError, match=said) as raised:
            open_system("app", {"kind": "postgres", "dsn": dsn, **options})
        assert "s3cr3t" not in str(raised.value)
    monkeypatch.setenv("SHOP_PASSWORD", "s3cr3t-word")
    away = "postgresql://me:${SHOP_PASSWORD}@127.0.0.1:1/shop"
    with pytest.raises(SystemFailedError, match="a server that answers") as failed:
        open_system("app", {"kind": "postgres", "dsn": away, "sql": good})
    assert "s3cr3t" not in str(failed.value)


def test_no_secret_of_postgres_is_shown(
    dsn: str, opened: Callable[..., PostgresSystem], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_PASSWORD", "s3cr3t-word")
    address = f"{dsn}&password=${{SHOP_PASSWORD}}"
    sql = "SELECT %(query)s::text AS id LIMIT %(k)s"
    system = opened(dsn=address, sql=sql)
    check_system(system, ("a",), secrets=("s3cr3t-word",))
    spaced = opened(dsn=f"{dsn}&password=s3%20cr3t%20pw&sslpassword=p%20w", sql=sql)
    told = spaced.describe()
    assert told["dsn"] == psycopg.conninfo.conninfo_to_dict(dsn)
    assert "cr3t" not in str(told)
    words = psycopg.conninfo.make_conninfo(dsn, password="s3 cr3t pw")
    assert "password='s3 cr3t pw'" in words
    assert opened(dsn=words, sql=sql).describe()["dsn"] == told["dsn"]
