"""Secrets: values of environment variables that a configuration names, masked in all output and files.

`hide` is called for each value when it is read. `hidden` masks those values in errors, logs and requests,
`hidden_in_data` in what a run stores. Nothing is recognized by its name or its form.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit

from rankgate.errors import RankgateError, escaped

if TYPE_CHECKING:
    from collections.abc import Iterator

HIDDEN = "***"
"""The text that replaces a secret."""
SHORTEST = 6
"""The length of the shortest value that is masked; shorter ones occur in other texts by chance."""
SHORTEST_IN_DATA = 12
"""The same in results and descriptions, whose other texts must stay as they are."""

_lock = Lock()
_hidden: tuple[str, ...] = ()
_hidden_in_data: tuple[str, ...] = ()


def hide(value: str) -> None:
    """Mask a value from now on; of several lines each, of a URL all but the scheme, host and port.

    The path of an existing file or folder is not masked.
    """
    global _hidden, _hidden_in_data  # noqa: PLW0603 - the environment is one for the whole process
    # `os.path`, since a value with a NUL is no path.
    if os.path.isabs(value) and os.path.exists(value):  # noqa: PTH110, PTH117
        return
    parts = _parts_of_url(value) or {value, *value.splitlines()}
    spelled = {one for part in parts if len(part) >= SHORTEST for one in _spellings(part)}
    long = {one for part in parts if len(part) >= SHORTEST_IN_DATA for one in _spellings(part)}
    with _lock:
        _hidden = tuple(sorted({*_hidden, *spelled}, key=len, reverse=True))
        _hidden_in_data = tuple(sorted({*_hidden_in_data, *long}, key=len, reverse=True))


def hidden(text: str) -> str:
    """Return a message, a log or a request with secrets masked.

    >>> hide("s3cr3t-s3cr3t")
    >>> hide("https://hooks.example.com:8443/hooks/T0SECRET?team=Q7SECRET")
    >>> hidden("GET https://hooks.example.com:8443/hooks/T0SECRET?team=Q7SECRET, s3cr3t-s3cr3t")
    'GET https://hooks.example.com:8443***?***, ***'
    """
    for value in _hidden:
        text = text.replace(value, HIDDEN)
    return text


def hidden_in_data(value: Any) -> Any:
    """Return the text of a result, or a JSON-like value, with long secrets masked."""
    if isinstance(value, str):
        for one in _hidden_in_data:
            value = value.replace(one, HIDDEN)
        return value
    if isinstance(value, dict):
        return {key: hidden_in_data(item) for key, item in value.items()}
    return [hidden_in_data(item) for item in value] if isinstance(value, (list, tuple)) else value


@contextmanager
def hiding() -> Iterator[None]:
    """Mask secrets in each error that passes.

    >>> from rankgate.errors import Problem, SystemFailedError
    >>> hide("s3cr3t-s3cr3t")
    >>> with hiding():
    ...     raise SystemFailedError(Problem("app", "no s3cr3t-s3cr3t", "hits"))
    Traceback (most recent call last):
    rankgate.errors.SystemFailedError: app: found no ***, expected hits
    """
    try:
        yield
    except RankgateError as error:
        error.problems = tuple(
            replace(one, where=hidden(one.where), found=hidden(one.found), said=hidden(one.said))
            for one in error.problems
        )
        error.args = ("\n".join(map(str, error.problems)) if error.problems else hidden(str(error)),)
        raise


def _parts_of_url(value: str) -> set[str]:
    try:
        url = urlsplit(value)
    except ValueError:
        return set()
    if not url.netloc:
        return set()
    user, _, password = url.netloc.rpartition("@")[0].partition(":")
    parts = {user, password, url.path, url.query, *(text for _, text in parse_qsl(url.query))}
    return parts | {unquote(part) for part in parts}


def _spellings(value: str) -> set[str]:
    """Return a value as it is, and as Python, JSON and URLs write it."""
    found = {value, value.encode(errors="replace").decode(), repr(value)[1:-1], escaped(value)}
    found |= {how(value, safe=safe, errors="replace") for how in (quote, quote_plus) for safe in ("", "/")}
    return found | {json.dumps(value, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False)}
