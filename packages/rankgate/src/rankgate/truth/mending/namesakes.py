"""What has the name of a section or a symbol, or one like it, in any document of today.

In a large corpus only the same name is looked for. The files are ranked by how near they lie to that of the
target: a corpus may hold several projects, and what went to another file seldom went to another project.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rankgate.progress import steps

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.locations import Location
    from rankgate.outline import OutlineNode
    from rankgate.truth.locations.corpus_reader import CorpusReader

MOST_FILES = 500
"""In how many files a name is looked for that is only like that of a location."""
NEAR = 0.65
"""How like a name must be."""
_PAGES = (".htm", ".html", ".markdown", ".md", ".mdx", ".rest", ".rst", ".txt")
"""What a page may be rewritten as."""
_FOLDERS = 0.2


class Namesakes:
    """Finds sections and symbols by their last names."""

    def __init__(self, reader: CorpusReader) -> None:
        """Take the documents of today."""
        self._reader = reader
        self._symbols: dict[str, dict[str, list[tuple[str, OutlineNode]]]] = {}

    def like(self, location: Location, path: str, most: int) -> list[tuple[str, OutlineNode]]:
        """Return what has the name of a location or one like it, the likest and nearest first.

        Args:
            location: A section or a symbol.
            path: The file that it was in.
            most: How many are returned at most.
        """
        suffix = PurePosixPath(path).suffix
        if location.heading:
            known = self._sections
        elif suffix in self._symbols:
            known = self._symbols[suffix]
        else:
            known = self._symbols[suffix] = self._named((suffix,))
        ranked = [
            (like + _FOLDERS * nearness(path, there), there, node)
            for name, like in self._names(folded_name(location), known)
            for there, node in known[name]
        ]
        ranked.sort(key=lambda one: (-one[0], one[1], one[2].start))
        return [(there, node) for _, there, node in ranked[:most]]

    @cached_property
    def _sections(self) -> dict[str, list[tuple[str, OutlineNode]]]:
        return self._named(_PAGES)

    def _names(
        self, wanted: str, known: dict[str, list[tuple[str, OutlineNode]]]
    ) -> Iterator[tuple[str, float]]:
        if wanted in known:
            yield wanted, 1.0
        corpus = self._reader.corpus
        if corpus is None or len(corpus) > MOST_FILES:
            return
        like = Likeness(wanted)
        yield from ((name, share) for name in known if name != wanted and (share := like.to(name)) >= NEAR)

    def _named(self, suffixes: Sequence[str]) -> dict[str, list[tuple[str, OutlineNode]]]:
        corpus = self._reader.corpus
        paths = [] if corpus is None else [path for path in corpus.paths() if path.endswith(tuple(suffixes))]
        found: dict[str, list[tuple[str, OutlineNode]]] = {}
        pages = ".md" in suffixes
        for path in steps(paths, "reading names"):
            for node in self._reader.lookup.nodes(path):
                if node.path and node.kind != "document" and (node.kind == "section") == pages:
                    found.setdefault(folded(node.path[-1]), []).append((path, node))
        return found

    def same_file(self, path: str, most: int) -> list[str]:
        """Return the files of the same name, whatever they end in, those in the nearest folders first."""
        same = self._stems.get(PurePosixPath(path).stem, ())
        return sorted(same, key=lambda other: (-nearness(path, other), other))[:most]

    @cached_property
    def _stems(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in () if self._reader.corpus is None else self._reader.corpus.paths():
            found.setdefault(PurePosixPath(path).stem, []).append(path)
        return found


class Likeness:
    """How like names are to one.

    >>> like = Likeness("rotation")
    >>> like.to("rotation"), round(like.to("rotations"), 2), like.to("limits")
    (1.0, 0.94, 0.0)
    """

    def __init__(self, name: str) -> None:
        """Take the name, folded."""
        self._name = name
        self._matcher = SequenceMatcher(None, "", name)

    def to(self, name: str) -> float:
        """Return how like a name is, from 0 to 1; 0 for one that is not near."""
        if name == self._name:
            return 1.0
        matcher = self._matcher
        matcher.set_seq1(name)
        # The first two are upper bounds of the third, which takes long.
        if matcher.real_quick_ratio() < NEAR or matcher.quick_ratio() < NEAR:
            return 0.0
        share = matcher.ratio()
        return share if share >= NEAR else 0.0


def folded_name(location: Location) -> str:
    """Return the last name of a section or a symbol, as names are compared."""
    return folded(location.heading[-1] if location.heading else (location.symbol or "").rpartition(".")[2])


def nearness(one: str, other: str) -> float:
    """Return how near two files lie, from 0 to 1: the part of their folders and names that they share.

    >>> nearness("click/click/core.py", "click/src/click/core.py")
    0.75
    >>> nearness("docs/options.rst", "docs/options.md"), nearness("flask/cli.py", "click/core.py")
    (1.0, 0.0)
    """
    mine, theirs = _parts(one), _parts(other)
    shortest = min(len(mine), len(theirs))
    leading = next((at for at in range(shortest) if mine[at] != theirs[at]), shortest)
    behind = next((at for at in range(shortest - leading) if mine[-1 - at] != theirs[-1 - at]), None)
    trailing = shortest - leading if behind is None else behind
    return (leading + trailing) / max(len(mine), len(theirs))


def _parts(path: str) -> tuple[str, ...]:
    return PurePosixPath(path).with_suffix("").parts


def folded(name: str) -> str:
    """Return a name as names are compared."""
    return " ".join(name.split()).casefold()
