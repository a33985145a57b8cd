"""The update of a suite by its drift: locations that are proven to have moved, its pin, and its anchors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.suites.editing.relocate import edit_suite
from rankgate.truth.anchors import (
    Anchors,
    anchors_path,
    compare,
    read_anchors,
    updated,
    write_anchors,
)
from rankgate.truth.locations.corpus_reader import CorpusReader

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rankgate.corpora.corpus import Corpus
    from rankgate.model.suite import CorpusSource, Suite
    from rankgate.suites.editing.relocate import NotEdited
    from rankgate.truth.drift.find import Drift


@dataclass(frozen=True, slots=True)
class DriftUpdate:
    """What was written, and what was not."""

    locations: int
    """How many locations of the file were changed."""
    corpus: CorpusSource
    """What the suite is pinned to now."""
    left: tuple[NotEdited, ...] = ()
    """Proven locations whose spelling, or whose case, does not allow a change."""
    anchors: Path | None = None
    """The file of anchors that was written; None where none was needed."""


def write_drift(suite: Suite, drift: Drift, old: Corpus, new: Corpus, corpus: CorpusSource) -> DriftUpdate:
    """Write the locations that are proven to have moved, and pin the suite to the new corpus.

    The anchors of a suite go with its locations, and those of text that is no longer there stay: `suite lint`
    names them. Where a location is left open that quietly finds another text now, anchors are made for that.

    Args:
        suite: The suite, as it was read from its file.
        drift: What became of its locations.
        old: The corpus it was pinned to.
        new: The one to pin it to.
        corpus: How the suite names that one.

    Raises:
        FormatError: for a suite that cannot be changed, or anchors that cannot be read; nothing is written.
    """
    path = anchors_path(str(suite.path))
    kept = read_anchors(path)
    edited = edit_suite(suite, drift.moves, corpus)
    quiet = bool(edited.left) or any(
        each.anchored and each.drift.stands and not each.drift.same for each in drift.open
    )
    if kept is None and not quiet:
        return DriftUpdate(edited.places, corpus, edited.left)
    before = updated(compare(suite, CorpusReader(old), kept or Anchors()), suite, old.fingerprint)
    left = {each.location for each in edited.left}
    moves = {str(was): str(now) for was, now in drift.moves.items() if was not in left}
    write_anchors(Anchors(corpus, new.fingerprint, _moved(before.cases, moves)), path)
    return DriftUpdate(edited.places, corpus, edited.left, path)


def _moved(cases: Mapping[str, Mapping[str, str]], moves: Mapping[str, str]) -> dict[str, dict[str, str]]:
    return {
        case: {moves.get(location, location): anchor for location, anchor in kept.items()}
        for case, kept in cases.items()
    }
