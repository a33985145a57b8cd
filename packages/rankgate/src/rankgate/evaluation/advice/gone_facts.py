"""Targets that are not in the documents any more: where their texts are proved to stand, and else why not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.truth.facts.checked import CheckedFact, FactKind
from rankgate.truth.facts.texts import kept_anchors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.corpora.corpus import Corpus
    from rankgate.gates.scored import Scored


def gone_facts(scored: Scored, corpus: Corpus | None) -> Iterator[CheckedFact]:
    """Return a fact for each case that has a relevant target which is gone."""
    gone = {one.case: one for one in reversed(scored.gone) if one.case is not None and one.counts}
    moved = moved_targets(scored, corpus, set(gone)) if gone else {}
    for case, one in reversed(gone.items()):
        new = moved.get((case, one.target))
        if new is None:
            likely = f"; {one.likely}" if one.likely else ""
            evidence = f"{one.target} is not in the documents: {one.why}{likely}"
            yield CheckedFact(FactKind.GONE, (case,), evidence, details=(one.target,))
        else:
            evidence = f"{one.target} is not in the documents, and the text that was anchored stands at {new}"
            yield CheckedFact(FactKind.MOVED, (case,), evidence, details=(f"{one.target} → {new}",))


def moved_targets(scored: Scored, corpus: Corpus | None, cases: set[str]) -> dict[tuple[str, str], str]:
    """Return where targets are proved to stand now, by case and location, as `suite mend` follows them."""
    suite = scored.suite
    anchors = kept_anchors(suite)
    if corpus is None or corpus.records or not anchors.cases:
        return {}
    from rankgate.truth.mending.plan import Documents, find_changes

    some = tuple(case for case in suite.cases if case.id in cases)
    part = replace(suite, cases=some, scenarios=(), invariants=())
    return {
        (case, str(change.location)): str(change.drift.location)
        for change in find_changes(part, Documents(corpus), anchors).targets
        if change.moves
        for case in change.cases
    }
