"""Sections of a corpus that somebody may write a first case for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import FormatError
from rankgate.locations import Location
from rankgate.outline import read_outline
from rankgate.outline.nodes import own_end
from rankgate.project.init.pages import importance, is_asked_about, is_asked_for

if TYPE_CHECKING:
    from rankgate.corpora.corpus import Corpus


def places_to_ask_for(corpus: Corpus, many: int = 5) -> tuple[list[Location], dict[str, str]]:
    """Return sections with a text, one per page, the largest and most linked pages first.

    Returns:
        The sections, or whole files if there are none; and by path why a file has no outline.
    """
    texts = {path: corpus.text(path) for path in corpus.paths() if is_asked_for(path)}
    matters = importance(texts)
    first: dict[str, Location] = {}
    unread: dict[str, str] = {}
    for path, text in texts.items():
        try:
            nodes = read_outline(path, text) or ()
        except FormatError as error:
            problem = error.problems[0]
            unread[path] = f"{problem.found}; {problem.fix}" if problem.fix else problem.found
            continue
        lines = text.split("\n")
        filled = [node for node in nodes if any(map(str.strip, lines[node.start : own_end(nodes, node)]))]
        named = [node for node in filled if is_asked_about(node.path)]
        if named:
            below = [node for node in named if node.level > 1]
            first[path] = Location(path=path, heading=(below or named)[0].path)
    paths = sorted(first, key=lambda path: (-matters[path], path))
    if not paths:
        code = [path for path in corpus.paths() if path not in texts]
        return [Location(path=path) for path in code[:many]], unread
    return [first[path] for path in paths[:many]], unread
