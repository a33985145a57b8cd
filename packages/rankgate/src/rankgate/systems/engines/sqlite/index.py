"""The tables of an index that rankgate builds in SQLite, and the SELECT that asks them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem
from rankgate.systems.adapter.failures import told
from rankgate.systems.engines.built.records import record_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rankgate.model.search import Document

FILE = "index.sqlite"
"""What the file of a built index is called."""

FORMAT = 2
"""The number of this layout."""

_TABLES = """
CREATE TABLE documents (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL, path TEXT,
    start INTEGER, "end" INTEGER
);
CREATE TABLE facets (
    number INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (number, name)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (
    title, text, content = 'documents', content_rowid = 'number', tokenize = '{tokenizer}'
);
"""
_SEARCH = """
WITH best AS (
    SELECT rowid AS number, bm25(words, {title!r}, {text!r}) AS cost FROM words
    WHERE words MATCH :query{wanted} ORDER BY cost, rowid LIMIT :k
)
SELECT id, path, start, "end", -cost AS score FROM best JOIN documents USING (number) ORDER BY cost, number
"""
_WANTED = """ AND NOT EXISTS (
    SELECT 1 FROM json_each(:filters) AS wanted WHERE NOT EXISTS (
        SELECT 1 FROM facets JOIN json_each(wanted.value) AS one ON one.value = facets.value
        WHERE facets.number = words.rowid AND facets.name = wanted.key
    )
)"""


def search_sql(title: float, text: float, *, filtered: bool) -> str:
    """Return the SELECT: best first, and of equals the one that was indexed first.

    Args:
        title: What a word in the title counts.
        text: What a word in the text counts.
        filtered: True where hits must have the facets in ``:filters``.
    """
    return _SEARCH.format(title=float(title), text=float(text), wanted=_WANTED if filtered else "")


def fill(path: Path, documents: Iterable[Document], tokenizer: str, where: str) -> None:
    """Write an index of these documents.

    Raises:
        InputError: for a tokenizer that SQLite does not know, and documents that it cannot hold.
    """
    try:
        with closing(sqlite3.connect(path)) as database, database:
            database.executescript(_TABLES.format(tokenizer=tokenizer.replace("'", "''")))
            for number, record in enumerate(map(record_of, documents), 1):
                facets = json.dumps(record.pop("facets"))
                database.execute(
                    "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?)", (number, *record.values())
                )
                database.execute(
                    "INSERT INTO facets SELECT ?, key, value FROM json_each(?)", (number, facets)
                )
            database.execute("INSERT INTO words (words) VALUES ('rebuild')")
            database.execute("INSERT INTO words (words) VALUES ('optimize')")
    except sqlite3.Error as error:
        raise InputError(Problem(where, told(error), "an index that can be built")) from error
