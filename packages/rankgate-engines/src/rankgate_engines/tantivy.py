"""A Tantivy index as a system: one that is there, or one built from a corpus.

The fields of a built index are id and path (stored, one term each), lines, characters and tokens (stored),
facets (one term for each name with its value), and the text three times: title, text, and all, which has
both, so that BM25 can count a document as one.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal

from rankgate.errors import Code, InputError, SystemFailedError
from rankgate.systems.adapter.answers import ranking_of
from rankgate.systems.adapter.failures import told
from rankgate.systems.adapter.options import check_options, field_problems
from rankgate.systems.adapter.templates import QUERY, check_filters, utf8
from rankgate.systems.registry import SystemKind, opener
from rankgate_engines.indexes import FolderIndexSystem
from rankgate_engines.records import NUMBERS, PLACED, check_facets, facet_term, record_of
from rankgate_engines.scripts import index_text, query_expression, query_text
from rankgate_engines.tantivy_query import QueryWriter, quoted_placeholder, tokenizers_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from rankgate.model import Document, Query, Ranking

FORMAT = 4
"""The number of how a built index is laid out."""

_HEAP = 128_000_000
_FIX = "name its field in filters"
NGRAM = "ngram"
"""The tokenizer of a built index that cuts every word into pairs of letters, and finds parts of words."""


@dataclass(frozen=True, slots=True)
class TantivyOptions:
    """Which index is asked, and how."""

    index: str | None = None
    """The folder of an index that is there; without one, an index is built."""
    search: Mapping[str, float] = field(default_factory=dict)
    """The fields that are searched, each with its boost; of a built index `all`, `title` or `text`."""
    request: str | None = None
    """A query in Tantivy's language with ``{query}`` in it, which becomes a group of words."""
    syntax: Literal["words", "tantivy"] = "words"
    """What a query's text is: words, any of which counts, or Tantivy's own language."""
    fields: Mapping[str, str] = field(
        default_factory=lambda: {"id": "id", "path": "path", "start": "start", "end": "end"}
    )
    """The stored field that each part of a hit is in."""
    filters: Mapping[str, str] = field(default_factory=dict)
    """The indexed field of each filter; its value is one term there. A built index filters by any facet."""
    tokenizer: str = "en_stem"
    """How title and text of a built index are cut into terms: a tokenizer of Tantivy such as ``default``,
    ``de_stem`` or ``raw``, or ``ngram``, which finds parts of words."""
    folder: str | None = None
    """Where built indexes are kept; by default in rankgate's cache."""
    root: str = "."
    """The folder that `index` and `folder` are relative to; usually the project's."""

    def __post_init__(self) -> None:
        request = self.request
        check_options(
            (
                bool(self.search) or self.index is None or request is not None,
                "search",
                "no field",
                "the fields to search, such as { title = 2.0, body = 1.0 }",
            ),
            (request is None or QUERY in request, "request", f"no {QUERY}", f"{QUERY} in it"),
            (not quoted_placeholder(request or ""), "request", f"{QUERY} in quotes", f"{QUERY} alone"),
            (
                request is None or self.syntax == "words",
                "syntax",
                "'tantivy' beside request",
                "one of the two",
            ),
            also=field_problems(self.fields),
        )


KIND = SystemKind(
    "An index of Tantivy, there already or built",
    base="root",
    library="tantivy",
    extra="engines",
    tested="tested with tantivy 0.27.0",
    options=TantivyOptions,
)


