"""The sections of a Markdown file."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from rankgate.outline.nodes import Heading, OutlineNode, document, sections

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_FRONT_MATTER = re.compile(
    r"(?:---[ \t]*\n(?:.*\n)*?(?:---|\.\.\.)|\+\+\+[ \t]*\n(?:.*\n)*?\+\+\+)[ \t]*(?:\n|\Z)"
)
_ATTRIBUTES = re.compile(r"\s*\{(?::|:?[ \t]*(?=[#.]))[^{}]*\}\s*\Z")
"""What follows a title in braces, as kramdown, Python-Markdown, Docusaurus and Pandoc write it."""
_ID = re.compile(r"(?:^|[\s{:])#([^\s{}#]+)")


def outline_markdown(_path: str, text: str) -> list[OutlineNode]:
    """List the sections of a text.

    Headings in fences, quotes and lists make no sections, and front matter is no text.
    """
    return sections(_headings(without_front_matter(text)), document("", text).end)


def _headings(text: str) -> list[Heading]:
    blocks, inlines = markdown_parsers()
    env: dict[str, Any] = {}
    tokens = blocks.parse(text, env)
    return [
        _heading(int(token.tag[1]), token.map[0] + 1, inlines.parseInline(inline.content, env))
        for token, inline in pairwise(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map is not None
    ]


def _heading(level: int, line: int, tokens: Sequence[Token]) -> Heading:
    words = "".join(map(_plain, tokens))
    attributes = _ATTRIBUTES.search(words)
    if attributes is None:
        return Heading(level, line, " ".join(words.split()))
    ids = tuple(_ID.findall(attributes[0]))
    return Heading(level, line, " ".join(words[: attributes.start()].split()), ids)


def _plain(token: Token) -> str:
    if token.type in {"inline", "image"}:
        return "".join(map(_plain, token.children or ()))
    if token.type in {"softbreak", "hardbreak"}:
        return " "
    return token.content if token.type in {"text", "code_inline"} else ""


def without_front_matter(text: str) -> str:
    """Blank the front matter, so that the numbers of the lines below stay."""
    found = _FRONT_MATTER.match(text)
    return text if found is None else "\n" * found[0].count("\n") + text[found.end() :]


def opening_of(path: str, text: str, nodes: Sequence[OutlineNode]) -> OutlineNode | None:
    """Return the text before the first heading of a page as a section without a title; None where none is.

    Args:
        path: The file; one that is no Markdown has none.
        text: What stands in it.
        nodes: Its outline.
    """
    if not path.endswith((".md", ".markdown", ".mdx")):
        return None
    first = next((node.start for node in nodes if node.kind == "section"), nodes[0].end + 1)
    lines = without_front_matter(text).split("\n")[: first - 1]
    written = [number for number, line in enumerate(lines, 1) if line.strip()]
    return OutlineNode("section", "", ("",), written[0], written[-1], level=1) if written else None


@cache
def markdown_parsers() -> tuple[MarkdownIt, MarkdownIt]:
    """Return a parser of blocks, which leaves their words alone, and one of words."""
    from markdown_it import MarkdownIt

    # Only the words of headings are wanted, so the inline text of everything else is not parsed.
    return MarkdownIt("commonmark").enable("table").disable("inline"), MarkdownIt("commonmark")
