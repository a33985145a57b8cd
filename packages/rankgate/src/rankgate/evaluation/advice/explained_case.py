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
from rankgate.truth.facts.checked import DEEP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.evaluation.configuration import SystemEntry
    from rankgate.evaluation.project.asked_case import AskedCase
    from rankgate.model.search import Ranking, ScoreExplanation
    from rankgate.model.wording import TitleOf
    from rankgate.runs.store.hits import HitRow


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
    shown = chosen_hits(hits, explanations, expected, scored.titles)
    if expected or asked.case.expect_empty:
        return explanation_text(shown)
    return explanation_text(
        shown, f"no expected hit is among the first {len(hits)}: it has no score to explain"
    )


def chosen_hits(
    hits: Sequence[HitRow],
    explanations: Sequence[ScoreExplanation | None],
    expected: int,
    titles: TitleOf,
) -> list[ExplainedHit]:
    """Return the expected hit and the first one; where they are one, the second tells how near it was.

    Args:
        hits: What was returned.
        explanations: How the score of each comes about.
        expected: The rank of the first relevant hit; 0 where none is.
        titles: The heading or symbol of a location.
    """
    chosen = {"expected": expected, "second" if expected == 1 else "first": 2 if expected == 1 else 1}
    return [
        ExplainedHit(title, rank, shown_hit(hits[rank - 1], titles), explanations[rank - 1])
        for title, rank in chosen.items()
        if 0 < rank <= len(hits)
    ]
