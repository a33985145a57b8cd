"""An index of bm25s, and the records that its numbers stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgate.systems.templates import check_filters

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.model.search import Query

_FIX = "index records with a key of that name"


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

    def rows(self, tokens: list[str], query: Query) -> list[dict[str, object]]:
        """Give the best records that hold one of the words."""
        check_filters(query, self._names, _FIX)
        engine = self._engine
        known = [token for token in tokens if token in engine.vocab_dict]
        if not known:
            return []
        found = engine.retrieve(
            [known],
            k=min(query.k, self._size),
            backend_selection="numpy",
            show_progress=False,
            weight_mask=self._mask(query) if query.filters else None,
        )
        # bm25l and bm25+ give a document something for each word that it does not hold.
        absent = engine.nonoccurrence_array
        floor = 0.0 if absent is None else float(absent[engine.get_tokens_ids(known)].sum()) * (1 + 1e-6)
        numbers, scores = found.documents[0].tolist(), found.scores[0].tolist()
        pairs = zip(numbers, scores, strict=True)
        return [self._row(number, score) for number, score in pairs if score > floor]

    def _row(self, number: int, score: float) -> dict[str, object]:
        if self._records is None:
            return {"id": number, "score": score}
        record = self._records[number]
        return {**{field: record.get(key) for field, key in self._fields.items()}, "score": score}

    def _mask(self, query: Query) -> Any:
        import numpy as np

        wanted = {
            name: (value,) if isinstance(value, str) else value for name, value in query.filters.items()
        }
        fits = (
            all(_facets(record).get(name) in values for name, values in wanted.items())
            for record in self._records or ()
        )
        return np.fromiter(fits, dtype=np.float32, count=self._size)


def _facets(record: dict[str, Any]) -> dict[str, Any]:
    """Give what a record can be filtered by: its facets, or its own keys where it has none."""
    facets = record.get("facets", record)
    return facets if isinstance(facets, dict) else record
