"""Values that a configuration takes from the environment, and keeping them out of whatever is shown.

``${NAME}`` in a header, a parameter, a body, an argument or a URL is read once, when the system is opened.
What was read is never part of a description, an error or a request that is shown.
"""

from __future__ import annotations

import base64
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, unquote_plus, urlsplit, urlunsplit

from rankgate.errors import Code, InputError, Problem
from rankgate.model.secrets import (
    HIDDEN,
    SHORTEST,
    Mask,
    looks_secret,
    spellings,
    without_secrets,
    without_secrets_in,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
"""How a configuration names a variable of the environment."""
_PLACEHOLDER = re.compile(r"\{[a-z]+(\.[^{}\"]+)?\}")


class Secrets(Mask):
    """The mask of a server: what was read from the environment for it, and what looks like a secret.

    >>> secrets = Secrets()
    >>> secrets.add("API_TOKEN", "s3cr3t-s3cr3t")
    >>> secrets.hidden("refused: s3cr3t-s3cr3t, see https://me:pw@host/?key=1")
    'refused: ***, see https://***@host/?key=***'
    """

    def __init__(self) -> None:
        super().__init__()
        self._in_addresses: set[str] = set()
        self._origins: set[str] = set()

    def add_address(self, name: str, url: str) -> None:
        """Hide what a URL says beyond scheme, host and port, which stay readable.

        Raises:
            ValueError: for what is no URL.

        >>> secrets = Secrets()
        >>> secrets.add_address("HOOK", "https://hooks.example.com:8443/hooks/T0SECRET?team=7788")
        >>> secrets.hidden("GET https://hooks.example.com:8443/hooks/T0SECRET/x?team=7788&k=10")
        'GET https://hooks.example.com:8443/***/***/x?team=***&k=10'
        """
        parts = urlsplit(url)
        if not parts.netloc:
            return
        user, _, host = parts.netloc.rpartition("@")
        self._origins.add(f"{parts.scheme}://{host}")
        for word in (*user.split(":"), *parts.path.split("/")):
            for spelling in (word, unquote(word)):
                self._add_part(name, spelling)
        for pair in parts.query.split("&"):
            key, sign, value = pair.partition("=")
            for spelling in (value, unquote_plus(value)) if sign else (key, unquote_plus(key)):
                self._add_part(f"{name} {key if sign else ''}", spelling)

    def hidden(self, text: str) -> str:
        """Hide what is known and what looks like a secret in a text for people."""
        return without_secrets_in(self.hidden_in_raw(text))

    def hidden_in_raw(self, text: str) -> str:
        """Hide what is known in an answer as it came.

        What only looks like a secret is shown: answers have documents and code, ``class OAuthClient: …``.
        """
        text = super().hidden(text)
        if self._in_addresses:
            # A path may hold the word that the host is called by; the host is what tells servers apart.
            origins = "|".join(map(re.escape, sorted(self._origins, key=len, reverse=True)))
            pieces = re.split(f"({origins})", text)
            text = "".join(
                piece if number % 2 else _replaced(piece, self._in_addresses)
                for number, piece in enumerate(pieces)
            )
        return text

    def hidden_in_answer(self, raw: bytes) -> bytes:
        """Hide, in an answer as it came, what can be nothing but a secret that the server sent back."""
        for value in self._sure:
            if (known := value.encode(errors="replace")) in raw:
                raw = raw.replace(known, HIDDEN.encode())
        return raw

    def read(self, text: str, where: str, *, quoted: bool = False, name: str = "") -> str:
        """Put variables of the environment into a text.

        Args:
            text: What the configuration says.
            where: The option, for errors.
            quoted: Percent-encode the values, as a URL needs them.
            name: What the value is for; tells whether it is a secret, beside the variable's own name.

        Raises:
            InputError: with every variable that is not set.
        """
        values = read_variables([(where, text)])

        def value(found: re.Match[str]) -> str:
            content = values[found[1]]
            self.add(f"{found[1]} {name}", content)
            return quote(content, safe="") if quoted else content

        return VARIABLE.sub(value, text)

    def variables(self, content: object, where: str) -> dict[str, str]:
        """Return the variables that the strings of a JSON-like value name, and hide their values from now on.

        Strings under a name that looks like a secret's are hidden too, as headers are.

        Raises:
            InputError: with every variable that is not set.
        """
        named = list(named_strings(content, where))
        values = read_variables((place, text) for place, _, text in named)
        for _, name, text in named:
            for variable in VARIABLE.findall(text):
                self.add(f"{variable} {name}", values[variable])
            if looks_secret(name) and not VARIABLE.search(text):
                self._add_literal(name, text)
        return values

    def read_all(self, table: Mapping[str, str], where: str) -> dict[str, str]:
        """Put variables into every value of a table.

        Raises:
            InputError: with every variable that is not set.
        """
        problems: list[Problem] = []
        values: dict[str, str] = {}
        for name, text in table.items():
            try:
                values[name] = self.read(text, f"{where}.{name}", name=name)
            except InputError as error:
                problems += error.problems
            if looks_secret(name) and not VARIABLE.search(text):
                self._add_literal(name, text)
        if problems:
            raise InputError(problems)
        return values

    def _add_literal(self, name: str, text: str) -> None:
        for word in (text, *text.split()[1:]):
            if not _PLACEHOLDER.fullmatch(word):
                self.add(name, word)

    def _add_part(self, name: str, word: str) -> None:
        if len(word) >= SHORTEST:
            self._in_addresses |= spellings(word)
            self._add_sure(name, word)


def read_variables(texts: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Read the variables that texts name, each of which stands beside its place.

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
    if problems:
        raise InputError(problems)
    return values


def read_headers(table: Mapping[str, str], where: str, secrets: Secrets) -> dict[str, str]:
    """Read the headers of a configuration, and refuse what no header can hold before a library quotes it.

    Raises:
        InputError: for a variable that is not set, and for names and values that are no headers.
    """
    values = secrets.read_all(table, where)
    problems = []
    for name, value in values.items():
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
    return values


def described(options: Mapping[str, object]) -> dict[str, object]:
    """Return options for a manifest: as the configuration says them, so no value of the environment is there.

    >>> described({"headers": {"X-Tenant": "a ${TENANT}"}, "timeout": 3.0})
    {'headers': {'X-Tenant': '***'}, 'timeout': 3.0}
    """
    headers = options.get("headers")
    shown = dict(without_secrets(options))
    if isinstance(headers, dict):
        cleaned = without_secrets(headers)
        shown["headers"] = {
            name: HIDDEN if VARIABLE.search(str(headers[name])) else cleaned[name] for name in headers
        }
    return shown


def named_strings(content: object, where: str, name: str = "") -> Iterator[tuple[str, str, str]]:
    """Go through the strings of a JSON-like value, each with its place and the name it stands under."""
    if isinstance(content, str):
        yield where, name, content
    elif isinstance(content, dict):
        for key, item in content.items():
            yield from named_strings(item, f"{where}.{key}", str(key))
    elif isinstance(content, (list, tuple)):
        for number, item in enumerate(content):
            yield from named_strings(item, f"{where}[{number}]", name)


def _replaced(text: str, values: set[str]) -> str:
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, HIDDEN)
    return text


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

    >>> from rankgate.systems.adapter.secrets import Secrets
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
        raise InputError(
            Code.WRONG_ADDRESS(where, repr(secrets.hidden(text)), "http://host/… or https://host/…")
        )
    if not url.isascii() or any(char.isspace() for char in url):
        raise InputError(
            Code.WRONG_ADDRESS(where, "a space or a letter outside ASCII", "a URL, percent-encoded")
        )
    user, at, host = parts.netloc.rpartition("@")
    bare = urlunsplit((parts.scheme, host, parts.path, parts.query, ""))
    name, _, word = (unquote(part) for part in user.partition(":"))
    return Address(bare, basic(name, word, secrets) if at else None)


def read_server(
    url: str, headers: Mapping[str, str], name: str, secrets: Secrets
) -> tuple[str, dict[str, str]]:
    """Read the options `url` and `headers` of a system; credentials in the URL become a header.

    Raises:
        InputError: for what is no URL or no header, and a variable that is not set.
    """
    read = read_headers(headers, f"{name}.headers", secrets)
    address = read_address(url, f"{name}.url", secrets)
    if address.authorization is not None:
        read.setdefault("Authorization", address.authorization)
    return address.url, read


def basic(name: str, word: str, secrets: Secrets) -> str:
    """Return the header that a name and a password become, and hide them from now on."""
    both = f"{name}:{word}"
    coded = base64.b64encode(both.encode()).decode()
    # A token often stands where the name does, without a word after it.
    for secret in (word or name, both, coded):
        secrets.add("password", secret)
    return f"Basic {coded}"
