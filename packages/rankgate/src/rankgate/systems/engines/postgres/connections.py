"""Connections to PostgreSQL, one for each thread that asks at once, and how their failures are told."""

from __future__ import annotations

import json
import re
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, InputError, Problem, RetriableError, SystemFailedError
from rankgate.io.secrets import hide
from rankgate.systems.adapter.failures import TimedOutError, closed_error, told
from rankgate.systems.adapter.templates import check_filters, filter_values, filters_taken, utf8
from rankgate.systems.adapter.variables import VARIABLE, filled_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.model import Query
    from rankgate.systems.adapter.embedding import Embedder

_SECRETS = ("password", "sslpassword", "oauth_client_secret")
# Connections, rollbacks, resources, objects in use, an operator's doing, and the system itself.
_PASSING = {"08", "40", "53", "55", "57", "58"}
_PLACE = re.compile(r"%\(([^)]*)\)s")
_FILTER = "filters_"
_KNOWN = "query, embedding, k, filters and filters_NAME"


class PostgresConnections:
    """Lends connections and keeps those that are free.

    Raises:
        InputError: for an address that cannot be read.
    """

    def __init__(self, driver: Any, dsn: str, timeout: float, name: str) -> None:
        self._driver, self._timeout, self._name = driver, timeout, name
        self._lock = threading.Lock()
        self._free: list[Any] = []
        self._closed = False
        try:
            self._settings = driver.conninfo.conninfo_to_dict(filled_in(dsn, f"{name}.dsn"))
        except driver.Error:
            # What libpq says of it may hold the password.
            expected = "postgresql://user@host/database, or host=… dbname=…"
            raise InputError(
                Code.WRONG_ADDRESS(f"{name}.dsn", "an address that libpq cannot read", expected)
            ) from None
        for setting in _SECRETS:
            if value := self._settings.get(setting):
                hide(str(value))

    @contextmanager
    def lent(self) -> Iterator[Any]:
        """Lend a connection that only reads; one on which something failed is not lent again.

        Raises:
            SystemFailedError: for whatever the server refuses; a `RetriableError` where it is out of reach.
        """
        connection = self._taken()
        with self.told():
            connection = connection or self._opened()
            try:
                yield connection
            except BaseException:
                connection.close()
                raise
        if not self._kept(connection):
            connection.close()

    def close(self) -> None:
        """Close what is free; what is lent is closed when it comes back."""
        with self._lock:
            self._closed = True
            free, self._free = self._free, []
        for connection in free:
            connection.close()

    @contextmanager
    def told(self) -> Iterator[None]:
        """Turn errors of the driver into rankgate's, without secrets."""
        errors = self._driver.errors
        try:
            yield
        except errors.QueryCanceled as error:
            raise TimedOutError(self._problem(error, f"an answer within {self._timeout:g} s")) from None
        except self._driver.Error as error:
            if _passes(error, self._driver):
                raise RetriableError(self._problem(error, "a server that answers")) from None
            raise SystemFailedError(self._problem(error, "a statement that the server takes")) from None

    def _taken(self) -> Any:
        with self._lock:
            if self._closed:
                raise closed_error(self._name)
            return self._free.pop() if self._free else None

    def _kept(self, connection: Any) -> bool:
        with self._lock:
            if not self._closed:
                self._free.append(connection)
            return not self._closed

    def _problem(self, error: Exception, expected: str) -> Problem:
        return Code.QUERY_REFUSED(self._name, told(error), expected)

    def _opened(self) -> Any:
        wait = {"connect_timeout": max(1, round(self._timeout)), "application_name": "rankgate"}
        # A server that vanished without a word is noticed by the network, not by a statement's own time.
        alive = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
        connection = self._driver.connect(**{**wait, **alive, **self._settings}, autocommit=True)
        settings = "set_config('default_transaction_read_only', 'on', false), "
        settings += "set_config('statement_timeout', %s, false)"
        try:
            connection.execute(f"SELECT {settings}", (str(round(self._timeout * 1000)),))
        except BaseException:
            connection.close()
            raise
        return connection


