"""PostgreSQL as a system: the user's own SQL."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from rankgate.errors import Code, InputError, RetriableError, SystemFailedError
from rankgate.io.typed import Seconds
from rankgate.model import Query
from rankgate.systems.adapter.answers import ranking_of
from rankgate.systems.adapter.embedding import load_embedder
from rankgate.systems.adapter.failures import TimedOutError
from rankgate.systems.adapter.options import (
    ConfiguredSystem,
    check_options,
    field_problems,
    not_both,
    read_text,
)
from rankgate.systems.engines.postgres.connections import (
    PostgresConnections,
    PostgresStatement,
    described_address,
)
from rankgate.systems.registry import SystemKind, opener

if TYPE_CHECKING:
    from rankgate.io.digests import ContentsReader
    from rankgate.model import Ranking


_ADDRESS = ("PGDATABASE", "PGHOST", "PGHOSTADDR", "PGOPTIONS", "PGPORT", "PGSERVICE", "PGUSER")
"""What libpq reads of the environment where the address does not say."""


@dataclass(frozen=True, slots=True)
class PostgresOptions:
    """Which database is asked, and how."""

    dsn: str = ""
    """Where it is, as libpq writes it; ``${NAME}`` is read from the environment, as is PGHOST."""
    sql: str | None = None
    """One statement with ``%(query)s`` and ``%(k)s``, bound."""
    sql_file: str | None = None
    """A file in place of `sql`."""
    embedder: str | None = None
    """``module:function`` that makes vectors of a list of texts, for ``%(embedding)s``."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """The column that each part of a hit is in; without any, columns are named as the parts are."""
    timeout: Seconds = 30.0
    """Seconds for one statement, and for a connection."""
    root: str = "."
    """The folder that `sql_file` and the embedder are relative to; usually the project's."""

    def __post_init__(self) -> None:
        check_options(
            not_both(self, "sql", "sql_file"),
            (self.sql is not None or self.sql_file is not None, "sql", "none", "sql or sql_file"),
            also=field_problems(self.fields),
        )


KIND = SystemKind(
    "PostgreSQL by your own SQL: full text, pgvector",
    base="root",
    library="psycopg",
    extra="postgres",
    tested="tested with PostgreSQL 18.3 and pgvector",
    options=PostgresOptions,
)


class PostgresSystem(ConfiguredSystem[PostgresOptions]):
    """Asks a database, read-only. Each thread that asks has a connection of its own while it does.

    Raises:
        InputError: for options that are wrong, SQL that the server refuses, or the library missing.
        SystemFailedError: where there is no server.
    """

    kind = "postgres"
    hook_options = ("embedder",)

    def __init__(self, options: PostgresOptions, *, name: str = "postgres") -> None:
        super().__init__(options, name)
        self.version: str | None = None
        """The server's."""
        self._driver = driver = KIND.load(name)
        embedder = load_embedder(options.embedder, options.root, f"{name}.embedder")
        self._connections = PostgresConnections(driver, options.dsn, options.timeout, name)
        where = f"{name}.sql"
        sql = options.sql or ""
        if options.sql_file is not None:
            where = f"{name}.sql_file"
            sql = read_text(Path(options.root) / options.sql_file, where)
        try:
            with self._connections.lent() as connection:
                self.version = f"PostgreSQL {connection.info.parameter_status('server_version')}"
            self._statement = PostgresStatement(sql, embedder, where)
            self._check(where)
        except BaseException:
            self.close()
            raise

    def search(self, query: Query) -> Ranking:
        """Ask the database.

        Raises:
            SystemFailedError: where it refuses the statement or does not answer in time, and for filters that
                the statement has no place for; a `RetriableError` where it is out of reach.
        """
        values = self._statement.bound(query)
        with self._connections.lent() as connection:
            cursor = connection.execute(self._statement.sql, values)
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
        return {**options, "dsn": described_address(self._driver, self._options.dsn)}

    def _add_contents(self, reader: ContentsReader) -> None:
        for name in _ADDRESS:
            if name in os.environ:
                reader.add_variable(name)

    def _row(self, found: dict[str, object]) -> dict[str, object]:
        fields = self._options.fields or {name: name for name in found}
        if missing := [column for column in fields.values() if column not in found]:
            columns = ", ".join(found)
            raise SystemFailedError(
                Code.NO_INDEX(self.name, f"no column {', '.join(missing)}", f"one of {columns}")
            )
        return {part: _plain(found[column]) for part, column in fields.items()}

    def _check(self, where: str) -> None:
        """Check the statement by having the server plan it, so that what is wrong with it is told at once."""
        try:
            with self._connections.lent() as connection:
                connection.execute(f"EXPLAIN {self._statement.sql}", self._statement.bound(Query("word", 1)))
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
