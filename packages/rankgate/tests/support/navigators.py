"""A navigator over Markdown in memory or in a folder, and ways in which one goes wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.locations import Lines, Location
from rankgate.model import Hit, Node, Query, Ranking
from rankgate.outline import read_outline

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


class MarkdownNavigator:
    """Searches lines, and walks sections; an honest one."""

    name = "markdown"

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = dict(texts)
        self.called: list[str] = []

    @classmethod
    def over(cls, folder: Path) -> MarkdownNavigator:
        files = sorted(folder.rglob("*.md"))
        return cls({file.relative_to(folder).as_posix(): file.read_text(encoding="utf-8") for file in files})

    def search(self, query: Query) -> Ranking:
        words = query.text.lower().split()
        hits = []
        for path, text in self.texts.items():
            for number, line in enumerate(text.split("\n"), 1):
                score = float(sum(word in line.lower() for word in words))
                if score:
                    hits.append(Hit(path=path, lines=Lines(number, number), score=score, text=line))
        return Ranking(tuple(sorted(hits, key=lambda hit: -(hit.score or 0))[: query.k]))

    def documents(self) -> Sequence[Node]:
        self.called.append("documents")
        return [
            Node(path, text.split("\n")[0].strip("# "), Location(path=path))
            for path, text in self.texts.items()
        ]

    def tree(self, document: str) -> Sequence[Node]:
        self.called.append(f"tree {document}")
        return self._nodes(document)

    def read(self, node: str) -> str:
        self.called.append(f"read {node}")
        path, first, _ = self._range(node)
        later = [one.location.lines.start for one in self._nodes(path) if one.location.lines]
        return self._lines(path, first, min((start - 1 for start in later if start > first), default=10**9))

    def subtree(self, node: str) -> str:
        self.called.append(f"subtree {node}")
        return self._lines(*self._range(node))

    def _nodes(self, document: str) -> list[Node]:
        nodes = read_outline(document, self.texts[document]) or ()
        return [
            Node(
                f"{document}@{node.start}",
                node.name,
                Location(path=document, lines=Lines(node.start, node.end)),
                f"{document}@{nodes[node.parent].start}" if node.parent else None,
            )
            for node in nodes[1:]
        ]

    def _range(self, node: str) -> tuple[str, int, int]:
        path, _, start = node.partition("@")
        if not start:
            return path, 1, 10**9
        nodes = read_outline(path, self.texts[path]) or ()
        end = next(one.end for one in nodes[1:] if one.start == int(start))
        return path, int(start), end

    def _lines(self, path: str, first: int, last: int) -> str:
        return "\n".join(self.texts[path].split("\n")[first - 1 : last])


class WrongParent(MarkdownNavigator):
    """Puts every section below the first one of its page."""

    def tree(self, document: str) -> Sequence[Node]:
        first, *rest = super().tree(document)
        return [first, *(replace(node, parent=first.id) for node in rest)]


class SiblingsToo(MarkdownNavigator):
    """Reads a leaf with all that stands beside it."""

    def read(self, node: str) -> str:
        return super().subtree(
            next(one.parent or one.id for one in self._nodes(self._range(node)[0]) if one.id == node)
        )


class DropsAChild(MarkdownNavigator):
    """Gives all below a section but the last of it."""

    def subtree(self, node: str) -> str:
        text = super().subtree(node)
        return text[: text.rindex("\n#")]


class LosesATitle(MarkdownNavigator):
    """Leaves the last section out of the tree."""

    def tree(self, document: str) -> Sequence[Node]:
        return super().tree(document)[:-1]
