"""What looks like a secret, and what stands in its place wherever something is shown or kept.

Two rules. What stands under a name that looks secret is hidden where a configuration is shown. And values
that a system may hold, those of the environment under such a name and those that its own table names, are
hidden by its `Mask` in whatever it says: errors, answers, raw exchanges.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankgate.errors import RankgateError, escaped

if TYPE_CHECKING:
    from collections.abc import Callable

_NAMES = r"token|secret|passw|passphrase|pwd|key|auth|credential|cookie|bearer|signature|private"
_SECRET_NAME = re.compile(_NAMES, re.IGNORECASE)
_HARMLESS_NAME = re.compile(r"tokeni[sz]er|max_?tokens|keywords?|authors?(?!i)", re.IGNORECASE)
_IN_TEXT = re.compile(
    r"(?<=://)[^/@\s]+(?=@)"
    r"|(?<=\bBearer )\S+|(?<=\bBasic )\S+"
    rf"|(?:(?<=[?&;\s-])|^)(?P<name>[\w.-]*(?:{_NAMES})[\w.-]*)(?P<sign>[=:]\s*)[^&;\s]+",
    re.IGNORECASE,
)
SHORTEST = 4
"""How many characters a value has at least that is hidden: a shorter one stands in many texts by chance."""
SHORTEST_UNNAMED = 6
"""How many it has at least where its name says nothing, or nothing but the environment has it."""
SHORTEST_IN_ANSWERS = 8
"""How many it has at least to be hidden in hits, if it has letters and digits."""
SHORTEST_WORD_IN_ANSWERS = 12
"""How many it has at least to be hidden in hits, whatever it is made of: a word may stand there by right."""
_SHORTEST_START = 4
HIDDEN = "***"
"""What stands for a secret."""


def without_secrets(options: Mapping[str, Any]) -> dict[str, Any]:
    """Replace what looks like a secret, at any depth: by its key, and in URLs and headers.

    >>> without_secrets({"k": 10, "api_key": "s3cr3t", "headers": {"Authorization": "Bearer x"}})
    {'k': 10, 'api_key': '***', 'headers': {'Authorization': '***'}}
    >>> without_secrets({"url": "https://me:pw@host/?q=1&token=x"})
    {'url': 'https://***@host/?q=1&token=***'}
    """
    return {
        str(key): HIDDEN if value is not None and looks_secret(str(key)) else _clean(value)
        for key, value in options.items()
    }


def looks_secret(name: str) -> bool:
    """Check whether what goes by this name is likely a secret.

    >>> looks_secret("X-Api-Key"), looks_secret("max_tokens")
    (True, False)
    """
    return _SECRET_NAME.search(_HARMLESS_NAME.sub("", name)) is not None


def without_secrets_in(text: str) -> str:
    """Replace what looks like a secret in a text: credentials in a URL, tokens in headers and query strings.

    >>> without_secrets_in("Authorization: Basic eDp5 at https://me:pw@host/?api_key=1&q=2")
    'Authorization: *** *** at https://***@host/?api_key=***&q=2'
    """
    return _IN_TEXT.sub(_hide, text)


def _clean(value: Any) -> Any:
    if isinstance(value, Mapping):
        return without_secrets(value)
    if isinstance(value, (list, tuple)):
        return [_clean(item) for item in value]
    return without_secrets_in(value) if isinstance(value, str) else value


def _hide(found: re.Match[str]) -> str:
    name = found["name"]
    if name is None:
        return HIDDEN
    return f"{name}{found['sign']}{HIDDEN}" if looks_secret(name) else found[0]


class Mask:
    """Values that are hidden in what a system says: where one stands, ``***`` is shown and kept.

    From the start those of the environment whose names look secret: a function may have read any of them.

    >>> mask = Mask()
    >>> mask.add("API_TOKEN", "s3cr3t-s3cr3t")
    >>> mask.hidden("refused: s3cr3t-s3cr3t at https://me:pw@host/")
    'refused: *** at https://***@host/'
    """

    def __init__(self) -> None:
        self._values: tuple[str, ...] = ()
        self._sure: tuple[str, ...] = ()
        for name, value in os.environ.items():
            if looks_secret(name) and len(value) >= SHORTEST_UNNAMED:
                self.add(name, value)

    def add(self, name: str, value: str) -> None:
        """Hide a value from now on; one that is very short would hide half of every text and is left out.

        A path that is there is no secret, whatever names it. Of several lines each is hidden.
        """
        shortest = SHORTEST if looks_secret(name) else SHORTEST_UNNAMED
        for one in {value, *value.splitlines()}:
            if len(one) >= shortest and not (os.path.isabs(one) and os.path.exists(one)):  # noqa: PTH110, PTH117
                self._values = _longest_first({*self._values, *spellings(one)})
                self._add_sure(name, one)

    def _add_sure(self, name: str, value: str) -> None:
        if looks_secret(name) and _is_no_word(value):
            self._sure = _longest_first({*self._sure, *spellings(value)})

    def add_variables(self, names: Sequence[str]) -> None:
        """Hide the values of variables that a system gets, however they are called, and passwords in them."""
        for name in names:
            value = os.environ.get(name, "")
            self.add(name, value)
            if found := re.match(r"[\w+.-]+://[^/@\s:]*:([^/@\s]+)@", value):
                self.add("password", found[1])

    def hidden(self, text: str) -> str:
        """Hide what is known, and passwords in URLs, in a text for people.

        Where a text was cut, the start of a value before the sign is hidden too.
        """
        text = _CREDENTIALS.sub(HIDDEN, _without(text, self._values))
        return _without_starts(text, self._values) if _CUT in text else text

    def hidden_in_raw(self, text: str) -> str:
        """Hide what is known in an answer as it came; a document may speak of tokens and have none."""
        return self.hidden(text)

    def hidden_in_hit(self, text: str) -> str:
        """Hide, in a part of a hit, what can be nothing but a secret.

        Short values, words, and those whose name says nothing, may stand in a hit by right.
        """
        return _without(text, self._sure)

    @property
    def hides_in_hits(self) -> bool:
        """Whether anything is hidden in hits."""
        return bool(self._sure)

    def stands_in(self, texts: Iterable[str]) -> bool:
        """Return whether parts of hits hold anything that is to be hidden in them."""
        if not self._sure:
            return False
        whole = "\n".join(texts)
        return any(value in whole for value in self._sure)

    @contextmanager
    def hiding(self, shown: Callable[[str], str] = str) -> Iterator[None]:
        """Hide secrets that a system may have sent back in every error that passes; it stays of its class.

        Args:
            shown: Cuts what was found to its length, after secrets were hidden in it.

        >>> from rankgate.errors import Problem, SystemFailedError
        >>> mask = Mask()
        >>> mask.add("API_TOKEN", "s3cr3t")
        >>> try:
        ...     with mask.hiding():
        ...         raise SystemFailedError(Problem("app", "no s3cr3t", "hits"))
        ... except SystemFailedError as error:
        ...     print(error)
        app: found no ***, expected hits
        """
        try:
            yield
        except RankgateError as error:
            error.problems = tuple(
                replace(one, where=self.hidden(one.where), found=shown(self.hidden(one.found)))
                for one in error.problems
            )
            text = "\n".join(map(str, error.problems)) if error.problems else self.hidden(str(error))
            error.args = (text,)
            raise


_CUT = "…"
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+(?=@)")


def spellings(value: str) -> set[str]:
    """Return the ways in which a value is written: plain, as JSON and Python write it, in a URL."""
    import json
    from urllib.parse import quote, quote_plus

    found = {value, value.encode(errors="replace").decode(), repr(value)[1:-1], escaped(value)}
    found |= {how(value, safe=safe, errors="replace") for how in (quote, quote_plus) for safe in ("", "/")}
    return found | {json.dumps(value, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False)}


def _is_no_word(value: str) -> bool:
    mixed = any(char.isdigit() for char in value) and any(char.isalpha() for char in value)
    return len(value) >= (SHORTEST_IN_ANSWERS if mixed else SHORTEST_WORD_IN_ANSWERS)


def _longest_first(values: set[str]) -> tuple[str, ...]:
    return tuple(sorted(values, key=len, reverse=True))


def _without(text: str, values: Sequence[str]) -> str:
    for value in values:
        text = text.replace(value, HIDDEN)
    return text


def _without_starts(text: str, values: Sequence[str]) -> str:
    """Hide what a cut left of a value: half of a secret is not known to be one any more."""
    *parts, last = text.split(_CUT)
    for number, part in enumerate(parts):
        for value in values:
            longest = range(min(len(value) - 1, len(part)), _SHORTEST_START - 1, -1)
            if size := next((size for size in longest if part.endswith(value[:size])), 0):
                parts[number] = part[:-size] + HIDDEN
                break
    return _CUT.join((*parts, last))
