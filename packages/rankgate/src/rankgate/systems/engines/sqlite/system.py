"""SQLite as a system: a database that is there and your own SQL, or a table of FTS5 that rankgate builds."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping  # noqa: TC003 - annotations of options are read
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rankgate.errors import InputError, Problem
from rankgate.model.search import Ranking
from rankgate.model.systems import SystemBase
from rankgate.systems.adapter.answers import ranking_of
from rankgate.systems.adapter.options import read_options, read_text
from rankgate.systems.adapter.templates import utf8, words_of
from rankgate.systems.engines.built.folders import built, facet_names, index_folder
from rankgate.systems.engines.built.records import check_facets
from rankgate.systems.engines.sqlite.connections import SqliteConnections, SqliteStatement
from rankgate.systems.engines.sqlite.index import FILE, FORMAT, fill, search_sql
from rankgate.systems.registry import SystemKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankgate.model.search import Document, Query


KIND = SystemKind(
    "A full-text table of SQLite (FTS5), there already or built",
    base="root",
    index=("database",),
    tested="tested with SQLite 3.40",
)


@dataclass(frozen=True, slots=True)
class SqliteOptions:
    """Which database is asked, and how."""

    database: str | None = None
    """The file of a database that is there."""
    sql: str | None = None
    """A SELECT whose columns are fields of a hit, with ``:query``, ``:k``, ``:filters_NAME`` and ``:filters``
    bound; the last is all filters as JSON, with a list for each name."""
    sql_file: str | None = None
    """A file with the SELECT in place of `sql`."""
    query: Literal["any", "all", "raw"] = "any"
    """What ``:query`` is: the words, quoted, any or all of which FTS5 is to match; or the text as it is."""
    folder: str | None = None
    """Where built indexes lie; by default in the cache."""
    tokenizer: str = "porter unicode61"
    """For building: the tokenizer of FTS5, with its arguments."""
    title_weight: float = 1.0
    """For built indexes: what a word in the title counts."""
    text_weight: float = 1.0
    """For built indexes: what a word in the text counts."""
    timeout: float = 30.0
    """Seconds until a query is ended."""
    root: str = "."
    """The folder that `database`, `sql_file` and `folder` are relative to; usually the project's."""

    def __post_init__(self) -> None:
        asked = (self.sql is not None) + (self.sql_file is not None)
        checks = (
            (asked < 2, "sql", "sql and sql_file", "one of the two"),
            (self.database is None or asked > 0, "sql", "a database without it", "sql or sql_file"),
            (self.database is not None or asked == 0, "database", "sql without it", "the file of a database"),
            (self.timeout > 0, "timeout", f"{self.timeout:g}", "more than 0"),
        )
        problems = [Problem(where, found, expected) for good, where, found, expected in checks if not good]
        if problems:
            raise InputError(problems)


class SqliteSystem(SystemBase):
    """Asks a database, which is only ever read. Each thread has a connection while it asks.

    Raises:
        InputError: for options that are wrong, and a database that cannot be read.
    """

    thread_safe = True
    version: str | None = sqlite3.sqlite_version

    def __init__(self, options: SqliteOptions, *, name: str = "sqlite") -> None:
        super().__init__(name)
        self._options = options
        self._root = Path(options.root)
        self._connections: SqliteConnections | None = None
        self._statements: tuple[SqliteStatement, SqliteStatement] | None = None
        self._facets: frozenset[str] | None = None
        if options.database is not None:
            one = SqliteStatement(self._sql(), f"{name}.sql")
            self._statements = (one, one)
            self._connections = SqliteConnections(self._root / options.database, options.timeout, name)
            self._connections.check(one.text, dict.fromkeys(one.names))

    def search(self, query: Query) -> Ranking:
        """Ask the database.

        Raises:
            SystemFailedError: where it does not answer, or with what is no hit.
        """
        if self._connections is None or self._statements is None:
            fix = "name a database and sql, or build an index first"
            raise InputError(Problem(self.name, "no index", "one to search", fix))
        if self._facets is not None:
            check_facets(query, self._facets)
        statement = self._statements[bool(query.filters)]
        matched = self._matched(query.text)
        values = statement.bound(query, matched)
        if not matched and self._options.query != "raw":
            return Ranking()
        return ranking_of(self._connections.rows(statement.text, values, query.k), query.k)[0]

    @property
    def wants_documents(self) -> bool:
        """True where no index is named that is there."""
        return self._options.database is None

    def build(self, documents: Iterable[Document], name: str) -> bool:
        """Build a table of this name, unless it is there and search it from now on.

        Raises:
            InputError: for a tokenizer that SQLite does not know, or a folder that cannot be written.
        """
        options = self._options
        place = index_folder(
            "sqlite", name, self._root, options.folder, {"tokenizer": options.tokenizer}, layout=FORMAT
        )

        def write(aside: Path, documents: Iterable[Document]) -> None:
            fill(aside / FILE, documents, options.tokenizer, self.name)

        fresh = built(place, documents, write)
        self._facets = facet_names(place)
        self.close()
        weights = (options.title_weight, options.text_weight)
        plain, filtered = search_sql(*weights, filtered=False), search_sql(*weights, filtered=True)
        self._statements = (SqliteStatement(plain, self.name), SqliteStatement(filtered, self.name))
        self._connections = SqliteConnections(place / FILE, options.timeout, self.name)
        return fresh

    def describe(self) -> dict[str, object]:
        """Return the options, for the manifest of a run."""
        return {"kind": "sqlite", **asdict(self._options)}

    def close(self) -> None:
        """End what other threads still ask, and close the database."""
        if self._connections is not None:
            self._connections.close()

    def _sql(self) -> str:
        if self._options.sql is not None:
            return self._options.sql
        return read_text(self._root / str(self._options.sql_file), f"{self.name}.sql_file")

    def _matched(self, text: str) -> str:
        if self._options.query == "raw":
            return utf8(text)
        # Words hold no quotes, so nothing in them can end the string.
        joint = " OR " if self._options.query == "any" else " AND "
        return joint.join(f'"{word}"' for word in words_of(text))


def open_sqlite(name: str, options: Mapping[str, object]) -> SqliteSystem:
    """Open a database that a configuration names; the entry point of the kind `sqlite`.

    Raises:
        InputError: with every option that is unknown or wrong.
    """
    return SqliteSystem(read_options(SqliteOptions, options, name), name=name)
