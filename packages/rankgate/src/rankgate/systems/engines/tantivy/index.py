"""Documents written into a Tantivy index.

The fields are id and path (stored, one term each), start and end (stored), facets (one term for each name
with its value), and the text three times: title, text, and all, which has both, so that BM25 can count a
document as one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgate.systems.engines.built.records import facet_term, record_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rankgate.model.search import Document

FORMAT = 2
"""The number of this layout."""

_HEAP = 128_000_000


def write_index(engine: Any, place: Path, documents: Iterable[Document], tokenizer: str) -> None:
    """Write an index into an empty folder.

    Args:
        engine: The library.
        place: The folder.
        documents: What is in it.
        tokenizer: How title and text are cut into terms.

    Raises:
        ValueError: for what Tantivy does not take.
    """
    builder = engine.SchemaBuilder()
    for column in ("title", "text", "all"):
        builder.add_text_field(column, tokenizer_name=tokenizer)
    for column in ("id", "path", "facets"):
        stored = column != "facets"
        builder.add_text_field(column, stored=stored, tokenizer_name="raw", index_option="basic")
    for column in ("start", "end"):
        builder.add_unsigned_field(column, stored=True)
    index = engine.Index(builder.build(), path=str(place))
    # One thread, so that equal scores have the same order in every build.
    writer = index.writer(heap_size=_HEAP, num_threads=1)
    try:
        for document in documents:
            writer.add_document(_entry(engine, document))
        writer.commit()
    except BaseException:
        writer.rollback()
        raise
    finally:
        # Whoever removes the folder must not meet a thread that still writes to it.
        writer.wait_merging_threads()


def _entry(engine: Any, document: Document) -> Any:
    record = record_of(document)
    entry = engine.Document()
    for column in ("id", "title", "text", "path"):
        if record[column] is not None:
            entry.add_text(column, record[column])
    # As two values, so that a tokenizer that takes a whole value takes the title or the text.
    for column in ("title", "text"):
        entry.add_text("all", record[column])
    for column in ("start", "end"):
        if record[column] is not None:
            entry.add_unsigned(column, record[column])
    for item in record["facets"].items():
        entry.add_text("facets", facet_term(*item))
    return entry
