"""Each engine's own client, asked as a user would write it, on the index that rankgate built.

A client is made of the options that say where the index is, and gives for a text and k the best hits: id,
path, first and last line, score. It has to rank as rankgate does, so that both do the same work: words count
alike, and equal scores are in the same order.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

Row: TypeAlias = tuple[str | None, str | None, int | None, int | None, float]
Ask: TypeAlias = Callable[[str], list[Row]]
Where: TypeAlias = Mapping[str, Any]


def tantivy(where: Where, k: int) -> Ask:
    """Ask an index of Tantivy."""
    import tantivy as engine

    index = engine.Index.open(str(_only(where)))
    searcher = index.searcher()

    def ask(text: str) -> list[Row]:
        rows = []
        for score, address in searcher.search(index.parse_query(text, ["all"]), k, count=False).hits:
            found = searcher.doc(address)
            get = found.get_first
            rows.append((get("id"), get("path"), get("start"), get("end"), score))
        return rows

    return ask


def lancedb(where: Where, k: int) -> Ask:
    """Ask a table of LanceDB."""
    import lancedb as engine
    from lancedb.query import MatchQuery

    table = engine.connect(str(_only(where))).open_table("documents")
    columns = ["id", "path", "start", "end", "_score"]

    def ask(text: str) -> list[Row]:
        request = table.search(MatchQuery(text, "all"), query_type="fts").select(columns).limit(k)
        found = request.to_arrow()
        return list(zip(*(found[name].to_pylist() for name in columns), strict=True))

    return ask


def bm25s(where: Where, k: int) -> Ask:
    """Ask an index of bm25s."""
    import bm25s as engine
    import numpy as np
    import snowballstemmer

    retriever = engine.BM25.load(_only(where), load_corpus=True, show_progress=False)
    records, retriever.corpus = retriever.corpus, None
    stemmer = snowballstemmer.stemmer("english")

    def ask(text: str) -> list[Row]:
        (words,) = engine.tokenize(text, stemmer=stemmer, return_ids=False, show_progress=False)
        known = [word for word in words if word in retriever.vocab_dict]
        if not known:
            return []
        scores = retriever.get_scores(known)
        found = np.flatnonzero(scores > 0)
        if len(found) > k:
            # As many as are as good as the last one: `retrieve` takes any of those.
            found = found[scores[found] >= np.partition(scores[found], -k)[-k]]
        best = found.tolist()
        best.sort(key=lambda number: (-scores[number], records[number]["id"]))
        rows = []
        for number in best[:k]:
            one = records[number]
            rows.append((one["id"], one["path"], one["start"], one["end"], float(scores[number])))
        return rows

    return ask


def sqlite(where: Where, k: int) -> Ask:
    """Ask a table of FTS5."""
    database = sqlite3.connect(_only(where) / "index.sqlite")
    sql = """SELECT id, path, start, "end", -bm25(words) FROM words JOIN documents ON number = words.rowid
    WHERE words MATCH ? ORDER BY bm25(words), words.rowid LIMIT ?"""

    def ask(text: str) -> list[Row]:
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(text.split()))
        return database.execute(sql, (words, k)).fetchall()

    return ask


def postgres(where: Where, k: int) -> Ask:
    """Ask a table of PostgreSQL."""
    import psycopg

    connection = psycopg.connect(where["dsn"], autocommit=True)
    find = "SELECT tablename FROM pg_tables WHERE schemaname = 'rankgate'"
    ((table,),) = connection.execute(find).fetchall()
    sql: Any = f"""SELECT id, path, "start", "end", ts_rank(array[1, 1, 1, 1], words, q) AS score
    FROM rankgate.{table}, to_tsquery('english', %s) AS q WHERE words @@ q
    ORDER BY score DESC, id COLLATE "C" LIMIT %s"""

    def ask(text: str) -> list[Row]:
        return connection.execute(sql, (" | ".join(text.split()), k)).fetchall()

    return ask


def opensearch(where: Where, k: int) -> Ask:
    """Ask an index of OpenSearch."""
    from opensearchpy import OpenSearch

    return _searched(OpenSearch(hosts=where["hosts"]), k)


def elasticsearch(where: Where, k: int) -> Ask:
    """Ask an index of Elasticsearch."""
    from elasticsearch import Elasticsearch

    return _searched(Elasticsearch(hosts=where["hosts"]), k)


def _searched(client: Any, k: int) -> Ask:
    (alias,) = (name for one in client.indices.get_alias().values() for name in one["aliases"])

    def ask(text: str) -> list[Row]:
        body = {
            "size": k,
            "query": {"match": {"all": text}},
            "sort": [{"_score": "desc"}, {"id": "asc"}],
            "_source": False,
            "docvalue_fields": ["id", "path", "start", "end"],
        }
        rows = []
        for hit in client.search(index=alias, body=body)["hits"]["hits"]:
            held = hit["fields"]
            rows.append((held["id"][0], held["path"][0], held["start"][0], held["end"][0], hit["_score"]))
        return rows

    return ask


def zoekt(where: Where, k: int) -> Ask:
    """Ask a server of zoekt, which wants every word."""
    import urllib3

    pool, url = urllib3.PoolManager(), f"{where['url']}/api/search"
    limits = {"MaxDocDisplayCount": k, "ShardMaxMatchCount": 100_000, "TotalMaxMatchCount": 1_000_000}

    def ask(text: str) -> list[Row]:
        words = " ".join(f'"{word}"' for word in dict.fromkeys(text.split()))
        found = pool.request("POST", url, json={"Q": words, "Opts": limits}).json()["Result"]["Files"]
        return [(None, file["FileName"], None, None, file["Score"]) for file in found or ()]

    return ask


def ripgrep(where: Where, k: int) -> Ask:
    """Ask ripgrep: how often each file matches, then where the best k do first."""
    program = shutil.which("rg") or "rg"
    folder = where["folder"]
    always = [program, "--fixed-strings", "--smart-case", "--with-filename", "--null", "--file=-"]
    counting = [*always, "--count-matches", "./"]
    placing = [*always, "--line-number", "--only-matching", "--replace=", "--max-count=1", "--no-heading"]
    counted = re.compile(r"([^\0]+)\0([0-9]+)\n")
    placed = re.compile(r"([^\0\n]+)\0([0-9]+):[^\n]*\n")

    def printed(arguments: list[str], words: str) -> str:
        done = subprocess.run(arguments, cwd=folder, input=words, capture_output=True, text=True, check=False)
        return done.stdout

    def ask(text: str) -> list[Row]:
        words = "\n".join(text.split()) + "\n"
        found = counted.findall(printed(counting, words))
        best = sorted((-int(count), path) for path, count in found)[:k]
        if not best:
            return []
        starts: dict[str, int] = {}
        for path, line in placed.findall(printed([*placing, *(path for _, path in best)], words)):
            starts.setdefault(path, int(line))
        return [(None, path[2:], starts[path], starts[path], float(-count)) for count, path in best]

    return ask


def _only(where: Where) -> Path:
    """Return the one index of a folder."""
    (place,) = Path(where["folder"]).iterdir()
    return place


CLIENTS: Mapping[str, Callable[[Where, int], Ask]] = {
    "tantivy": tantivy,
    "bm25s": bm25s,
    "lancedb": lancedb,
    "sqlite": sqlite,
    "postgres": postgres,
    "opensearch": opensearch,
    "elasticsearch": elasticsearch,
    "zoekt": zoekt,
    "ripgrep": ripgrep,
}
"""The clients by kind, in the order of the table."""
