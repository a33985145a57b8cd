"""PostgreSQL as a system: the user's own SQL, or a table built from a corpus."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from uuid import UUID

from rankgate.errors import Code, InputError, RetriableError, SystemFailedError
from rankgate.model.search import Query
from rankgate.systems.adapter.answers import ranking_of
from rankgate.systems.adapter.contents import server_state
from rankgate.systems.adapter.failures import TimedOutError
from rankgate.systems.adapter.options import check_options, field_problems, not_both, read_text
from rankgate.systems.adapter.secrets import Secrets, described
from rankgate.systems.engines.built.folders import check_name
from rankgate.systems.engines.built.records import check_facets, load_embedder
from rankgate.systems.engines.built.scripts import query_text
from rankgate.systems.engines.built.system import IndexingSystem
from rankgate.systems.engines.postgres.connections import (
    PostgresConnections,
    PostgresStatement,
    described_address,
)
from rankgate.systems.engines.postgres.table import BuiltTable, table_name
from rankgate.systems.registry import SystemKind, opener

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankgate.files.digests import ContentsReader
    from rankgate.model.search import Document, Ranking


KIND = SystemKind(
    "PostgreSQL by your own SQL, or a table that is built: full text, pgvector",
    base="root",
    index=("sql", "sql_file"),
    library="psycopg",
    extra="postgres",
    tested="tested with PostgreSQL 18.3 and pgvector",
)
_ADDRESS = ("PGDATABASE", "PGHOST", "PGHOSTADDR", "PGOPTIONS", "PGPORT", "PGSERVICE", "PGUSER")
"""What libpq reads of the environment where the address does not say."""


@dataclass(frozen=True, slots=True)
class PostgresOptions:
    """Which database is asked, and how."""

    dsn: str = ""
    """Where it is, as libpq writes it; ``${NAME}`` is read from the environment, as is PGHOST."""
    sql: str | None = None
    """One statement with ``%(query)s`` and ``%(k)s``, bound; without one, a table is built."""
    sql_file: str | None = None
    """A file in place of `sql`."""
    embedder: str | None = None
    """``module:function`` that makes vectors of a list of texts, for ``%(embedding)s``."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """The column that each part of a hit is in; without any, columns are named as the parts are."""
    mode: Literal["text", "vector"] = "text"
    """How a built table is searched: by ts_rank, or by the cosine of vectors."""
    language: str = "english"
    """The text search configuration of a built table."""
    weights: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)
    """What words labelled D, C, B and A count for ts_rank; a built table labels titles A and texts D."""
    normalization: int = 0
    """What ts_rank makes of the length of a document, as PostgreSQL numbers it; 0 for nothing."""
    schema: str = "rankgate"
    """The schema that tables are built in."""
    timeout: float = 30.0
    """Seconds for one statement, and for a connection."""
    root: str = "."
    """The folder that `sql_file` and the embedder are relative to; usually the project's."""

    def __post_init__(self) -> None:
        check_options(
            not_both(self, "sql", "sql_file"),
            (
                self.mode == "text" or self.embedder is not None,
                "embedder",
                f"none for {self.mode}",
                "embedder = 'module:function'",
            ),
            (len(self.weights) == 4, "weights", f"{len(self.weights)} numbers", "4, for D, C, B and A"),
            (0.001 <= self.timeout <= 2_000_000, "timeout", f"{self.timeout:g}", "0.001 to 2000000"),
            also=field_problems(self.fields),
        )


