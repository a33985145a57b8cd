"""Requests with placeholders: ``{query}``, ``{k}``, ``{filters}`` and ``{filters.NAME}``, filled for a query.

A string that is nothing but one placeholder becomes the value itself: ``"{k}"`` a number, ``"{filters}"`` a
table. Inside a longer string the value is put in as text, in one pass, so that a query that holds ``{k}``
stays what it is. Values are bound and never spliced: no query can end a string or add a key. Variables of the
environment are bound in the same pass: a query that holds ``${NAME}`` stays what it is, and so does a
variable that holds ``{k}``.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from rankgate.errors import Code, InputError, SystemFailedError, did_you_mean
from rankgate.systems.adapter.variables import VARIABLE, strings_in

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from rankgate.model import Query

PLACEHOLDER = re.compile(r"\{(query|k|filters|filters\.[^{}]+)\}")
"""What is filled; all other braces are text."""
OF_A_QUERY = ("query", "k", "filters")
"""The placeholders that a query fills; ``filters.NAME`` beside them."""
QUERY = "{query}"
"""What becomes the words of a query in a request of an engine's own language."""

_MEANT = re.compile(r"(?:\A|=)\{([A-Za-z_][\w.-]*)\}(?=\Z|/)")
_PART = re.compile(rf"{VARIABLE.pattern}|{PLACEHOLDER.pattern}")
_MISSING = object()


class Template:
    """A JSON-like value with placeholders in its strings.

    >>> from rankgate.model import Query
    >>> template = Template({"q": "title:{query}", "size": "{k}", "lang": "{filters.lang}"})
    >>> template.filled(Query('a "b"', k=5))
    {'q': 'title:a "b"', 'size': 5}
    >>> Template({"q": "{query}", "key": "${KEY}"}, {"KEY": "{k}"}).filled(Query("${KEY}"))
    {'q': '${KEY}', 'key': '{k}'}
    """

    def __init__(self, content: object, variables: Mapping[str, str] | None = None) -> None:
        self._content = content
        self._variables = {f"${name}": value for name, value in (variables or {}).items()}
        parts = (part for _, text in strings_in(content) for part in _PART.finditer(text))
        self.placeholders = frozenset(part[2] for part in parts if part[2])
        """What it takes of a query."""

    def filled(self, query: Query) -> Any:
        """Bind a query.

        An entry that is nothing but a filter which the query does not have is left out.

        Raises:
            SystemFailedError: for a filter inside a longer string that the query does not have.
        """
        return _filled(self._content, {**_values(query), **self._variables}, query)

    def names(self, *more: Template) -> frozenset[str]:
        """Return the filters that these templates take; ``*`` where one takes them all."""
        return filters_taken(self.placeholders.union(*(one.placeholders for one in more)), "filters.")


def filled_with(
    content: object, values: Mapping[str, str], variables: Mapping[str, str] | None = None
) -> Any:
    """Fill placeholders of other names, by the same rules.

    >>> filled_with({"path": "{node}", "depth": 2}, {"node": "a/b"})
    {'path': 'a/b', 'depth': 2}
    """
    known = {f"{{{name}}}": utf8(value) for name, value in values.items()}
    known |= {f"${{{name}}}": value for name, value in (variables or {}).items()}
    # The variables first, so that ${node} is not a $ before a placeholder.
    pattern = re.compile("|".join(re.escape(one) for one in sorted(known))) if known else None

    def filled(text: str) -> str:
        return text if pattern is None else pattern.sub(lambda found: known[found[0]], text)

    return _rebuilt(content, filled)


def placeholders_in(content: object) -> frozenset[str]:
    """Return the words in braces that are meant as placeholders, whether there are such or not.

    A word is, where it is a whole string, a value after ``=`` or the start of a path; other braces are text.

    >>> sorted(placeholders_in(["--root={corpus}/docs", "{k}", "-w", "%{http_code}", "{ print }"]))
    ['corpus', 'k']
    """
    return frozenset(name for _, text in strings_in(content) for name in _MEANT.findall(text))


def check_placeholders(
    content: object, known: Collection[str], where: str, *, also: Collection[str] = ()
) -> None:
    """Refuse words in braces that nothing fills, which would be sent as they are.

    Args:
        content: What may hold them.
        known: Those that are filled.
        where: The option, for errors.
        also: More words that were found in braces.

    Raises:
        InputError: with every such word.
    """
    words = placeholders_in(content).union(also)
    found = sorted(name for name in words if name not in known and not name.startswith("filters."))
    expected = f"one of {', '.join(f'{{{name}}}' for name in known)}" if known else "no placeholder"
    if found:
        raise InputError(
            [
                Code.UNKNOWN_PLACEHOLDER(
                    where, f"the placeholder {{{name}}}", expected, did_you_mean(name, known)
                )
                for name in found
            ]
        )


