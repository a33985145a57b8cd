"""Requests of OpenSearch and Elasticsearch: the user's own body, bound to a query.

A body has the placeholders of `templates`. Filters go further than there, because a clause without its value
is an error of the server: a clause that names a filter which the query does not have is left out whole, and
``["{filters.NAME}"]`` is the list of values, however many the filter has.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, InputError, SystemFailedError
from rankgate.systems.adapter.failures import shown
from rankgate.systems.adapter.templates import PLACEHOLDER, Template, check_filters, check_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.model import Query

_FIX = "name it in body or params, as {filters.NAME}"
_CLAUSES = {"filter", "must", "must_not", "should", "post_filter"}
_NONE = object()


@dataclass(frozen=True, slots=True)
class BoundRequest:
    """What is sent for one query."""

    path: str
    params: Mapping[str, object]
    body: bytes | None

    def __str__(self) -> str:
        from urllib.parse import urlencode

        query = f"?{urlencode(self.params)}" if self.params else ""
        return f"POST {self.path}{query}\n\n{(self.body or b'').decode()}"


class SearchRequest:
    r"""A search with placeholders, checked.

    Args:
        path: Where it is sent.
        body: What is sent.
        params: What stands in the URL.
        variables: Variables of the environment that they name.
        where: The system, for errors.

    Raises:
        InputError: for what JSON cannot hold, and no place for the query or k.

    >>> from rankgate.model import Query
    >>> body = {"size": "{k}", "query": {"match": {"text": "{query}"}}}
    >>> SearchRequest("/docs/_search", body, {}, {}, "app").bound(Query('a "b"', 5)).body
    b'{"size":5,"query":{"match":{"text":"a \\"b\\""}}}'
    """

    def __init__(
        self,
        path: str,
        body: object,
        params: Mapping[str, object],
        variables: Mapping[str, str],
        where: str,
    ) -> None:
        check_json(body, f"{where}.body")
        check_json(params, f"{where}.params")
        self._path, self._body, self._params, self._variables = path, body, params, variables
        both = Template({"body": body, "params": params})
        problems = []
        if not isinstance(body, (dict, type(None))):
            problems.append(Code.WRONG_VALUE(f"{where}.body", shown(body), "a JSON object"))
        if "query" not in both.placeholders:
            problems.append(Code.UNKNOWN_PLACEHOLDER(where, "no {query}", "{query} in body or params"))
        if "k" not in both.placeholders:
            problems.append(Code.UNKNOWN_PLACEHOLDER(where, "no {k}", 'size = "{k}" in body or params'))
        if problems:
            raise InputError(problems)
        self._taken = both.names()

    def bound(self, query: Query) -> BoundRequest:
        """Bind a query.

        Raises:
            SystemFailedError: for a filter that there is no place for, or that is missing where no clause can
                be left out.
        """
        check_filters(query, self._taken, _FIX)
        body, params = self._filled(self._body, query), self._filled(self._params, query)
        if body is _NONE:
            there = ", ".join(query.filters) or "none"
            fix = "put what needs it into a list of clauses, such as filter = [...], to have it left out"
            expected = "every filter that the body needs"
            raise SystemFailedError(Code.FILTERS_LOST("query", f"filters {there}", expected, fix))
        content = None if body is None else encoded(body)
        return BoundRequest(self._path, {} if params is _NONE else params, content)

    def _filled(self, content: object, query: Query) -> Any:
        if isinstance(content, str):
            if "{" not in content:
                return content
            whole = PLACEHOLDER.fullmatch(content)
            name = whole[1].removeprefix("filters.") if whole else None
            if whole and whole[1].startswith("filters.") and name not in query.filters:
                return _NONE
            return Template(content, self._variables).filled(query)
        if isinstance(content, dict):
            found = {key: self._filled(item, query) for key, item in content.items()}
            kept = {key: item for key, item in found.items() if item is not _NONE or key not in _CLAUSES}
            at_top = content is self._params
            lost = not at_top and any(item is _NONE for item in kept.values())
            return _NONE if lost else {key: item for key, item in kept.items() if item is not _NONE}
        if isinstance(content, (list, tuple)):
            return self._filled_list(content, query)
        return content

    def _filled_list(self, content: Sequence[object], query: Query) -> Any:
        found: list[object] = []
        for one in content:
            item = self._filled(one, query)
            if item is _NONE and isinstance(one, str):
                # A list of no values would match nothing; the clause that it is in is left out.
                return _NONE
            if isinstance(one, str) and isinstance(item, list):
                found += item
            elif item is not _NONE:
                found.append(item)
        return found


def encoded(content: object) -> bytes:
    """Write JSON; half of a surrogate pair, which has no bytes, becomes ``?``."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
