"""The ids of a page: those that it declares, and those that are made of its headings."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from rankgate.errors import FormatError
from rankgate.outline.anchors.github import github_anchors
from rankgate.outline.anchors.page import PageAnchor, block_end
from rankgate.outline.anchors.python_markdown import python_markdown_anchors
from rankgate.outline.anchors.slugs import docutils_slug
from rankgate.outline.html import outline_html, read_html
from rankgate.outline.rst import outline_rst

_MARKDOWN = (python_markdown_anchors, github_anchors)
_LABEL = re.compile(r"\.\. _([^:`]+|`[^`]+`):[ \t]*\Z")


def known_anchors(path: str, text: str) -> dict[str, PageAnchor]:
    r"""List what ids stand for; none that two programs make of different lines.

    >>> known_anchors("a.md", "# A\n\n<h2 id='b'>Bee</h2>\n\nText.\n")["b"].start
    3
    """
    suffix = PurePosixPath(path).suffix.lower()
    try:
        if suffix in {".rst", ".rest", ".txt"}:
            pages = [rst_anchors(path, text)]
        elif suffix in {".md", ".mdx", ".markdown"}:
            pages = [anchors(text) for anchors in _MARKDOWN]
        else:
            pages = [html_anchors(text)] if suffix in {".html", ".htm"} else []
    except FormatError:
        return {}
    found: dict[str, PageAnchor] = {}
    unsure: set[str] = set()
    for one in (one for page in pages for one in page):
        if found.setdefault(one.id, one).start != one.start:
            unsure.add(one.id)
    return {name: one for name, one in found.items() if name not in unsure}


def rst_anchors(path: str, text: str) -> list[PageAnchor]:
    r"""List the labels of a page, each of the section or block behind it, and what docutils makes of titles.

    >>> text = "Keys\n====\n\n.. _turn:\n\nRotation\n--------\n\n.. _why:\n\nText.\n"
    >>> [(one.id, one.start, one.end) for one in rst_anchors("keys.rst", text)]
    [('turn', 6, 11), ('why', 11, 11), ('keys', 1, 11), ('rotation', 6, 11)]

    Raises:
        FormatError: where docutils is not installed or gives up.
    """
    sections = {node.start: node for node in outline_rst(path, text)}
    lines = text.split("\n")
    found: dict[str, PageAnchor] = {}
    for number, line in enumerate(lines, 1):
        label = _LABEL.match(line)
        behind = range(number, len(lines)) if label is not None else ()
        start = next((at + 1 for at in behind if lines[at].strip() and not _LABEL.match(lines[at])), None)
        if label is not None and start is not None:
            node = sections.get(start)
            name, end = docutils_slug(label[1].strip("`")), block_end(lines, start)
            anchor = PageAnchor(name, start, node.end if node else end, node.level if node else 0)
            found.setdefault(name, anchor)
    for node in sections.values():
        if name := docutils_slug(node.name):
            found.setdefault(name, PageAnchor(name, node.start, node.end, node.level))
    return list(found.values())


def html_anchors(text: str) -> list[PageAnchor]:
    r"""List the ids of a page: those of headings stand for their sections, others for their elements.

    >>> [(one.id, one.start, one.end) for one in html_anchors("<h1 id=a>A</h1>\n<p id=b>B\nb</p>\n")]
    [('a', 1, 3), ('b', 2, 3)]
    """
    found = {
        name: PageAnchor(name, node.start, node.end, node.level)
        for node in reversed(outline_html("", text))
        for name in node.ids
    }
    for name, start, end in read_html(text).elements:
        found.setdefault(name, PageAnchor(name, start, end))
    return sorted(found.values(), key=lambda one: (one.start, one.level == 0))
