"""What errors of OpenSearch and Elasticsearch tell, and do not tell."""

from __future__ import annotations

import reprlib
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.errors import RankgateError, escaped
from rankgate.systems.failures import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.systems.secrets import Secrets

_LONGEST = 20_000


def excerpt(text: str) -> str:
    """Show control characters as escapes, far beyond what is told in the end.

    Half of a secret is not known to be one, so a text is cut after secrets were hidden in it, by `hiding`.
    """
    return escaped(text[:_LONGEST])


def shown(value: object) -> str:
    """Name a value by its type and its content, to be cut by `hiding`.

    >>> shown(["a"])
    "list ['a']"
    """
    return excerpt(f"{type(value).__name__} {_WIDE.repr(value)}")


@contextmanager
def hiding(secrets: Secrets) -> Iterator[None]:
    """Hide secrets in every error that passes; it stays of its class, with its status.

    >>> from rankgate.errors import Problem, SystemFailedError
    >>> from rankgate.systems.secrets import Secrets
    >>> secrets = Secrets()
    >>> secrets.add("API_TOKEN", "s3cr3t")
    >>> try:
    ...     with hiding(secrets):
    ...         raise SystemFailedError(Problem("app", "no s3cr3t", "hits"))
    ... except SystemFailedError as error:
    ...     print(error)
    app: found no ***, expected hits
    """
    try:
        yield
    except RankgateError as error:
        error.problems = tuple(
            replace(one, where=secrets.hidden(one.where), found=printable(secrets.hidden(one.found)))
            for one in error.problems
        )
        text = "\n".join(map(str, error.problems)) if error.problems else secrets.hidden(str(error))
        error.args = (text,)
        raise


def _wide() -> reprlib.Repr:
    wide = reprlib.Repr()
    wide.maxstring = wide.maxother = wide.maxlong = _LONGEST
    return wide


_WIDE = _wide()
