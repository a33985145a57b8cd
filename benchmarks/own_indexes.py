"""Indexes of SQLite and OpenSearch as somebody has them, searched by a request of their own."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from rankgate.model import Document

_TABLES = """
CREATE TABLE documents (number INTEGER PRIMARY KEY, id, path, start, "end", kind, title, text);
CREATE VIRTUAL TABLE words USING fts5 (
    title, text, content = 'documents', content_rowid = 'number', tokenize = 'porter unicode61'
);
"""
_SQL = """
WITH best AS (
    SELECT rowid AS number, bm25(words, 1.0, 1.0) AS cost FROM words
    WHERE words MATCH :query
        AND (:filters_kind IS NULL OR rowid IN (SELECT number FROM documents WHERE kind = :filters_kind))
    ORDER BY cost, rowid LIMIT :k
)
SELECT id, path, start, "end", -cost AS score FROM best JOIN documents USING (number) ORDER BY cost, number
"""
_TEXT = {"type": "text", "analyzer": "english"}
_NUMBER = {"type": "integer", "index": False}
_INDEX = {
    "settings": {"index": {"number_of_shards": 1, "number_of_replicas": 0, "max_result_window": 1_000_000}},
    "mappings": {
        "properties": {
            "id": {"type": "keyword"},
            "path": {"type": "keyword"},
            "start": _NUMBER,
            "end": _NUMBER,
            "kind": {"type": "keyword"},
            "title": {**_TEXT, "copy_to": "all"},
            "text": {**_TEXT, "copy_to": "all"},
            "all": _TEXT,
        }
    },
}
_BODY = {
    "size": "{k}",
    "query": {
        "bool": {"must": [{"match": {"all": "{query}"}}], "filter": [{"term": {"kind": "{filters.kind}"}}]}
    },
    "sort": [{"_score": "desc"}, {"id": "asc"}],
    "_source": False,
    "docvalue_fields": ["id", "path", "start", "end"],
}


def _rows(documents: Iterable[Document]) -> Iterator[dict[str, Any]]:
    for one in documents:
        start, end = (one.lines.start, one.lines.end) if one.lines else (None, None)
        yield {
            "id": one.id,
            "path": one.path,
            "start": start,
            "end": end,
            "kind": one.facets.get("kind"),
            "title": one.title,
            "text": one.text,
        }


def in_sqlite(folder: Path, documents: Iterable[Document]) -> dict[str, object]:
    """Write documents into a table of FTS5, and give the options of a system that searches it."""
    folder.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(folder / "index.sqlite")) as database, database:
        database.executescript(_TABLES)
        rows = (tuple(row.values()) for row in _rows(documents))
        database.executemany("INSERT INTO documents VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)", rows)
        database.execute("INSERT INTO words (words) VALUES ('rebuild')")
        database.execute("INSERT INTO words (words) VALUES ('optimize')")
    return {"kind": "sqlite", "database": str(folder / "index.sqlite"), "sql": _SQL}


def in_opensearch(server: Mapping[str, Any], name: str, documents: Iterable[Document]) -> dict[str, object]:
    """Write documents into an index of OpenSearch, and give the options of a system that searches it."""
    from opensearchpy import OpenSearch
    from opensearchpy.helpers import bulk

    index = f"rankgate-{name}".lower()
    client = OpenSearch(server["hosts"], timeout=300)
    client.indices.create(index=index, body=_INDEX)
    bulk(client, ({"_index": index, **row} for row in _rows(documents)))
    client.indices.forcemerge(index=index, params={"max_num_segments": 1})
    client.indices.refresh(index=index)
    client.close()
    fields = {name: f"fields.{name}" for name in ("id", "path", "start", "end")}
    return {"kind": "opensearch", **server, "index": index, "body": _BODY, "fields": fields}
