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

from rankgate.errors import Code, SystemFailedError
from rankgate.model.fingerprints import fingerprint
from rankgate.systems.adapter.failures import printable, shown
from rankgate.systems.engines.built.records import record_of
from rankgate.systems.engines.built.scripts import index_text
from rankgate.systems.engines.postgres.connections import vector_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from psycopg import sql

    from rankgate.model.search import Document
    from rankgate.systems.engines.built.records import Embedder

_BATCH = 500
# What a table holds and how it is laid out; another number is another table.
_FORMAT = 4
_TEXT = """
WITH asked AS (
    SELECT string_agg(
        '''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''', ' | '
    )::tsquery AS words
    FROM unnest(to_tsvector({language}::regconfig, %(query)s::text))
)
SELECT id, path, "start", "end", start_char, end_char, tokens,
    ts_rank({weights}::float4[], found.words, asked.words, {normalization}) AS score
FROM {table} AS found, asked
WHERE found.words @@ asked.words{filtered}
ORDER BY score DESC, id COLLATE "C" LIMIT %(k)s"""
# A vector of nothing but zeros has no angle to another: its distance is NaN, which comes last.
_VECTOR = """
SELECT * FROM (
    SELECT id, path, "start", "end", start_char, end_char, tokens,
        -(embedding <=> %(embedding)s::vector) AS score
    FROM {table} AS found WHERE true{filtered}
    ORDER BY embedding <=> %(embedding)s::vector, id COLLATE "C" LIMIT %(k)s
) AS nearest WHERE score <> 'NaN' ORDER BY score DESC, id COLLATE "C"
"""
_COLUMNS = """CREATE TABLE {name} (
    id text NOT NULL, title text NOT NULL, text text NOT NULL, path text, "start" int, "end" int,
    start_char int, end_char int, tokens int,
    title_words text, text_words text,
    facets jsonb NOT NULL, words tsvector GENERATED ALWAYS AS (
        setweight(to_tsvector({language}::regconfig, coalesce(title_words, title)), 'A')
        || setweight(to_tsvector({language}::regconfig, coalesce(text_words, text)), 'D')
    ) STORED {vectors})"""
_FILTERED = """ AND NOT EXISTS (
    SELECT FROM jsonb_each(%(filters)s::jsonb) AS one
    WHERE NOT coalesce(one.value @> to_jsonb(found.facets ->> one.key), false)
)"""


def table_name(name: str, made_with: object) -> str:
    """Return the table of an index; an identifier of PostgreSQL holds 63 bytes."""
    return f"docs_{fingerprint([name, _FORMAT, made_with])[:24]}"


