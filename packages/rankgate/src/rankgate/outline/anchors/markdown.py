"""The elements of a Markdown page that have ids: its headings, wherever they stand, and what declares one.

Other than an outline, which has sections alone, a page has ids in lists, in quotes and in HTML as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING, Any

from rankgate.outline.markdown import markdown_parsers, without_front_matter
from rankgate.outline.nodes import document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it.token import Token

_TAG = re.compile(r"<([A-Za-z][\w-]*)((?:\s+[^<>\s=]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'>]+))?)*)\s*/?>")
_ATTRIBUTE = re.compile(r"([^\s=]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"']+))")
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CONTAINERS = frozenset({"blockquote_open", "list_item_open"})


@dataclass(frozen=True, slots=True)
class PageElement:
    """A heading of a page, or another element that declares an id."""

    start: int
    """Its first line, from 1."""
    end: int
    """The last line that a heading can reach: the last of the quote, list item or page that it stands in."""
    level: int
    """The level of a heading, from 1; 0 for another element."""
    source: str = ""
    """The heading as it is written."""
    words: str = ""
    """The text of the heading as the page shows it: without tags and images."""
    ids: tuple[str, ...] = ()
    """The ids that it declares as HTML."""
    lines: int = 1
    """How many lines its title has."""


def page_elements(text: str) -> list[PageElement]:
    r"""List the headings of a page and whatever has an id by HTML, in their order.

    >>> [(one.level, one.words, one.ids) for one in page_elements('# A *b*\n\n> ## C\n\n<a id="d"></a>')]
    [(1, 'A b', ()), (2, 'C', ()), (0, '', ('d',))]
    """
    blocks, inlines = markdown_parsers()
    env: dict[str, Any] = {}
    tokens = blocks.parse(without_front_matter(text), env)
    ends = [document("", text).end]
    found: list[PageElement] = []
    for position, token in enumerate(tokens):
        if token.type in _CONTAINERS:
            ends.append(token.map[1] if token.map else ends[-1])
        elif token.type.replace("_close", "_open") in _CONTAINERS:
            ends.pop()
        elif token.type == "heading_open" and token.map:
            content = tokens[position + 1].content
            children = inlines.parseInline(content, env)
            found.append(_heading(token, content, children, ends[-1]))
        elif token.type == "html_block" and token.map:
            found.extend(html_elements(token.content, token.map[0] + 1, ends[-1]))
        elif token.type == "inline" and token.map and tokens[position - 1].type != "heading_open":
            content = _CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), token.content)
            found.extend(html_elements(content, token.map[0] + 1, token.map[1]))
    return found


def _heading(token: Token, source: str, children: Sequence[Token], end: int) -> PageElement:
    start, after = token.map or (0, 0)
    inline = [child for token in children for child in token.children or ()]
    ids = tuple(
        name for child in inline if child.type == "html_inline" for _, name in _declared(child.content)
    )
    underlined = token.markup in {"=", "-"}
    return PageElement(
        start + 1,
        end,
        int(token.tag[1]),
        source,
        _words(inline),
        ids,
        after - start - underlined,
    )


def html_elements(html: str, first: int, end: int) -> Iterator[PageElement]:
    """List the elements of some HTML that have an id; of headings the level as well."""
    html = _COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), html)
    for found in _TAG.finditer(html):
        for tag, name in _declared(found[0]):
            line = first + html.count("\n", 0, found.start())
            level = int(tag[1]) if re.fullmatch("h[1-6]", tag) else 0
            yield PageElement(line, end, level, ids=(name,))


def _declared(html: str) -> Iterator[tuple[str, str]]:
    found = _TAG.match(html)
    if found is None:
        return
    tag = found[1].lower()
    for name, *values in _ATTRIBUTE.findall(found[2]):
        if name.lower() == "id" or (tag == "a" and name.lower() == "name"):
            yield tag, unescape("".join(values))


def _words(tokens: Sequence[Token]) -> str:
    found = []
    for token in tokens:
        if token.type in {"text", "text_special", "code_inline"}:
            found.append(token.content)
        elif token.type in {"softbreak", "hardbreak"}:
            found.append("\n")
    return "".join(found)
