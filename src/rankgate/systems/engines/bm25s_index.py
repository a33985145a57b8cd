"""An index of bm25s, and the records that its numbers stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgate.systems.engines.index_records import check_facets
from rankgate.systems.utf8 import utf8

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.model.search import Query

FORMAT = 2
"""The number of what a built index holds."""


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
        """Give the best records that hold one of the words, and of equals those whose ids are first."""
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
        """Give each document's place in the order of ids; without ids, its number."""
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

        wanted = {utf8(name): [utf8(one) for one in query.values(name)] for name in query.filters}
        fits = (
            all(_facets(record).get(name) in values for name, values in wanted.items())
            for record in self._records or ()
        )
        return np.fromiter(fits, dtype=np.float32, count=self._size)


def _facets(record: dict[str, Any]) -> dict[str, Any]:
    """Give what a record can be filtered by: its facets, or its own keys where it has none."""
    facets = record.get("facets", record)
    return facets if isinstance(facets, dict) else record
