"""One judge's session: the passage to judge, what is said of it, the way back, and how far it is.

It is blind: it knows passages and what this judge said of them, and neither systems nor ranks nor scores nor
what other judges said. Whatever is recorded is on the disk before the call returns.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, TypeAlias

from pydantic import Field

from rankgate.errors import Code, InputError
from rankgate.judging.session.consistency import RelatedGrade, RelatedGrades
from rankgate.judging.session.documents import JudgingDocuments, NoDocuments, lines_of
from rankgate.judging.session.progress import JudgingPace, JudgingProgress
from rankgate.judging.session.queue import FixedQueue
from rankgate.judging.session.scale import GradeScale, Guidelines
from rankgate.locations import Lines, Location
from rankgate.truth.judgments.labels import Label, LabelLog, Labels, Saying

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.judging.units import JudgingUnit
    from rankgate.truth.judgments.labels import UnitKey

_LONGEST = 10_000
Comment: TypeAlias = Annotated[str, Field(max_length=_LONGEST)]
Line: TypeAlias = Annotated[int, Field(ge=1, lt=1 << 31)]


@dataclass(frozen=True, slots=True)
class Judgment:
    """What a judge says of one passage."""

    said: Saying = "grade"
    """Whether it is graded."""
    grade: int | None = None
    """The grade; None where none is given."""
    comment: Comment = ""
    """Why."""
    better: tuple[Line, Line] | None = None
    """The first and last line of a better location in the same file; None where the passage is right."""
    alternative: str | None = None
    """The location of another passage of the query to which this one is an alternative: one of them will do.
    None where it stands for itself."""


@dataclass(frozen=True, slots=True)
class JudgingTask:
    """What is to be judged, and how."""

    units: Sequence[JudgingUnit]
    """The passages."""
    title: str = ""
    """What the judge is told that it is about: the name of the suite."""
    scale: GradeScale = field(default_factory=GradeScale)
    """The grades."""
    guidelines: Guidelines = field(default_factory=Guidelines)
    """How to grade."""
    groups: Mapping[str, str] = field(default_factory=dict)
    """The group of each case that has one: paraphrases of one need."""
    documents: JudgingDocuments = field(default_factory=NoDocuments)
    """The files that passages stand in."""


class JudgingSession:
    """What one judge does with a task, by a page or a terminal; safe to be asked by several threads.

    What was skipped in an earlier session comes again; what was graded or unsure does not.
    """

    def __init__(self, task: JudgingTask, log: LabelLog, labels: Labels | None = None) -> None:
        self.task = task
        """What is to be judged."""
        self.judge = log.judge
        """Who judges."""
        self._log = log
        self._queue = FixedQueue(task.units)
        self._units = {unit.key: unit for unit in task.units}
        self._numbers = {unit.key: number for number, unit in enumerate(task.units)}
        own = (labels or Labels()).of(log.judge)
        # The last one said stands last, so that the way back is the way that it went.
        self._labels: dict[UnitKey, Label] = {label.unit: label for label in own if label.unit in self._units}
        self._open = {key for key, label in self._labels.items() if label.said == "skip"}
        self._related = RelatedGrades(task.groups)
        self._related.index(task.units)
        self._pace = JudgingPace()
        self._lock = threading.RLock()

    def next(self, *shown: JudgingUnit) -> JudgingUnit | None:
        """Return the passage to judge next, as if those that are shown were judged; None at the end."""
        with self._lock:
            return self._queue.next(self._judged(shown))

    def number(self, unit: JudgingUnit) -> int:
        """Return the number of a passage, by which a page names it."""
        return self._numbers[unit.key]

    def unit(self, number: int) -> JudgingUnit | None:
        """Return a passage by its number; None where there is none."""
        return self.task.units[number] if 0 <= number < len(self.task.units) else None

    def label(self, unit: JudgingUnit) -> Label | None:
        """Return what was said of a passage; None where nothing was."""
        return self._labels.get(unit.key)

    def before(self, unit: JudgingUnit | None = None) -> JudgingUnit | None:
        """Return the passage that was judged before another, or last of all; None where there is none."""
        with self._lock:
            keys = list(self._labels)
        if unit is not None and unit.key in keys:
            keys = keys[: keys.index(unit.key)]
        return self._units[keys[-1]] if keys else None

    def record(self, unit: JudgingUnit, judgment: Judgment) -> Label:
        """Write what is said of a passage; what was said of it before no longer counts.

        Raises:
            InputError: for a grade that the scale does not have, or a location that is not there.
            OSError: where it cannot be written; nothing has changed then.
        """
        with self._lock:
            self._check(unit, judgment)
            group = self._group(unit, judgment)
            label = Label(
                judge=self.judge,
                case=unit.case,
                query=unit.query,
                at=unit.location if unit.path is not None else None,
                id=unit.location if unit.path is None else None,
                said=judgment.said,
                grade=judgment.grade,
                comment=judgment.comment.strip() or None,
                better=_better(unit, judgment),
                group=group,
                guidelines=self.task.guidelines.digest,
                text=unit.digest,
            )
            self._log.append(label)
            changed = unit.key in self._labels and unit.key not in self._open
            self._keep(unit, label, last=not changed)
            self._pace.judged()
            return label

    def again(self) -> int:
        """Open what was skipped for another look, and return how many there are."""
        with self._lock:
            self._open = {key for key, label in self._labels.items() if label.said == "skip"}
            return len(self._open)

    def related(self, unit: JudgingUnit) -> tuple[RelatedGrade, ...]:
        """Return what the same location was graded under other queries; nothing before it has a grade."""
        label = self._labels.get(unit.key)
        if label is None or label.grade is None:
            return ()
        with self._lock:
            return self._related.of(unit, self._labels)

    def alternatives(self, unit: JudgingUnit) -> tuple[Label, ...]:
        """Return the other passages of the same query with a grade above 0, the latest first."""
        with self._lock:
            found = [
                label
                for key, label in self._labels.items()
                if key[0] == unit.case and key != unit.key and label.grade is not None and label.grade > 0
            ]
        return tuple(reversed(found))

    def progress(self) -> JudgingProgress:
        """Return how far it is."""
        with self._lock:
            judged = self._judged(())
            skipped = sum(label.said == "skip" for label in self._labels.values())
            remaining = self._queue.remaining(judged)
            done = len(self._labels) - skipped
        return JudgingProgress(done, skipped, len(self._units), remaining, self._pace.seconds)

    def _judged(self, shown: Sequence[JudgingUnit]) -> dict[UnitKey, Label]:
        judged = {key: label for key, label in self._labels.items() if key not in self._open}
        for unit in shown:
            judged.setdefault(
                unit.key, Label(self.judge, unit.case, unit.query, said="skip", at=unit.location)
            )
        return judged

    def _keep(self, unit: JudgingUnit, label: Label, *, last: bool) -> None:
        if last:
            self._labels.pop(unit.key, None)
        self._labels[unit.key] = label
        self._open.discard(unit.key)

    def _check(self, unit: JudgingUnit, judgment: Judgment) -> None:
        grades = self.task.scale.grades
        if judgment.said == "grade" and judgment.grade not in grades:
            raise InputError(
                Code.WRONG_LABEL("grade", str(judgment.grade), f"a grade from 0 to {grades[-1]}")
            )
        if judgment.said != "grade" and judgment.grade is not None:
            raise InputError(
                Code.WRONG_LABEL("grade", str(judgment.grade), f"no grade with {judgment.said!r}")
            )
        if judgment.better is None:
            return
        lines, first = lines_of(unit, self.task.documents)
        start, end = judgment.better
        if unit.path is None or not first <= start <= end < first + len(lines):
            expected = (
                f"lines {first} to {first + len(lines) - 1} of {unit.path}"
                if unit.path
                else "none, for an id"
            )
            raise InputError(Code.WRONG_LABEL("better", f"lines {start} to {end}", expected))

    def _group(self, unit: JudgingUnit, judgment: Judgment) -> str | None:
        """Return the group that this passage shares with the one that it is an alternative to.

        Where that has none yet, it is written once more with one.
        """
        if judgment.alternative is None or not judgment.grade:
            return None
        other = self._labels.get((unit.case, judgment.alternative))
        if other is None or not other.grade or other.unit == unit.key:
            fix = "grade the other passage first"
            raise InputError(
                Code.WRONG_LABEL(
                    "alternative", judgment.alternative, "a passage of this query with a grade above 0", fix
                )
            )
        if other.group is not None:
            return other.group
        taken = {label.group for key, label in self._labels.items() if key[0] == unit.case}
        group = next(name for name in map(_letters, range(len(taken) + 1)) if name not in taken)
        other = replace(other, group=group, time=None)
        self._log.append(other)
        self._labels[other.unit] = other
        return group


def _better(unit: JudgingUnit, judgment: Judgment) -> str | None:
    if judgment.better is None or unit.path is None:
        return None
    return str(Location(path=unit.path, lines=Lines(*judgment.better)))


def _letters(number: int) -> str:
    """Name groups a, b, …, z, aa, ab, ….

    >>> [_letters(number) for number in (0, 25, 26, 27)]
    ['a', 'z', 'aa', 'ab']
    """
    head, last = divmod(number, 26)
    return (_letters(head - 1) if head else "") + chr(ord("a") + last)
