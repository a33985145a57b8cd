"""What a question is about, said where the question leaves it out.

A section says "you can set a different encoding" below the title "Custom encoding for environment files". Its
reader knows of what; whoever types the question does not have the page before them, and names it.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rankgate.evaluation.starting.readers_words import from_gerund, word_set

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LONGEST = 4
_TAIL = re.compile(r"\b(?P<preposition>for|in|on|of|from|with|using|inside|between) (?P<thing>.+)")
_OPENING = re.compile(
    r"^(?:how to (?:use|work with|manage)|using|use|working with|work with|managing|handling|introduction to|"
    r"an introduction to|getting started with|guide to|about|understanding|advanced|basic|basics of|more|"
    r"configuring|the|an?|your)\s+",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"[A-Za-z][A-Za-z'’-]*(?: [A-Za-z][A-Za-z'’-]*)*")
_NO_SUBJECT = word_set("no_subjects")


def subjects(path: str, titles: Sequence[str], names: frozenset[str] = frozenset()) -> Iterator[str]:
    """Return phrases that name the subject of a section, the nearest title first.

    Args:
        path: The file, whose name is the subject where a page has no title.
        titles: The titles down to the section.
        names: The words that are written with a capital.

    >>> list(subjects("config.md", ["Custom encoding for environment files"]))
    ['for environment files', 'in config']
    >>> list(subjects("testing.md", ["Testing Click Applications", "Capture modes", "sys"]))
    ['in capture modes', 'when testing click applications']
    """
    *above, own = titles
    tail = _TAIL.search(own)
    if tail and (thing := _thing(tail["thing"], names)):
        yield f"{'with' if tail['preposition'] == 'using' else tail['preposition']} {thing}"
    named = above or [re.sub(r"[-_]+", " ", PurePosixPath(path).stem)]
    for title in reversed(named):
        tail = _TAIL.search(title)
        if from_gerund(title.split(" ")[0].lower()) and not _OPENING.match(title):
            if phrase := _thing(title, names):
                yield f"when {phrase[0].lower()}{phrase[1:]}"
        elif tail and tail["preposition"] in ("with", "using") and (thing := _thing(tail["thing"], names)):
            yield f"with {thing}"
        elif thing := _thing(title, names):
            yield f"in {thing}"


def _thing(title: str, names: frozenset[str]) -> str:
    """Return a title as it stands within a sentence; nothing where it has code or says nothing."""
    while (shorter := _OPENING.sub("", title.strip())) != title:
        title = shorter
    words = title.split()
    if not _PLAIN.fullmatch(title) or len(words) > _LONGEST or words[-1].lower() in _NO_SUBJECT:
        return ""
    capital = re.compile(r"[A-Z][a-z'’-]*")
    return " ".join(word.lower() if capital.fullmatch(word) and word not in names else word for word in words)
