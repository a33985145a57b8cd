"""Connections to a database that is only read, one for each thread that asks at the same time."""

from __future__ import annotations

import json
import re
import sqlite3
import threading
import time
import weakref
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError, Problem, RetriableError, SystemFailedError, did_you_mean
from rankgate.systems.adapter.failures import TimedOutError, closed_error, printable, told
from rankgate.systems.adapter.templates import check_filters, filter_values, filters_taken

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rankgate.model import Query

_STEPS = 10_000
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_KNOWN = (":query", ":k", ":filters", ":filters_NAME")
_FIX = "name it in the SQL, as :filters_NAME, or take all with :filters"
# What stands in a string, a quoted name or a comment is no parameter.
_TOKEN = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | `[^`]*` | \[[^\]]*\] | --[^\n]* | /\*.*?(?:\*/|\Z)
    | [:@$](?P<name>[A-Za-z_][A-Za-z0-9_]*) | (?P<mark>\?[0-9]*)""",
    re.VERBOSE | re.DOTALL,
)


class SqliteConnections:
    """Those that are idle; each of the others is with the thread that asks it.

    Raises:
        InputError: for a file that is not there.
    """

    def __init__(self, path: Path, timeout: float, where: str) -> None:
        if not path.is_file():
            raise InputError(Code.NO_INDEX(f"{where}.database", f"no file {path}", "the file of a database"))
        self._path = path.resolve()
        self._timeout = timeout
        self._where = where
        self._lock = threading.Lock()
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        # Whoever forgets to close leaves no file open.
        weakref.finalize(self, _close, self._idle)

    def check(self, sql: str, values: Mapping[str, object]) -> None:
        """Check the SQL without running it.

        Raises:
            InputError: for a file that is no database, and SQL that it does not understand.
        """
        try:
            database = self._opened()
            try:
                database.execute(f"EXPLAIN {sql}", values).fetchone()
            finally:
                database.close()
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            raise InputError(
                Code.QUERY_REFUSED(f"{self._where}.sql", told(error), "one SELECT that SQLite reads")
            ) from error

    def rows(self, sql: str, values: Mapping[str, object], k: int) -> list[dict[str, object]]:
        """Ask, and give the first k rows by the names of their columns.

        Raises:
            SystemFailedError: where SQLite does not answer.
            TimedOutError: where it does not in time.
            RetriableError: where someone else has locked the database.
        """
        database = self._taken()
        try:
            return self._asked(database, sql, values, k)
        except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as error:
            raise self._failure(error) from error
        finally:
            self._given_back(database)

    def close(self) -> None:
        """Close what is idle; what is asked ends at its next steps."""
        with self._lock:
            self._closed = True
            _close(self._idle)

    def _asked(
        self, database: sqlite3.Connection, sql: str, values: Mapping[str, object], k: int
    ) -> list[dict[str, object]]:
        last = time.monotonic() + self._timeout
        database.set_progress_handler(lambda: self._closed or time.monotonic() > last, _STEPS)
        cursor = database.execute(sql, values)
        try:
            if cursor.description is None:
                raise SystemFailedError(Code.QUERY_REFUSED(f"{self._where}.sql", "no rows", "a SELECT"))
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchmany(k)]
        finally:
            cursor.close()

    def _taken(self) -> sqlite3.Connection:
        with self._lock:
            if self._closed:
                raise closed_error(self._where)
            if self._idle:
                return self._idle.pop()
        try:
            return self._opened()
        except sqlite3.Error as error:
            raise self._failure(error) from error

    def _given_back(self, database: sqlite3.Connection) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(database)
                return
        database.close()

    def _opened(self) -> sqlite3.Connection:
        address = f"{self._path.as_uri()}?mode=ro"
        database = sqlite3.connect(address, uri=True, timeout=self._timeout, check_same_thread=False)
        # No statement reaches, or makes, another file.
        database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        return database

    def _failure(self, error: Exception) -> SystemFailedError:
        code = getattr(error, "sqlite_errorcode", None)
        if code == sqlite3.SQLITE_INTERRUPT:
            if self._closed:
                return closed_error(self._where)
            return TimedOutError(Problem(self._where, f"no answer in {self._timeout:g} s", "one in time"))
        kind = RetriableError if code is not None and code & 0xFF in _BUSY else SystemFailedError
        return kind(Code.QUERY_REFUSED(self._where, printable(told(error)), "an answer"))


def _close(idle: list[sqlite3.Connection]) -> None:
    while idle:
        idle.pop().close()


class SqliteStatement:
    """A statement whose parameters are known.

    >>> sorted(SqliteStatement("SELECT ':k' AS id FROM words WHERE words MATCH :query", "sql").names)
    ['query']

    Raises:
        InputError: for a parameter that no query has, and for SQL without ``:query``.
    """

    def __init__(self, text: str, where: str) -> None:
        self.text = text
        """The SQL."""
        found = list(_TOKEN.finditer(text))
        self.names = frozenset(token["name"] for token in found if token["name"])
        """What it takes of a query."""
        odd = [token[0] for token in found if token["mark"]]
        odd += [f":{name}" for name in sorted(self.names) if not _is_known(name)]
        problems = [
            Code.UNKNOWN_PLACEHOLDER(where, one, "one of " + ", ".join(_KNOWN), did_you_mean(one, _KNOWN))
            for one in odd
        ]
        if "query" not in self.names:
            problems.append(Code.UNKNOWN_PLACEHOLDER(where, "no :query", ":query in the SQL"))
        if problems:
            raise InputError(problems)
        self._taken = filters_taken(self.names, "filters_")

    def bound(self, query: Query, text: str) -> dict[str, object]:
        """Return a value for each parameter; a filter that the query does not have is NULL.

        Raises:
            SystemFailedError: for filters that the SQL has no place for.
        """
        check_filters(query, self._taken, _FIX)
        filters = filter_values(query)
        values: dict[str, object] = {"query": text, "k": query.k, "filters": json.dumps(filters)}
        for name in self.names - values.keys():
            wanted = filters.get(name.removeprefix("filters_"), [])
            if len(wanted) > 1:
                fix = "write IN (SELECT value FROM json_each(:filters, '$.NAME'))"
                found = f"{len(wanted)} values of a filter"
                raise SystemFailedError(Code.FILTERS_LOST("query", found, f"one for :{name}", fix))
            values[name] = wanted[0] if wanted else None
        return {name: values[name] for name in self.names}


def _is_known(name: str) -> bool:
    return name in ("query", "k", "filters") or name.startswith("filters_")
