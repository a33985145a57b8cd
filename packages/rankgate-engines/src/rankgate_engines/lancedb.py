"""A table of LanceDB as a system: one that is there, or one built from a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rankgate.errors import Code, InputError, RankgateError, SystemFailedError
from rankgate.io.typed import Seconds
from rankgate.systems.adapter.answers import ranking_of
from rankgate.systems.adapter.embedding import load_embedder
from rankgate.systems.adapter.failures import TimedOutError, told
from rankgate.systems.adapter.options import check_options, field_problems, load_hook
from rankgate.systems.adapter.templates import check_filters, utf8
from rankgate.systems.registry import SystemKind, opener
from rankgate_engines.indexes import FolderIndexSystem
from rankgate_engines.records import (
    NUMBERS,
    PLACED,
    check_facets,
    facet_term,
    record_of,
)
from rankgate_engines.scripts import index_text, query_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rankgate.io.digests import ContentsReader
    from rankgate.model import Document, Query, Ranking
    from rankgate.systems.adapter.embedding import Embedder

FORMAT = 4
"""The number of how a built table is laid out."""

_TABLE = "documents"
_BATCH = 1000
# Columns of words stand beside those of texts, which rerankers and people read.
_SEARCHED = ("all", "title", "text")
_SCORES = {"text": "_score", "vector": "_distance"}


@dataclass(frozen=True, slots=True)
class LancedbOptions:
    """Which table is asked, and how."""

    uri: str | None = None
    """The folder of a database that is there, or its address; without one, a table is built."""
    table: str = _TABLE
    """The table in it."""
    mode: Literal["text", "vector", "hybrid"] = "text"
    """Full text, nearest vectors, or both, joined by `rerank`."""
    search: Mapping[str, float] = field(default_factory=dict)
    """The columns with a full-text index to search, each with its boost; of a built table `all`, `title` or
    `text`."""
    vector: str = "vector"
    """The column of vectors."""
    embedder: str | None = None
    """``module:function`` that makes vectors of a list of texts."""
    distance: Literal["l2", "cosine", "dot"] = "cosine"
    """How far apart vectors are."""
    nprobes: int | None = None
    """How many partitions of a vector index are looked at; LanceDB's own default where there is none."""
    refine_factor: int | None = None
    """How many times k rows are compared by their whole vectors."""
    rerank: str | None = None
    """``module:attr`` of a reranker of LanceDB; `hybrid` joins by reciprocal ranks, K = 60, without one."""
    where: str | None = None
    """A condition in SQL that every row meets, beside the filters."""
    fields: Mapping[str, str] = field(
        default_factory=lambda: {"id": "id", "path": "path", "start": "start", "end": "end"}
    )
    """The column that each part of a hit is in."""
    filters: Mapping[str, str] = field(default_factory=dict)
    """The column of each filter. A built table filters by any facet."""
    language: str = "English"
    """Whose stemmer a built table uses."""
    timeout: Seconds = 30.0
    """Seconds for one query."""
    folder: str | None = None
    """Where built tables are kept; by default in rankgate's cache."""
    root: str = "."
    """The folder that `uri`, `folder` and hooks are relative to; usually the project's."""

    def __post_init__(self) -> None:
        vectors = self.mode != "text"
        check_options(
            (
                bool(self.search) or self.uri is None or self.mode == "vector",
                "search",
                "no column",
                "the columns to search",
            ),
            (
                self.embedder is not None or not vectors,
                "embedder",
                f"none for {self.mode}",
                "embedder = 'module:function'",
            ),
            also=field_problems(self.fields),
        )


KIND = SystemKind(
    "A table of LanceDB, there already or built: full text, vectors, hybrid",
    base="root",
    library="lancedb",
    extra="engines",
    tested="tested with lancedb 0.40.0",
    options=LancedbOptions,
)


