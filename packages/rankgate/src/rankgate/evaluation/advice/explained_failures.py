"""How the engine scored what queries should have found, beside what came first: of a few that fell short."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import InputError, SystemFailedError
from rankgate.evaluation.advice.examined import FailedQueries
from rankgate.evaluation.advice.explained_case import chosen_hits
from rankgate.evaluation.advice.follow_ups import FollowUp, FollowUps
from rankgate.model.search import Explainer, Query, System
from rankgate.reports.explanations import explained_scores
from rankgate.truth.facts.checked import DEEP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.evaluation.settings import RunOptions
    from rankgate.gates.outcomes import Outcome
    from rankgate.gates.scored import Scored
    from rankgate.reports.explanations import ExplainedScores
    from rankgate.runs.store.tables import Run

MOST_EXPLAINED = 5
"""How many queries are explained."""
_MOST_ASKED = 10
"""How many are asked for it: one whose expected hit is not returned has nothing to compare."""


def explained_failures(
    scored: Scored,
    system: System | Run,
    corpus: Corpus | None,
    asking: RunOptions,
    ended: Sequence[Outcome] | None = None,
) -> dict[str, ExplainedScores]:
    """Ask a few queries once more, with the scores of the expected and the first hit explained; by case.

    Those that cost most come first. Nothing where the system does not explain, or no further question may be
    asked.

    Args:
        scored: What was tested, judged.
        system: What was asked; a stored run explains nothing.
        corpus: What targets are in.
        asking: How it was asked, and how many further questions may be.
        ended: How every case ended, where that is worked out already.
    """
    if not isinstance(system, System) or not isinstance(system, Explainer) or not asking.follow_ups:
        return {}
    if scored.faults or scored.nothing_located:
        return {}
    failed = FailedQueries.of(scored, ended)
    # What was found further down has both hits; of what was not found, the expected one may come deeper.
    short = (*failed.found, *failed.missed)
    follow_ups = FollowUps(system, scored.suite, corpus, asking)
    found: dict[str, ExplainedScores] = {}
    for one in short[:_MOST_ASKED]:
        if len(found) == MOST_EXPLAINED:
            break
        query = Query(one.case.query, max(DEEP, scored.scores.depth or 0), one.case.filters)
        try:
            told = follow_ups.explain(FollowUp(one.case.id, query, one.targets))
        except (InputError, SystemFailedError):
            break
        if told is not None and told[0].rank is not None and told[0].rank > 1:
            answer, explanations = told
            hits = chosen_hits(answer.hits, explanations, told[0].rank, scored.titles)
            found[one.case.id] = explained_scores(hits)
    return found