class PostgresSystem(IndexingSystem[PostgresOptions]):
    """Asks a database, read-only. Each thread that asks has a connection of its own while it does.

    Raises:
        InputError: for options that are wrong, SQL that the server refuses, or the library missing.
        SystemFailedError: where there is no server.
    """

    kind, index_options = "postgres", KIND.index
    hook_options = ("embedder",)

    def __init__(self, options: PostgresOptions, *, name: str = "postgres") -> None:
        super().__init__(options, name)
        self.version: str | None = None
        """The server's."""
        self._driver = driver = KIND.load(name)
        self.mask = secrets = Secrets()
        self._embedder = load_embedder(options.embedder, options.root, f"{name}.embedder")
        self._connections = PostgresConnections(driver, options.dsn, options.timeout, secrets, name)
        self._statements: tuple[PostgresStatement, PostgresStatement] | None = None
        self._facets: frozenset[str] | None = None
        own = options.sql
        if options.sql_file is not None:
            own = read_text(Path(options.root) / options.sql_file, f"{name}.sql_file")
        try:
            with self._connections.lent() as connection:
                self.version = f"PostgreSQL {connection.info.parameter_status('server_version')}"
            if own is not None:
                where = f"{name}.{'sql' if options.sql_file is None else 'sql_file'}"
                one = PostgresStatement(own, self._embedder, where)
                self._statements = (one, one)
                self._check(one, where)
        except BaseException:
            self.close()
            raise

    def build(self, documents: Iterable[Document], name: str) -> bool:
        """Build a table of this name, unless it is there, and search it from now on.

        Raises:
            InputError: where the options have SQL of their own.
            SystemFailedError: where the server does not take a document, such as one that is too long.
        """
        options = self._options
        if not self.wants_documents:
            fix = "take it out to have a table built"
            raise InputError(Code.NOT_SUPPORTED(f"{self.name}.sql", "SQL of your own", "no SQL", fix))
        check_name(name)
        made_with = [options.language, options.embedder]
        table = BuiltTable(
            options.schema, table_name(name, made_with), options.language, self._embedder, self.name
        )
        with self._connections.writing() as connection:
            new = table.write(connection, documents)
            self._facets = table.facets(connection)
            ranked = (options.weights, options.normalization) if options.mode == "text" else None
            # To look for filters that are not there takes as long as a short search.
            plain, filtered = (table.request(connection, ranked, filtered=one) for one in (False, True))
        self._statements = (
            PostgresStatement(plain, self._embedder, self.name),
            PostgresStatement(filtered, self._embedder, self.name),
        )
        return new

    def search(self, query: Query) -> Ranking:
        """Ask the database.

        Raises:
            SystemFailedError: where it refuses the statement or does not answer in time, and for filters that
                the statement has no place for or no document has; a `RetriableError` where it is out of
                reach.
        """
        if self._statements is None:
            raise SystemFailedError(Code.NO_INDEX(self.name, "no table", "one that was built"))
        if self._facets is not None:
            check_facets(query, self._facets)
            if self._options.mode == "text":
                query = replace(query, text=query_text(query.text))
        statement = self._statements[bool(query.filters)]
        values = statement.bound(query)
        with self._connections.lent() as connection:
            cursor = connection.execute(statement.sql, values)
            names = [column.name for column in cursor.description or ()]
            found = cursor.fetchall() if names else []
        rows = [self._row(dict(zip(names, row, strict=True))) for row in found]
        ranking, over = ranking_of(rows, query.k)
        self.count(dropped=over)
        return ranking

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()

    def _described(self, options: dict[str, object]) -> dict[str, object]:
        return described({**options, "dsn": described_address(self._driver, self._options.dsn)})

    def _add_contents(self, reader: ContentsReader) -> None:
        for name in _ADDRESS:
            if name in os.environ:
                reader.add_variable(name)
        reader.add_unknown(server_state(self._connections.host))

    def _row(self, found: dict[str, object]) -> dict[str, object]:
        fields = self._options.fields or {name: name for name in found}
        if missing := [column for column in fields.values() if column not in found]:
            columns = ", ".join(found)
            raise SystemFailedError(
                Code.NO_INDEX(self.name, f"no column {', '.join(missing)}", f"one of {columns}")
            )
        return {part: _plain(found[column]) for part, column in fields.items()}

    def _check(self, statement: PostgresStatement, where: str) -> None:
        """Check a statement by having the server plan it, so that what is wrong with it is told at once."""
        try:
            with self._connections.lent() as connection:
                connection.execute(f"EXPLAIN {statement.sql}", statement.bound(Query("word", 1)))
        except (RetriableError, TimedOutError):
            raise
        except SystemFailedError as error:
            expected = "one statement that the server takes"
            raise InputError([Code.NO_INDEX(where, one.found, expected) for one in error.problems]) from None


open_postgres = opener(PostgresSystem, PostgresOptions)
"""The entry point of the kind `postgres`."""


def _plain(value: object) -> object:
    """Return numbers and ids of PostgreSQL as those of Python."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return str(value) if isinstance(value, UUID) else value
