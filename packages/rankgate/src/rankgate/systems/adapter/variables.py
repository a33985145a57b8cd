"""Variables of the environment that a configuration names as ``${NAME}``, in addresses, headers and texts.

Each is read once, when the system is opened, and masked from then on.
"""

from __future__ import annotations

import base64
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from rankgate.errors import Code, InputError
from rankgate.io.secrets import HIDDEN, hidden, hide

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
"""How a configuration names a variable of the environment."""
_CREDENTIALS = ("api_key", "password")


def filled_in(text: str, where: str, *, quoted: bool = False) -> str:
    """Put variables of the environment into a text.

    Args:
        text: What the configuration says.
        where: The option, for errors.
        quoted: Percent-encode the values, as a URL needs them.

    Raises:
        InputError: with every variable that is not set.
    """
    values = read_variables([(where, text)])
    return VARIABLE.sub(lambda found: quote(values[found[1]], safe="") if quoted else values[found[1]], text)


def variables_in(content: object, where: str) -> dict[str, str]:
    """Return the variables that the strings of a JSON-like value name.

    Raises:
        InputError: with every variable that is not set.
    """
    return read_variables(strings_in(content, where))


def read_variables(texts: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Read the variables that texts name, each text beside its place, and mask their values.

    Raises:
        InputError: with every variable that is not set, or that holds what is no text.
    """
    values: dict[str, str] = {}
    problems = []
    for where, name in ((where, name) for where, text in texts for name in VARIABLE.findall(text)):
        value = os.environ.get(name)
        if value is None:
            fix = "set it where rankgate runs; its value is shown nowhere"
            expected = "a variable of the environment"
            problems.append(Code.VARIABLE_NOT_SET(where, f"${{{name}}}, which is not set", expected, fix))
        elif any("\ud800" <= char <= "\udfff" for char in value):
            problems.append(Code.VARIABLE_NOT_SET(where, f"${{{name}}}, which is not UTF-8", "text"))
        else:
            values[name] = value
            hide(value)
    if problems:
        raise InputError(problems)
    return values


def read_headers(table: Mapping[str, str], where: str) -> dict[str, str]:
    """Read the headers of a configuration, and refuse what no header can hold before a library quotes it.

    Raises:
        InputError: for a variable that is not set, and for names and values that are no headers.
    """
    values = read_variables((f"{where}.{name}", text) for name, text in table.items())
    headers = {name: VARIABLE.sub(lambda found: values[found[1]], text) for name, text in table.items()}
    problems = []
    for name, value in headers.items():
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
            problems.append(
                Code.WRONG_VALUE(f"{where}.{name}", "a name that no header can have", "letters, digits and -")
            )
        if not all(char == "\t" or " " <= char <= "~" for char in value):
            fix = "a line break at its end is the usual cause"
            problems.append(
                Code.WRONG_VALUE(f"{where}.{name}", "a character that no header can hold", "ASCII", fix)
            )
    if problems:
        raise InputError(problems)
    return headers


def described(options: Mapping[str, object]) -> dict[str, object]:
    """Return options for a manifest, as they are configured; of credentials, headers and `env` no values.

    >>> described({"url": "http://me:pw@host/${PATH}", "headers": {"X-Tenant": "a"}, "timeout": 3.0})
    {'url': 'http://***@host/${PATH}', 'headers': {'X-Tenant': '***'}, 'timeout': 3.0}
    """
    shown = {name: HIDDEN if name in _CREDENTIALS and value else value for name, value in options.items()}
    for name in ("headers", "env"):
        if isinstance(table := shown.get(name), dict):
            shown[name] = dict.fromkeys(table, HIDDEN)
    if isinstance(url := shown.get("url"), str):
        shown["url"] = _without_credentials(url)
    if isinstance(hosts := shown.get("hosts"), (list, tuple)):
        shown["hosts"] = [_without_credentials(str(host)) for host in hosts]
    return shown


def _without_credentials(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    bare = f"{HIDDEN}@{host.rpartition('@')[2]}" if "@" in host else host
    return f"{scheme}{separator}{bare}{slash}{path}"


def strings_in(content: object, where: str = "") -> Iterator[tuple[str, str]]:
    """Go through the strings of a JSON-like value, each with its place."""
    if isinstance(content, str):
        yield where, content
    elif isinstance(content, dict):
        for key, item in content.items():
            yield from strings_in(item, f"{where}.{key}")
    elif isinstance(content, (list, tuple)):
        for number, item in enumerate(content):
            yield from strings_in(item, f"{where}[{number}]")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is."""

    url: str
    """Without credentials, so that no message of a library can show them."""
    authorization: str | None = None
    """The header that the credentials became."""


def read_address(text: str, where: str) -> Address:
    """Read a URL with variables of the environment in it.

    Args:
        text: What the configuration says. A variable at its start is an address, written as a URL is;
            elsewhere it is a value that is percent-encoded.
        where: The option, for errors.

    Raises:
        InputError: for what is no URL, and a variable that is not set.

    >>> read_address("http://me:word@host/x", "api.url")
    Address(url='http://host/x', authorization='Basic bWU6d29yZA==')
    """
    start = VARIABLE.match(text)
    first = "" if start is None else read_variables([(where, start[0])])[start[1]]
    rest = text if start is None else text[start.end() :]
    url = first + filled_in(rest, where, quoted=True)
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or "{" in parts.netloc:
        raise InputError(
            Code.WRONG_ADDRESS(
                where, repr(hidden(_without_credentials(text))), "http://host/… or https://host/…"
            )
        )
    if not url.isascii() or any(char.isspace() for char in url):
        raise InputError(
            Code.WRONG_ADDRESS(where, "a space or a letter outside ASCII", "a URL, percent-encoded")
        )
    user, at, host = parts.netloc.rpartition("@")
    bare = urlunsplit((parts.scheme, host, parts.path, parts.query, ""))
    name, _, word = (unquote(part) for part in user.partition(":"))
    return Address(bare, basic(name, word) if at else None)


def read_server(url: str, headers: Mapping[str, str], name: str) -> tuple[str, dict[str, str]]:
    """Read the options `url` and `headers` of a system; credentials in the URL become a header.

    Raises:
        InputError: for what is no URL or no header, and a variable that is not set.
    """
    read = read_headers(headers, f"{name}.headers")
    address = read_address(url, f"{name}.url")
    if address.authorization is not None:
        read.setdefault("Authorization", address.authorization)
    return address.url, read


def basic(name: str, password: str) -> str:
    """Return the header that a name and a password become, and mask both."""
    both = f"{name}:{password}"
    coded = base64.b64encode(both.encode()).decode()
    # A token is often given as the name, without a password.
    for secret in (password or name, both, coded):
        hide(secret)
    return f"Basic {coded}"
