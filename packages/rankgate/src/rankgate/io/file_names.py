"""Names of files, made of the names of suites and systems: two names never share a file."""

from __future__ import annotations

import hashlib
import re

_PLAIN = re.compile(r"[a-z0-9_-]{1,80}")
_LONGEST = 60
_DIGITS = 8


def file_name(name: str) -> str:
    """Return the name of a file for a name, another one for every other name.

    What a file can be called everywhere is kept. Anything else gets a digest of the whole name, since some
    file systems take small and capital letters for the same.

    >>> file_name("app-2"), file_name("a.b"), file_name("App")
    ('app-2', 'a-b~2e7336dc', 'app~0d04bfeb')
    """
    if _PLAIN.fullmatch(name):
        return name
    words = re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-")[:_LONGEST] or "name"
    digest = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()
    return f"{words}~{digest[:_DIGITS]}"
