from __future__ import annotations

import math
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from rankgate.errors import InputError, RetriableError, SystemFailedError
from rankgate.model.search import Document, Hit, Indexer, Query, Ranking
from rankgate.systems.adapter.failures import TimedOutError
from rankgate.systems.engines.postgres.system import PostgresSystem
from rankgate.systems.registry import open_system
from rankgate.testing import check_system
from support.engine_material import InTurns, functions, queries, scifact
from support.hashing_embedder import embed
from support.postgres_server import postgres_server
from support.scifact_settings import PUBLISHED, TOLERANCE, ndcg_of, settings_of

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


def on_click(opened: Callable[..., PostgresSystem], mode: str = "text") -> PostgresSystem:
    """Have the functions of click in a table."""
    system = opened(mode=mode, embedder=EMBEDDER)
    system.build(functions(), "click")
    return system


def ids(system: Any, text: str, **filters: str | tuple[str, ...]) -> list[str | None]:
    return [hit.id for hit in system.search(Query(text, 10, filters)).hits]


@pytest.mark.parametrize("mode", ["text", "vector"])
def test_a_table_of_postgres_keeps_the_contract(opened: Callable[..., PostgresSystem], mode: str) -> None:
    check_system(on_click(opened, mode), queries()[:5])


def test_postgres_ranks_as_the_bare_client_does(
    dsn: str, opened: Callable[..., PostgresSystem], record_property: Any
) -> None:
    systems = {mode: on_click(opened, mode) for mode in ("text", "vector")}
    with psycopg.connect(dsn, autocommit=True) as connection:
        found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'rankgate'").fetchall()
        tables = [name for (name,) in found]
        (table,) = (name for name in tables if _rows(connection, name) == len(functions()))

        def text(query: str) -> list[tuple[str, float]]:
            # The words of the queries are plain, so they can be joined by hand here.
            return connection.execute(
                f"""SELECT id, ts_rank(array[1,1,1,1], words, q) AS score
                FROM rankgate.{table}, to_tsquery('english', %s) AS q
                WHERE words @@ q ORDER BY score DESC, id COLLATE "C" LIMIT 10""",
                (" | ".join(query.split()),),
            ).fetchall()

        def vector(query: str) -> list[tuple[str, float]]:
            return connection.execute(
                f"""SELECT id, -(embedding <=> %(v)s::vector) FROM rankgate.{table}
                ORDER BY embedding <=> %(v)s::vector, id COLLATE "C" LIMIT 10""",
                {"v": str(embed([query])[0])},
            ).fetchall()

        for mode, bare in (("text", text), ("vector", vector)):
            both = InTurns(systems[mode], bare)
            count = 0
            for query in queries():
                hits, expected = both.ask(query)
                assert [(hit.id, hit.score) for hit in hits] == expected, (mode, query)
                count += len(hits)
            assert count > 1500
            record_property("figures", f"{mode}: {both.overhead()}")


