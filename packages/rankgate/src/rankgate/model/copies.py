"""Patterns that name the copies of pages, as a suite declares them: ``docs/{version}/{page}``."""

from __future__ import annotations

import re

from rankgate.errors import Code, InputError

PAGE = "page"
"""The placeholder for what copies of a page have in common."""
MOST_PLACEHOLDERS = 3
"""How many placeholders a pattern may have: each makes matching slower."""

_PART = re.compile(r"\{([^{}]*)\}")


def copy_pattern(text: str, where: str = "copies") -> re.Pattern[str]:
    """Return the expression that a pattern stands for.

    ``{page}`` is any number of folders and names, every other placeholder a part of one name.

    >>> copy_pattern("docs/{version}/{page}").fullmatch("docs/v2/guide/keys.md")["page"]
    'guide/keys.md'
    >>> copy_pattern("{page}.{language}.md").fullmatch("guide/keys.de.md")["page"]
    'guide/keys'

    Raises:
        InputError: for a pattern without ``{page}``, with two of it, or with placeholders side by side.
    """
    names = _PART.findall(text)
    if names.count(PAGE) != 1 or text.count("{") != len(names) or text.count("}") != len(names):
        fix = "write {page} once, for what copies have in common"
        raise InputError(
            Code.WRONG_PATTERN(where, repr(text), "a pattern such as docs/{version}/{page}", fix)
        )
    if "}{" in text:
        raise InputError(Code.WRONG_PATTERN(where, repr(text), "a sign between two placeholders"))
    if len(names) > MOST_PLACEHOLDERS:
        found = f"{len(names)} placeholders in {text!r}"
        raise InputError(Code.WRONG_PATTERN(where, found, f"at most {MOST_PLACEHOLDERS}"))
    # Every second part is the name of a placeholder.
    parts = _PART.split(text)
    written = [
        re.escape(part) if not at % 2 else "(?P<page>.+)" if part == PAGE else "[^/]+"
        for at, part in enumerate(parts)
    ]
    return re.compile("".join(written))
