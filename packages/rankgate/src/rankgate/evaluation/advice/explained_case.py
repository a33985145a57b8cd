"""Why a case found what it found: how the engine scored the expected hit, beside the one that came first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.errors import SystemFailedError
from rankgate.evaluation.project.asked_case import scored_answer
from rankgate.model.systems import explained_by
from rankgate.reports.explanations import ExplainedHit, explanation_text
from rankgate.reports.rankings import shown_hit
from rankgate.runs.store.hits import read_hits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.evaluation.configuration import SystemEntry
    from rankgate.evaluation.project.asked_case import AskedCase
    from rankgate.model.search import Ranking, ScoreExplanation

DEEP = 100
"""How many hits are asked for, so that an expected one further down is explained as well."""


def explained_case(
    system: object, asked: AskedCase
) -> tuple[Ranking, tuple[ScoreExplanation | None, ...]] | str:
    """Ask a case once more, with how each score comes about; why not, in words, where that cannot be."""
    deep = replace(asked.query, k=max(asked.query.k, DEEP))
    try:
        found = explained_by(system, deep)
    except SystemFailedError as error:
        return f"not explained: {error}"
    if found is None:
        return "not explained: this system does not say how its scores come about"
    return found


def explained_text(
    asked: AskedCase,
    entry: SystemEntry,
    found: tuple[Ranking, Sequence[ScoreExplanation | None]] | str,
    corpus: Corpus | None,
) -> str:
    """Lay out the explanations of the first relevant hit and of the first hit, side by side."""
    if isinstance(found, str):
        return explanation_text((), found)
    ranking, explanations = found
    deep = replace(asked, query=replace(asked.query, k=max(asked.query.k, DEEP)))
    scored, _ = scored_answer(deep, entry, ranking, corpus)
    hits = read_hits(scored.run).get(asked.case.id, [])
    if not hits:
        return explanation_text((), "nothing was returned")
    expected = 0 if asked.case.expect_empty else int(scored.judged_hits.first_relevant()[0])
    # Where the expected hit is the first, the one behind it tells how near it was.
    chosen = {"expected": expected, "second" if expected == 1 else "first": 2 if expected == 1 else 1}
    shown = [
        ExplainedHit(title, rank, shown_hit(hits[rank - 1], scored.titles), explanations[rank - 1])
        for title, rank in chosen.items()
        if 0 < rank <= len(hits)
    ]
    if expected or asked.case.expect_empty:
        return explanation_text(shown)
    return explanation_text(
        shown, f"no expected hit is among the first {len(hits)}: it has no score to explain"
    )
