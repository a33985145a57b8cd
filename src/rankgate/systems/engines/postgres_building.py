"""Documents written into a table of PostgreSQL, and the statements that search it.

One transaction makes the table, so that it is there whole or not at all; a lock of the same name makes others
wait that want the same.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from rankgate.model.fingerprints import fingerprint
from rankgate.systems.engines.postgres_statements import vector_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rankgate.model.search import Document
    from rankgate.systems.engines.embedding import Embedder

_BATCH = 500
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
_VECTOR = """
SELECT id, path, "start", "end", -(embedding <=> %(embedding)s::vector) AS score
FROM {table} AS found WHERE true{filtered}
ORDER BY embedding <=> %(embedding)s::vector, id COLLATE "C" LIMIT %(k)s"""
_FILTERED = """ AND NOT EXISTS (
    SELECT FROM jsonb_each(%(filters)s::jsonb) AS one
    WHERE NOT coalesce(one.value @> to_jsonb(found.facets ->> one.key), false)
)"""


def table_name(name: str, made_with: object) -> str:
    """Name the table of an index; an identifier of PostgreSQL holds 63 bytes."""
    return f"docs_{fingerprint([name, made_with])[:24]}"


@dataclass(frozen=True, slots=True)
class Ranked:
    """How ts_rank is asked."""

    language: str
    """The text search configuration."""
    weights: tuple[float, ...]
    """What words labelled D, C, B and A count."""
    normalization: int
    """What it makes of the length of a document."""


def request(connection: Any, place: tuple[str, str], ranked: Ranked | None, *, filtered: bool) -> str:
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


def write_table(
    connection: Any,
    schema: str,
    table: str,
    documents: Iterable[Document],
    language: str,
    embedder: Embedder | None,
) -> bool:
    """Have a table of documents.

    Returns:
        True where it was written, False where it was there.
    """
    from psycopg import sql

    place = sql.Identifier(schema, table)
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (table,))
        if connection.execute("SELECT to_regclass(%s)", (place.as_string(connection),)).fetchone()[0]:
            return False
        connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(schema)))
        rest = iter(documents)
        first = list(islice(rest, _BATCH))
        vectors: sql.Composable = sql.SQL("")
        if embedder is not None:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
            size = len(embedder([first[0].text if first else ""])[0])
            vectors = sql.SQL(", embedding vector({})").format(sql.Literal(size))
        columns = """CREATE TABLE {place} (
            id text NOT NULL, title text NOT NULL, text text NOT NULL, path text, "start" int, "end" int,
            facets jsonb NOT NULL, words tsvector GENERATED ALWAYS AS (
                setweight(to_tsvector({language}::regconfig, title), 'A')
                || setweight(to_tsvector({language}::regconfig, text), 'D')
            ) STORED {vectors})"""
        made = sql.SQL(columns).format(place=place, language=sql.Literal(language), vectors=vectors)
        connection.execute(made)
        names = ["id", "title", "text", "path", "start", "end", "facets"]
        names += [] if embedder is None else ["embedding"]
        listed = sql.SQL(", ").join(map(sql.Identifier, names))
        copy = sql.SQL("COPY {} ({}) FROM STDIN").format(place, listed)
        with connection.cursor() as cursor, cursor.copy(copy) as target:
            for row in _rows(first, rest, embedder):
                target.write_row(row)
        connection.execute(sql.SQL("CREATE INDEX ON {} USING gin (words)").format(place))
        connection.execute(sql.SQL("ANALYZE {}").format(place))
    return True


def _rows(
    first: list[Document], rest: Iterator[Document], embedder: Embedder | None
) -> Iterator[tuple[object, ...]]:
    batch = first
    while batch:
        texts = [f"{document.title}\n{document.text}" for document in batch]
        vectors = [] if embedder is None else embedder(texts)
        for number, document in enumerate(batch):
            lines = document.lines
            row = (
                _held(document.id),
                _held(document.title),
                _held(document.text),
                None if document.path is None else _held(document.path),
                None if lines is None else lines.start,
                None if lines is None else lines.end,
                json.dumps({_held(key): _held(value) for key, value in document.facets.items()}),
            )
            yield row if embedder is None else (*row, vector_text(vectors[number]))
        batch = list(islice(rest, _BATCH))


def _held(text: str) -> str:
    # PostgreSQL has no NUL in a text; what stands for a broken character stands for it.
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")
