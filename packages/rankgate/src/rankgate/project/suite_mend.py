"""A suite held beside the documents of today and, where they can be had, those that it was judged in."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.corpora.corpus import moved_to, open_source
from rankgate.errors import Code, FormatError, InputError
from rankgate.model.suite import CorpusSource
from rankgate.project.old_state import OldState, judged_state, known_state, named_state, unrecorded
from rankgate.project.opening import corpus_room
from rankgate.project.review.mending import Mending
from rankgate.suites.editing.revision import suite_text
from rankgate.suites.formats import load_suite
from rankgate.truth.anchors import Anchors, anchors_path, read_anchors
from rankgate.truth.mending.plan import Documents, find_changes

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankgate.corpora.corpus import Corpus, OpenContext
    from rankgate.model.suite import Suite

WORKING_TREE = "."
"""How the working tree of a git corpus is named as what to move to."""


def open_mending(
    path: Path,
    came_from: str | None,
    to: str | None,
    root: Path | None,
    tell: Callable[[str], None],
) -> Mending:
    """Find out what became of the targets of a suite.

    Args:
        path: The suite.
        came_from: The documents as they were: a commit, a release or a path; None for what anchors
            know, or else git.
        to: The documents to move to; None for the suite's corpus as it is.
        root: The folder that corpora must lie in; by default the project's.
        tell: Told in words what is under way.

    Raises:
        InputError: for a suite without a corpus, and states that cannot be opened.
        FormatError: for a suite or anchors that cannot be read.
    """
    suite = load_suite(path)
    written, fixed = "", ""
    try:
        written = suite_text(suite)
    except FormatError as error:
        fixed = error.problems[0].fix
    if suite.corpus is None:
        fix = "name it as corpus: in the suite"
        raise InputError(
            Code.NO_CORPUS(str(path), "a suite without a corpus", "one that its targets are in", fix)
        )
    room = corpus_room(suite, root, tell)
    file = anchors_path(path)
    kept = read_anchors(file)
    anchors = kept or Anchors()
    now, pin = _today(suite.corpus, to, room)
    old = _old(suite, came_from, to, anchors, now, room)
    today, before = Documents(now), None if old.corpus is None else Documents(old.corpus)
    plan = find_changes(suite, today, anchors, before, old.renames)
    preview = ""
    if suite.corpus.kind == "git" and to == WORKING_TREE:
        preview = "a suite can be pinned to a commit alone: commit the documents, then run it with --to HEAD"
    return Mending(
        suite,
        written,
        plan,
        today,
        anchors,
        kept is not None,
        before,
        old.said,
        pin,
        fixed,
        preview,
        old.commit,
    )


def _today(source: CorpusSource, to: str | None, room: OpenContext) -> tuple[Corpus, CorpusSource | None]:
    """Open the documents to move to, and say how the suite would name them, where that changes."""
    if to is None:
        return open_source(source, room), None
    if source.kind == "git" and to == WORKING_TREE:
        under = source.options.get("under", "")
        place = os.path.normpath(os.path.join(source.place, under if isinstance(under, str) else ""))  # noqa: PTH118
        return open_source(CorpusSource(place), room), None
    if source.kind != "git" and Path(to).exists() and not (room.here / to).exists():
        to = Path(os.path.relpath(to, room.here)).as_posix()
    target = moved_to(source, to)
    try:
        now = open_source(target, replace(room, unpinned=True))
    except InputError as error:
        raise InputError([replace(one, where=f"--to {to}: {one.where}") for one in error.problems]) from error
    target = replace(target, options={**target.options, **now.pin})
    return now, None if target == source else target


def _old(
    suite: Suite, came_from: str | None, to: str | None, anchors: Anchors, now: Corpus, room: OpenContext
) -> OldState:
    source = suite.corpus or CorpusSource(".")
    if came_from is not None:
        return named_state(source, came_from, room)
    if to is not None and (anchors.fingerprint is None or anchors.corpus in (None, source)):
        return OldState(open_source(source, room), f"the suite's corpus, {source}")
    known = known_state(source, anchors, now, room)
    if known.corpus is None and to is None and (lost := unrecorded(suite, now, anchors)):
        judged = judged_state(suite, lost, room)
        return known if judged.corpus is None else judged
    return known
