"""Targets that are not in the documents any more: where their texts are proved to stand, and else why not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.errors import InputError
from rankgate.project.old_state import OldState, judged_state, unrecorded
from rankgate.project.opening import corpus_room
from rankgate.truth.facts.checked import CheckedFact, FactKind
from rankgate.truth.facts.texts import kept_anchors
from rankgate.truth.gone import FollowedTargets

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rankgate.corpora.corpus import Corpus
    from rankgate.gates.scored import Scored
    from rankgate.model import Suite
    from rankgate.truth.gone import GoneLocation


def with_followed(scored: Scored, corpus: Corpus | None, root: Path | None) -> Scored:
    """Follow the targets that are gone, by their anchors or by the documents that git has.

    What git says of a text replaces a name that is like its own.

    Args:
        scored: What was tested, judged.
        corpus: The documents of today.
        root: The folder that corpora must lie in; by default the project's.
    """
    cases = {one.case for one in scored.gone if one.case is not None and one.counts}
    if not cases or corpus is None or corpus.records:
        return scored
    try:
        old = _judged(scored.suite, corpus, root)
        followed = FollowedTargets(moved_targets(scored, corpus, cases, old), old.commit)
    except InputError:
        # A repository that cannot be read: the verdict stands, and nothing more is known.
        return scored
    gone = scored.gone
    if followed.commit:
        gone = tuple(replace(one, likely=_likely(one, followed)) for one in gone)
    return replace(scored, gone=gone, followed=followed)


def judged_commit(suite: Suite, corpus: Corpus | None, root: Path | None) -> str:
    """Return the commit whose documents have targets that are gone and not anchored; empty without."""
    try:
        return "" if corpus is None or corpus.records else _judged(suite, corpus, root).commit
    except InputError:
        return ""


def _judged(suite: Suite, corpus: Corpus, root: Path | None) -> OldState:
    lost = unrecorded(suite, corpus, kept_anchors(suite))
    return judged_state(suite, lost, corpus_room(suite, root, _silent)) if lost else OldState()


def _silent(words: str) -> None:
    """Tell nobody: the stage that this is a part of is told."""


def _likely(one: GoneLocation, followed: FollowedTargets) -> str:
    new = followed.moved.get((one.case or "", one.target))
    return f"its text stands at {new}" if new else ""


def gone_facts(scored: Scored) -> Iterator[CheckedFact]:
    """Return a fact for each case that has a relevant target which is gone."""
    gone = {one.case: one for one in reversed(scored.gone) if one.case is not None and one.counts}
    commit = scored.followed.commit
    for case, one in reversed(gone.items()):
        new = scored.followed.moved.get((case, one.target))
        if new is None:
            likely = f"; {one.likely}" if one.likely else ""
            evidence = f"{one.target} is not in the documents: {one.why}{likely}"
            yield CheckedFact(FactKind.GONE, (case,), evidence, details=(one.target,))
        else:
            text = f"the text that it had at commit {commit}" if commit else "the text that was anchored"
            evidence = f"{one.target} is not in the documents, and {text} stands at {new}"
            yield CheckedFact(FactKind.MOVED, (case,), evidence, details=(f"{one.target} → {new}",))


def moved_targets(
    scored: Scored, corpus: Corpus | None, cases: set[str], old: OldState | None = None
) -> dict[tuple[str, str], str]:
    """Return where targets are proved to stand now, by case and location, as `suite fix` follows them.

    Args:
        scored: What was tested, judged.
        corpus: The documents of today.
        cases: Whose targets.
        old: The documents that were judged, where nothing was anchored.
    """
    suite = scored.suite
    anchors = kept_anchors(suite)
    before = None if old is None else old.corpus
    if corpus is None or corpus.records or (not anchors.cases and before is None):
        return {}
    from rankgate.truth.mending.plan import Documents, find_changes

    some = tuple(case for case in suite.cases if case.id in cases)
    part = replace(suite, cases=some, scenarios=(), invariants=())
    then = None if before is None else Documents(before)
    renames = {} if old is None else old.renames
    return {
        (case, str(change.location)): str(change.drift.location)
        for change in find_changes(part, Documents(corpus), anchors, then, renames).targets
        if change.moves
        for case in change.cases
    }
