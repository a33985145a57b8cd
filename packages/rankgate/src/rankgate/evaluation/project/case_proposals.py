"""Cases proposed from a corpus: a heading or a symbol as the target, its words as the query.

They are a start, marked unreviewed: a query that quotes its target is easier than what people type.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from rankgate.errors import FormatError
from rankgate.model import Location
from rankgate.outline import read_outline

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankgate.corpora.corpus import Corpus
    from rankgate.outline.nodes import OutlineNode

_SYMBOLS = {"class", "function", "method"}
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(frozen=True, slots=True)
class Proposal:
    """One case that somebody should look at."""

    query: str
    """What to ask."""
    at: Location
    """What it should find."""


def propose(corpus: Corpus, many: int = 10) -> tuple[list[Proposal], dict[str, str]]:
    """Propose cases, spread over the files of a corpus, the same ones every time.

    Sections come first; symbols fill up to a third of the number, or what sections leave free.

    Returns:
        The cases, and why a file has no outline, by path: a syntax error, or an extra that is not installed.
    """
    nodes: list[tuple[str, OutlineNode]] = []
    unread: dict[str, str] = {}
    for path in corpus.paths():
        try:
            nodes.extend((path, node) for node in read_outline(path, corpus.text(path)) or ())
        except FormatError as error:
            problem = error.problems[0]
            unread[path] = f"{problem.found}; {problem.fix}" if problem.fix else problem.found
    sections = _spread((path, node) for path, node in nodes if node.kind == "section" and node.level > 1)
    symbols = _spread((path, node) for path, node in nodes if node.kind in _SYMBOLS and _public(node))
    most = many - min(len(symbols), many // 3)
    chosen = [*sections[:most], *symbols]
    titles = Counter(proposal.query for proposal in chosen)
    unique = [proposal for proposal in chosen if titles[proposal.query] == 1]
    return unique[:many], unread


def _spread(nodes: Iterable[tuple[str, OutlineNode]]) -> list[Proposal]:
    """Take one node of each file, then the second of each, and so on."""
    by_file: dict[str, list[Proposal]] = {}
    for path, node in nodes:
        if node.end > node.start and (proposal := _proposal(path, node)) is not None:
            by_file.setdefault(path, []).append(proposal)
    return [proposal for proposal in chain.from_iterable(zip_longest(*by_file.values())) if proposal]


def _proposal(path: str, node: OutlineNode) -> Proposal | None:
    if node.kind == "section":
        words = node.path if len(_words(node.name)) < 2 else (node.name,)
        at = Location(path=path, heading=node.path)
    else:
        words, at = node.path, Location(path=path, symbol=".".join(node.path))
    query = " ".join(dict.fromkeys(word.lower() for part in words for word in _words(part)))
    return Proposal(query, at) if len(query) > 3 else None


def _public(node: OutlineNode) -> bool:
    return not any(name.startswith("_") for name in node.path) and len(_words(node.name)) > 1


def _words(text: str) -> list[str]:
    """Split a title or an identifier into words.

    >>> _words("rotateAPIKey_now")
    ['rotate', 'API', 'Key', 'now']
    """
    return _WORD.findall(text)
