"""The nodes of a corpus in a file, so that opening a library parses only what changed.

One SQLite file holds the hash of every file and its nodes. Paths are noted as pending before the index is
touched and cleared with the transaction that writes their nodes: a crash between the two is seen at the next
opening, and the work is repeated.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any

import rankgate as rg
from rankgate.reference.nodes import TreeNode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    _Run = Callable[[str, tuple[object, ...]], object]

_SCHEMA = """
    CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS files (path TEXT PRIMARY KEY, hash TEXT, notes TEXT) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS pending (path TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS nodes (
        id TEXT PRIMARY KEY, path TEXT, at INTEGER, parent TEXT, kind TEXT, title TEXT, start INTEGER,
        end INTEGER, own_end INTEGER, level INTEGER, text TEXT, trail TEXT, symbol TEXT, facets TEXT,
        name TEXT
    );
    CREATE INDEX IF NOT EXISTS by_path ON nodes (path, at);
    CREATE INDEX IF NOT EXISTS by_name ON nodes (name) WHERE symbol <> '';
"""
_LAST = "\U0010ffff"
_COLUMNS = "id, parent, kind, title, path, start, end, own_end, level, text, trail, symbol, facets"
_NAMES = _COLUMNS.split(", ")
_INSERT = f"INSERT INTO nodes ({_COLUMNS}, at, name) VALUES ({', '.join('?' * 15)})"  # noqa: S608 - our own


class Store:
    """The nodes and hashes of files. Threads share it."""

    def __init__(self, file: Path) -> None:
        self._lock = Lock()
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(file, check_same_thread=False, isolation_level=None)
            self._connection.executescript(
                f"PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; {_SCHEMA}"
            )
        except (sqlite3.Error, OSError) as error:
            fix = "remove the folder to have it made anew"
            raise rg.InputError(
                rg.Problem(str(file), f"a file that does not open ({error})", "the nodes of a library", fix)
            ) from error

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    def fact(self, name: str) -> str | None:
        """Give what was noted under a name."""
        row = self._one("SELECT value FROM facts WHERE name = ?", name)
        return None if row is None else str(row[0])

    def note(self, name: str, value: str) -> None:
        """Note something under a name."""
        with self._writing() as run:
            run("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def hashes(self) -> dict[str, str]:
        """Give the hash of every file that is in."""
        return dict(self._all("SELECT path, hash FROM files"))

    def count(self) -> int:
        """Count the nodes."""
        return int(self._all("SELECT count(*) FROM nodes")[0][0])

    def notes(self) -> list[str]:
        """List what could not be read as it should, in the order of the files."""
        rows = self._all("SELECT notes FROM files WHERE notes <> '' ORDER BY path")
        return [line for (notes,) in rows for line in notes.split("\n")]

    def pending(self) -> list[str]:
        """List the files whose update was begun and not finished."""
        return [path for (path,) in self._all("SELECT path FROM pending")]

    def begin(self, paths: Iterable[str]) -> None:
        """Note that files are about to be updated."""
        with self._writing() as run:
            for path in paths:
                run("INSERT OR IGNORE INTO pending VALUES (?)", (path,))

    def replace(
        self,
        files: Iterable[tuple[str, str, Sequence[TreeNode], str]],
        removed: Iterable[str],
        fingerprint: str,
    ) -> None:
        """Write the nodes of files (path, hash, nodes, notes), remove others, and clear what was pending."""
        with self._writing() as run:
            for path in removed:
                _remove(run, path)
            for path, digest, nodes, notes in files:
                _remove(run, path)
                run("INSERT INTO files VALUES (?, ?, ?)", (path, digest, notes))
                for at, node in enumerate(nodes):
                    run(_INSERT, _row(node, at))
            run("DELETE FROM pending", ())
            run("INSERT OR REPLACE INTO facts VALUES ('fingerprint', ?)", (fingerprint,))

    def node(self, id: str) -> TreeNode | None:  # noqa: A002 - what it is
        """Give a node by its id."""
        row = self._one(f"SELECT {_COLUMNS} FROM nodes WHERE id = ?", id)  # noqa: S608 - our own columns
        return None if row is None else _node(row)

    def nodes(self, path: str) -> list[TreeNode]:
        """Give the nodes of a file, the document first, the rest in the order of the file."""
        rows = self._all(f"SELECT {_COLUMNS} FROM nodes WHERE path = ? ORDER BY at", path)  # noqa: S608
        return [_node(row) for row in rows]

    def documents(self) -> list[TreeNode]:
        """Give the node of every file, in the order of their paths."""
        rows = self._all(f"SELECT {_COLUMNS} FROM nodes WHERE at = 0 ORDER BY path")  # noqa: S608
        return [_node(row) for row in rows]

    def symbols_beginning(self, name: str) -> list[tuple[str, str]]:
        """Give id and qualified name of the symbols whose last name begins so, in any case of letters."""
        first = name.casefold()
        query = "SELECT id, symbol FROM nodes WHERE symbol <> '' AND name >= ? AND name < ?"
        return self._all(query, first, first + _LAST)

    def _one(self, query: str, *values: str) -> tuple[Any, ...] | None:
        return next(iter(self._all(query, *values)), None)

    def _all(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        sound = [value.encode(errors="replace").decode() for value in values]
        with self._lock:
            try:
                return self._connection.execute(query, sound).fetchall()
            except sqlite3.Error as error:
                raise rg.SystemFailedError(
                    rg.Problem("the nodes", str(error), "a file that answers")
                ) from error

    @contextmanager
    def _writing(self) -> Iterator[_Run]:
        with self._lock:
            run = self._connection.execute
            try:
                run("BEGIN IMMEDIATE")
                yield run
                run("COMMIT")
            except BaseException as error:
                if self._connection.in_transaction:
                    run("ROLLBACK")
                if isinstance(error, sqlite3.Error):
                    problem = rg.Problem("the nodes", str(error), "a file that can be written")
                    raise rg.SystemFailedError(problem) from error
                raise


def _remove(run: _Run, path: str) -> None:
    run("DELETE FROM nodes WHERE path = ?", (path,))
    run("DELETE FROM files WHERE path = ?", (path,))


def _row(node: TreeNode, at: int) -> tuple[object, ...]:
    return (
        node.id,
        node.parent,
        node.kind,
        node.title,
        node.path,
        node.start,
        node.end,
        node.own_end,
        node.level,
        node.text,
        json.dumps(node.trail),
        node.symbol,
        json.dumps(dict(node.facets)),
        at,
        node.title.casefold(),
    )


def _node(row: Sequence[Any]) -> TreeNode:
    values = dict(zip(_NAMES, row, strict=True))
    values["trail"] = tuple(json.loads(values["trail"]))
    values["facets"] = {key: tuple(found) for key, found in json.loads(values["facets"]).items()}
    return TreeNode(**values)
