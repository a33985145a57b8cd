"""SQL with named parameters, as psycopg writes them, and what they are bound to."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem, SystemFailedError
from rankgate.systems.templates import check_filters
from rankgate.systems.utf8 import utf8

if TYPE_CHECKING:
    from rankgate.model.search import Query
    from rankgate.systems.engines.embedding import Embedder

_PLACE = re.compile(r"%\(([^)]*)\)s")
_FILTER = "filters_"
_KNOWN = "query, embedding, k, filters and filters_NAME"


class Statement:
    """One statement; values are bound and never spliced.

    ``%(query)s`` is the text, ``%(embedding)s`` its vector as pgvector writes it, ``%(k)s`` the number of
    hits, ``%(filters_NAME)s`` the list of values of a filter or NULL, ``%(filters)s`` all of them as JSON.

    >>> from rankgate.model.search import Query
    >>> Statement("SELECT id FROM t WHERE a = %(query)s LIMIT %(k)s", None, "db").bound(Query("x", 5))
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
            Problem(where, f"%({name})s", f"one of {_KNOWN}")
            for name in sorted(self._names - {"query", "embedding", "k", "filters"})
            if not name.startswith(_FILTER)
        ]
        if not self._names & {"query", "embedding"}:
            problems.append(Problem(where, "no %(query)s", "%(query)s or %(embedding)s in it"))
        if "k" not in self._names:
            problems.append(Problem(where, "no %(k)s", "LIMIT %(k)s in it"))
        if "embedding" in self._names and embedder is None:
            problems.append(Problem(where, "%(embedding)s", "embedder = 'module:function' beside it"))
        rest = _PLACE.sub("", sql).replace("%%", "")
        if "%" in rest:
            problems.append(Problem(where, "a single %", "%%", "write every % that is meant as %%"))
        if problems:
            raise InputError(problems)
        named = {name.removeprefix(_FILTER) for name in self._names if name.startswith(_FILTER)}
        self._taken = frozenset(named | ({"*"} if "filters" in self._names else set()))

    def bound(self, query: Query) -> dict[str, object]:
        """Give the values of a query.

        Raises:
            SystemFailedError: for a filter that the statement has no place for, and a NUL, which PostgreSQL
                cannot hold.
        """
        check_filters(query, self._taken, "name it as %(filters_NAME)s or %(filters)s")
        filters = {utf8(name): [utf8(one) for one in query.values(name)] for name in query.filters}
        text = utf8(query.text)
        if "\0" in text or any("\0" in one for name, values in filters.items() for one in (name, *values)):
            raise SystemFailedError(Problem("query", "a NUL", "text that PostgreSQL can hold"))
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
