"""Documents written into a table of PostgreSQL, and the statements that search it.

One transaction makes the table, so that it is there whole or not at all; a lock of the same name makes others
wait that want the same.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from rankgate.errors import Problem, SystemFailedError
from rankgate.model.fingerprints import fingerprint
from rankgate.systems.adapter.failures import printable, shown
from rankgate.systems.engines.built.records import record_of
from rankgate.systems.engines.postgres.connections import vector_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankgate.model.search import Document
    from rankgate.systems.engines.built.embedder import Embedder

_BATCH = 500
# What a table holds and how it is laid out; another number is another table.
_FORMAT = 2
_TEXT = """
WITH asked AS (
    SELECT string_agg(
        '''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''', ' | '
    )::tsquery AS words
    FROM unnest(to_tsvector({language}::regconfig, %(query)s::text))
)
SELECT id, path, "start", "end",
    ts_rank({weights}::float4[], found.words, asked.words, {normalization}) AS score
FROM {table} AS found, asked
WHERE found.words @@ asked.words{filtered}
ORDER BY score DESC, id COLLATE "C" LIMIT %(k)s"""
# A vector of nothing but zeros has no angle to another: its distance is NaN, which comes last.
_VECTOR = """
SELECT * FROM (
    SELECT id, path, "start", "end", -(embedding <=> %(embedding)s::vector) AS score
    FROM {table} AS found WHERE true{filtered}
    ORDER BY embedding <=> %(embedding)s::vector, id COLLATE "C" LIMIT %(k)s
) AS nearest WHERE score <> 'NaN' ORDER BY score DESC, id COLLATE "C"
"""
_FILTERED = """ AND NOT EXISTS (
    SELECT FROM jsonb_each(%(filters)s::jsonb) AS one
    WHERE NOT coalesce(one.value @> to_jsonb(found.facets ->> one.key), false)
)"""


def table_name(name: str, made_with: object) -> str:
    """Return the table of an index; an identifier of PostgreSQL holds 63 bytes."""
    return f"docs_{fingerprint([name, _FORMAT, made_with])[:24]}"


@dataclass(frozen=True, slots=True)
class TextRanking:
    """How ts_rank is asked."""

    language: str
    """The text search configuration."""
    weights: tuple[float, ...]
    """What words labelled D, C, B and A count."""
    normalization: int
    """What it makes of the length of a document."""


def request(connection: Any, place: tuple[str, str], ranked: TextRanking | None, *, filtered: bool) -> str:
    """Write the statement that searches a table: by ts_rank, where any word counts, or by vectors."""
    from psycopg import sql

    parts: dict[str, sql.Composable] = {
        "table": sql.Identifier(*place),
        "filtered": sql.SQL(_FILTERED if filtered else ""),
    }
    if ranked is not None:
        parts |= {
            "language": sql.Literal(ranked.language),
            "weights": sql.Literal(list(ranked.weights)),
            "normalization": sql.Literal(ranked.normalization),
        }
    text = sql.SQL(_VECTOR if ranked is None else _TEXT).format(**parts)
    return text.as_string(connection)


@dataclass(frozen=True, slots=True)
class TableSettings:
    """What a table is made with."""

    language: str
    """The text search configuration."""
    embedder: Embedder | None
    """Who makes its vectors, where it has some."""


def write_table(
    connection: Any, place: tuple[str, str], documents: Iterable[Document], made: TableSettings, where: str
) -> bool:
    """Write a table of documents, unless it is there.

    Args:
        connection: One that may write.
        place: The schema and the table.
        documents: What is written.
        made: How.
        where: The system, for errors.

    Returns:
        True where it was written, False where it was there.

    Raises:
        SystemFailedError: for a document that is too long for a table.
    """
    from psycopg import sql

    schema, table = place
    name = sql.Identifier(*place)
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (table,))
        if connection.execute("SELECT to_regclass(%s)", (name.as_string(connection),)).fetchone()[0]:
            return False
        connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(schema)))
        rest = iter(documents)
        batch = list(islice(rest, _BATCH))
        _create(connection, name, made, batch)
        facets: set[str] = set()
        while batch:
            rows = [_row(one) for one in batch]
            facets.update(key for row in rows for key in row["facets"])
            _copy(connection, place, rows, made.embedder, where)
            batch = list(islice(rest, _BATCH))
        connection.execute(sql.SQL("CREATE INDEX ON {} USING gin (words)").format(name))
        connection.execute(sql.SQL("ANALYZE {}").format(name))
        told = sql.Literal(json.dumps({"facets": sorted(facets)}))
        connection.execute(sql.SQL("COMMENT ON TABLE {} IS {}").format(name, told))
    return True


def facets_of(connection: Any, place: tuple[str, str], where: str) -> frozenset[str]:
    """Return the names of facets that the documents of a table have, which its comment says.

    Raises:
        SystemFailedError: where it does not say.
    """
    from psycopg import sql

    name = sql.Identifier(*place).as_string(connection)
    ask = "SELECT obj_description(%s::regclass, 'pg_class')"
    (said,) = connection.execute(ask, (name,)).fetchone()
    try:
        return frozenset(map(str, json.loads(said)["facets"]))
    except (ValueError, TypeError, KeyError, RecursionError):
        fix = f"drop {name} to have it built anew"
        raise SystemFailedError(Problem(where, shown(said), "the names of its facets", fix)) from None


def _create(connection: Any, name: Any, made: TableSettings, first: list[Document]) -> None:
    from psycopg import sql

    vectors: sql.Composable = sql.SQL("")
    if made.embedder is not None:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        size = len(made.embedder([first[0].text if first else ""])[0])
        vectors = sql.SQL(", embedding vector({})").format(sql.Literal(size))
    columns = """CREATE TABLE {name} (
        id text NOT NULL, title text NOT NULL, text text NOT NULL, path text, "start" int, "end" int,
        facets jsonb NOT NULL, words tsvector GENERATED ALWAYS AS (
            setweight(to_tsvector({language}::regconfig, title), 'A')
            || setweight(to_tsvector({language}::regconfig, text), 'D')
        ) STORED {vectors})"""
    language = sql.Literal(made.language)
    connection.execute(sql.SQL(columns).format(name=name, language=language, vectors=vectors))


def _copy(
    connection: Any, place: tuple[str, str], rows: list[dict[str, Any]], embedder: Embedder | None, where: str
) -> None:
    """Copy rows into a table, few enough that one which is refused can be named."""
    from psycopg import errors, sql

    names = [*rows[0], *([] if embedder is None else ["embedding"])]
    listed = sql.SQL(", ").join(map(sql.Identifier, names))
    copy = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(*place), listed)
    texts = [f"{row['title']}\n{row['text']}" for row in rows]
    vectors = [] if embedder is None else [(vector_text(vector),) for vector in embedder(texts)]
    try:
        with connection.cursor() as cursor, cursor.copy(copy) as target:
            for number, row in enumerate(rows):
                held = {**row, "facets": json.dumps(row["facets"])}
                target.write_row((*held.values(), *(vectors[number] if vectors else ())))
    except errors.ProgramLimitExceeded as error:
        # Where in the copy it was is said in the server's language: after the table, the number of the line.
        line = re.search(rf"{place[1]}\D*(\d+)", error.diag.context or "")
        at = int(line[1]) - 1 if line else len(rows)
        which = f"the document {rows[at]['id']!r}" if at < len(rows) else "a document"
        found = f"{which} ({printable(error.diag.message_primary or '')})"
        fix = "cut it smaller, with chunks = 'section' or { by = 'window', lines = 500 }"
        raise SystemFailedError(Problem(where, found, "documents that PostgreSQL can index", fix)) from None


def _row(document: Document) -> dict[str, Any]:
    record = record_of(document)
    facets = {_held(name): _held(value) for name, value in record["facets"].items()}
    held = {name: _held(value) if isinstance(value, str) else value for name, value in record.items()}
    return {**held, "facets": facets}


def _held(text: str) -> str:
    # PostgreSQL has no NUL in a text; what stands for a broken character stands for it.
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")
