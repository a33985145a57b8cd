"""Markdown: its sections, and every element that has an id."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from html import unescape
from typing import TYPE_CHECKING, Any

from rankgate.outline.nodes import Heading, OutlineNode, document, sections

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

SUFFIXES = (".markdown", ".md", ".mdx")

_FRONT_MATTER = re.compile(
    r"(?:---[ \t]*\n(?:.*\n)*?(?:---|\.\.\.)|\+\+\+[ \t]*\n(?:.*\n)*?\+\+\+)[ \t]*(?:\n|\Z)"
)
# Attributes in braces, as kramdown, Python-Markdown, Docusaurus and Pandoc have them.
_ATTRIBUTES = re.compile(r"\s*\{(?::|:?[ \t]*(?=[#.]))[^{}]*\}\s*\Z")
_ANY_ATTRIBUTES = re.compile(r"\{[^{}\n]*\}")
_ID = re.compile(r"(?:^|[\s{:])#([^\s{}#\"']+)")
_TAG = re.compile(r"<([A-Za-z][\w-]*)((?:\s+[^<>\s=]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'>]+))?)*)\s*/?>")
_ATTRIBUTE = re.compile(r"([^\s=]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"']+))")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
# Of a title with markup: the time to parse brackets grows with the square of their number.
_LONGEST_TITLE = 300
_CONTAINERS = ("blockquote_open", "list_item_open")


@dataclass(frozen=True, slots=True)
class MarkdownElement:
    """A heading, or another element with an id."""

    heading: Heading
    """Its lines, title and the ids in braces; the level is 0 if it is no heading."""
    ids: tuple[str, ...] = ()
    """The ids that its HTML gives it."""
    words: str = ""
    """The title as slugs are made of it: with its spaces, without images. Empty if no slug is made."""
    top: bool = False
    """True for a heading that makes a section."""


def outline_markdown(_path: str, text: str) -> list[OutlineNode]:
    """List the sections; headings in fences, quotes and lists make none."""
    found = [element.heading for element in markdown_elements(text) if element.top]
    return sections(found, document("", text).end)


@lru_cache(maxsize=8)
def markdown_elements(text: str) -> tuple[MarkdownElement, ...]:
    r"""List the headings, at any depth, and the elements with an id.

    The results of recent texts are cached: an outline, ids and several readers need the same ones.

    >>> page = '# A *b* {#own}\n\n> ## C\n\n<a id="d"></a>\n\nText. {: #e }'
    >>> [(one.heading.level, one.words, one.heading.ids, one.ids) for one in markdown_elements(page)]
    [(1, '', ('own',), ()), (2, 'C', (), ()), (0, '', (), ('d',)), (0, '', ('e',), ())]
    """
    return tuple(_elements(text))


def _elements(text: str) -> Iterator[MarkdownElement]:
    blocks, inlines = _parsers()
    env: dict[str, Any] = {}
    tokens = blocks.parse(without_front_matter(text), env)
    limits = [document("", text).end]
    for position, token in enumerate(tokens):
        if token.type in _CONTAINERS:
            limits.append(token.map[1] if token.map else limits[-1])
        elif token.type.replace("_close", "_open") in _CONTAINERS:
            limits.pop()
        elif token.type == "heading_open" and token.map:
            content = tokens[position + 1].content
            if len(content) > _LONGEST_TITLE:
                plain = Heading(
                    int(token.tag[1]), token.map[0] + 1, " ".join(content.split()), (), limits[-1]
                )
                yield MarkdownElement(plain, top=token.level == 0)
            else:
                yield _heading(token, inlines.parseInline(content, env), limits[-1])
        elif token.type == "html_block" and token.map:
            yield from _html_elements(token.content, token.map[0] + 1, limits[-1])
        elif token.type == "inline" and token.map:
            if tokens[position - 1].type == "heading_open":
                continue
            content = _without_code(token.content)
            yield from _html_elements(content, token.map[0] + 1, token.map[1])
            for number, line in enumerate(content.split("\n"), token.map[0] + 1):
                for attributes in _ANY_ATTRIBUTES.finditer(line):
                    if ids := _ID.findall(attributes[0]):
                        yield MarkdownElement(Heading(0, number, "", (ids[-1],), number))


def _heading(token: Token, children: Sequence[Token], limit: int) -> MarkdownElement:
    start = token.map[0] + 1 if token.map else 1
    inline = [child for one in children for child in one.children or ()]
    title, words = "".join(map(_plain, children)), "".join(_plain(one, images=False) for one in inline)
    html = [one.content for one in inline if one.type == "html_inline"]
    declared: tuple[str, ...] = ()
    if attributes := _ATTRIBUTES.search(title):
        title, words = title[: attributes.start()], _ATTRIBUTES.sub("", words)
        declared = tuple(_ID.findall(attributes[0]))
    heading = Heading(int(token.tag[1]), start, " ".join(title.split()), declared, limit)
    ids = tuple(name for one in html for _, name in _declared(one))
    return MarkdownElement(heading, ids, "" if declared else words.strip(), top=token.level == 0)


def _plain(token: Token, *, images: bool = True) -> str:
    if token.type == "inline" or (images and token.type == "image"):
        return "".join(map(_plain, token.children or ()))
    if token.type in {"softbreak", "hardbreak"}:
        return " "
    return token.content if token.type in {"text", "text_special", "code_inline"} else ""


def _html_elements(html: str, first: int, limit: int) -> Iterator[MarkdownElement]:
    html = _COMMENT.sub(_blank, html)
    for found in _TAG.finditer(html):
        for tag, name in _declared(found[0]):
            line = first + html.count("\n", 0, found.start())
            level = int(tag[1]) if re.fullmatch("h[1-6]", tag) else 0
            yield MarkdownElement(Heading(level, line, "", limit=limit), (name,))


def _declared(html: str) -> Iterator[tuple[str, str]]:
    found = _TAG.match(html)
    for name, *values in _ATTRIBUTE.findall(found[2]) if found else ():
        if name.lower() == "id" or (found and found[1].lower() == "a" and name.lower() == "name"):
            yield found[1].lower() if found else "", unescape("".join(values))


def _without_code(text: str) -> str:
    """Blank the code spans: from a run of backticks to the next of the same length."""
    runs = list(re.finditer("`+", text))
    following: dict[int, int] = {}
    closing = [0] * len(runs)
    for number in reversed(range(len(runs))):
        length = len(runs[number][0])
        closing[number] = following.get(length, 0)
        following[length] = number
    parts, at, number = [], 0, 0
    while number < len(runs):
        if last := closing[number]:
            start, end = runs[number].start(), runs[last].end()
            parts += [text[at:start], re.sub(r"[^\n]", " ", text[start:end])]
            at, number = end, last
        number += 1
    return "".join([*parts, text[at:]])


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def without_front_matter(text: str) -> str:
    """Blank the front matter, so that the numbers of the lines below stay."""
    found = _FRONT_MATTER.match(text)
    return text if found is None else "\n" * found[0].count("\n") + text[found.end() :]


def opening_of(path: str, text: str, nodes: Sequence[OutlineNode]) -> OutlineNode | None:
    """Return the text before the first heading of a Markdown page as a section without a title, if any."""
    if not path.endswith(SUFFIXES):
        return None
    first = next((node.start for node in nodes if node.kind == "section"), nodes[0].end + 1)
    lines = without_front_matter(text).split("\n")[: first - 1]
    written = [number for number, line in enumerate(lines, 1) if line.strip()]
    return OutlineNode("section", "", ("",), written[0], written[-1], level=1) if written else None


@cache
def _parsers() -> tuple[MarkdownIt, MarkdownIt]:
    """Return a parser of blocks, which leaves their words alone, and a parser of words."""
    from markdown_it import MarkdownIt

    # Only the words of headings are needed, so the inline text of everything else is not parsed.
    return MarkdownIt("commonmark").enable("table").disable("inline"), MarkdownIt("commonmark")