class TantivySystem(FolderIndexSystem[TantivyOptions]):
    """Asks an index. Threads share it.

    Raises:
        InputError: for options that are wrong, an index that cannot be opened, or the library missing.
    """

    kind = "tantivy"
    data_options = ("index",)

    def __init__(self, options: TantivyOptions, *, name: str = "tantivy") -> None:
        super().__init__(options, name)
        self._engine = KIND.load(name)
        self.version: str | None = f"tantivy {version('tantivy')}"
        self._index: Any = None
        self._words: QueryWriter | None = None
        self._searcher: Any = None
        if options.index is not None:
            self._open(self._at(options.index))
        else:
            _check_tokenizer(self._engine, options.tokenizer, f"{name}.tokenizer")

    def search(self, query: Query) -> Ranking:
        """Ask the index.

        Raises:
            SystemFailedError: for what Tantivy cannot parse, and filters that have no field.
        """
        searcher, own = self._searcher, self._options.index is not None
        if searcher is None:
            expected = "one that is open" if own else "one that was built"
            raise SystemFailedError(Code.NO_INDEX(self.name, "no index", expected))
        if own:
            check_filters(query, frozenset(self._options.filters), _FIX)
        else:
            check_facets(query, self._facets.union(self._options.filters))
        with self._answering():
            parsed = self._filtered(self._parsed(query.text), query)
            hits = searcher.search(parsed, max(1, min(query.k, searcher.num_docs)), count=False).hits
            read, parts = searcher.doc, tuple(self._parts.items())
            rows = [_row(score, read(address).get_first, parts) for score, address in hits]
        return ranking_of(rows, query.k)[0]

    @contextmanager
    def _answering(self) -> Iterator[None]:
        try:
            yield
        except (ValueError, TypeError, OSError) as error:
            raise SystemFailedError(
                Code.QUERY_REFUSED(self.name, told(error), "a query that Tantivy answers")
            ) from error

    def describe(self) -> dict[str, object]:
        """Return the options, for the manifest of a run, and what Tantivy's BM25 has."""
        return {**super().describe(), "k1": 1.2, "b": 0.75}

    def close(self) -> None:
        """Let go of the index."""
        self._index = self._searcher = None

    def _made_with(self) -> tuple[int, object]:
        return FORMAT, [self.version, self._options.tokenizer]

    def _write(self, place: Path, documents: Iterable[Document]) -> None:
        try:
            _write_index(self._engine, place, documents, self._options.tokenizer)
        except (ValueError, OSError) as error:
            expected = "documents that Tantivy takes"
            raise SystemFailedError(Code.NO_INDEX(self.name, told(error), expected)) from error

    def _open(self, place: Path) -> None:
        where = f"{self.name}.index"
        if not (place / "meta.json").is_file() and self._options.index is not None:
            raise InputError(
                Code.NO_INDEX(where, f"{place}, where there is none", "the folder of a Tantivy index")
            )
        try:
            index = self._engine.Index.open(str(place))
            searcher = index.searcher()
            tokenizers = tokenizers_of(place)
        except (ValueError, OSError) as error:
            # What rankgate built was written with this version, which is part of the folder's name.
            built = self._options.index is None
            fix = (
                f"delete {place}: the next test builds it"
                if built
                else "write it with this version of Tantivy"
            )
            raise InputError(
                Code.NO_INDEX(where, f"{place} ({told(error)})", "an index that opens", fix)
            ) from error
        self._index, self._searcher = index, searcher
        own = self._options.index is not None
        self._words = QueryWriter(
            self._engine, tokenizers, list(self._boosts), self._options.request, str if own else self._spaced
        )
        try:
            self._parsed("word")
        except (ValueError, TypeError) as error:
            self.close()
            expected = "fields and a request that the index has"
            raise InputError(Code.NO_INDEX(self.name, told(error), expected)) from error

    @property
    def _parts(self) -> Mapping[str, str]:
        """The stored field of each part of a hit; a built index has more of them than can be named."""
        fields = self._options.fields
        return (
            fields
            if self._options.index is not None
            else {**dict(zip(PLACED, PLACED, strict=True)), **fields}
        )

    @property
    def _boosts(self) -> dict[str, float]:
        return dict(self._options.search) or ({"all": 1.0} if self._options.index is None else {})

    def _spaced(self, text: str) -> str:
        return query_text(text, every=self._options.tokenizer == NGRAM)

    def _parsed(self, text: str) -> Any:
        plain = utf8(text)
        if self._options.syntax == "words" and self._words is not None:
            plain = self._words.query(plain)
            if not plain:
                return self._engine.Query.empty_query()
        elif self._options.index is None and self._options.tokenizer not in (NGRAM, "raw"):
            plain = query_expression(plain)
        boosts = self._boosts
        return self._index.parse_query(plain, list(boosts), field_boosts=boosts)

    def _filtered(self, parsed: Any, query: Query) -> Any:
        if not query.filters:
            return parsed
        made, occur, schema = self._engine.Query, self._engine.Occur, self._index.schema
        clauses = [(occur.Must, parsed)]
        for name in query.filters:
            column = self._options.filters.get(name)
            terms = [
                made.term_query(schema, "facets", facet_term(name, one), "basic")
                if column is None
                else made.term_query(schema, column, utf8(one), "basic")
                for one in query.values(name)
            ]
            # A filter selects and adds nothing to the score.
            any_of = made.boolean_query([(occur.Should, term) for term in terms])
            clauses.append((occur.Must, made.const_score_query(any_of, 0.0)))
        return made.boolean_query(clauses)


