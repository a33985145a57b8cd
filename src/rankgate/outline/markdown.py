"""The sections of a Markdown file."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from rankgate.outline.nodes import Node, document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_FRONT_MATTER = re.compile(
    r"(?:---[ \t]*\n(?:.*\n)*?(?:---|\.\.\.)|\+\+\+[ \t]*\n(?:.*\n)*?\+\+\+)[ \t]*(?:\n|\Z)"
)
_ATTRIBUTES = re.compile(r"\s*\{[#.:][^{}]*\}\s*\Z")


def outline_markdown(path: str, text: str) -> tuple[Node, ...]:
    """List the document and its sections, parents before children.

    A section runs to the line before the next heading of its level or a higher one. Headings in fences,
    quotes and lists make no sections, and front matter is no text.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    whole = document(path, text)
    found = _headings(_without_front_matter(text))
    ends = _ends(found, whole.end)
    nodes = [whole]
    above: list[tuple[int, str]] = []
    for (level, start, title), end in zip(found, ends, strict=True):
        while above and above[-1][0] >= level:
            above.pop()
        above.append((level, title))
        nodes.append(Node("section", title, tuple(name for _, name in above), start, end, level))
    return tuple(nodes)


def _headings(text: str) -> list[tuple[int, int, str]]:
    blocks, inlines = _parsers()
    env: dict[str, Any] = {}
    tokens = blocks.parse(text, env)
    return [
        (int(token.tag[1]), token.map[0] + 1, _title(inlines.parseInline(inline.content, env)))
        for token, inline in pairwise(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map is not None
    ]


def _ends(found: Sequence[tuple[int, int, str]], last: int) -> list[int]:
    ends = [last] * len(found)
    still_open: list[int] = []
    for number, (level, start, _) in enumerate(found):
        while still_open and found[still_open[-1]][0] >= level:
            ends[still_open.pop()] = start - 1
        still_open.append(number)
    return ends


def _title(tokens: Sequence[Token]) -> str:
    words = "".join(map(_plain, tokens))
    return " ".join(_ATTRIBUTES.sub("", words).split())


def _plain(token: Token) -> str:
    if token.type in {"inline", "image"}:
        return "".join(map(_plain, token.children or ()))
    if token.type in {"softbreak", "hardbreak"}:
        return " "
    return token.content if token.type in {"text", "code_inline"} else ""


def _without_front_matter(text: str) -> str:
    """Blank the front matter, so that the numbers of the lines below stay."""
    found = _FRONT_MATTER.match(text)
    return text if found is None else "\n" * found[0].count("\n") + text[found.end() :]


@cache
def _parsers() -> tuple[MarkdownIt, MarkdownIt]:
    from markdown_it import MarkdownIt

    # Only the words of headings are wanted, so the inline text of everything else is not parsed.
    return MarkdownIt("commonmark").enable("table").disable("inline"), MarkdownIt("commonmark")
