"""Documents written into a Tantivy index.

The fields are id and path (stored, one term each), start and end (stored), facets (one term each), and the
text three times: title, text, and all, which is both, so that BM25 can count a document as one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rankgate.model.search import Document

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
    for column in ("id", "path"):
        builder.add_text_field(column, stored=True, tokenizer_name="raw", index_option="basic")
    for column in ("start", "end"):
        builder.add_unsigned_field(column, stored=True)
    builder.add_json_field("facets", tokenizer_name="raw", index_option="basic")
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
    entry = engine.Document()
    for column, text in (("id", document.id), ("title", document.title), ("text", document.text)):
        entry.add_text(column, text)
    entry.add_text("all", f"{document.title}\n{document.text}")
    if document.path is not None:
        entry.add_text("path", document.path)
    if document.lines is not None:
        entry.add_unsigned("start", document.lines.start)
        entry.add_unsigned("end", document.lines.end)
    if document.facets:
        entry.add_json("facets", dict(document.facets))
    return entry
