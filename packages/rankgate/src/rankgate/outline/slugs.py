"""The ids of a page: those that it declares, and the slugs that sites make of its headings."""

from __future__ import annotations

import re
import unicodedata
from pathlib import PurePosixPath
from typing import NamedTuple

from rankgate.errors import FormatError
from rankgate.outline.html import HtmlPage, outline_html
from rankgate.outline.markdown import SUFFIXES, markdown_elements
from rankgate.outline.nodes import document, section_ends
from rankgate.outline.rst import outline_rst

_NUMBERED = re.compile(r"(.*)_([0-9]+)")
_LABEL = re.compile(r"\.\. _([^:`]+|`[^`]+`):[ \t]*\Z")
_IN_SLUGS = {"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"}


class PageAnchor(NamedTuple):
    """An id of a page, which follows ``#`` in a URL, and the lines of its section or element."""

    id: str
    start: int
    end: int


def known_anchors(path: str, text: str) -> dict[str, PageAnchor]:
    r"""Return the ids of a page; without those that are ambiguous.

    >>> known_anchors("a.md", "# A\n\n<h2 id='b'>Bee</h2>\n\nText.\n")["b"].start
    3
    """
    suffix = PurePosixPath(path).suffix.lower()
    found: dict[str, PageAnchor] = {}
    unsure: set[str] = set()
    try:
        if suffix in {".rst", ".rest", ".txt"}:
            anchors = rst_anchors(path, text)
        elif suffix in SUFFIXES:
            anchors = markdown_anchors(text)
        else:
            anchors = html_anchors(text) if suffix in {".html", ".htm"} else []
    except FormatError:
        return {}
    for one in anchors:
        if found.setdefault(one.id, one).start != one.start:
            unsure.add(one.id)
    return {name: one for name, one in found.items() if name not in unsure}


def markdown_anchors(text: str) -> list[PageAnchor]:
    r"""List the ids of a Markdown page: declared ids, else the slugs of GitHub and of Python-Markdown.

    >>> [one.id for one in markdown_anchors("# A & b\n\n## A\n\n## A\n\n## C {#own}\n")]
    ['a--b', 'a-b', 'a', 'a-1', 'a_1', 'own']
    """
    elements = markdown_elements(text)
    headings = [element.heading for element in elements if element.heading.level]
    ends = iter(section_ends(headings, document("", text).end))
    github: set[str] = set()
    counts: dict[str, int] = {}
    # Each taken id, with one behind it that may be free.
    python = {name: "" for one in elements for name in one.heading.ids or (() if one.words else one.ids)}
    found = []
    for element in elements:
        heading, names = element.heading, [*element.heading.ids]
        if element.words:
            made = slug = github_slug(element.words)
            while slug in github:
                counts[made] = counts.get(made, 0) + 1
                slug = f"{made}-{counts[made]}"
            names.append(slug)
            slug, passed = python_markdown_slug(element.words), []
            while not slug or slug in python:
                passed.append(slug)
                numbered = _NUMBERED.fullmatch(slug)
                after = f"{numbered[1]}_{int(numbered[2]) + 1}" if numbered else f"{slug}_1"
                slug = python.get(slug) or after
            names.append(slug)
            python |= dict.fromkeys([*passed, slug], slug) | {slug: ""}
        github.update(names[:1])
        end = next(ends) if heading.level else heading.limit
        every = dict.fromkeys(filter(None, (*names, *element.ids)))
        found += [PageAnchor(name, heading.start, end) for name in every]
    return found


def github_slug(title: str) -> str:
    """Return the slug that GitHub makes of a title.

    >>> github_slug("Keys & Logs: a_b"), github_slug("日本語 1.0")
    ('keys--logs-a_b', '日本語-10')
    """
    letters = title.lower().replace(" ", "-")
    return "".join(one for one in letters if one == "-" or unicodedata.category(one) in _IN_SLUGS)


def python_markdown_slug(title: str) -> str:
    """Return the slug that Python-Markdown's ``toc`` makes of a title, as MkDocs does.

    >>> python_markdown_slug("Café: `a_b` & more")
    'cafe-a_b-more'
    """
    title = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower())


def rst_anchors(path: str, text: str) -> list[PageAnchor]:
    r"""List the labels of a reStructuredText page, and the ids that docutils makes of its titles.

    >>> text = "Keys\n====\n\n.. _turn:\n\nRotation\n--------\n\n.. _why:\n\nText.\n"
    >>> [(one.id, one.start, one.end) for one in rst_anchors("keys.rst", text)]
    [('turn', 6, 11), ('why', 11, 11), ('keys', 1, 11), ('rotation', 6, 11)]
    """
    nodes = outline_rst(path, text)
    ends = {node.start: node.end for node in nodes}
    lines = text.split("\n")
    found = []
    start = len(lines)
    # Upwards, so that a label knows the first line below it that is not blank and no other label.
    for number in range(len(lines) - 1, -1, -1):
        label = _LABEL.match(lines[number])
        if label and start < len(lines):
            end = ends.get(start + 1) or _block_end(lines, start)
            found.append(PageAnchor(_docutils_slug(label[1].strip("`")), start + 1, end))
        elif lines[number].strip() and not label:
            start = number
    labels = found[::-1]
    titles = [PageAnchor(_docutils_slug(node.name), node.start, node.end) for node in nodes]
    return list({one.id: one for one in reversed([*labels, *titles]) if one.id}.values())[::-1]


def _docutils_slug(title: str) -> str:
    words = unicodedata.normalize("NFKD", title.lower()).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"\A[-0-9]+|-+\Z", "", re.sub("[^a-z0-9]+", "-", words))


def _block_end(lines: list[str], start: int) -> int:
    """Return the last line of a block: its paragraph, and what is indented more."""
    margin, end = len(lines[start]) - len(lines[start].lstrip()), start
    for number in range(start + 1, len(lines)):
        indent = len(lines[number]) - len(lines[number].lstrip())
        if lines[number].strip() and (indent > margin or (indent == margin and end == number - 1)):
            end = number
        elif lines[number].strip():
            break
    return end + 1


def html_anchors(text: str) -> list[PageAnchor]:
    r"""List the ids of an HTML page: those of headings are of their sections, others of their elements.

    >>> [(one.id, one.start, one.end) for one in html_anchors("<h1 id=a>A</h1>\n<p id=b>B\nb</p>\n")]
    [('a', 1, 3), ('b', 2, 3)]
    """
    nodes = reversed(outline_html("", text))
    found = {name: PageAnchor(name, node.start, node.end) for node in nodes for name in node.ids}
    for name, start, end in HtmlPage(text).elements:
        found.setdefault(name, PageAnchor(name, start, end))
    return sorted(found.values(), key=lambda one: one.start)
