"""Where ``{query}`` stands in a request that a user wrote in an engine's own language."""

from __future__ import annotations

HOLE = "{query}"
"""What becomes the words of a query."""


def quoted_hole(request: str, quotes: str = '"') -> bool:
    r"""Say whether any hole stands in quotes, where a group of words would be one text.

    Args:
        request: What the user wrote; a backslash takes the next character as it is.
        quotes: The characters that quote in the engine's language.

    >>> quoted_hole('name:{query} "red shoes"'), quoted_hole('name:{query} body:"{query}"')
    (False, True)
    """
    inside, at = "", 0
    while at < len(request):
        char = request[at]
        if inside and request.startswith(HOLE, at):
            return True
        if char == "\\":
            at += 1
        elif inside:
            inside = "" if char == inside else inside
        elif char in quotes:
            inside = char
        at += 1
    return False