def _rows(connection: Any, table: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM rankgate.{table}").fetchone()[0])


def test_hits_of_a_built_table_of_postgres_say_where_they_lie(opened: Callable[..., PostgresSystem]) -> None:
    document = next(one for one in functions() if one.title == "get_best_encoding")
    hits = on_click(opened).search(Query("get best encoding", 5)).hits
    (hit,) = (hit for hit in hits if hit.id == document.id)
    assert (hit.path, hit.lines) == (document.path, document.lines)


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
    assert system.unknown()[0].startswith("the state of the server at ")


def test_vectors_that_somebody_has_are_searched_by_the_users_own_embedder(
    opened: Callable[..., PostgresSystem],
) -> None:
    fields = {"id": "sku", "text": "name", "score": "closeness"}
    hit = opened(sql=NEAREST, embedder=EMBEDDER, fields=fields).search(Query("blue shoes", 1)).hits[0]
    assert (hit.id, hit.text) == ("3", "Blue shoes")
    assert hit.score == pytest.approx(1.0)


def test_facets_of_a_built_table_of_postgres_filter_whatever_they_are_called(
    opened: Callable[..., PostgresSystem],
) -> None:
    facets = ({"lang": "py", "a.b": 'x"\ny'}, {"lang": "go", "it's": "Ünï"}, {"lang": "python"})
    system = opened()
    assert system.build([Document(str(number), "word", one) for number, one in enumerate(facets)], "three")
    assert ids(system, "word", lang="py") == ["0"]
    assert ids(system, "word", **{"a.b": 'x"\ny'}) == ["0"]
    assert ids(system, "word", **{"it's": ("no", "Ünï")}) == ["1"]
    assert ids(system, "word", lang=("py", "python")) == ["0", "2"]
    assert ids(system, "word", lang="c") == []
    again = opened()
    assert not again.build([], "three")
    for one in (system, again):
        with pytest.raises(SystemFailedError, match=r"filters other.*the facets a\.b, it's, lang"):
            ids(one, "word", other="x", lang="py")
    bare = opened()
    assert bare.build([Document("0", "word")], "without-facets")
    with pytest.raises(SystemFailedError, match="no facets"):
        ids(bare, "word", lang="py")


def test_a_table_that_no_longer_says_its_facets_is_told(
    dsn: str, opened: Callable[..., PostgresSystem]
) -> None:
    system = opened(schema="silent")
    assert system.build([Document("0", "word", {"lang": "py"})], "docs")
    with psycopg.connect(dsn) as connection:
        found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'silent'")
        ((table,),) = found.fetchall()
        connection.execute(f"COMMENT ON TABLE silent.{table} IS 'mine'")
    with pytest.raises(SystemFailedError, match=r"'mine'.*the names of its facets; drop .silent"):
        opened(schema="silent").build([], "docs")


def test_any_word_counts_and_operators_of_tsquery_are_words(opened: Callable[..., PostgresSystem]) -> None:
    system = opened()
    texts = {"1": "rotate the key", "2": "windows open", "3": r"it's a path\name, 'quoted'", "4": "a\0b"}
    assert system.build([Document(name, text) for name, text in texts.items()], "odd")
    assert ids(system, "rotating window:* & !keys | <-> (") == ["1", "2"]
    assert ids(system, r"path\name") == ids(system, "'quoted'") == ["3"]
    assert ids(system, "the of and") == ids(system, "") == []


def test_half_a_surrogate_pair_is_a_question_mark_in_a_table(opened: Callable[..., PostgresSystem]) -> None:
    system = opened()
    document = Document("a\ud800", "word \udfff", {"l\ud800": "p\ud800"}, path="b\ud800", title="t\ud800")
    assert system.build([document], "halves")
    (hit,) = system.search(Query("word", filters={"l?": "p\ud800"})).hits
    assert (hit.id, hit.path) == ("a?", "b?")


def test_a_document_that_is_too_long_is_named_with_what_to_do(opened: Callable[..., PostgresSystem]) -> None:
    long = " ".join(f"word{number}" for number in range(200_000))
    documents = [Document(str(number), long if number == 703 else "word") for number in range(1200)]
    with pytest.raises(SystemFailedError, match=r"'703' .string is too long for tsvector.*section") as raised:
        opened().build(documents, "long")
    assert type(raised.value) is SystemFailedError
    system = opened()
    assert system.build(documents[:3], "short")
    with pytest.raises(SystemFailedError, match="too long") as failed:
        system.search(Query(long))
    assert type(failed.value) is SystemFailedError


def test_what_has_no_direction_is_not_found_by_vectors(opened: Callable[..., PostgresSystem]) -> None:
    system = opened(mode="vector", embedder="support.hashing_embedder:with_zeros")
    texts = {"1": "rotate the key", "2": "nothing", "3": "windows"}
    assert system.build([Document(name, text) for name, text in texts.items()], "zeros")
    found = system.search(Query("key", 10)).hits
    assert [hit.id for hit in found] == ["1", "3"]
    assert all(hit.score == hit.score for hit in found)
    assert ids(system, "nothing") == []


def test_a_built_table_of_postgres_is_kept_and_a_half_built_one_never_used(
    dsn: str, opened: Callable[..., PostgresSystem]
) -> None:
    system = opened(schema='od"d')
    assert isinstance(system, Indexer)

    def broken() -> Any:
        yield from (Document(str(number), "word") for number in range(1500))
        raise KeyError

    with pytest.raises(KeyError):
        system.build(broken(), "docs")
    with psycopg.connect(dsn) as connection:
        assert connection.execute("SELECT FROM pg_tables WHERE schemaname = 'od\"d'").fetchall() == []
    assert system.build([Document("1", "words")], "docs")
    assert not system.build(broken(), "docs")
    assert ids(system, "word") == ["1"]
    others = [opened() for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        built = list(pool.map(lambda one: one.build([Document("1", "word")], "at-once"), others))
    assert sorted(built) == [False, False, True]


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
        ({"mode": "vector"}, "embedder = "),
        ({"timeout": 0}, "timeout"),
        ({"weights": [1, 1]}, "2 numbers"),
        ({"dsn": "host=x passwd=s3cr3t-word"}, "libpq cannot read"),
        ({"dsn": "postgresql://${NO_SUCH_HOST}/x"}, "which is not set"),
    )
    for options, said in wrong:
        with pytest.raises(InputError, match=said) as raised:
            open_system("app", {"kind": "postgres", "dsn": dsn, **options})
        assert "s3cr3t" not in str(raised.value)
    monkeypatch.setenv("SHOP_PASSWORD", "s3cr3t-word")
    away = "postgresql://me:${SHOP_PASSWORD}@127.0.0.1:1/shop"
    with pytest.raises(SystemFailedError, match="a server that answers") as failed:
        open_system("app", {"kind": "postgres", "dsn": away})
    assert "s3cr3t" not in str(failed.value)
    own = opened(sql=good)
    with pytest.raises(InputError, match="SQL of your own"):
        own.build([], "x")
    with pytest.raises(SystemFailedError, match="one that was built"):
        opened().search(Query("a"))


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


@pytest.mark.once
@pytest.mark.long
def test_ts_rank_is_bm25_on_scifact_only_with_the_rarity_of_words(
    dsn: str, shared_data: Path, record_property: Any
) -> None:
    judged = scifact(shared_data)
    settings = (
        *settings_of("postgres"),
        *settings_of("postgres", "cause"),
        *settings_of("postgres", "two")[1:],
    )
    figures = [ndcg_of(setting, judged, dsn=dsn, schema="judged") for setting in settings]
    with psycopg.connect(dsn) as connection:
        figures.append(judged.ndcg(_TimesRarity(connection, len(judged.documents))))
    plain, shortened, titles, rare = figures
    told = f"{plain:.4f}, by the length {shortened:.4f}, with PostgreSQL's weights {titles:.4f}"
    record_property("figures", f"SciFact nDCG@10 of ts_rank {told}, times the rarity of words {rare:.4f}")
    assert [round(one, 3) for one in (plain, shortened, titles)] == [0.577, 0.604, 0.465]
    assert rare == pytest.approx(PUBLISHED, abs=TOLERANCE)


class _TimesRarity:
    """Sums up ts_rank for each word, times BM25's idf, to see what it lacks."""

    def __init__(self, connection: Any, total: int) -> None:
        self._connection, self._total = connection, total
        find = "SELECT tablename FROM pg_tables WHERE schemaname = 'judged'"
        self._table = f"judged.{connection.execute(find).fetchone()[0]}"
        words = connection.execute(f"SELECT word, ndoc FROM ts_stat('SELECT words FROM {self._table}')")
        self._known = dict(words.fetchall())

    def search(self, query: Query) -> Ranking:
        scores: dict[str, float] = defaultdict(float)
        ask = "SELECT lexeme FROM unnest(to_tsvector('english', %s))"
        for (word,) in self._connection.execute(ask, (query.text,)).fetchall():
            held = self._known.get(word, 0)
            idf = math.log(1 + (self._total - held + 0.5) / (held + 0.5))
            found = self._connection.execute(
                f"""SELECT id, ts_rank(array[1,1,1,1], words, q) FROM {self._table}, CAST(%s AS tsquery) AS q
                WHERE words @@ q""",
                ("'" + word.replace("\\", "\\\\").replace("'", "''") + "'",),
            )
            for name, score in found.fetchall():
                scores[name] += idf * score
        best = sorted(scores, key=lambda name: (-scores[name], name))[: query.k]
        return Ranking(tuple(Hit(name) for name in best))


def test_words_without_spaces_are_found_in_a_built_table(opened: Callable[..., PostgresSystem]) -> None:
    system = opened()
    texts = {
        "zh": "旧的密钥会被撤销",
        "ja": "認証に失敗する",
        "ko": "고객이 결제를 마치면",
        "en": "Rotate keys",
    }
    system.build([Document(name, text) for name, text in texts.items()], "unspaced")
    for query, name in {"撤销": "zh", "認証": "ja", "결제": "ko", "rotating": "en"}.items():
        assert [hit.id for hit in system.search(Query(query)).hits] == [name]
