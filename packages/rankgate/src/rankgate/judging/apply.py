"""Judgments into the suite: what judges agree on as edits of its file, shown before they are written."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import TYPE_CHECKING, TypeAlias

from rankgate.judging.targets import target_location
from rankgate.model import Target
from rankgate.suites.asked_suite import is_proposed, source_kind
from rankgate.suites.edit import AddTargets, Regrade, revised_suite, suite_text, write_revision
from rankgate.truth.anchors import anchors_path, read_anchors, write_anchors
from rankgate.truth.follow import Documents, updated_anchors
from rankgate.truth.judgments.labels import settled_label
from rankgate.truth.lookup import Spot

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rankgate.locations import Location
    from rankgate.model import Case, Suite
    from rankgate.suites.edit import Edit, Revised
    from rankgate.truth.judgments.labels import Label, Labels
    from rankgate.truth.lookup import CorpusReader

_DIGITS = 8
_Group: TypeAlias = tuple[str, str]
"""A judge, and the name that alternatives have in the judge's log."""


@dataclass(frozen=True, slots=True)
class AppliedLabel:
    """One label that would change the suite."""

    label: Label
    """The label that counts."""
    location: Location
    """The target that it is about."""
    old: float | None = None
    """The grade that the suite has; None where it has no such target."""
    by: str = ""
    """Who gave that grade."""


@dataclass(frozen=True, slots=True, eq=False)
class ApplyPlan:
    """What would be written, and what would not."""

    written: str
    """The file as it is."""
    revised: Revised
    """The file as it would be."""
    added: tuple[AppliedLabel, ...] = ()
    """New targets."""
    regraded: tuple[AppliedLabel, ...] = ()
    """Targets that would have another grade."""
    kept: tuple[AppliedLabel, ...] = ()
    """Targets to which a person gave another grade, which stays unless it is asked for."""
    disputed: tuple[tuple[Label, ...], ...] = ()
    """Passages that judges do not agree on: nothing is written of them."""
    irrelevant: int = 0
    """How many were judged and are not relevant: they stay in the logs, which `truth` reads."""
    apart: tuple[tuple[Location, Location], ...] = ()
    """New targets that are alternatives to a target of the suite, which has no group to join."""

    @property
    def changes(self) -> bool:
        """Whether the file would be another one."""
        return self.revised.text != self.written


def planned(
    suite: Suite, labels: Labels, reader: CorpusReader, *, sources: Iterable[str], overwrite: bool = False
) -> ApplyPlan:
    """Make edits of what judges agree on; nothing is written.

    Args:
        suite: The suite as its file has it.
        labels: What was said.
        reader: What reads the corpus.
        sources: The kinds of judges whose labels become targets.
        overwrite: True to change grades that a person gave.

    Raises:
        FormatError: for a suite that cannot be changed in place.
    """
    cases = {case.id: case for case in suite.cases}
    sorting = _Sorting(cases, reader, overwrite)
    for said in labels.graded(sources).values():
        sorting.take(said)
    written = suite_text(suite)
    edits = sorting.all_edits()
    revised = revised_suite(written, suite, edits)
    left = {one.edit for one in revised.left}
    added = [edit for edit in left if isinstance(edit, AddTargets)]
    unchanged = {(edit.case, target.location) for edit in added for target in edit.targets}
    return ApplyPlan(
        written,
        revised,
        tuple(one for one in sorting.added if (one.label.case, one.location) not in unchanged),
        tuple(one for edit, one in sorting.regraded if edit not in left),
        tuple(sorting.kept),
        tuple(sorting.disputed),
        sorting.irrelevant,
        tuple(sorting.apart),
    )


@dataclass(frozen=True, slots=True)
class _NewTarget:
    target: Target
    group: _Group | None
    """The alternatives that it belongs to; None where it stands for itself."""


