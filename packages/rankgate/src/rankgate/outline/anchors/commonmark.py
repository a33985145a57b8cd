"""The ids of pages of GitHub, Docusaurus, Hugo and MyST, whose Markdown is CommonMark."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rankgate.outline.anchors.markdown import PageElement, page_elements
from rankgate.outline.anchors.page import PageAnchor, up_to_the_next
from rankgate.outline.anchors.slugs import UsedIds, docutils_slug, github_slug, hugo_slug

if TYPE_CHECKING:
    from collections.abc import Callable

_DOCUSAURUS_ID = re.compile(r"\s*(?:\{#([^{}]+)\}|\{/\*\s*#([^{}]+?)\s*\*/\}|<!--\s*#(\S+)\s*-->)\s*\Z")
_HUGO_ATTRIBUTES = re.compile(r"\s*\{([^{}]*)\}\s*\Z")
_HUGO_ID = re.compile(r"(?:^|[\s,])(?:#|id\s*=\s*[\"']?)([^\s\"',}]+)")
_LABEL = re.compile(r"\(([^()\n]+)\)=[ \t]*\Z")


def github_anchors(text: str) -> list[PageAnchor]:
    r"""List the ids of a page as GitHub makes them.

    >>> [one.id for one in github_anchors("# A & b\n\n## A\n\n## A\n")]
    ['a--b', 'a', 'a-1']
    """
    return _anchors(text, lambda element: (github_slug(element.words.strip()), ""), UsedIds.hyphened)


def docusaurus_anchors(text: str) -> list[PageAnchor]:
    r"""List the ids of a page as Docusaurus makes them.

    >>> [one.id for one in docusaurus_anchors("# A\n\n## B {#own}\n")]
    ['a', 'own']
    """

    def named(element: PageElement) -> tuple[str, str]:
        found = _DOCUSAURUS_ID.search(element.source)
        own = "" if found is None else next(filter(None, found.groups()))
        return github_slug(element.words_and_images.strip()), own

    return _anchors(text, named, UsedIds.hyphened)


def hugo_anchors(text: str, kind: str = "github") -> list[PageAnchor]:
    r"""List the ids of a page as Hugo makes them, of the source of a heading and not of its words.

    >>> [one.id for one in hugo_anchors("# A [link](b.md)\n\n## C {#own .wide}\n")]
    ['a-linkbmd', 'own']
    """

    def named(element: PageElement) -> tuple[str, str]:
        source = element.source.rsplit("\n", 1)[-1]
        found = _HUGO_ATTRIBUTES.search(source)
        own = _HUGO_ID.search(found[1]) if found is not None else None
        return hugo_slug(source[: found.start()] if found else source, kind), own[1] if own else ""

    return _anchors(text, named, UsedIds.hyphened_or_named)


def myst_anchors(text: str) -> list[PageAnchor]:
    r"""List the ids of a page that Sphinx reads as MyST: docutils' ids, GitHub's beside them, and labels.

    >>> [(one.id, one.start) for one in myst_anchors("# A\n\n(own)=\n## B c\n\n## A\n")]
    [('a', 1), ('own', 4), ('b-c', 4), ('id1', 6), ('a-1', 6)]
    """
    lines = text.split("\n")
    used, slugs, found = UsedIds(), UsedIds(), []
    for element in page_elements(text):
        if not element.level or not element.source:
            found += [PageAnchor(name, element.start, element.end, element.level) for name in element.ids]
            continue
        names = [used.take(docutils_slug(label), UsedIds.lettered) for label in _labels(lines, element.start)]
        names.append(used.take(docutils_slug(element.words), UsedIds.lettered))
        names.append(slugs.take(github_slug(element.words.strip()), UsedIds.hyphened))
        found += [
            PageAnchor(name, element.start, element.end, element.level) for name in dict.fromkeys(names)
        ]
    return up_to_the_next(found)


def _labels(lines: list[str], heading: int) -> list[str]:
    """Return the labels right above a heading."""
    found = []
    for line in reversed(lines[: heading - 1]):
        label = _LABEL.match(line)
        if label is not None:
            found.append(label[1])
        elif line.strip():
            break
    return found[::-1]


def _anchors(
    text: str, named: Callable[[PageElement], tuple[str, str]], number: Callable[[UsedIds, str], str]
) -> list[PageAnchor]:
    """List ids: what a heading declares, else what is made of it, numbered; and what HTML declares."""
    used, found = UsedIds(), []
    for element in page_elements(text):
        names = list(element.ids)
        if element.level and element.source:
            made, own = named(element)
            if own:
                used.ids.add(own)
            names.insert(0, own or used.take(made, number))
        found += [
            PageAnchor(name, element.start, element.end, element.level) for name in dict.fromkeys(names)
        ]
    return up_to_the_next(found)
