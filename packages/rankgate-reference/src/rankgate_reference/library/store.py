"""The nodes of a corpus in a file, so that opening a library parses only what changed.

One SQLite file holds the hash of every file and its nodes. Paths are noted as pending before the index is
touched and cleared with the transaction that writes their nodes: a crash between the two is seen at the next
opening, and the work is repeated.

A node's key is the number of its file, and which node of the file it is: nodes lie in the order in which they
are read, and need no index for it.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any

import rankgate as rg
from rankgate_reference.documents.nodes import TreeNode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

_TABLES = ("facts", "files", "pending", "nodes")
_SCHEMA = """
    CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS files (number INTEGER PRIMARY KEY, path TEXT UNIQUE, hash TEXT, notes TEXT);
    CREATE TABLE IF NOT EXISTS pending (path TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS nodes (
        key INTEGER PRIMARY KEY, id TEXT UNIQUE, parent TEXT, kind TEXT, title TEXT, start INTEGER,
        end INTEGER, own_end INTEGER, level INTEGER, text TEXT, trail TEXT, symbol TEXT, facets TEXT,
        name TEXT
    );
    CREATE INDEX IF NOT EXISTS by_name ON nodes (name) WHERE name IS NOT NULL;
"""
_OF_FILE = 1 << 32
_LAST = "\U0010ffff"
_COLUMNS = "path, id, parent, kind, title, start, end, own_end, level, text, trail, symbol, facets"
_NAMES = _COLUMNS.split(", ")
_BOTH = f"nodes JOIN files ON number = key / {_OF_FILE}"
_WITHOUT_TEXT = _COLUMNS.replace("text", "'' AS text")
_INSERT = f"INSERT INTO nodes VALUES ({', '.join('?' * 14)})"  # noqa: S608 - our own


class Store:
    """The nodes and hashes of files. Threads share it."""

    def __init__(self, file: Path) -> None:
        self._lock = Lock()
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(file, check_same_thread=False, isolation_level=None)
        except (sqlite3.Error, OSError) as error:
            raise _does_not_open(file, error) from error
        try:
            self._connection.executescript(
                f"PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; {_SCHEMA}"
            )
        except sqlite3.Error as error:
            self._connection.close()
            raise _does_not_open(file, error) from error

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    def empty(self) -> None:
        """Forget everything; whoever reads the file meanwhile goes on reading what was there."""
        with self._writing() as connection:
            for table in _TABLES:
                connection.execute(f"DROP TABLE IF EXISTS {table}")
            for statement in _SCHEMA.split(";"):
                connection.execute(statement)

    def hold(self) -> None:
        """From now on read what is there now, whatever others write; until this writes itself."""
        with self._lock:
            self._connection.execute("BEGIN")
        # What is read is settled by the first look.
        self.fact("")

    def fact(self, name: str) -> str | None:
        """Return what was noted under a name."""
        row = self._one("SELECT value FROM facts WHERE name = ?", name)
        return None if row is None else str(row[0])

    def note(self, name: str, value: str) -> None:
        """Note something under a name."""
        with self._writing() as connection:
            connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def hashes(self) -> dict[str, str]:
        """Return the hash of every file that is in."""
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
        with self._writing() as connection:
            connection.execute("DELETE FROM facts WHERE name = 'fingerprint'")
            connection.executemany("INSERT OR IGNORE INTO pending VALUES (?)", ((path,) for path in paths))

    def replace(
        self,
        files: Iterable[tuple[str, str, Sequence[TreeNode], str]],
        removed: Iterable[str],
        fingerprint: str = "",
    ) -> None:
        """Write the nodes of files (path, hash, nodes, notes) and remove others; none of them is pending.

        Args:
            files: What to write.
            removed: The paths that are gone.
            fingerprint: Names what is in then; nothing while more is to come.
        """
        with self._writing() as connection:
            run = connection.execute
            facets: dict[tuple[tuple[str, tuple[str, ...]], ...], str] = {}
            for path in removed:
                _remove(connection, path)
            for path, digest, nodes, notes in files:
                _remove(connection, path)
                made = run("INSERT INTO files (path, hash, notes) VALUES (?, ?, ?)", (path, digest, notes))
                connection.executemany(_INSERT, _rows(nodes, (made.lastrowid or 0) * _OF_FILE, facets))
            if fingerprint:
                run("INSERT OR REPLACE INTO facts VALUES ('fingerprint', ?)", (fingerprint,))

    def node(self, id: str) -> TreeNode | None:  # noqa: A002 - what it is
        """Return a node by its id."""
        row = self._one(f"SELECT {_COLUMNS} FROM {_BOTH} WHERE id = ?", id)  # noqa: S608 - our own columns
        return None if row is None else _node(row)

    def nodes(self, path: str) -> list[TreeNode]:
        """Return the nodes of a file, the document first, the rest in the order of the file."""
        number = self._one("SELECT number FROM files WHERE path = ?", path)
        if number is None:
            return []
        first = number[0] * _OF_FILE
        query = f"SELECT {_COLUMNS} FROM {_BOTH} WHERE key >= ? AND key < ? ORDER BY key"  # noqa: S608
        return [_node(row) for row in self._all(query, first, first + _OF_FILE)]

    def documents(self) -> list[TreeNode]:
        """Return the node of every file, without its text, in the order of their paths."""
        query = f"SELECT {_WITHOUT_TEXT} FROM files JOIN nodes ON key = number * {_OF_FILE} ORDER BY path"  # noqa: S608
        return [_node(row) for row in self._all(query)]

    def symbols_beginning(self, name: str) -> list[tuple[str, str]]:
        """Return id and qualified name of the symbols whose last name begins so, in any case of letters."""
        first = name.casefold()
        query = "SELECT id, symbol FROM nodes WHERE name >= ? AND name < ?"
        return self._all(query, first, first + _LAST)

    def _one(self, query: str, *values: str | int) -> tuple[Any, ...] | None:
        return next(iter(self._all(query, *values)), None)

    def _all(self, query: str, *values: str | int) -> list[tuple[Any, ...]]:
        with self._lock:
            try:
                return self._connection.execute(query, values).fetchall()
            except UnicodeEncodeError:
                # Half of a surrogate pair is in no name.
                return []
            except sqlite3.Error as error:
                raise rg.SystemFailedError(
                    rg.Problem("the nodes", str(error), "a file that answers")
                ) from error

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            run = self._connection.execute
            try:
                if self._connection.in_transaction:
                    run("ROLLBACK")
                run("BEGIN IMMEDIATE")
                yield self._connection
                run("COMMIT")
            except BaseException as error:
                if self._connection.in_transaction:
                    run("ROLLBACK")
                if isinstance(error, sqlite3.Error):
                    problem = rg.Problem("the nodes", str(error), "a file that can be written")
                    raise rg.SystemFailedError(problem) from error
                raise


def _does_not_open(file: Path, error: Exception) -> rg.InputError:
    fix = "remove the folder to have it built again"
    found = f"a file that does not open ({error})"
    return rg.InputError(rg.Problem(str(file), found, "the nodes of a library", fix))


def _remove(connection: sqlite3.Connection, path: str) -> None:
    found = connection.execute("SELECT number FROM files WHERE path = ?", (path,)).fetchone()
    if found is not None:
        first = found[0] * _OF_FILE
        connection.execute("DELETE FROM nodes WHERE key >= ? AND key < ?", (first, first + _OF_FILE))
        connection.execute("DELETE FROM files WHERE number = ?", found)
    connection.execute("DELETE FROM pending WHERE path = ?", (path,))


def _rows(
    nodes: Sequence[TreeNode], first: int, known: dict[tuple[tuple[str, tuple[str, ...]], ...], str]
) -> Iterator[tuple[object, ...]]:
    """Make the rows of a file's nodes; most nodes have the same facets as others, which are written once."""
    for key, node in enumerate(nodes, first):
        pairs = tuple(node.facets.items())
        facets = known.get(pairs)
        if facets is None:
            facets = known[pairs] = json.dumps(dict(pairs))
        yield (
            key,
            node.id,
            node.parent,
            node.kind,
            node.title,
            node.start,
            node.end,
            node.own_end,
            node.level,
            node.text,
            # A title is one line.
            "\n".join(node.trail),
            node.symbol,
            facets,
            node.title.casefold() if node.symbol else None,
        )


def _node(row: Sequence[Any]) -> TreeNode:
    values = dict(zip(_NAMES, row, strict=True))
    values["trail"] = tuple(values["trail"].split("\n")) if values["trail"] else ()
    values["facets"] = {key: tuple(found) for key, found in json.loads(values["facets"]).items()}
    return TreeNode(**values)
