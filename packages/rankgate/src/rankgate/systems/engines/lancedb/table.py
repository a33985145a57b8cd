"""Documents written into a table of LanceDB, with its full-text indexes."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from rankgate.systems.engines.built.records import facet_term, record_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from rankgate.model.search import Document
    from rankgate.systems.engines.built.embedder import Embedder

TABLE = "documents"
"""What the table of a built index is called."""

FORMAT = 2
"""The number of this layout."""

_BATCH = 1000


def facet(name: str, value: str) -> str:
    r"""Write a facet so that it can be found among others; nothing in a name or a value ends it.

    >>> facet("lang", "a\nb")
    '\n["lang", "a\\nb"]\n'
    """
    return f"\n{facet_term(name, value)}\n"


def write_table(
    engine: Any, place: Path, documents: Iterable[Document], language: str, embedder: Embedder | None
) -> None:
    """Write a table into an empty folder.

    Args:
        engine: The library.
        place: The folder, which becomes a database.
        documents: What is in it.
        language: Whose stemmer cuts the words down.
        embedder: Makes the vectors of title and text; None for a table without them.
    """
    import pyarrow as pa
    from lancedb.index import FTS

    rest = iter(documents)
    first = list(islice(rest, _BATCH))
    fields = [pa.field(name, pa.string()) for name in ("id", "title", "text", "all", "path", "facets")]
    fields += [pa.field(name, pa.int64()) for name in ("start", "end")]
    if embedder is not None:
        size = len(embedder([str(_row(document)["all"]) for document in first[:1]] or [""])[0])
        fields.append(pa.field("vector", pa.list_(pa.float32(), size)))
    schema = pa.schema(fields)

    def batches() -> Iterator[Any]:
        batch = first
        while batch:
            rows = [_row(document) for document in batch]
            if embedder is not None:
                for row, vector in zip(rows, embedder([str(row["all"]) for row in rows]), strict=True):
                    row["vector"] = vector
            yield pa.RecordBatch.from_pylist(rows, schema=schema)
            batch = list(islice(rest, _BATCH))

    database = engine.connect(str(place))
    table = database.create_table(TABLE, schema=schema)
    for batch in batches():
        table.add(pa.Table.from_batches([batch]))
    table.optimize()
    # Every word counts, as in the indexes built by Tantivy and SQLite: no list of words that are left out.
    words = FTS(language=language, stem=True, remove_stop_words=False)
    for column in ("all", "title", "text"):
        table.create_index(column, config=words)


def _row(document: Document) -> dict[str, object]:
    record = record_of(document)
    facets = "".join(facet(*item) for item in record["facets"].items())
    return {**record, "all": f"{record['title']}\n{record['text']}", "facets": facets}
