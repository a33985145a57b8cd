"""What became of a suite's targets after its documents changed, and the edits that decide about them.

An anchor of an undecided target keeps its record and the fingerprint of the documents it was made in: it is
the only record of what was judged.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rankgate.corpora.corpus import Corpus, OpenContext, moved_to, open_source
from rankgate.errors import Code, FormatError, InputError
from rankgate.locations import Location
from rankgate.model import CorpusSource, Suite
from rankgate.project.baselines import renamed_targets
from rankgate.project.old_state import OldState, judged_state, known_state, named_state, unrecorded
from rankgate.project.opening import corpus_room
from rankgate.runs.baseline import BaselineAnchors, write_baseline_anchors
from rankgate.suites.edit import (
    DropLocation,
    Edit,
    LeftOut,
    Move,
    Revised,
    edited_suite,
    revised_suite,
    suite_text,
    write_revision,
)
from rankgate.suites.formats import load_suite
from rankgate.truth.anchors import Anchors, anchors_path, compare, read_anchors, updated, write_anchors
from rankgate.truth.follow import Documents, MendPlan, TargetChange, find_changes

WORKING_TREE = "."
"""How the working tree of a git corpus is named as what to move to."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of one location in the suite."""

    location: Location
    """The location as it is written."""
    new: Location | None
    """Where its text is now, which may be where it was; None to remove the target."""


@dataclass(frozen=True, slots=True, eq=False)
class Mended:
    """A suite and its anchors as decisions make them; nothing is written yet."""

    revised: Revised
    """The suite."""
    anchors: Anchors
    open: tuple[TargetChange, ...]
    """What nobody has decided."""
    by_hand: tuple[TargetChange, ...]
    """Locations of scenarios and invariants that were decided to be removed, which a person must do."""
    baselines: Mapping[Path, BaselineAnchors]
    """The anchors of baselines in which targets get other names, by their files."""

    @property
    def left(self) -> tuple[LeftOut, ...]:
        """What the layout of the file does not allow."""
        return self.revised.left


@dataclass(frozen=True, slots=True, eq=False)
class Mending:
    """A suite beside the documents of today, and what became of its targets."""

    suite: Suite
    """The suite, as it was read."""
    written: str
    """The text of its file."""
    plan: MendPlan
    """What became of its targets."""
    today: Documents
    """The documents of today."""
    kept: Anchors
    """What was recorded of the texts."""
    anchored: bool
    """Whether there is a file of anchors."""
    old: Documents | None = None
    """The documents as they were, where they can be had."""
    said: str = ""
    """Where they come from, in words."""
    pin: CorpusSource | None = None
    """What the suite is to be pinned to; None where it stays what it is."""
    fixed: str = ""
    """Why the suite's file cannot be changed in place, where that is so; its anchors can."""
    preview: str = ""
    """Why nothing may be written, where that is so."""
    commit: str = ""
    """The commit with the documents as they were, where nobody named one and it was found in git."""

    @property
    def anchors_file(self) -> Path:
        """The file of anchors."""
        return anchors_path(str(self.suite.path))

    def sure(self) -> list[Decision]:
        """Return what is decided without asking."""
        return [
            Decision(each.location, each.drift.location or each.location)
            for each in self.plan.targets
            if each.sure
        ]

    def mended(self, decisions: Sequence[Decision]) -> Mended:
        """Return what decisions make of the suite, and write nothing."""
        decided = {each.location: each for each in decisions}
        edits: list[Edit] = [
            Move(each.location, each.new)
            for each in decisions
            if each.new is not None and each.new != each.location
        ]
        by_hand = []
        for target in self.plan.targets:
            decision = decided.get(target.location)
            if decision is not None and decision.new is None:
                edits += [DropLocation(case, target.location) for case in target.cases]
                if len(target.cases) < len(target.owners):
                    by_hand.append(target)
        if self.fixed:
            revised = Revised(self.suite, self.written, tuple(LeftOut(edit, self.fixed) for edit in edits))
        else:
            revised = revised_suite(self.written, self.suite, edits)
        if self.pin is not None and not self.fixed:
            pinned = edited_suite(revised.text, revised.suite, {}, self.pin)
            revised = replace(pinned, left=revised.left, locations=revised.locations)
        undone = {
            each.edit.old if isinstance(each.edit, Move) else each.edit.location
            for each in revised.left
            if isinstance(each.edit, Move | DropLocation)
        }
        done = {location: one for location, one in decided.items() if location not in undone}
        still = tuple(each for each in self.plan.targets if each.location not in done)
        names = {
            location.whole: one.new.whole
            for location, one in done.items()
            if one.new is not None and one.new != location
        }
        baselines = renamed_targets(self.suite, names)
        return Mended(revised, self._anchors(revised.suite, done, still), still, tuple(by_hand), baselines)

    def _anchors(
        self, suite: Suite, done: Mapping[Location, Decision], still: Sequence[TargetChange]
    ) -> Anchors:
        moves = {one.location.whole: one.new.whole for one in done.values() if one.new is not None}
        # A location that nobody decided stays under its name, whatever moves there.
        for each in still:
            moves.pop(each.location.whole, None)
        undecided = {each.location for each in still}
        waiting = {each.location.whole for each in still}
        # What was followed from the documents as they were is known by what it said, as by an anchor.
        former = {
            moves[each.location.whole]: each.record
            for each in self.plan.targets
            if each.record is not None and moves.get(each.location.whole, "") not in ("", *waiting)
        }
        records = {moves.get(name, name): record for name, record in self.kept.texts.items()}
        kept = replace(
            self.kept,
            cases={
                case: {moves.get(name, name): anchor for name, anchor in anchors.items()}
                for case, anchors in self.kept.cases.items()
            },
            texts={**former, **records},
        )
        accepted = {one.new for one in done.values() if one.new is not None} - undecided
        comparison = compare(suite, self.today.reader, kept)
        names = {each.location.whole: each.location for each in comparison.locations if each.now is not None}
        texts = {
            name: record
            for name, location in names.items()
            if location not in undecided and (record := self.today.record(location)) is not None
        }
        return updated(
            comparison,
            suite,
            self.today.corpus.fingerprint,
            accept=accepted,
            undecided=undecided,
            kept=kept,
            texts=texts,
        )

    def changes(self, mended: Mended) -> tuple[bool, bool]:
        """Return whether the suite's file would change, and whether the anchors would."""
        return mended.revised.text != self.written, not self.anchored or mended.anchors != self.kept

    def write(self, mended: Mended) -> None:
        """Write the suite, its anchors and those of its baselines, each file whole or not at all.

        Raises:
            FormatError: where the suite was changed meanwhile; nothing is written then.
        """
        suite, anchors = self.changes(mended)
        if suite:
            write_revision(self.suite, self.written, mended.revised)
        if anchors:
            write_anchors(mended.anchors, self.anchors_file)
        for path, baseline in mended.baselines.items():
            write_baseline_anchors(path, baseline)


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
