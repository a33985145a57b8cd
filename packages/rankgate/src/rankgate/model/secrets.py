"""What looks like a secret, and what stands in its place wherever something is shown or kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_NAMES = r"token|secret|passw|passphrase|pwd|key|auth|credential|cookie|bearer|signature|private"
_SECRET_NAME = re.compile(_NAMES, re.IGNORECASE)
_HARMLESS_NAME = re.compile(r"tokeni[sz]er|max_?tokens|keywords?|authors?(?!i)", re.IGNORECASE)
_IN_TEXT = re.compile(
    r"(?<=://)[^/@\s]+(?=@)"
    r"|(?<=\bBearer )\S+|(?<=\bBasic )\S+"
    rf"|(?:(?<=[?&;\s-])|^)(?P<name>[\w.-]*(?:{_NAMES})[\w.-]*)(?P<sign>[=:]\s*)[^&;\s]+",
    re.IGNORECASE,
)
HIDDEN = "***"
"""What stands for a secret."""


def without_secrets(options: Mapping[str, Any]) -> dict[str, Any]:
    """Replace what looks like a secret, at any depth: by its key, and in URLs, headers and command lines.

    >>> without_secrets({"k": 10, "api_key": "s3cr3t", "headers": {"Authorization": "Bearer x"}})
    {'k': 10, 'api_key': '***', 'headers': {'Authorization': '***'}}
    >>> without_secrets({"url": "https://me:pw@host/?q=1&token=x", "command": ["ask", "--api-key", "x"]})
    {'url': 'https://***@host/?q=1&token=***', 'command': ['ask', '--api-key', '***']}
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
        return [
            HIDDEN
            if isinstance(before, str) and before.startswith("-") and _is_flag(before)
            else _clean(item)
            for before, item in zip((None, *value), value, strict=False)
        ]
    return without_secrets_in(value) if isinstance(value, str) else value


def _is_flag(word: str) -> bool:
    return "=" not in word and looks_secret(word)


def _hide(found: re.Match[str]) -> str:
    name = found["name"]
    if name is None:
        return HIDDEN
    return f"{name}{found['sign']}{HIDDEN}" if looks_secret(name) else found[0]