def described_address(driver: Any, dsn: str) -> dict[str, object]:
    """Return an address as a manifest may hold it: as the configuration says it, without what is secret.

    >>> import psycopg
    >>> described_address(psycopg, "host=db user=${USER} password='s3 cr3t'")
    {'user': '${USER}', 'host': 'db'}
    >>> described_address(psycopg, "password='s3 cr3t' ${REST}")
    {'variables': ['REST']}
    """
    try:
        settings = driver.conninfo.conninfo_to_dict(dsn)
    except driver.Error:
        # A variable that holds several settings is one only when it is read.
        return {"variables": VARIABLE.findall(dsn)}
    return {name: value for name, value in settings.items() if name not in _SECRETS}


def _passes(error: Exception, driver: Any) -> bool:
    """Return whether an error is an outage, and not such as a limit of the server, which stays."""
    if isinstance(error, driver.InterfaceError):
        return True
    state = getattr(error, "sqlstate", None)
    return isinstance(error, driver.OperationalError) if state is None else state[:2] in _PASSING


class PostgresStatement:
    """One statement; values are bound and never spliced.

    ``%(query)s`` is the text, ``%(embedding)s`` its vector as pgvector writes it, ``%(k)s`` the number of
    hits, ``%(filters_NAME)s`` the list of values of a filter or NULL, ``%(filters)s`` all of them as JSON.

    >>> from rankgate.model import Query
    >>> PostgresStatement("SELECT id FROM t WHERE a = %(query)s LIMIT %(k)s", None, "db").bound(Query("x", 5))
    {'query': 'x', 'k': 5}

    Raises:
        InputError: for a parameter that is unknown, or none for the query and k.
    """

    def __init__(self, sql: str, embedder: Embedder | None, where: str) -> None:
        self.sql = sql
        """What is sent."""
        self._names = frozenset(_PLACE.findall(sql))
        self._embedder = embedder
        problems = [
            Code.UNKNOWN_PLACEHOLDER(where, f"%({name})s", f"one of {_KNOWN}")
            for name in sorted(self._names - {"query", "embedding", "k", "filters"})
            if not name.startswith(_FILTER)
        ]
        if not self._names & {"query", "embedding"}:
            problems.append(
                Code.UNKNOWN_PLACEHOLDER(where, "no %(query)s", "%(query)s or %(embedding)s in it")
            )
        if "k" not in self._names:
            problems.append(Code.UNKNOWN_PLACEHOLDER(where, "no %(k)s", "LIMIT %(k)s in it"))
        if "embedding" in self._names and embedder is None:
            problems.append(
                Code.MISSING_SETTING(where, "%(embedding)s", "embedder = 'module:function' beside it")
            )
        rest = _PLACE.sub("", sql).replace("%%", "")
        if "%" in rest:
            problems.append(Code.WRONG_VALUE(where, "a single %", "%%", "write every % that is meant as %%"))
        if problems:
            raise InputError(problems)
        self._taken = filters_taken(self._names, _FILTER)

    def bound(self, query: Query) -> dict[str, object]:
        """Return the values of a query.

        Raises:
            SystemFailedError: for a filter that the statement has no place for, and a NUL, which PostgreSQL
                cannot hold.
        """
        check_filters(query, self._taken, "name it as %(filters_NAME)s or %(filters)s")
        filters = filter_values(query)
        text = utf8(query.text)
        if "\0" in text or any("\0" in one for name, values in filters.items() for one in (name, *values)):
            raise SystemFailedError(Code.QUERY_REFUSED("query", "a NUL", "text that PostgreSQL can hold"))
        known: dict[str, object] = {"query": text, "k": query.k, "filters": json.dumps(filters)}
        found = {name: known[name] for name in ("query", "k", "filters") if name in self._names}
        if "embedding" in self._names and self._embedder is not None:
            found["embedding"] = vector_text(self._embedder([text])[0])
        for name in self._names:
            if name.startswith(_FILTER):
                found[name] = filters.get(name.removeprefix(_FILTER))
        return found


def vector_text(vector: list[float]) -> str:
    """Write a vector as pgvector does.

    >>> vector_text([1.0, 0.25])
    '[1.0,0.25]'
    """
    return f"[{','.join(map(repr, vector))}]"