@dataclass(frozen=True, slots=True)
class BuiltTable:
    """A table of documents."""

    schema: str
    """The schema that it is in."""
    name: str
    """Its own name."""
    language: str
    """The text search configuration that it is made with."""
    embedder: Embedder | None
    """Who makes its vectors, where it has some."""
    where: str
    """The system, for errors."""

    @property
    def _identifier(self) -> sql.Identifier:
        from psycopg import sql

        return sql.Identifier(self.schema, self.name)

    def write(self, connection: Any, documents: Iterable[Document]) -> bool:
        """Write the table, unless it is there.

        Args:
            connection: One that may write.
            documents: What is written.

        Returns:
            True where it was written, False where it was there.

        Raises:
            SystemFailedError: for a document that is too long for a table.
        """
        from psycopg import sql

        name = self._identifier
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (self.name,))
            if connection.execute("SELECT to_regclass(%s)", (name.as_string(connection),)).fetchone()[0]:
                return False
            schema = sql.Identifier(self.schema)
            connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(schema))
            rest = iter(documents)
            batch = list(islice(rest, _BATCH))
            self._create(connection, batch)
            facets: set[str] = set()
            while batch:
                rows = [_row(one) for one in batch]
                facets.update(key for row in rows for key in row["facets"])
                self._copy(connection, rows)
                batch = list(islice(rest, _BATCH))
            connection.execute(sql.SQL("CREATE INDEX ON {} USING gin (words)").format(name))
            connection.execute(sql.SQL("ANALYZE {}").format(name))
            told = sql.Literal(json.dumps({"facets": sorted(facets)}))
            connection.execute(sql.SQL("COMMENT ON TABLE {} IS {}").format(name, told))
        return True

    def facets(self, connection: Any) -> frozenset[str]:
        """Return the names of facets that the documents have, which the table's comment says.

        Raises:
            SystemFailedError: where it does not say.
        """
        name = self._identifier.as_string(connection)
        ask = "SELECT obj_description(%s::regclass, 'pg_class')"
        (said,) = connection.execute(ask, (name,)).fetchone()
        try:
            return frozenset(map(str, json.loads(said)["facets"]))
        except (ValueError, TypeError, KeyError, RecursionError):
            expected, fix = "the names of its facets", f"drop {name} to have it built again"
            raise SystemFailedError(Code.NO_INDEX(self.where, shown(said), expected, fix)) from None

    def request(self, connection: Any, ranked: tuple[Sequence[float], int] | None, *, filtered: bool) -> str:
        """Write the statement that searches the table.

        Args:
            connection: Says how a value is written.
            ranked: The weights and the normalization of ts_rank, where any word counts; None to ask vectors.
            filtered: True where hits must have the facets in ``%(filters)s``.
        """
        from psycopg import sql

        parts: dict[str, sql.Composable] = {
            "table": self._identifier,
            "filtered": sql.SQL(_FILTERED if filtered else ""),
        }
        if ranked is not None:
            weights, normalization = ranked
            parts |= {
                "language": sql.Literal(self.language),
                "weights": sql.Literal(list(weights)),
                "normalization": sql.Literal(normalization),
            }
        return sql.SQL(_VECTOR if ranked is None else _TEXT).format(**parts).as_string(connection)

    def _create(self, connection: Any, first: list[Document]) -> None:
        from psycopg import sql

        vectors: sql.Composable = sql.SQL("")
        if self.embedder is not None:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
            size = len(self.embedder([first[0].text if first else ""])[0])
            vectors = sql.SQL(", embedding vector({})").format(sql.Literal(size))
        language = sql.Literal(self.language)
        made = sql.SQL(_COLUMNS).format(name=self._identifier, language=language, vectors=vectors)
        connection.execute(made)

    def _copy(self, connection: Any, rows: list[dict[str, Any]]) -> None:
        """Copy rows into the table, few enough that one which is refused can be named."""
        from psycopg import errors, sql

        names = [*rows[0], *([] if self.embedder is None else ["embedding"])]
        listed = sql.SQL(", ").join(map(sql.Identifier, names))
        copy = sql.SQL("COPY {} ({}) FROM STDIN").format(self._identifier, listed)
        texts = [f"{row['title']}\n{row['text']}" for row in rows]
        vectors = [] if self.embedder is None else [(vector_text(one),) for one in self.embedder(texts)]
        try:
            with connection.cursor() as cursor, cursor.copy(copy) as target:
                for number, row in enumerate(rows):
                    held = {**row, "facets": json.dumps(row["facets"])}
                    target.write_row((*held.values(), *(vectors[number] if vectors else ())))
        except errors.ProgramLimitExceeded as error:
            # Where in the copy it was is said in the server's language: after the table, the line's number.
            line = re.search(rf"{self.name}\D*(\d+)", error.diag.context or "")
            at = int(line[1]) - 1 if line else len(rows)
            which = f"the document {rows[at]['id']!r}" if at < len(rows) else "a document"
            found = f"{which} ({printable(error.diag.message_primary or '')})"
            expected = "documents that PostgreSQL can index"
            fix = "cut it smaller, with chunks = 'section' or { by = 'window', lines = 500 }"
            raise SystemFailedError(Code.INDEX_FAILED(self.where, found, expected, fix)) from None


def _row(document: Document) -> dict[str, Any]:
    record = record_of(document)
    facets = {_held(name): _held(value) for name, value in record["facets"].items()}
    held = {name: _held(value) if isinstance(value, str) else value for name, value in record.items()}
    # Only where they are others than the text's own: most tables hold nothing twice.
    words = {column: index_text(held[column]) for column in ("title", "text")}
    apart = {f"{column}_words": None if held[column] == one else one for column, one in words.items()}
    return {**held, **apart, "facets": facets}


def _held(text: str) -> str:
    # PostgreSQL has no NUL in a text; what stands for a broken character stands for it.
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")