def check_url(url: str, where: str) -> None:
    """Refuse words in braces in a URL that nothing fills; a URL has no other braces.

    Raises:
        InputError: with every such word.
    """
    words = re.findall(r"(?<!\$)\{([A-Za-z_][\w.-]*)\}", url)
    check_placeholders(None, OF_A_QUERY, where, also=words)


def filled_url(template: str, query: Query) -> str:
    """Fill a URL; every value is percent-encoded, slashes included.

    >>> from rankgate.model import Query
    >>> filled_url("http://host/find/{query}?n={k}", Query("a/b &c", k=3))
    'http://host/find/a%2Fb%20%26c?n=3'
    """
    if "{" not in template:
        return template
    values = _values(query)
    return PLACEHOLDER.sub(
        lambda placeholder: quote(_text(_value(placeholder[1], values, query)), safe=""), template
    )


def filters_taken(names: Collection[str], prefix: str) -> frozenset[str]:
    """Return the filters that placeholders or parameters take; ``*`` where one takes them all.

    >>> sorted(filters_taken(["query", "filters_lang", "filters"], "filters_"))
    ['*', 'lang']
    """
    named = {name.removeprefix(prefix) for name in names if name.startswith(prefix)}
    return frozenset(named | ({"*"} if "filters" in names else set()))


def filter_values(query: Query) -> dict[str, list[str]]:
    """Return the filters of a query, each with the list of its values."""
    return {utf8(name): [utf8(one) for one in query.values(name)] for name in query.filters}


def check_filters(query: Query, taken: frozenset[str], fix: str) -> None:
    """Refuse a query whose filters a request has no place for, rather than lose them in silence.

    Raises:
        SystemFailedError: with the filters.
    """
    lost = [] if "*" in taken else [name for name in query.filters if name not in taken]
    if lost:
        found = f"filters {', '.join(lost)}"
        raise SystemFailedError(Code.FILTERS_LOST("query", found, "a request that takes them", fix))


def check_json(content: object, where: str) -> None:
    """Refuse what JSON cannot hold, such as a date of TOML.

    Raises:
        InputError: for the first such value.
    """
    try:
        json.dumps(content, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(Code.WRONG_VALUE(where, str(error), "what JSON can hold")) from error


def _values(query: Query) -> dict[str, object]:
    filters = {
        utf8(name): [utf8(item) for item in value] if isinstance(value, tuple) else utf8(value)
        for name, value in query.filters.items()
    }
    named = {f"filters.{name}": value for name, value in filters.items()}
    return {"query": utf8(query.text), "k": query.k, "filters": filters, **named}


def _filled(content: object, values: Mapping[str, object], query: Query) -> Any:
    def filled(text: str) -> object:
        if whole := PLACEHOLDER.fullmatch(text):
            return values.get(whole[1], _MISSING)
        return _PART.sub(lambda part: _part(part, values, query), text)

    return _rebuilt(content, filled)


def _rebuilt(content: object, filled: Callable[[str], object]) -> Any:
    """Fill every string of a JSON-like value, and leave out what is missing then."""
    if isinstance(content, str):
        return filled(content)
    if isinstance(content, dict):
        found = {key: _rebuilt(item, filled) for key, item in content.items()}
        return {key: item for key, item in found.items() if item is not _MISSING}
    if isinstance(content, (list, tuple)):
        return [item for one in content if (item := _rebuilt(one, filled)) is not _MISSING]
    return content


def _part(part: re.Match[str], values: Mapping[str, object], query: Query) -> str:
    if part[1] is not None:
        return str(values.get(f"${part[1]}", part[0]))
    return _text(_value(part[2], values, query))


def _value(placeholder: str, values: Mapping[str, object], query: Query) -> object:
    if placeholder in values:
        return values[placeholder]
    there = ", ".join(query.filters) or "none"
    name = placeholder.removeprefix("filters.")
    raise SystemFailedError(
        Code.FILTERS_LOST("query", f"filters {there}", f"the filter {name}", f"see {{{placeholder}}}")
    )


def _text(value: object) -> str:
    if isinstance(value, list):
        return ",".join(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)


def utf8(text: str) -> str:
    r"""Put ``?`` for half of a surrogate pair, which has no bytes; what is indexed and asked is told alike.

    >>> utf8("a\ud800b"), utf8("größe")
    ('a?b', 'größe')
    """
    return text.encode(errors="replace").decode()


def words_of(text: str) -> tuple[str, ...]:
    """Return each word once, in order: runs of letters, digits, marks and underscores, but no marks alone.

    >>> words_of('rotate_key("API"), rotate_key __ größe')
    ('rotate_key', 'API', 'größe')
    """
    spaced = "".join(char if _is_part(char) else " " for char in text)
    return tuple(dict.fromkeys(word for word in spaced.split() if any(map(str.isalnum, word))))


def _is_part(char: str) -> bool:
    return char.isalnum() or char == "_" or unicodedata.category(char)[0] == "M"
