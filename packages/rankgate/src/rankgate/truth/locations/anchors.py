"""Headings by the anchors that web sites give them: declared ids first, then what is made of their titles."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.outline import OutlineNode

_NOT_IN_ANCHORS = re.compile(r"[^\w\s-]")
_DASHES = re.compile(r"[\s-]+")
_BREAKS = re.compile(r"\s")


def anchored(anchor: str, sections: Sequence[OutlineNode]) -> list[OutlineNode]:
    r"""Return the sections that an anchor means; none where it is no anchor of any.

    A heading that declares an id has no other anchor. Of headings that have one title, the first has the
    anchor, and the others have it with a number: ``steps-1`` (GitHub) or ``steps_1`` (Python-Markdown).

    >>> from rankgate.outline import read_outline
    >>> text = "# Install {#pip}\n# Setup { #install }\n# Keys & logs\n# Keys & logs"
    >>> nodes = read_outline("a.md", text)[1:]
    >>> [anchored(name, nodes)[0].start for name in ("install", "keys-logs", "keys--logs-1", "keys-logs_1")]
    [2, 3, 4, 4]
    """
    declared = [node for node in sections if anchor in node.ids]
    # Only what is written as an anchor is one: as anchors, 1.0.0 would be 10.0 and C would be C++.
    if declared or _NOT_IN_ANCHORS.search(anchor) or _BREAKS.search(anchor) or anchor != anchor.lower():
        return declared
    seen: Counter[str] = Counter()
    found: dict[bool, list[OutlineNode]] = {True: [], False: []}
    for node in sections:
        if node.ids:
            continue
        for made in set(_made_of(node.name)):
            number = seen[made]
            seen[made] += 1
            if anchor in ((made,) if not number else (f"{made}-{number}", f"{made}_{number}")):
                found[number == 0].append(node)
    # A title that ends with a number comes before the second of a title without one.
    return (found[True] or found[False])[:1]


def _made_of(title: str) -> Iterator[str]:
    """Make anchors of a title: as most do; in ASCII, as Python-Markdown; with every space, as GitHub."""
    words = _NOT_IN_ANCHORS.sub("", title.lower())
    yield _DASHES.sub("-", words).strip("-")
    if not words.isascii():
        letters = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode()
        yield _DASHES.sub("-", letters).strip("-")
    yield _BREAKS.sub("-", words.strip())
