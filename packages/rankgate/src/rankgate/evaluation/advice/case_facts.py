"""Facts about one case that explain its result: missing targets, targets that are not indexed, duplicates."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankgate.evaluation.advice.examined import place
from rankgate.model.search import Query
from rankgate.model.systems import exchange_with
from rankgate.project.asked_case import scored_answer
from rankgate.runs.store.hits import read_hits
from rankgate.truth.facts.texts import same_text, target_text
from rankgate.truth.locations.corpus_reader import CorpusReader
from rankgate.truth.locations.resolve import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rankgate.corpora.corpus import Corpus
    from rankgate.gates.scored import Scored
    from rankgate.model.search import System
    from rankgate.project.asked_case import AskedCase
    from rankgate.project.configuration import SystemEntry

DEEP = 100
"""How many results are requested for the text of a target."""
LONGEST = 300
"""The maximum number of characters of a target's text that are sent as a query."""


def own_text(reader: CorpusReader, row: Mapping[str, Any]) -> str:
    """Return the first words of the text of a target; an empty string if it has none."""
    text = " ".join((target_text(reader, row) or "").split())
    return text if len(text) <= LONGEST else text[:LONGEST].rpartition(" ")[0] or text[:LONGEST]


def index_facts(asked: AskedCase, system: System, entry: SystemEntry, corpus: Corpus | None) -> list[str]:
    """Run the text of each relevant target as a query, and name the targets that are not returned for it."""
    reader = CorpusReader(corpus)
    facts = []
    for row in _relevant(asked, corpus):
        text = own_text(reader, row)
        if not text:
            continue
        query = Query(text, DEEP)
        found = exchange_with(system, query)
        if found.error is not None:
            return [f"not checked whether the targets are indexed: {found.error}"]
        scored, _ = scored_answer(replace(asked, query=query), entry, found.ranking, corpus)
        if scored.judged_hits.ranks.get((asked.case.id, int(row["target"]))) is None:
            name = place(row)
            facts.append(f"not indexed: {name} is not among the first {DEEP} results for its own text")
    return facts


def text_facts(asked: AskedCase, scored: Scored, corpus: Corpus | None) -> Iterator[str]:
    """Name the missing targets, and the results above a target that have the same text."""
    yield from (f"missing target: {gone}" for gone in scored.gone)
    reader = CorpusReader(corpus)
    hits = read_hits(scored.run).get(asked.case.id, [])
    for row in _relevant(asked, corpus):
        rank = scored.judged_hits.ranks.get((asked.case.id, int(row["target"])))
        for hit in hits[: rank - 1 if rank else None]:
            if same_text(reader, row, hit._asdict()):
                yield f"duplicate: {hit} at rank {hit.rank} has the text of {place(row)}"


def _relevant(asked: AskedCase, corpus: Corpus | None) -> list[dict[str, Any]]:
    targets = resolve(asked.alone, corpus).judgments.targets
    return [row for row in targets.to_dicts() if row["grade"] > 0]
