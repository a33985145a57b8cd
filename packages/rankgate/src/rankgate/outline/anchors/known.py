"""The ids of a page whose site is not known: what every program that could make it agrees on."""

from __future__ import annotations

from pathlib import PurePosixPath

from rankgate.errors import FormatError
from rankgate.outline.anchors.commonmark import docusaurus_anchors, github_anchors, hugo_anchors, myst_anchors
from rankgate.outline.anchors.page import PageAnchor
from rankgate.outline.anchors.python_markdown import python_markdown_anchors
from rankgate.outline.anchors.rst import rst_anchors
from rankgate.outline.html import outline_html, read_html

_MARKDOWN = (python_markdown_anchors, github_anchors, docusaurus_anchors, hugo_anchors, myst_anchors)


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