@dataclass(slots=True)
class _Sorting:
    """Sorts labels by what becomes of them."""

    cases: Mapping[str, Case]
    reader: CorpusReader
    overwrite: bool
    added: list[AppliedLabel] = field(default_factory=list)
    regraded: list[tuple[Regrade, AppliedLabel]] = field(default_factory=list)
    kept: list[AppliedLabel] = field(default_factory=list)
    disputed: list[tuple[Label, ...]] = field(default_factory=list)
    irrelevant: int = 0
    apart: list[tuple[Location, Location]] = field(default_factory=list)
    _new: dict[str, dict[Location, _NewTarget]] = field(default_factory=lambda: defaultdict(dict))
    _known: dict[_Group, list[Target]] = field(default_factory=lambda: defaultdict(list))

    def take(self, said: tuple[Label, ...]) -> None:
        """Take what all judges said of one passage."""
        label, case = settled_label(said), self.cases.get(said[0].case)
        if label is None:
            self.disputed.append(said)
        elif case is not None and case.query == label.query and not case.expects_nothing:
            self._sort(case, label, said)

    def _sort(self, case: Case, label: Label, said: tuple[Label, ...]) -> None:
        grade = label.grade or 0.0
        location = target_location(label, self.reader)
        number = _target_at(case, label.location, self.reader)
        if number is None:
            number = _target_at(case, location, self.reader)
        if number is None and grade <= 0:
            self.irrelevant += 1
            return
        source = provenance(label, said)
        group = _group(label, said)
        if number is None:
            # Two passages may be parts of one section.
            known = self._new[case.id].get(location)
            if known is None:
                self.added.append(AppliedLabel(label, location))
            if known is None or grade > known.target.grade:
                self._new[case.id][location] = _NewTarget(Target(location, grade, source=source), group)
            return
        old = case.targets[number]
        if group is not None:
            self._known[group].append(old)
        one = AppliedLabel(label, location, old.grade, old.source)
        if old.grade == grade and not is_proposed(old):
            return
        if source_kind(old.source) == "person" and old.reviewed and not self.overwrite:
            self.kept.append(one)
            return
        self.regraded.append((Regrade(case.id, number, grade, source), one))

    def all_edits(self) -> list[Edit]:
        """Return what changes the file."""
        new = [AddTargets(case, tuple(self._grouped(case, found))) for case, found in self._new.items()]
        return [*(edit for edit, _ in self.regraded), *new]

    def _grouped(self, case: str, found: Mapping[Location, _NewTarget]) -> Iterator[Target]:
        """Return new targets with the groups that judges gave them, under names that the case does not have.

        An alternative to a target of the suite joins its group; where that has none, it stands apart.
        """
        taken = {target.group for target in self.cases[case].targets}
        names: dict[_Group, str | None] = {}
        for new in found.values():
            group = new.group
            if group is None:
                yield new.target
                continue
            known = self._known.get(group, [])
            if group not in names:
                joined = next((one.group for one in known if one.group is not None), None)
                free = next(name for name in chain([group[1]], map(str, count(2))) if name not in taken)
                alone = not known and sum(one.group == group for one in found.values()) == 1
                names[group] = joined if known else None if alone else free
                taken.add(names[group])
            if known and names[group] is None:
                self.apart.append((new.target.location, known[0].location))
            yield replace(new.target, group=names[group])


def _group(label: Label, said: Sequence[Label]) -> _Group | None:
    """Return the alternatives that a passage belongs to, by those who gave it the grade that counts."""
    named = (one for one in said if one.group is not None and one.grade == label.grade)
    return next(((one.judge, one.group or "") for one in named), None)


def provenance(label: Label, said: Sequence[Label]) -> str:
    """Write who gave a grade, when, by which guidelines, and what others said.

    >>> from rankgate.truth.judgments.labels import Label
    >>> ada = Label("ada", "c", "q", id="x", grade=2, time="2026-11-17T10:00:00Z", guidelines="3f2a91bc77")
    >>> provenance(ada, [ada, Label("bob", "c", "q", id="x", grade=2)])
    'person ada, 2026-11-17, guidelines 3f2a91bc, second opinion bob 2'
    """
    parts = [f"{label.source} {label.judge}"]
    if label.time:
        parts.append(label.time[:10])
    if label.guidelines:
        parts.append(f"guidelines {label.guidelines[:_DIGITS]}")
    if label.prompt:
        parts.append(f"prompt {label.prompt[:_DIGITS]}")
    parts += [f"second opinion {one.judge} {one.grade:g}" for one in said if one.judge != label.judge]
    return ", ".join(parts)


def _target_at(case: Case, location: Location, reader: CorpusReader) -> int | None:
    """Return which target of a case is at a location, however it is written."""
    wanted = _place(location, reader)
    for number, target in enumerate(case.targets):
        if target.location == location or (wanted is not None and _place(target.location, reader) == wanted):
            return number
    return None


def _place(location: Location, reader: CorpusReader) -> tuple[object, ...] | None:
    spot = reader.find(location)
    return (spot.id, spot.path, spot.start, spot.end) if isinstance(spot, Spot) else None


def write(suite: Suite, plan: ApplyPlan, reader: CorpusReader) -> bool:
    """Write what was planned, and anchor new targets where the suite is anchored.

    Returns:
        True where the file of anchors was written, too.

    Raises:
        FormatError: where the suite was changed meanwhile; nothing is written then.
    """
    write_revision(suite, plan.written, plan.revised)
    path = anchors_path(str(suite.path))
    kept = read_anchors(path)
    if kept is None or reader.corpus is None:
        return False
    anchors = updated_anchors(plan.revised.suite, Documents(reader.corpus), kept)
    if anchors == kept:
        return False
    write_anchors(anchors, path)
    return True
