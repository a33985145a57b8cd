"""What `rankgate suite fix` cannot decide, as candidates: where a target may be in the documents of today.

A target that is gone, in several places, in pieces or edited is for people to judge: at the locations that
mending proposes and, where it proposes none, at the lines where it was.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.judging.pool.candidates import PoolCandidate, Vote
from rankgate.project.suite_fix import open_mending
from rankgate.truth.anchors import anchors_path, read_anchors
from rankgate.truth.follow import DriftStatus
from rankgate.truth.lookup import Spot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.locations import Location
    from rankgate.model import Suite
    from rankgate.project.project import Project
    from rankgate.truth.follow import TargetChange
    from rankgate.truth.lookup import CorpusReader

MENDING = "mending"
"""The source of what may be a target that documents no longer have as it was."""
_PROPOSED = 3


def open_targets(project: Project, suite: Suite, reader: CorpusReader) -> tuple[TargetChange, ...]:
    """Return the targets that mending leaves to people; none where the suite is not anchored.

    Raises:
        FormatError: for anchors that cannot be read.
        InputError: for documents that cannot be opened.
    """
    corpus = reader.corpus
    if suite.path is None or corpus is None or corpus.records:
        return ()
    anchors = read_anchors(anchors_path(suite.path))
    if anchors is None or anchors.fingerprint in (None, corpus.fingerprint):
        return ()
    root = project.configuration.corpus_root
    mending = open_mending(Path(suite.path), None, None, root, lambda _: None)
    relevant = {(case.id, target.location) for case in suite.cases for target in case.targets}
    return tuple(
        change
        for change in mending.plan.open
        if change.known and any((case, change.location) in relevant for case in change.cases)
    )


def mending_candidates(change: TargetChange, reader: CorpusReader) -> Iterator[PoolCandidate]:
    """Return where one target may be, for each case that names it.

    A text that was edited where it stands is judged as a whole, although the suite has a grade for it: that
    was given to another text.
    """
    edited = change.drift.status is DriftStatus.EDITED
    for rank, (path, start, end) in enumerate(_places(change, reader), 1):
        for case in change.cases:
            yield PoolCandidate(case, Vote(MENDING, rank), path, start, end, as_it_is=edited and rank == 1)


def _places(change: TargetChange, reader: CorpusReader) -> list[tuple[str, int | None, int | None]]:
    drift, found = change.drift, []
    proposed: list[Location] = [] if drift.location is None else [drift.location]
    proposed += [one.location for one in drift.candidates]
    for location in dict.fromkeys(proposed):
        spot = reader.find(location)
        if isinstance(spot, Spot) and spot.path is not None:
            found.append((spot.path, spot.start, spot.end))
    was, lines = change.location, change.location.lines
    if not found and was.path is not None and lines is not None and reader.has(was.path):
        last = len(reader.lines(was.path))
        if lines.start <= last:
            found.append((was.path, lines.start, min(lines.end, last)))
    return found[:_PROPOSED]
