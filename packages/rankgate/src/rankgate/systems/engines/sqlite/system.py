"""SQLite as a system: a database and your own SQL."""

from __future__ import annotations

import platform
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rankgate.io.typed import Seconds
from rankgate.model import Ranking
from rankgate.systems.adapter.answers import ranking_of
from rankgate.systems.adapter.options import (
    ConfiguredSystem,
    check_options,
    not_both,
    read_text,
)
from rankgate.systems.adapter.templates import utf8, words_of
from rankgate.systems.engines.sqlite.connections import SqliteConnections, SqliteStatement
from rankgate.systems.registry import SystemKind, opener

if TYPE_CHECKING:
    from rankgate.io.digests import ContentsReader
    from rankgate.model import Query


@dataclass(frozen=True, slots=True)
class SqliteOptions:
    """Which database is asked, and how."""

    database: str
    """The file of the database."""
    sql: str | None = None
    """A SELECT whose columns are fields of a hit, with ``:query``, ``:k``, ``:filters_NAME`` and ``:filters``
    bound; the last is all filters as JSON, with a list for each name."""
    sql_file: str | None = None
    """A file with the SELECT in place of `sql`."""
    query: Literal["any", "all", "raw"] = "any"
    """What ``:query`` is: the words, quoted, any or all of which FTS5 is to match; or the text as it is."""
    timeout: Seconds = 30.0
    """Seconds until a query is ended."""
    root: str = "."
    """The folder that `database` and `sql_file` are relative to; usually the project's."""

    def __post_init__(self) -> None:
        check_options(
            not_both(self, "sql", "sql_file"),
            (self.sql is not None or self.sql_file is not None, "sql", "none", "sql or sql_file"),
        )


KIND = SystemKind(
    "A database of SQLite by your own SQL, full text (FTS5) or not",
    base="root",
    tested="tested with SQLite 3.40",
    options=SqliteOptions,
)


class SqliteSystem(ConfiguredSystem[SqliteOptions]):
    """Asks a database, which is only ever read. Each thread has a connection while it asks.

    Raises:
        InputError: for options that are wrong, and a database that cannot be read.
    """

    kind = "sqlite"
    data_options = ("database",)
    version: str | None = sqlite3.sqlite_version

    def __init__(self, options: SqliteOptions, *, name: str = "sqlite") -> None:
        super().__init__(options, name)
        self._statement = SqliteStatement(self._sql(), f"{name}.sql")
        self._connections = SqliteConnections(self._at(options.database), options.timeout, name)
        self._connections.check(self._statement.text, dict.fromkeys(self._statement.names))

    def search(self, query: Query) -> Ranking:
        """Ask the database.

        Raises:
            SystemFailedError: where it does not answer, or with what is no hit.
        """
        matched = self._matched(query.text)
        values = self._statement.bound(query, matched)
        if not matched and self._options.query != "raw":
            return Ranking()
        return ranking_of(self._connections.rows(self._statement.text, values, query.k), query.k)[0]

    def close(self) -> None:
        """End what other threads still ask, and close the database."""
        self._connections.close()

    def _add_contents(self, reader: ContentsReader) -> None:
        # SQLite is a library of this process; its version is the system's.
        reader.add("Python", platform.python_version())

    def _sql(self) -> str:
        if self._options.sql is not None:
            return self._options.sql
        return read_text(self._at(str(self._options.sql_file)), f"{self.name}.sql_file")

    def _at(self, path: str) -> Path:
        return Path(self._options.root) / path

    def _matched(self, text: str) -> str:
        if self._options.query == "raw":
            return utf8(text)
        # Words hold no quotes, so nothing in them can end the string.
        joint = " OR " if self._options.query == "any" else " AND "
        return joint.join(f'"{word}"' for word in words_of(text))


open_sqlite = opener(SqliteSystem, SqliteOptions)
"""The entry point of the kind `sqlite`."""
