"""Connections to a database that is only read, one for each thread that asks at the same time."""

from __future__ import annotations

import sqlite3
import threading
import time
import weakref
from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem, RetriableError, SystemFailedError
from rankgate.systems.failures import TimedOutError, printable, told

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_STEPS = 10_000
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class Connections:
    """Those that are idle; each of the others is with the thread that asks it.

    Raises:
        InputError: for a file that is not there.
    """

    def __init__(self, path: Path, timeout: float, where: str) -> None:
        if not path.is_file():
            raise InputError(Problem(f"{where}.database", f"no file {path}", "the file of a database"))
        self._path = path.resolve()
        self._timeout = timeout
        self._where = where
        self._lock = threading.Lock()
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        # Whoever forgets to close leaves no file open.
        weakref.finalize(self, _close, self._idle)

    def check(self, sql: str, values: Mapping[str, object]) -> None:
        """Have SQLite read the SQL without running it.

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
                Problem(f"{self._where}.sql", told(error), "one SELECT that SQLite reads")
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
                raise SystemFailedError(Problem(f"{self._where}.sql", "no rows", "a SELECT"))
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchmany(k)]
        finally:
            cursor.close()

    def _taken(self) -> sqlite3.Connection:
        with self._lock:
            if self._closed:
                raise self._closed_error()
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
                return self._closed_error()
            return TimedOutError(Problem(self._where, f"no answer in {self._timeout:g} s", "one in time"))
        kind = RetriableError if code is not None and code & 0xFF in _BUSY else SystemFailedError
        return kind(Problem(self._where, printable(told(error)), "an answer"))

    def _closed_error(self) -> SystemFailedError:
        return SystemFailedError(Problem(self._where, "a system that is closed", "one that is open"))


def _close(idle: list[sqlite3.Connection]) -> None:
    while idle:
        idle.pop().close()
