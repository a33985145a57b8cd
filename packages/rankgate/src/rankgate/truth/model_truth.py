"""What a model judge says of queries that people graded whole: what corrected means are made of.

Queries are drawn by the names of their cases, so that the draw is stable, knows nothing of scores, and grows.
A drawn query is graded whole where people graded every passage of it that the model graded, and where no
target of it is a model's that they do not agree with.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING

from rankgate.model.suite import Target
from rankgate.model.wording import many
from rankgate.truth.judgments.calibrations import MODEL, PEOPLE, ModelLabels, drawn_queries
from rankgate.truth.judgments.table import target_row

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from rankgate.model.suite import Case, Suite
    from rankgate.truth.judgments.labels import Label, Labels, UnitKey


FEWEST = 50
"""How many queries people must grade whole before a mean is corrected."""


@dataclass(frozen=True, slots=True)
class ModelTruth:
    """What a calibrated model judge says where people say it too."""

    judge: str
    """The model judge."""
    drawn: tuple[str, ...] = ()
    """The cases that were drawn for people to grade whole, of those that are asked today."""
    whole: tuple[str, ...] = ()
    """Those of them that people have."""
    rows: tuple[Mapping[str, object], ...] = ()
    """The passages of these that both graded, as rows of targets with the model's grades."""
    unapplied: int = 0
    """How many passages have a grade that counts and that the suite does not have yet."""

    def why_not_corrected(self, suite: Suite) -> tuple[str, ...]:
        """Return why means by the model's labels are not corrected, and what to do; nothing if they are."""
        file, cases = suite.path, [case for case in suite.cases if not case.expect_empty]
        if self.unapplied:
            why = (
                f"{many(self.unapplied, 'grade')} not in the suite yet: rankgate judge apply {file} --accept"
            )
        elif not self.drawn:
            why = f"no queries are drawn for people to grade whole: {self._drawing(suite)}"
        elif len(cases) < FEWEST:
            why = f"the suite has {many(len(cases), 'query', 'queries')}, and {FEWEST} are needed"
        elif len(self.drawn) < FEWEST:
            drawn = many(len(self.drawn), "query is", "queries are")
            why = f"{drawn} drawn, and {FEWEST} are needed: {self._drawing(suite)}"
        elif len(self.whole) < FEWEST:
            graded = f"people graded {len(self.whole)} of {len(self.drawn)} drawn queries whole"
            why = f"{graded}, and {FEWEST} are needed: rankgate judge {file} --drawn"
        elif len({case.weight for case in cases}) > 1:
            why = "queries have different weights"
        else:
            return ()
        return (f"means by labels of the model judge {self.judge} are not corrected: {why}",)

    def _drawing(self, suite: Suite) -> str:
        return f"rankgate judge calibrate {suite.path} --judge {self.judge} --queries {FEWEST}"


def draw_queries(cases: Iterable[Case], number: int, drawn: Sequence[str] = ()) -> tuple[str, ...]:
    """Draw queries by a hash of their case; what was drawn before stays, where it is still asked.

    >>> from rankgate.model.suite import Case
    >>> cases = [Case(name, name) for name in ("keys", "login", "bills")]
    >>> draw_queries(cases, 2) == draw_queries(reversed(cases), 3)[:2]
    True
    """
    names = sorted((case.id for case in cases if not case.expect_empty), key=_hash)
    before = [name for name in drawn if name in {*names}]
    more = (name for name in names if name not in {*before})
    return (*before, *islice(more, max(0, number - len(before))))


def _hash(name: str) -> bytes:
    return sha256(name.encode()).digest()


def graded_whole(
    drawn: Iterable[str], model: Iterable[Label], by_people: Container[UnitKey]
) -> tuple[str, ...]:
    """Return the drawn cases of which people graded every passage that a model graded."""
    left = {label.case for label in model if label.grade is not None and label.unit not in by_people}
    return tuple(case for case in drawn if case not in left)


