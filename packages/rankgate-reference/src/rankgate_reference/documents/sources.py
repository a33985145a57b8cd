"""What a library is made of: the files of a folder, or the records of another corpus."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import rankgate as rg
from rankgate_reference.documents.nodes import node_of_record, nodes_of

if TYPE_CHECKING:
    from rankgate_reference.documents.nodes import TreeNode

_FOLDERS = {
    "folder": "the folder to search",
    "beir": "a folder with corpus.jsonl",
    "git": "a folder with a repository",
}
_FILES = {
    "jsonl": "a file of JSON objects, one a line",
    "archive": "an archive of files",
}
_COMMA = re.compile(r"(?<!\\),")
_OWN_ROOTS = ("folder", "git")
"""Kinds whose place is the root itself, and nothing beside it is looked at."""
SUITE = "suite"
"""The kind that means the corpus of the suite, which is given and not opened."""


class Source:
    """A corpus as it is now, and the nodes of its documents."""

    def __init__(self, corpus: rg.Corpus, kind: str) -> None:
        self.kind = kind
        """What it is, with its options."""
        self.corpus = corpus
        """The documents."""
        records = corpus.documents() if corpus.records else ()
        self._titles = {record.id: record.title for record in records}

    @classmethod
    def open(cls, root: Path, kind: str = "folder") -> Source:
        """Open what lies at a place.

        Raises:
            InputError: for what is not there or holds nothing.
            FormatError: for a file that is not of that kind.
            PluginError: for a kind that no plugin brings.
        """
        name, options = _read(kind)
        here, place = (root, ".") if name in _OWN_ROOTS else (root.parent, root.name)
        source = rg.CorpusSource(place, name, options)
        return cls(rg.open_source(source, rg.OpenContext(here=here, root=root)), kind)

    def marked(self, path: str, text: str) -> str:
        """Return all that the nodes of a document are made of."""
        return json.dumps([self._titles[path], text]) if path in self._titles else text

    def nodes(self, path: str, text: str, notes: list[str]) -> tuple[TreeNode, ...]:
        """Make the nodes of a document: a record is one."""
        if path in self._titles:
            return (node_of_record(path, self._titles[path], text),)
        return nodes_of(path, text, notes)


def is_folder(kind: str) -> bool:
    """Check whether the files of a folder are meant, and not records that may lie in one.

    >>> is_folder("folder"), is_folder("beir"), is_folder("jsonl,id=key")
    (True, False, False)
    """
    return _read(kind)[0] == "folder"


def checked(root: str | Path, kind: str) -> Path:
    """Return where a corpus is, with every link resolved.

    Raises:
        InputError: for what is not there, or is a file in place of a folder, or the other way round.
    """
    name, _ = _read(kind)
    place = resolved(root)
    expected = {**_FOLDERS, **_FILES}.get(name, "what is to be searched")
    if not os.path.exists(place):  # noqa: PTH110 - a path raises for a name that is too long
        found = "no folder" if name in _FOLDERS else "no file"
        raise rg.InputError(rg.Problem(str(root), found, expected))
    if name in _FOLDERS and not place.is_dir():
        fix = "say what it is: --corpus jsonl or archive, or corpus in a configuration"
        raise rg.InputError(rg.Problem(str(root), "a file", expected, fix if name == "folder" else ""))
    if name in _FILES and not place.is_file():
        found = "a folder" if place.is_dir() else "what is no file"
        raise rg.InputError(rg.Problem(str(root), found, expected))
    return place


def resolved(path: str | Path) -> Path:
    """Return a path with every link resolved.

    Raises:
        InputError: for what can be no path, such as links in a circle.
    """
    try:
        return Path(path).resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise rg.InputError(
            rg.Problem(repr(str(path)), f"no path ({error})", "a folder or a file")
        ) from error


def _read(kind: str) -> tuple[str, dict[str, str | tuple[str, ...]]]:
    r"""Read a kind of corpus with its options; one that is given several times is a list.

    >>> _read("archive,include=**/*.py,include=docs/**,exclude=a\\,b.py")
    ('archive', {'include': ('**/*.py', 'docs/**'), 'exclude': 'a,b.py'})
    """
    name, *given = (part.replace("\\,", ",") for part in _COMMA.split(kind))
    found: dict[str, tuple[str, ...]] = {}
    for one in given:
        key, equals, value = one.partition("=")
        if not equals or not key:
            expected = "a kind with its options, such as jsonl,id=key,text=title,text=body"
            raise rg.InputError(
                rg.Problem("corpus", repr(kind[:80]), expected, "write a comma in a value as \\,")
            )
        found[key] = (*found.get(key, ()), value)
    return name, {key: values[0] if len(values) == 1 else values for key, values in found.items()}
