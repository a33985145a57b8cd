"""bm25s as a system: BM25 in this process, over an index that was saved, or one that rankgate builds."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal

from rankgate.errors import Code, InputError, RankgateError, did_you_mean
from rankgate.systems.adapter.answers import ranking_of
from rankgate.systems.adapter.failures import failed, printable, told
from rankgate.systems.adapter.options import check_options, field_problems
from rankgate.systems.adapter.templates import filter_values
from rankgate.systems.registry import SystemKind, opener
from rankgate_engines.indexes import FolderIndexSystem
from rankgate_engines.records import PLACED, check_facets, record_of
from rankgate_engines.scripts import index_text, query_text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rankgate.model import Document, Query, Ranking

_BUILT: Mapping[str, str] = dict(zip(PLACED, PLACED, strict=True))
_SETTINGS = ("stemmer", "stopwords", "token_pattern", "k1", "b", "delta", "method")
FORMAT = 4
"""The number of what a built index holds."""


@dataclass(frozen=True, slots=True)
class Bm25sOptions:
    """Which index is asked, and how words are made of a text."""

    index: str | None = None
    """The folder of an index that ``BM25.save`` wrote."""
    fields: Mapping[str, str] = field(default_factory=lambda: {"id": "id"})
    """Keys of the records that were saved with it, by field of a hit; without records, ids are numbers."""
    stemmer: str = "english"
    """A language of Snowball, or ``none``; as the index was made."""
    stopwords: str | tuple[str, ...] = "english"
    """A list of bm25s by its language, or words; as the index was made."""
    token_pattern: str = r"(?u)\b\w\w+\b"  # noqa: S105 - a pattern of words
    """What a word is, as a regular expression; as the index was made."""
    k1: float = 1.5
    """For building: how soon more of the same word stops counting."""
    b: float = 0.75
    """For building: how much long documents are held back."""
    delta: float = 0.5
    """For building: the least that a word counts, in bm25l and bm25+."""
    method: Literal["lucene", "robertson", "atire", "bm25l", "bm25+"] = "lucene"
    """For building: the variant of BM25."""
    keep: bool = True
    """For building: False where the index is held in memory alone."""
    folder: str | None = None
    """Where built indexes lie; by default in the cache."""
    root: str = "."
    """The folder that `index` and `folder` are relative to; usually the project's."""

    def __post_init__(self) -> None:
        check_options(
            (self.k1 >= 0, "k1", f"{self.k1:g}", "0 or more"),
            (0 <= self.b <= 1, "b", f"{self.b:g}", "0 to 1"),
            also=field_problems(self.fields),
        )


KIND = SystemKind(
    "BM25 in memory (bm25s), saved before or built",
    base="root",
    library="bm25s",
    extra="engines",
    tested="tested with bm25s 0.3.16",
    options=Bm25sOptions,
)


class Bm25sSystem(FolderIndexSystem[Bm25sOptions]):
    """Asks an index in memory. Threads share it.

    Raises:
        InputError: for options that are wrong, an index that cannot be read, or bm25s missing.
    """

    kind = "bm25s"
    data_options = ("index",)

    def __init__(self, options: Bm25sOptions, *, name: str = "bm25s") -> None:
        super().__init__(options, name)
        self._engine = KIND.load(name)
        self.version: str | None = self._engine.__version__
        self._lock = threading.Lock()
        self._stemmer = _stemmer(options.stemmer, name)
        try:
            self._tokens([""])
        except (ValueError, re.error) as error:
            expected = "token_pattern and stopwords that bm25s knows"
            raise InputError(Code.WRONG_VALUE(name, told(error), expected)) from error
        self._index: SavedIndex | None = None
        if options.index is not None:
            self._index = self._loaded(self._at(options.index), options.fields)

    def search(self, query: Query) -> Ranking:
        """Rank the records that hold a word of the query.

        Raises:
            SystemFailedError: where the index does not hold what it should, and for unknown filters.
        """
        index = self._index
        if index is None:
            fix = "name a saved index, or build one first"
            raise InputError(Code.NO_INDEX(self.name, "no index", "one to search", fix))
        try:
            text = query_text(query.text) if self.wants_documents else query.text
            return ranking_of(index.rows(self._tokens([text])[0], query), query.k)[0]
        except RankgateError:
            raise
        except Exception as error:
            raise failed(error, self.name) from error

    def build(self, documents: Iterable[Document], name: str) -> bool:
        """Build an index of this name, unless it is there, and search it from now on.

        Raises:
            InputError: for documents without a word, or a folder that cannot be written.
        """
        if self._options.keep:
            return super().build(documents, name)
        self._index = SavedIndex(*self._made(documents), _BUILT)
        return True

    def close(self) -> None:
        """Let go of the index."""
        self._index = None

    def _tokens(self, texts: list[str]) -> list[list[str]]:
        options = self._options
        stopwords = options.stopwords if isinstance(options.stopwords, str) else list(options.stopwords)
        # A stemmer keeps the word it works on.
        with self._lock:
            found: list[list[str]] = self._engine.tokenize(
                texts,
                token_pattern=options.token_pattern,
                stopwords=stopwords,
                stemmer=self._stemmer,
                return_ids=False,
                show_progress=False,
            )
        return found

    def _made(self, documents: Iterable[Document]) -> tuple[Any, list[dict[str, Any]]]:
        options = self._options
        records = [record_of(document) for document in documents]
        tokens = self._tokens([index_text(f"{record['title']}\n{record['text']}") for record in records])
        if not any(tokens):
            raise InputError(
                Code.NO_INDEX(self.name, f"{len(records)} documents without a word", "words to index")
            )
        engine = self._engine.BM25(k1=options.k1, b=options.b, delta=options.delta, method=options.method)
        engine.index(tokens, show_progress=False)
        return engine, records

    def _made_with(self) -> tuple[int, object]:
        return FORMAT, {
            "version": self.version,
            "snowballstemmer": version("snowballstemmer"),
            **{one: getattr(self._options, one) for one in _SETTINGS},
        }

    def _write(self, place: Path, documents: Iterable[Document]) -> None:
        engine, records = self._made(documents)
        engine.save(place, corpus=records, show_progress=False)

    def _open(self, place: Path) -> None:
        self._index = self._loaded(place, _BUILT)

    def _loaded(self, place: Path, fields: Mapping[str, str]) -> SavedIndex:
        try:
            engine = self._engine.BM25.load(place, load_corpus=True, show_progress=False)
            records, engine.corpus = engine.corpus, None
            return SavedIndex(engine, records, fields)
        except Exception as error:
            found = f"{printable(str(place))} ({told(error)})"
            raise InputError(
                Code.NO_INDEX(f"{self.name}.index", found, "a folder that BM25.save wrote")
            ) from error


