"""Queries of invariants that equal those of cases or of each other: the system runs them once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.model import Relation, query_id
from rankgate.runs.identity import question_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankgate.model import Suite
    from rankgate.runs.asking.ask import AnswerRecord, CaseQuery


class EqualQueries:
    """The results that queries of invariants take from equal queries.

    Queries are equal if text, filters and number of results are the same.
    The queries of `stable` compare one run of a query with the next, so each runs.
    """

    def __init__(self, suite: Suite) -> None:
        self._reusing = {
            query_id(one.name, number): question_digest(query.text, query.filters, query.k)
            for one in suite.invariants
            if one.relation is not Relation.STABLE
            for number, query in enumerate(one.queries)
        }
        self._records: dict[str, AnswerRecord | None] = dict.fromkeys(self._reusing.values())
        self._running: dict[str, str] = {}

    def split(self, queries: Sequence[CaseQuery]) -> tuple[list[CaseQuery], list[CaseQuery]]:
        """Return the queries that must run, and those that take the results of others."""
        running: list[CaseQuery] = []
        reusing: list[CaseQuery] = []
        if not self._records:
            return list(queries), reusing
        taken = {digest for digest, record in self._records.items() if record is not None}
        for one in queries:
            digest = question_digest(one.query.text, one.query.filters, one.query.k)
            if one.id in self._reusing and digest in taken:
                reusing.append(one)
                continue
            running.append(one)
            if digest in self._records:
                taken.add(digest)
                self._running[one.id] = digest
        return running, reusing

    def add(self, records: Iterable[AnswerRecord]) -> None:
        """Keep the results that other queries need."""
        for record in records:
            digest = self._running.get(record.id)
            if digest is not None and self._records[digest] is None:
                self._records[digest] = record

    def records(self, queries: Iterable[CaseQuery]) -> list[AnswerRecord]:
        """Return the results for queries of `split` that did not run; those that nothing ran are left out."""
        found = ((one.id, self._records[self._reusing[one.id]]) for one in queries)
        return [record._replace(id=name) for name, record in found if record is not None]
