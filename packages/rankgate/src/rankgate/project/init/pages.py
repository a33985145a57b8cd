"""Which files of a corpus are pages that readers look for something in, and how much each of them matters."""

from __future__ import annotations

import math
import posixpath
import re
from collections import Counter
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

DOCUMENTS = (".md", ".markdown", ".mdx", ".rst", ".txt", ".html", ".htm", ".adoc")
"""The endings of files that people read."""

_ASIDE = re.compile(
    r"(?:^|[-_.\d])(?:release|releases|releasing|changelogs?|changes|history|historical|news|whats-?new|"
    r"announce|announcements?|licen[cs]es?|copying|notice|authors|contributors|contributing|contribute|"
    r"contribution|maintainers|code-?of-?conduct|governance|sponsors?|sponsorship|funding|backers|security|"
    r"adrs?|decisions?|rfcs?|specs?|specifications?|glossary|proposals?|tests?|testdata|fixtures|blog|posts|third-party|deprecations?|roadmap|"
    r"research|todo|credits|acknowledge?ments|summary|sidebar|navbar|readme|templates?|includes?|snippets?|"
    r"backwards-compatibility|trainings|talks|contact|compare)(?:$|[-_.\d])",
    re.IGNORECASE,
)
# What is written for those who work on the project itself.
_FOR_MAKERS = frozenset(("dev", "devel", "developers", "development", "internals", "research"))
_NOT_ASKED = re.compile(
    r"further reading|see also|references?|summary|conclusion|next steps?|learn more|what'?s next|credits|"
    r"acknowledge?ments?|sponsor(s|ship)?|release notes|changelog|changes|history|licen[cs]e|contributing|"
    r"community( guide)?|(getting )?help|support|appendix.*|table of contents|contents|index|examples?|"
    r"third[- ]party.*|roadmap|bugs?|todo|faq|continue reading|v?\d+(\.\d+)+.*",
    re.IGNORECASE,
)
_NOT_OURS = re.compile(
    r"third[- ]party.*|release notes|changelog|(breaking )?changes|v?\d+(\.\d+)+.*|design decisions.*|"
    r"glossary|internals?\b.*|migrating .*|migration.*|upgrading.*|deprecat.*",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"\]\(<?([^)\s>#]+)|:doc:`(?:[^`<]*<)?([^`>]+)>?`|href=[\"']([^\"'#]+)|^\s*\[[^\]]+\]:\s*(\S+?)(?:#|\s|$)",
    re.MULTILINE,
)
_LINKED = 1.5


def is_asked_for(path: str) -> bool:
    """Check whether readers look for answers in a file: no changelog, licence, decision, test or the like.

    >>> [is_asked_for(path) for path in ("guide/keys.md", "release-notes.md", "tests/a.md", "adr/0001.md")]
    [True, False, False, False]
    """
    *folders, name = path.replace("_", "-").split("/")
    return (
        path.lower().endswith(DOCUMENTS)
        and not any(_ASIDE.search(folder) or folder.startswith(("-", ".")) for folder in folders)
        and not _FOR_MAKERS & {folder.lower() for folder in folders}
        and not _ASIDE.search(PurePosixPath(name).stem)
    )


def is_asked_about(titles: Sequence[str]) -> bool:
    """Check whether a heading names a subject, and not a place of the page, a version or what others made.

    >>> [is_asked_about(titles) for titles in (["Keys", "Rotation"], ["Keys", "See also"], ["1.2.0 (May 2)"])]
    [True, False, False]
    """
    *above, own = (title.strip().rstrip(":.") for title in titles)
    return not _NOT_ASKED.fullmatch(own) and not any(_NOT_OURS.fullmatch(title) for title in above)


def importance(texts: Mapping[str, str]) -> dict[str, float]:
    """Return how much each page matters: by how long it is, and by how many other pages link to it.

    >>> found = importance({"a.md": "see [b](b.md)", "b.md": "text", "c.md": "text"})
    >>> sorted(found, key=found.__getitem__)[-1]
    'b.md'
    """
    linked = Counter(to for path, text in texts.items() for to in _links(path, text, texts))
    return {
        path: math.log2(1 + len(text) / 500) + _LINKED * math.log2(1 + linked[path])
        for path, text in texts.items()
    }


def _links(path: str, text: str, known: Iterable[str]) -> set[str]:
    """Return the other pages that a page links to."""
    folder = posixpath.dirname(path)
    found: set[str] = set()
    for groups in _LINK.findall(text):
        target = next(filter(None, groups), "").partition("#")[0].partition("?")[0]
        if not target or "://" in target or target.startswith("mailto:"):
            continue
        absolute = target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target)
        plain = posixpath.normpath(absolute)
        stem = plain.removesuffix(".html")
        endings = ("", *DOCUMENTS, "/index.md", "/index.rst")
        found |= {name for ending in endings if (name := stem + ending) in known and name != path}
    return found
