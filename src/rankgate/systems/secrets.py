"""Values that a configuration takes from the environment, and keeping them out of whatever is shown.

``${NAME}`` in a header, a parameter or a URL is read once, when the system is opened. What was read is never
part of a description, an error or a request that is shown.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote

from rankgate.errors import InputError, Problem, SystemFailedError
from rankgate.model.secrets import HIDDEN, looks_secret, without_secrets, without_secrets_in

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
"""How a configuration names a variable of the environment."""

_SHORTEST = 4
_SHORTEST_IN_AN_ANSWER = 12


class Secrets:
    """What was read from the environment, and the means to hide it.

    >>> secrets = Secrets()
    >>> secrets.add("API_TOKEN", "s3cr3t-s3cr3t")
    >>> secrets.hidden("refused: s3cr3t-s3cr3t, see https://me:pw@host/")
    'refused: ***, see https://***@host/'
    """

    def __init__(self) -> None:
        self._values: set[str] = set()
        self._sure: set[str] = set()

    def add(self, name: str, value: str) -> None:
        """Hide a value from now on; one that is very short would hide half of every text and is left out."""
        if len(value) < _SHORTEST:
            return
        spellings = {value, quote(value, safe=""), quote(value), json.dumps(value)[1:-1]}
        self._values |= spellings
        if looks_secret(name) and len(value) >= _SHORTEST_IN_AN_ANSWER:
            self._sure |= spellings

    def hidden(self, text: str) -> str:
        """Hide what is known and what looks like a secret in a text for people."""
        return without_secrets_in(_replaced(text, self._values))

    def hidden_error(self, error: SystemFailedError) -> SystemFailedError:
        """Give an error again, without the secrets that a server may have sent back."""
        problems = [
            replace(one, where=self.hidden(one.where), found=self.hidden(one.found)) for one in error.problems
        ]
        return SystemFailedError(problems or self.hidden(str(error)))

    def hidden_in_answer(self, raw: bytes) -> bytes:
        """Hide, in an answer, what can be nothing but a secret that the server sent back.

        Short values, and those whose name says nothing, may stand in a hit by right.
        """
        for value in sorted(self._sure, key=len, reverse=True):
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
        missing = [one for one in VARIABLE.findall(text) if one not in os.environ]
        if missing:
            fix = "set it where rankgate runs; its value is shown nowhere"
            expected = "a variable of the environment"
            raise InputError(
                [Problem(where, f"${{{one}}}, which is not set", expected, fix) for one in missing]
            )

        def value(found: re.Match[str]) -> str:
            content = os.environ[found[1]]
            self.add(f"{found[1]} {name}", content)
            return quote(content, safe="") if quoted else content

        return VARIABLE.sub(value, text)

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
                for word in (text, *text.split()[1:]):
                    self.add(name, word)
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
                Problem(f"{where}.{name}", "a name that no header can have", "letters, digits and -")
            )
        if not all(char == "\t" or " " <= char <= "~" for char in value):
            fix = "a line break at its end is the usual cause"
            problems.append(Problem(f"{where}.{name}", "a character that no header can hold", "ASCII", fix))
    if problems:
        raise InputError(problems)
    return values


def described(options: Mapping[str, object]) -> dict[str, object]:
    """Give options for a manifest: as the configuration says them, so no value of the environment is there.

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


def _replaced(text: str, values: set[str]) -> str:
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, HIDDEN)
    return text
