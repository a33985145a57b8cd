"""From what an agent wrote to the node that it means, or to what is near it.

Ids are looked up among the nodes and never opened as files, whatever they look like.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import rankgate as rg
from rankgate_reference.answers import line_of
from rankgate_reference.documents.nodes import path_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate_reference.documents.nodes import TreeNode
    from rankgate_reference.library.library import Library

_LONGEST = 2000
_COMPARED = 20_000
_NEAR = 5
_LINES = re.compile(r"(?P<path>.+?)(?::|#L)(?P<line>\d{1,9})(?:-L?\d{1,9})?")
_WHERE = "search_documents and list_documents give ids"


class Finder:
    """Finds nodes of a library by what agents call them."""

    def __init__(self, library: Library, where: str = _WHERE) -> None:
        """Take the library, and what to say to one who is near nothing."""
        self._library = library
        self._where = where

    @cached_property
    def paths(self) -> list[str]:
        """The files."""
        return [node.path for node in self._library.documents_without_text]

    def node(self, id: str, *, hint: bool = True) -> TreeNode:  # noqa: A002 - what it is
        """Return the node with an id, or the innermost one around a place: ``app.py:30``, ``app.py#L30``.

        The id of a record is taken as it is, and as nothing else.

        Args:
            id: What an agent wrote.
            hint: False to save the time to look for what is near.

        Raises:
            InputError: where there is none, with what is near.
        """
        known = self.known(id)
        if known is None and id.startswith("./") and not self._library.records:
            known = self.known(id[2:])
        return known or self._refused(id, hint)

    def known(self, id: str) -> TreeNode | None:  # noqa: A002 - what it is
        """Return the node with just this id, or around just this place; None where there is none."""
        try:
            return self._library.node(id)
        except rg.SystemFailedError:
            return None if self._library.records else self._at_line(id)

    def _at_line(self, place: str) -> TreeNode | None:
        found = _LINES.fullmatch(place)
        if found is None:
            return None
        try:
            nodes = self._library.nodes(found["path"])
        except rg.SystemFailedError:
            return None
        line = int(found["line"])
        around = [node for node in nodes if node.start <= line <= node.end]
        return min(around, key=lambda node: (node.end - node.start, -node.level)) if around else None

    def _refused(self, id: str, hint: bool) -> TreeNode:  # noqa: A002 - what it is
        inside = self.folder(id)
        if inside and self._library.records:
            found = f"no such record, and {sum(one.startswith(inside) for one in self.paths):,} that begin so"
            fix = f"list_documents(path_prefix={inside!r}) lists them"
            raise rg.InputError(rg.Problem(repr(line_of(id)), found, "an id from a result", fix))
        if inside:
            fix = f"list_documents(path_prefix={inside!r}) lists its files"
            raise rg.InputError(rg.Problem(repr(line_of(id)), "a folder", "an id from a result", fix))
        near = self.near(id) if hint else ()
        why = self._library.why_missing(path_of(id[:_LONGEST]))
        found = f"a file that is not indexed: it is {why}" if why else "no such node"
        fix = "near it: " + ", ".join(near) if near else self._where
        raise rg.InputError(rg.Problem(repr(line_of(id)), found, "an id from a result", fix))

    def folder(self, path: str) -> str:
        """Return a path as that of a folder with files, or as what ids of records begin with; or nothing."""
        start = path[:_LONGEST]
        prefix = (start if self._library.records else start.removeprefix("./")).rstrip("/") + "/"
        return prefix if any(one.startswith(prefix) for one in self.paths) else ""

    def near(self, id: str) -> Sequence[str]:  # noqa: A002 - what it is
        """List ids that may have been meant."""
        id = id[:_LONGEST]  # noqa: A001 - what it is
        if self._library.records:
            return get_close_matches(id, self.paths[:_COMPARED], _NEAR, 0.7)
        symbols = [one for fit, one in self._library.symbols(id) if fit != "prefix"]
        if symbols and "/" not in id:
            # What an import would say, such as ``http.client.Client``.
            return symbols[:_NEAR]
        place = _LINES.fullmatch(id)
        path = place["path"] if place else path_of(id)
        try:
            ids = [node.id for node in self._library.nodes(path)][:_COMPARED]
        except rg.SystemFailedError:
            return self._near_paths(path)
        name = re.split(r"[#/.:]", id)[-1].casefold()
        same = [one for one in ids if name and one.casefold().endswith(name)]
        return list(dict.fromkeys([*same, *get_close_matches(id, ids, _NEAR, 0.7), *ids[:1]]))[:_NEAR]

    def _near_paths(self, path: str) -> Sequence[str]:
        name = PurePosixPath(path.replace("\\", "/")).name
        same = [one for one in self.paths if name and PurePosixPath(one).name == name]
        if same:
            # The more of its folders a path ends with, the nearer it is.
            wanted = path.split("/")
            same.sort(key=lambda one: (-_shared_end(one.split("/"), wanted), one))
            return same[:_NEAR]
        return get_close_matches(path, self.paths[:_COMPARED], _NEAR, 0.7)


def _shared_end(one: list[str], other: list[str]) -> int:
    count = 0
    for mine, theirs in zip(reversed(one), reversed(other), strict=False):
        if mine != theirs:
            break
        count += 1
    return count