class LancedbSystem(FolderIndexSystem[LancedbOptions]):
    """Asks a table. Threads share it.

    Raises:
        InputError: for options that are wrong, a table that is not there, or the library missing.
    """

    kind, index_option = "lancedb", "uri"
    hook_options = ("embedder", "rerank")

    def __init__(self, options: LancedbOptions, *, name: str = "lancedb") -> None:
        super().__init__(options, name)
        self._engine = KIND.load(name)
        self.version: str | None = f"lancedb {self._engine.__version__}"
        self._embedder = load_embedder(options.embedder, options.root, f"{name}.embedder")
        self._reranker = self._load_reranker()
        self._table: Any = None
        if options.uri is not None:
            self._open(options.uri if "://" in options.uri else self._at(options.uri))

    def search(self, query: Query) -> Ranking:
        """Ask the table.

        Raises:
            SystemFailedError: where it does not answer, in time or at all, and for filters without a column.
        """
        options = self._options
        if self._table is None:
            expected = "one that is open" if options.uri is not None else "one that was built"
            raise SystemFailedError(Code.NO_INDEX(self.name, "no table", expected))
        if options.uri is not None:
            check_filters(query, frozenset(options.filters), "name its column in filters")
        else:
            check_facets(query, self._facets)
        try:
            found = self._request(query).to_arrow(timeout=timedelta(seconds=options.timeout))
        except RankgateError:
            raise
        except Exception as error:
            # A reranker may raise anything.
            kind = TimedOutError if "timeout" in str(error).lower() else SystemFailedError
            raise kind(Code.QUERY_REFUSED(self.name, told(error), "an answer")) from error
        return ranking_of(self._rows(found), query.k)[0]

    def close(self) -> None:
        """Let go of the table."""
        self._table = None

    def _add_contents(self, reader: ContentsReader) -> None:
        super()._add_contents(reader)
        uri = self._options.uri
        if uri is not None and "://" not in uri:
            reader.add_files(self._at(uri))

    def _made_with(self) -> tuple[int, object]:
        return FORMAT, [self.version, self._options.language, self._options.embedder]

    def _write(self, place: Path, documents: Iterable[Document]) -> None:
        try:
            _write_table(self._engine.connect(str(place)), documents, self._options.language, self._embedder)
        except (RuntimeError, ValueError, OSError) as error:
            expected = "documents that LanceDB takes"
            raise SystemFailedError(Code.NO_INDEX(self.name, told(error), expected)) from error

    def _open(self, place: Path | str) -> None:
        where = f"{self.name}.uri"
        # A connection to a folder that is not there would make it.
        if isinstance(place, Path) and not place.is_dir():
            raise InputError(
                Code.NO_INDEX(where, f"{place}, where there is none", "the folder of a database")
            )
        table = self._options.table if self._options.uri is not None else _TABLE
        try:
            self._table = self._engine.connect(str(place)).open_table(table)
            known = set(self._table.schema.names)
        except (RuntimeError, ValueError, OSError) as error:
            self._table = None
            found = f"{table!r} ({told(error)})"
            raise InputError(Code.NO_INDEX(f"{self.name}.table", found, "a table of the database")) from error
        options = self._options
        named = {*options.search, *options.filters.values()} | (
            {*options.fields.values()} if options.uri else set()
        )
        if options.mode != "text":
            named.add(options.vector)
        if missing := sorted(named - known):
            self._table = None
            expected = f"columns of {table}: {', '.join(sorted(known))}"
            raise InputError(Code.NO_INDEX(self.name, f"no column {', '.join(missing)}", expected))

    def _request(self, query: Query) -> Any:
        options, text = self._options, utf8(query.text)
        if options.mode == "text":
            request = self._table.search(self._words(text), query_type="fts")
        elif options.mode == "vector":
            request = self._table.search(
                self._vector(text), vector_column_name=options.vector, query_type="vector"
            )
        else:
            request = self._table.search(query_type="hybrid", vector_column_name=options.vector)
            request = request.vector(self._vector(text)).text(self._words(text))
        if options.mode != "text":
            request = request.distance_type(options.distance)
            if options.nprobes is not None:
                request = request.nprobes(options.nprobes)
            if options.refine_factor is not None:
                request = request.refine_factor(options.refine_factor)
        if (condition := self._condition(query)) is not None:
            request = request.where(condition)
        if self._reranker is not None:
            given = {} if options.mode != "vector" else {"query_string": text}
            request = request.rerank(reranker=self._reranker, **given)
        if options.mode in _SCORES:
            # Of both kinds at once no score can be selected, and without one every query is warned of.
            request = request.select([*dict.fromkeys(self._parts.values()), _SCORES[options.mode]])
        return request.limit(query.k)

    def _words(self, text: str) -> Any:
        from lancedb.query import MatchQuery, MultiMatchQuery

        columns = dict(self._options.search) or {"all": 1.0}
        if self._options.uri is None:
            text, columns = query_text(text), {_words_column(name): boost for name, boost in columns.items()}
        if len(columns) == 1:
            ((column, boost),) = columns.items()
            return MatchQuery(text, column, boost=boost)
        return MultiMatchQuery(text, list(columns), boosts=list(columns.values()))

    def _vector(self, text: str) -> list[float]:
        if self._embedder is None:
            raise SystemFailedError(
                Code.MISSING_SETTING(self.name, "no embedder", "embedder = 'module:function'")
            )
        return self._embedder([text])[0]

    def _condition(self, query: Query) -> str | None:
        """Write the condition; LanceDB's own expressions quote every value."""
        col, lit = self._engine.col, self._engine.lit
        parts = [] if self._options.where is None else [f"({self._options.where})"]
        for name in query.filters:
            values = [utf8(one) for one in query.values(name)]
            if self._options.uri is not None:
                parts.append(col(self._options.filters[name]).isin(values).to_sql())
            else:
                held = [col("facets").contains(lit(_facet(name, one))).to_sql() for one in values]
                parts.append(f"({' OR '.join(held)})" if held else "false")
        return " AND ".join(parts) or None

    @property
    def _parts(self) -> Mapping[str, str]:
        """The column of each part of a hit; a built table has more of them than can be named."""
        fields = self._options.fields
        return (
            fields if self._options.uri is not None else {**dict(zip(PLACED, PLACED, strict=True)), **fields}
        )

    def _rows(self, found: Any) -> list[dict[str, object]]:
        columns = {part: found[column].to_pylist() for part, column in self._parts.items()}
        names = found.column_names
        score = next((name for name in ("_relevance_score", "_score", "_distance") if name in names), None)
        if score is not None:
            sign = -1 if score == "_distance" else 1
            columns["score"] = [None if one is None else sign * one for one in found[score].to_pylist()]
        rows = zip(*columns.values(), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def _load_reranker(self) -> Any:
        if self._options.rerank is not None:
            found: Any = load_hook(self._options.rerank, self._options.root, f"{self.name}.rerank")
            return found() if isinstance(found, type) else found
        if self._options.mode != "hybrid":
            return None
        from lancedb.rerankers import RRFReranker

        return RRFReranker(K=60)


open_lancedb = opener(LancedbSystem, LancedbOptions)
"""The entry point of the kind `lancedb`."""


def _facet(name: str, value: str) -> str:
    r"""Write a facet so that it can be found among others; nothing in a name or a value ends it.

    >>> _facet("lang", "a\nb")
    '\n["lang", "a\\nb"]\n'
    """
    return f"\n{facet_term(name, value)}\n"


def _write_table(
    database: Any, documents: Iterable[Document], language: str, embedder: Embedder | None
) -> None:
    """Write a table with its full-text indexes; without an embedder it has no vectors."""
    import pyarrow as pa
    from lancedb.index import FTS

    rest = iter(documents)
    first = list(islice(rest, _BATCH))
    columns = ("id", "title", "text", "all", *map(_words_column, _SEARCHED), "path", "facets")
    fields = [pa.field(name, pa.string()) for name in columns]
    fields += [pa.field(name, pa.int64()) for name in NUMBERS]
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

    table = database.create_table(_TABLE, schema=schema)
    for batch in batches():
        table.add(pa.Table.from_batches([batch]))
    table.optimize()
    # Every word counts, as in the indexes built by Tantivy and SQLite: no list of words that are left out.
    words = FTS(language=language, stem=True, remove_stop_words=False)
    for column in map(_words_column, _SEARCHED):
        table.create_index(column, config=words)


def _row(document: Document) -> dict[str, object]:
    record = record_of(document)
    facets = "".join(_facet(*item) for item in record["facets"].items())
    texts = {"all": f"{record['title']}\n{record['text']}", "title": record["title"], "text": record["text"]}
    words = {_words_column(name): index_text(text) for name, text in texts.items()}
    return {**record, **texts, **words, "facets": facets}


def _words_column(name: str) -> str:
    return f"{name}_words" if name in _SEARCHED else name
