"""The URL of a server as a configuration names it, with variables, and credentials that are never shown."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit, urlunsplit

from rankgate.errors import InputError, Problem
from rankgate.systems.secrets import VARIABLE, read_variables

if TYPE_CHECKING:
    from rankgate.systems.secrets import Secrets


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is."""

    url: str
    """Without credentials, so that no message of a library can show them."""
    authorization: str | None = None
    """The header that the credentials became."""


def read_address(text: str, where: str, secrets: Secrets) -> Address:
    """Read a URL: variables of the environment are put in and hidden from now on.

    Args:
        text: What the configuration says. A variable at its start is an address, written as a URL is;
            elsewhere it is a value that is percent-encoded.
        where: The option, for errors.
        secrets: What is hidden.

    Raises:
        InputError: for what is no URL, and a variable that is not set.

    >>> from rankgate.systems.secrets import Secrets
    >>> read_address("http://me:word@host/x", "api.url", Secrets())
    Address(url='http://host/x', authorization='Basic bWU6d29yZA==')
    """
    start = VARIABLE.match(text)
    first = "" if start is None else read_variables([(where, start[0])])[start[1]]
    rest = text if start is None else text[start.end() :]
    url = first + secrets.read(rest, where, quoted=True)
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        if start is not None:
            secrets.add_address(start[1], first)
    except ValueError:
        good = False
    if not good or "{" in parts.netloc:
        raise InputError(Problem(where, repr(secrets.hidden(text)), "http://host/… or https://host/…"))
    if not url.isascii() or any(char.isspace() for char in url):
        raise InputError(Problem(where, "a space or a letter outside ASCII", "a URL, percent-encoded"))
    user, at, host = parts.netloc.rpartition("@")
    bare = urlunsplit((parts.scheme, host, parts.path, parts.query, ""))
    return Address(bare, _basic(user, secrets) if at else None)


def _basic(user: str, secrets: Secrets) -> str:
    name, _, word = (unquote(part) for part in user.partition(":"))
    both = f"{name}:{word}"
    coded = base64.b64encode(both.encode()).decode()
    # A token often stands where the name does, without a word after it.
    for secret in (word or name, both, coded):
        secrets.add("password", secret)
    return f"Basic {coded}"
