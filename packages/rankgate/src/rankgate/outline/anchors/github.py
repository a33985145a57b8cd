"""The ids of a page as GitHub makes them, and those that a heading or HTML declares."""

from __future__ import annotations

import re

from rankgate.outline.anchors.markdown import page_elements
from rankgate.outline.anchors.page import PageAnchor, up_to_the_next
from rankgate.outline.anchors.slugs import UsedIds, github_slug

_DECLARED = re.compile(r"\s*(?:\{#([^{}\s]+)[^{}]*\}|\{/\*\s*#([^{}]+?)\s*\*/\}|<!--\s*#(\S+)\s*-->)\s*\Z")


def github_anchors(text: str) -> list[PageAnchor]:
    r"""List the ids of a page: what a heading declares, else what GitHub makes of it; and what HTML declares.

    >>> [one.id for one in github_anchors("# A & b\n\n## A\n\n## A\n\n## C {#own}\n")]
    ['a--b', 'a', 'a-1', 'own']
    """
    used, found = UsedIds(), []
    for element in page_elements(text):
        names = list(element.ids)
        if element.level and element.source:
            declared = _DECLARED.search(element.source)
            own = "" if declared is None else next(filter(None, declared.groups()))
            names.insert(0, own or used.take(github_slug(element.words.strip()), UsedIds.hyphened))
            used.ids.add(names[0])
        found += [
            PageAnchor(name, element.start, element.end, element.level) for name in dict.fromkeys(names)
        ]
    return up_to_the_next(found)