def model_truth(
    suite: Suite,
    labels: Labels,
    targets: Sequence[Mapping[str, object]],
    by_models: Sequence[Mapping[str, object]] = (),
) -> ModelTruth | None:
    """Return what the first calibrated model judge, by name, says beside people; None where none counts.

    Args:
        suite: The suite.
        labels: The labels that hold today.
        targets: The targets of the suite, as rows.
        by_models: Those of them whose source is a model.

    Raises:
        FormatError: for a file of a calibration that is not right.
    """
    people = [source for source in PEOPLE if source in suite.gating_sources]
    if MODEL not in suite.gating_sources or not people or suite.path is None:
        return None
    models = ModelLabels(suite)
    counted = [one for one in labels.each if one.source == MODEL and models.why_not(one) is None]
    if not counted:
        return None
    judge = min(label.judge for label in counted)
    by_people = labels.settled(people)
    graded: dict[str, list[Label]] = defaultdict(list)
    for label in counted:
        if label.judge == judge and label.grade is not None:
            graded[label.case].append(label)
    cases = {case.id: case for case in suite.cases}
    drawn = tuple(case for case in drawn_queries(suite.path, judge) if case in cases)
    read = graded_whole(drawn, (label for some in graded.values() for label in some), by_people)
    kept = _ModelTargets(by_models, by_people.values())
    whole = tuple(case for case in read if kept.agreed(case))
    rows = tuple(graded_row(cases[case], label) for case in whole for label in graded.get(case, ()))
    # What a model says of a passage that people graded is no target.
    said_of = labels.graded(people)
    said = {one.unit: one for one in counted if one.unit not in said_of and one.case in cases}
    unapplied = _unapplied({**said, **by_people}, targets) + sum(map(kept.contradicted, read))
    return ModelTruth(judge, drawn, whole, rows, unapplied)


class _ModelTargets:
    """The targets that a suite has of models, beside what people say of them."""

    def __init__(self, targets: Iterable[Mapping[str, object]], by_people: Iterable[Label]) -> None:
        self._rows: dict[object, list[Mapping[str, object]]] = defaultdict(list)
        for row in targets:
            self._rows[row["query"]].append(row)
        self._said: dict[object, list[Label]] = defaultdict(list)
        for label in by_people:
            self._said[label.case].append(label)

    def agreed(self, case: str) -> bool:
        """Check that people gave every such target of a case the grade that it has."""
        return not any(self._others(row) for row in self._rows.get(case, ()))

    def contradicted(self, case: str) -> int:
        """Return to how many such targets of a case people gave another grade."""
        return sum(self._others(row) == "other" for row in self._rows.get(case, ()))

    def _others(self, row: Mapping[str, object]) -> str:
        """Return whether people gave a target another grade, or none; empty where they gave the same."""
        grades = [one.grade for one in self._said.get(row["query"], ()) if any(_reached(one, [row]))]
        return "" if row["grade"] in grades else "other" if grades else "none"


def graded_row(case: Case, label: Label) -> Mapping[str, object]:
    """Return a label as a row of targets, at the passage that was graded."""
    location, lines, grade = label.location, label.location.lines, label.grade or 0.0
    source = f"{label.source} {label.judge}" if label.source == MODEL else label.source
    target = Target(location, grade, source=source)
    if location.path is None:
        return target_row(case, target, "id", id=location.id)
    if lines is None:
        return target_row(case, target, "path", path=location.path)
    return target_row(case, target, "lines", path=location.path, start=lines.start, end=lines.end)


def _unapplied(said: Mapping[UnitKey, Label], targets: Sequence[Mapping[str, object]]) -> int:
    relevant: dict[object, list[Mapping[str, object]]] = defaultdict(list)
    for row in targets:
        if float(str(row["grade"])) > 0:
            relevant[row["query"]].append(row)
    above = (label for label in said.values() if (label.grade or 0.0) > 0)
    return sum(not any(_reached(label, relevant[label.case])) for label in above)


def _reached(label: Label, rows: Iterable[Mapping[str, object]]) -> Iterator[bool]:
    """Return, for each target, whether it shares lines with what was graded, or with the lines chosen."""
    location, lines = label.location, label.location.lines
    for row in rows:
        if location.path is None:
            yield row["id"] == location.id
        elif row["path"] != location.path or lines is None or row["start"] is None:
            yield row["path"] == location.path
        else:
            start, end = int(str(row["start"])), int(str(row["end"]))
            # Lines that a judge chose may lie outside of the passage.
            yield label.better is not None or (start <= lines.end and lines.start <= end)
