"""Titles as systems write them: when two name the same section or symbol.

Runs of white space count as one and backquotes and asterisks as nothing, because some systems give a heading
as it is marked up. Case counts: ``Router`` and ``router`` may be two symbols. Systems write a symbol with its
kind, its signature or the names around it: ``def rotate(self)``, ``class Router``, ``Store.rotate``. Each of
these is also called by its bare name.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

from rankgate.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable

# A bracket after a space is part of a title, as in "Scopes (optional)", or the receiver of a method of Go.
_BRACKET = re.compile(r"(?<=[\w$>\]?!])\(")
_BEFORE_BRACKET = re.compile(r"([\w$][\w$.:#]*)[?!]?(?:<[^<>]*>|\[[^\[\]]*\])?\Z")
# Only a whole declaration is one: "static files" is an ordinary title.
_DECLARATION = re.compile(
    r"""(?:(?:abstract|async|export|final|private|protected|pub|public|static)\s)*
        (?:class|def|enum|fn|fun|func|function|impl|interface|macro|mod|module|namespace|struct|trait|type)\s
        (?P<name>[\w$.:]+)
        (?:[<:{=\[].*|\s(?:extends|implements|where|for|[<:{=]).*)?""",
    re.VERBOSE,
)
_QUALIFIED = re.compile(r"[\w$]+(?:(?:\.|::|#)[\w$]+)+")
_PARTS = re.compile(r"\.|::|#")
_NAME = re.compile(r"[\w$]+(?:(?:\.|::|#)[\w$]+)*")
_COMPARED, _LONGEST, _NEAR = 2000, 120, 3


def folded(text: str) -> str:
    r"""Write runs of white space as one space.

    >>> folded(" Key\n  rotation ")
    'Key rotation'
    """
    return " ".join(text.split())


def plain(title: str) -> str:
    """Write a title in the one spelling in which titles are compared.

    >>> plain(" The  `Store` *class*")
    'The Store class'
    """
    return folded(title.replace("`", "").replace("*", ""))


def names(title: str) -> frozenset[str]:
    """Return all that a title may be called, each in the spelling of `plain`.

    >>> sorted(names("def rotate(self, key)"))
    ['def rotate(self, key)', 'rotate']
    >>> sorted(names("Store.rotate")), sorted(names("Scopes (optional)"))
    (['Store.rotate', 'rotate'], ['Scopes (optional)'])
    """
    whole = plain(title)
    found = {whole}
    if qualified := _symbol(whole):
        found |= {qualified, _PARTS.split(qualified)[-1]}
    return frozenset(found)


def parts(title: str) -> tuple[str, ...]:
    """Split the names around a symbol apart from its own; a title that is no symbol is one name.

    >>> parts("bool Store::rotate(int key)"), parts("Key rotation")
    (('Store', 'rotate'), ('Key rotation',))
    """
    whole = plain(title)
    return tuple(_PARTS.split(_symbol(whole))) if _symbol(whole) else (whole,)


def near(title: str, titles: Iterable[str]) -> str:
    """Return the titles that are like one, to be added to a sentence; empty where there are none.

    >>> near("Rotaton", ["Rotation", "Steps"])
    "; near it: 'Rotation'"
    """
    known: dict[str, None] = {}
    for other in titles:
        known.setdefault(folded(other[:_LONGEST]))
        if len(known) == _COMPARED:
            break
    close = get_close_matches(folded(title[:_LONGEST]), known, _NEAR, 0.6)
    return f"; near it: {', '.join(map(quoted, close))}" if close else ""


def _symbol(whole: str) -> str:
    """Return the name of a symbol as it is qualified; empty for what is no symbol."""
    if bracket := _BRACKET.search(whole):
        found = _BEFORE_BRACKET.search(whole, max(0, bracket.start() - _LONGEST), bracket.start())
        return found[1].strip(".:#") if found else ""
    if declared := _DECLARATION.fullmatch(whole):
        found = _NAME.match(declared["name"])
        return found[0] if found else ""
    return whole if _QUALIFIED.fullmatch(whole) else ""
