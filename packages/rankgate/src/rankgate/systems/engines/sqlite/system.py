"""SQLite as a system: a database that is there and your own SQL, or a table of FTS5 that rankgate builds."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rankgate.errors import Code, InputError
from rankgate.model.search import Ranking
from rankgate.systems.adapter.answers import ranking_of
from rankgate.systems.adapter.failures import told
from rankgate.systems.adapter.options import above_zero, check_options, not_both, read_text
from rankgate.systems.adapter.templates import utf8, words_of
from rankgate.systems.engines.built.records import check_facets, record_of
from rankgate.systems.engines.built.scripts import index_text, query_expression, query_text
from rankgate.systems.engines.built.system import FolderIndexSystem
from rankgate.systems.engines.sqlite.connections import SqliteConnections, SqliteStatement
from rankgate.systems.registry import SystemKind, opener

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rankgate.model.search import Document, Query


KIND = SystemKind(
    "A full-text table of SQLite (FTS5), there already or built",
    base="root",
    index=("database",),
    tested="tested with SQLite 3.40",
)
FORMAT = 4
"""The number of how a built index is laid out."""

_FILE = "index.sqlite"
_TABLES = """
CREATE TABLE documents (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL, path TEXT,
    start INTEGER, "end" INTEGER, start_char INTEGER, end_char INTEGER, tokens INTEGER
);
CREATE TABLE facets (
    number INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (number, name)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (
    title, text, content = 'documents', content_rowid = 'number', tokenize = '{tokenizer}'
);
"""
_SEARCH = """
WITH best AS (
    SELECT rowid AS number, bm25(words, {title!r}, {text!r}) AS cost FROM words
    WHERE words MATCH :query{wanted} ORDER BY cost, rowid LIMIT :k
)
SELECT id, path, start, "end", start_char, end_char, tokens, -cost AS score
FROM best JOIN documents USING (number) ORDER BY cost, number
"""
_WANTED = """ AND NOT EXISTS (
    SELECT 1 FROM json_each(:filters) AS wanted WHERE NOT EXISTS (
        SELECT 1 FROM facets JOIN json_each(wanted.value) AS one ON one.value = facets.value
        WHERE facets.number = words.rowid AND facets.name = wanted.key
    )
)"""


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
        asked = self.sql is not None or self.sql_file is not None
        check_options(
            not_both(self, "sql", "sql_file"),
            (self.database is None or asked, "sql", "a database without it", "sql or sql_file"),
            (self.database is not None or not asked, "database", "sql without it", "the file of a database"),
            *above_zero(self, "timeout"),
        )


class SqliteSystem(FolderIndexSystem[SqliteOptions]):
    """Asks a database, which is only ever read. Each thread has a connection while it asks.

    Raises:
        InputError: for options that are wrong, and a database that cannot be read.
    """

    kind, index_options = "sqlite", KIND.index
    data_options = KIND.index
    version: str | None = sqlite3.sqlite_version

    def __init__(self, options: SqliteOptions, *, name: str = "sqlite") -> None:
        super().__init__(options, name)
        self._connections: SqliteConnections | None = None
        self._statements: tuple[SqliteStatement, SqliteStatement] | None = None
        if options.database is not None:
            one = SqliteStatement(self._sql(), f"{name}.sql")
            self._statements = (one, one)
            self._connections = SqliteConnections(self._at(options.database), options.timeout, name)
            self._connections.check(one.text, dict.fromkeys(one.names))

    def search(self, query: Query) -> Ranking:
        """Ask the database.

        Raises:
            SystemFailedError: where it does not answer, or with what is no hit.
        """
        if self._connections is None or self._statements is None:
            fix = "name a database and sql, or build an index first"
            raise InputError(Code.NO_INDEX(self.name, "no index", "one to search", fix))
        if self.wants_documents:
            check_facets(query, self._facets)
        statement = self._statements[bool(query.filters)]
        matched = self._matched(query.text)
        values = statement.bound(query, matched)
        if not matched and self._options.query != "raw":
            return Ranking()
        return ranking_of(self._connections.rows(statement.text, values, query.k), query.k)[0]

    def close(self) -> None:
        """End what other threads still ask, and close the database."""
        if self._connections is not None:
            self._connections.close()

    def _made_with(self) -> tuple[int, object]:
        return FORMAT, {"tokenizer": self._options.tokenizer}

    def _write(self, place: Path, documents: Iterable[Document]) -> None:
        _fill(place / _FILE, documents, self._options.tokenizer, self.name)

    def _open(self, place: Path) -> None:
        options = self._options
        self.close()
        weights = (options.title_weight, options.text_weight)
        plain, filtered = _search_sql(*weights, filtered=False), _search_sql(*weights, filtered=True)
        self._statements = (SqliteStatement(plain, self.name), SqliteStatement(filtered, self.name))
        self._connections = SqliteConnections(place / _FILE, options.timeout, self.name)

    def _sql(self) -> str:
        if self._options.sql is not None:
            return self._options.sql
        return read_text(self._at(str(self._options.sql_file)), f"{self.name}.sql_file")

    def _matched(self, text: str) -> str:
        built = self.wants_documents and _cuts_words(self._options.tokenizer)
        if self._options.query == "raw":
            return query_expression(utf8(text)) if built else utf8(text)
        # Words hold no quotes, so nothing in them can end the string.
        joint = " OR " if self._options.query == "any" else " AND "
        return joint.join(f'"{word}"' for word in words_of(query_text(text) if built else text))


open_sqlite = opener(SqliteSystem, SqliteOptions)
"""The entry point of the kind `sqlite`."""


def _search_sql(title: float, text: float, *, filtered: bool) -> str:
    """Return the SELECT: best first, and of equals the one that was indexed first.

    Args:
        title: What a word in the title counts.
        text: What a word in the text counts.
        filtered: True where hits must have the facets in ``:filters``.
    """
    return _SEARCH.format(title=float(title), text=float(text), wanted=_WANTED if filtered else "")


def _cuts_words(tokenizer: str) -> bool:
    """Check whether a tokenizer looks for words; `trigram` takes any three characters, spaces among them."""
    return "trigram" not in tokenizer.split()


def _fill(path: Path, documents: Iterable[Document], tokenizer: str, where: str) -> None:
    """Write an index of these documents.

    Raises:
        InputError: for a tokenizer that SQLite does not know, and documents that it cannot hold.
    """
    try:
        with closing(sqlite3.connect(path)) as database, database:
            database.executescript(_TABLES.format(tokenizer=tokenizer.replace("'", "''")))
            for number, record in enumerate(map(record_of, documents), 1):
                facets = json.dumps(record.pop("facets"))
                if _cuts_words(tokenizer):
                    record |= {column: index_text(record[column]) for column in ("title", "text")}
                database.execute(
                    "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (number, *record.values()),
                )
                database.execute(
                    "INSERT INTO facets SELECT ?, key, value FROM json_each(?)", (number, facets)
                )
            database.execute("INSERT INTO words (words) VALUES ('rebuild')")
            database.execute("INSERT INTO words (words) VALUES ('optimize')")
    except sqlite3.Error as error:
        raise InputError(Code.INDEX_FAILED(where, told(error), "an index that can be built")) from error