open_tantivy = opener(TantivySystem, TantivyOptions)
"""The entry point of the kind `tantivy`."""


def _row(
    score: float, first: Callable[[str], object], parts: tuple[tuple[str, str], ...]
) -> dict[str, object]:
    """Take the parts of a hit out of a document; a field that is not there is left out."""
    row: dict[str, object] = {"score": score}
    for part, column in parts:
        value = first(column)
        if value is not None:
            row[part] = value
    return row


def _write_index(engine: Any, place: Path, documents: Iterable[Document], tokenizer: str) -> None:
    builder = engine.SchemaBuilder()
    for column in ("title", "text", "all"):
        builder.add_text_field(column, tokenizer_name=_tokenizer_name(tokenizer))
    for column in ("id", "path", "facets"):
        stored = column != "facets"
        builder.add_text_field(column, stored=stored, tokenizer_name="raw", index_option="basic")
    for column in NUMBERS:
        builder.add_unsigned_field(column, stored=True)
    index = engine.Index(builder.build(), path=str(place))
    # One thread, so that equal scores have the same order in every build.
    writer = index.writer(heap_size=_HEAP, num_threads=1)
    try:
        for document in documents:
            writer.add_document(_entry(engine, document, tokenizer))
        writer.commit()
    except BaseException:
        writer.rollback()
        raise
    finally:
        # Whoever removes the folder must not meet a thread that still writes to it.
        writer.wait_merging_threads()


def _check_tokenizer(engine: Any, tokenizer: str, where: str) -> None:
    """Refuse a tokenizer that Tantivy does not know: it ends the writer of an index without a reason."""
    builder = engine.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name=_tokenizer_name(tokenizer))
    try:
        engine.Index(builder.build()).parse_query("word", ["text"])
    except ValueError as error:
        expected = f"default, en_stem (or another language: de_stem, fr_stem, …), whitespace, raw or {NGRAM}"
        raise InputError(Code.WRONG_VALUE(where, repr(tokenizer), expected)) from error


def _tokenizer_name(tokenizer: str) -> str:
    return "default" if tokenizer == NGRAM else tokenizer


def _entry(engine: Any, document: Document, tokenizer: str) -> Any:
    record = record_of(document)
    entry = engine.Document()
    for column in ("id", "path"):
        if record[column] is not None:
            entry.add_text(column, record[column])
    for column in ("title", "text"):
        words = record[column]
        if tokenizer != "raw":
            words = index_text(words, every=tokenizer == NGRAM)
        entry.add_text(column, words)
        # As two values, so that a tokenizer that takes a whole value takes the title or the text.
        entry.add_text("all", words)
    for column in NUMBERS:
        if record[column] is not None:
            entry.add_unsigned(column, record[column])
    for item in record["facets"].items():
        entry.add_text("facets", facet_term(*item))
    return entry
