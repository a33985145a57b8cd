"""A SELECT with named parameters, and what of a query is bound to each."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem, SystemFailedError, did_you_mean
from rankgate.systems.templates import check_filters
from rankgate.systems.utf8 import utf8

if TYPE_CHECKING:
    from rankgate.model.search import Query

_KNOWN = (":query", ":k", ":filters", ":filters_NAME")
_FIX = "name it in the SQL, as :filters_NAME, or take all with :filters"
# What stands in a string, a quoted name or a comment is no parameter.
_TOKEN = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | `[^`]*` | \[[^\]]*\] | --[^\n]* | /\*.*?(?:\*/|\Z)
    | [:@$](?P<name>[A-Za-z_][A-Za-z0-9_]*) | (?P<mark>\?[0-9]*)""",
    re.VERBOSE | re.DOTALL,
)


class Statement:
    """A statement whose parameters are known.

    >>> sorted(Statement("SELECT ':k' AS id FROM words WHERE words MATCH :query", "sql").names)
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
            Problem(where, one, "one of " + ", ".join(_KNOWN), did_you_mean(one, _KNOWN)) for one in odd
        ]
        if "query" not in self.names:
            problems.append(Problem(where, "no :query", ":query in the SQL"))
        if problems:
            raise InputError(problems)
        named = {name.removeprefix("filters_") for name in self.names if name.startswith("filters_")}
        self._taken = frozenset(named | ({"*"} if "filters" in self.names else set()))

    def bound(self, query: Query, text: str) -> dict[str, object]:
        """Give a value for each parameter; a filter that the query does not have is NULL.

        Raises:
            SystemFailedError: for filters that the SQL has no place for.
        """
        check_filters(query, self._taken, _FIX)
        filters = {utf8(name): [utf8(one) for one in query.values(name)] for name in query.filters}
        values: dict[str, object] = {"query": text, "k": query.k, "filters": json.dumps(filters)}
        for name in self.names - values.keys():
            wanted = filters.get(name.removeprefix("filters_"), [])
            if len(wanted) > 1:
                fix = "write IN (SELECT value FROM json_each(:filters, '$.NAME'))"
                found = f"{len(wanted)} values of a filter"
                raise SystemFailedError(Problem("query", found, f"one for :{name}", fix))
            values[name] = wanted[0] if wanted else None
        return {name: values[name] for name in self.names}


def _is_known(name: str) -> bool:
    return name in ("query", "k", "filters") or name.startswith("filters_")