open_bm25s = opener(Bm25sSystem, Bm25sOptions)
"""The entry point of the kind `bm25s`."""


def _stemmer(language: str, name: str) -> Any:
    import snowballstemmer

    if language == "none":
        return None
    known = snowballstemmer.algorithms()
    if language not in known:
        expected = f"none, or one of {', '.join(known)}"
        raise InputError(
            Code.WRONG_VALUE(f"{name}.stemmer", repr(language), expected, did_you_mean(language, known))
        )
    return snowballstemmer.stemmer(language)


class SavedIndex:
    """What is searched.

    Raises:
        ValueError: for records that are not one for each document.
    """

    def __init__(self, engine: Any, records: list[dict[str, Any]] | None, fields: Mapping[str, str]) -> None:
        self._engine = engine
        self._size = int(engine.scores["num_docs"])
        if records is not None and len(records) != self._size:
            raise ValueError(f"{len(records)} records for {self._size} documents")
        self._records = records
        self._fields = fields
        self._names = frozenset(name for record in records or () for name in _facets(record))
        self._places = self._by_id()

    def rows(self, tokens: list[str], query: Query) -> list[dict[str, object]]:
        """Return the best records that hold one of the words, and of equals those whose ids are first."""
        import numpy as np

        check_facets(query, self._names)
        engine = self._engine
        known = [token for token in tokens if token in engine.vocab_dict]
        if not known:
            return []
        scores = engine.get_scores(known, weight_mask=self._mask(query) if query.filters else None)
        # bm25l and bm25+ give a document something for each word that it does not hold.
        absent = engine.nonoccurrence_array
        floor = 0.0 if absent is None else float(absent[engine.get_tokens_ids(known)].sum()) * (1 + 1e-6)
        found = np.flatnonzero(scores > floor)
        if len(found) > query.k:
            # All that are as good as the last one that is wanted: bm25s itself takes any of them.
            least = np.partition(scores[found], -query.k)[-query.k]
            found = found[scores[found] >= least]
        best = found[np.lexsort((self._places[found], -scores[found]))][: query.k]
        pairs = zip(best.tolist(), scores[best].tolist(), strict=True)
        return [self._row(number, score) for number, score in pairs]

    def _by_id(self) -> Any:
        """Return each document's place in the order of ids; without ids, its number."""
        import numpy as np

        places = np.arange(self._size)
        if self._records is not None and (key := self._fields.get("id")) is not None:
            ids = [str(record.get(key, "")) for record in self._records]
            places[sorted(range(self._size), key=ids.__getitem__)] = np.arange(self._size)
        return places

    def _row(self, number: int, score: float) -> dict[str, object]:
        if self._records is None:
            return {"id": number, "score": score}
        record = self._records[number]
        return {**{field: record.get(key) for field, key in self._fields.items()}, "score": score}

    def _mask(self, query: Query) -> Any:
        import numpy as np

        wanted = filter_values(query)
        fits = (
            all(_facets(record).get(name) in values for name, values in wanted.items())
            for record in self._records or ()
        )
        return np.fromiter(fits, dtype=np.float32, count=self._size)


def _facets(record: dict[str, Any]) -> dict[str, Any]:
    """Return what a record can be filtered by: its facets, or its own keys where it has none."""
    facets = record.get("facets", record)
    return facets if isinstance(facets, dict) else record
