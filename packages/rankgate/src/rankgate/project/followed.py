"""Where the texts of missing targets are now, as far as anchors or git prove it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rankgate.corpora.corpus import Corpus
from rankgate.errors import InputError
from rankgate.model import Suite
from rankgate.project.opening import corpus_room
from rankgate.truth.resolve import GoneLocation


def followed_targets(
    suite: Suite, missing: Sequence[GoneLocation], corpus: Corpus | None, root: Path | None
) -> Mapping[tuple[str, str], str]:
    """Return the location of today of missing targets, by case and location as written."""
    cases = {one.case for one in missing if one.case is not None and one.counts}
    if not cases or corpus is None or corpus.records:
        return {}
    from rankgate.project.old_state import OldState, judged_state, unrecorded
    from rankgate.truth.anchors import kept_anchors
    from rankgate.truth.follow import Documents, find_changes

    anchors, old = kept_anchors(suite), OldState()
    try:
        if lost := unrecorded(suite, corpus, anchors):
            old = judged_state(suite, lost, corpus_room(suite, root, lambda _: None))
    except InputError:
        # A repository that can't be read proves nothing, and the verdict doesn't depend on it.
        return {}
    if not anchors.cases and old.corpus is None:
        return {}
    part = replace(
        suite, cases=tuple(case for case in suite.cases if case.id in cases), scenarios=(), invariants=()
    )
    before = None if old.corpus is None else Documents(old.corpus)
    return {
        (case, str(change.location)): str(change.drift.location)
        for change in find_changes(part, Documents(corpus), anchors, before, old.renames).targets
        if change.moves
        for case in change.cases
    }
