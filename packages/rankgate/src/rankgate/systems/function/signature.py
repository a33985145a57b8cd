"""How a user's function wants to be called, told from its signature."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_type_hints

from rankgate.errors import Code, InputError, SystemFailedError
from rankgate.model import Query

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FORMS = "search(query), search(query, k), search(query, k, filters) or search(query: Query)"
"""The signatures that are understood."""

_USUAL = ("text", "k")
_K = {"k", "top_k", "limit", "n"}
_FILTERS = {"filters"}
_POSITIONAL = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}


@dataclass(frozen=True, slots=True)
class CallSignature:
    """Which parts of a query a function takes, and how."""

    whole: bool = False
    """True where it takes the `Query` itself and nothing else."""
    positional: tuple[str, ...] = ("text", "k")
    """What it takes by position."""
    keywords: tuple[tuple[str, str], ...] = ()
    """What it takes by keyword: the parameter, and what goes there."""

    @classmethod
    def of(cls, function: Callable[..., object], where: str) -> CallSignature:
        """Read a signature.

        The first parameter is the query. The second is k where it is required, or is called k, top_k, limit
        or n; the third, filters, where it is required or is called filters. Either may be keyword-only.

        Raises:
            InputError: for a signature in which something else is required.
        """
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (ValueError, TypeError):
            # Some functions that are written in C do not tell.
            return cls()
        positional = [one for one in parameters if one.kind in _POSITIONAL]
        if positional and _takes_query(function, positional[0]):
            _check_required(parameters, {positional[0].name}, where)
            return cls(whole=True, positional=())
        if any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in parameters) and len(positional) < 2:
            _check_required(parameters, {one.name for one in positional}, where)
            return cls()
        parts = _parts(positional)
        named = [(one.name, _part(one)) for one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY]
        keywords = tuple((name, part) for name, part in named if part and part not in parts)
        taken = {one.name for one in positional[: len(parts)]} | {name for name, _ in keywords}
        if not positional:
            raise InputError(
                Code.WRONG_SIGNATURE(where, f"the signature {inspect.signature(function)}", FORMS)
            )
        _check_required(parameters, taken, where)
        return cls(positional=tuple(parts), keywords=keywords)

    def arguments(self, query: Query) -> tuple[list[object], dict[str, Any]]:
        """Return the arguments for one query.

        Raises:
            SystemFailedError: where the query has filters and the function takes none.
        """
        if self.whole:
            return [query], {}
        if query.filters and not self._takes_filters:
            found = f"filters {', '.join(query.filters)}"
            raise SystemFailedError(
                Code.FILTERS_LOST(
                    "query", found, "a function that takes filters", "write search(query, k, filters)"
                )
            )
        keywords = {name: _given(query, part) for name, part in self.keywords} if self.keywords else {}
        if self.positional == _USUAL:
            return [query.text, query.k], keywords
        return [_given(query, part) for part in self.positional], keywords

    def arguments_of_many(self, queries: Sequence[Query]) -> tuple[list[object], dict[str, Any]]:
        """Return the arguments for queries of one k and the same filters: a list in place of the query.

        >>> CallSignature().arguments_of_many([Query("a", k=5), Query("b", k=5)])
        ([['a', 'b'], 5], {})

        Raises:
            SystemFailedError: where they have filters and the function takes none.
        """
        if self.whole:
            return [list(queries)], {}
        arguments, keywords = self.arguments(queries[0])
        # The first parameter is the query.
        return [[one.text for one in queries], *arguments[1:]], keywords

    @property
    def _takes_filters(self) -> bool:
        return "filters" in self.positional or "filters" in dict(self.keywords).values()


def _given(query: Query, part: str) -> object:
    """Return a part of a query as a function gets it: several values of a filter are a list, as in YAML."""
    if part != "filters":
        return getattr(query, part)
    return {key: value if isinstance(value, str) else list(value) for key, value in query.filters.items()}


def _parts(positional: list[inspect.Parameter]) -> list[str]:
    """Return what goes to each position, as far as the rule goes."""
    parts = ["text"]
    for parameter, part in zip(positional[1:], ("k", "filters"), strict=False):
        if parameter.default is not inspect.Parameter.empty and _part(parameter) != part:
            break
        parts.append(part)
    return parts


def _part(parameter: inspect.Parameter) -> str | None:
    if parameter.name in _K:
        return "k"
    return "filters" if parameter.name in _FILTERS else None


def _takes_query(function: Callable[..., object], first: inspect.Parameter) -> bool:
    if first.annotation is Query:
        return True
    if not isinstance(first.annotation, str):
        return False
    try:
        return get_type_hints(getattr(function, "__func__", function)).get(first.name) is Query
    except Exception:  # noqa: BLE001 - evaluating annotations runs the user's code
        return first.annotation.rpartition(".")[2] == "Query"


def _check_required(parameters: list[inspect.Parameter], taken: set[str], where: str) -> None:
    variable = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    more = [
        one.name
        for one in parameters
        if one.name not in taken and one.kind not in variable and one.default is inspect.Parameter.empty
    ]
    if more:
        fix = "give it a default, or wrap the function"
        raise InputError(Code.WRONG_SIGNATURE(where, f"the required parameter {more[0]}", FORMS, fix))
