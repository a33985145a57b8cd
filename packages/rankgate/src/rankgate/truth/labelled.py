"""What judges said of a suite, as it holds for the queries and the documents of today.

A passage that was judged relevant becomes a target of the suite by `rankgate judge apply`, where people read
it; what was judged and is not relevant stays in the logs, and counts as judged.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from rankgate.locations import Lines, Location
from rankgate.model import Target
from rankgate.truth.judgments.labels import MODEL, PEOPLE, Labels, labels_folder, read_labels
from rankgate.truth.judgments.table import target_row
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.corpora.corpus import Corpus
    from rankgate.model import Case, Suite
    from rankgate.truth.judgments.labels import Label, UnitKey

_QUERY = "of queries that have changed since"
_TEXT = "whose text has changed since"
_FILE = "in files that the corpus does not have"


@dataclass(frozen=True, slots=True)
class LabelledRows:
    """Labels that count as judgments."""

    rows: tuple[Mapping[str, object], ...] = ()
    """What was judged and is not relevant, as rows of targets."""
    notes: tuple[str, ...] = ()
    """What does not count, in words and with counts."""


def labelled_rows(suite: Suite, corpus: Corpus | None) -> LabelledRows:
    """Read what judges said of a suite; nothing where nobody has.

    Of passages that judges do not agree on, nothing counts; nor does what was said of a query or a text that
    has changed since, or by a kind of judge that gates do not count.

    Raises:
        FormatError: for logs that are not right.
    """
    if suite.path is None or not labels_folder(suite.path).is_dir():
        return LabelledRows()
    current = current_labels(suite, read_labels(suite.path), corpus)
    labels = counted_labels(suite, current)
    graded = labels.graded(suite.gating_sources)
    settled = labels.settled(suite.gating_sources)
    left: Counter[str] = Counter()
    left["that judges disagree on"] = len(graded) - len(settled)
    left["of sources that no gate counts"] = len(labels.graded().keys() - graded.keys())
    cases = {case.id: case for case in suite.cases}
    rows = [
        _graded_row(cases[label.case], replace(label, grade=0.0))
        for label in settled.values()
        if label.grade is not None and label.grade <= 0 and not cases[label.case].expect_empty
    ]
    return LabelledRows(tuple(rows), (*labels.notes, *_told(left)))


def counted_labels(suite: Suite, labels: Labels) -> Labels:
    """Return the labels without those of models that count for nothing, which are told with their number.

    What a model says counts where `gating_sources` names models, and not of a passage that people graded,
    wherever gates count people.
    """
    left: Counter[str] = Counter()
    by_people = labels.graded(source for source in PEOPLE if source in suite.gating_sources).keys()
    counted = []
    for label in labels.each:
        if label.source != MODEL:
            counted.append(label)
        elif MODEL not in suite.gating_sources:
            left["of a model, which gating_sources does not name"] += 1
        elif label.unit in by_people:
            left[f"of the model judge {label.judge} on passages that people graded"] += 1
        else:
            counted.append(label)
    return Labels(tuple(counted), (*labels.notes, *_told(left)))


def _graded_row(case: Case, label: Label) -> Mapping[str, object]:
    """Return a label as a row of targets, at the passage that was graded."""
    location, lines, grade = label.location, label.location.lines, label.grade or 0.0
    source = f"{label.source} {label.judge}" if label.source == MODEL else label.source
    target = Target(location, grade, source=source)
    if location.path is None:
        return target_row(case, target, "id", id=location.id)
    if lines is None:
        return target_row(case, target, "path", path=location.path)
    return target_row(case, target, "lines", path=location.path, start=lines.start, end=lines.end)


def current_labels(suite: Suite, labels: Labels, corpus: Corpus | None) -> Labels:
    """Return the labels that hold today, at the lines of today; the others are told with their number.

    A label holds for the words of the query and the text of the passage that the judge saw. A text that
    moved within its file is followed.
    """
    cases = {case.id: case for case in suite.cases}
    texts = _CurrentTexts(corpus)
    left: Counter[str] = Counter()
    # What a judge said of a text before and after it moved is about one passage: the last word counts.
    found: dict[tuple[str, UnitKey], Label] = {}
    for label in labels.each:
        case = cases.get(label.case)
        now = None if case is None or case.query != label.query else texts.followed(label)
        if now is not None:
            found.pop((now.judge, now.unit), None)
            found[now.judge, now.unit] = now
        else:
            left[_QUERY if case is None or case.query != label.query else texts.why_not(label)] += 1
    return Labels(tuple(found.values()), (*labels.notes, *_told(left)))


def _told(left: Mapping[str, int]) -> list[str]:
    return [f"{many(count, 'label')} {why}: not counted" for why, count in left.items() if count]


class _CurrentTexts:
    """Finds the texts that were judged in the documents of today."""

    def __init__(self, corpus: Corpus | None) -> None:
        self._corpus = corpus
        # Many labels are of one file, and a corpus reads a file each time that it is asked for it.
        self._lines = cache(lambda path: [] if corpus is None else corpus.text(path).split("\n"))

    def why_not(self, label: Label) -> str:
        """Return why a label is not followed."""
        path = label.location.path
        return _TEXT if path is None or self._corpus is None or path in self._corpus else _FILE

    def followed(self, label: Label) -> Label | None:
        """Return a label at the lines that its text has today; None where the text is not there, or twice."""
        location, lines = label.location, label.location.lines
        if location.path is None or self._corpus is None:
            return label
        if location.path not in self._corpus:
            return None
        if lines is None or label.text is None:
            return label
        start = _first_line(self._lines(location.path), label.text, lines)
        if start is None or start == lines.start:
            return label if start is not None else None
        by = start - lines.start
        moved = replace(label, at=_shifted(location, by))
        if label.better is None:
            return moved
        better = Location.at(label.better)
        # Where lines outside of the passage are today, its text does not tell.
        inside = (
            better.lines is not None and lines.start <= better.lines.start <= better.lines.end <= lines.end
        )
        return replace(moved, better=_shifted(better, by)) if inside else None


def _shifted(location: Location, by: int) -> str:
    lines = location.lines
    if lines is None:
        return str(location)
    return str(replace(location, lines=Lines(lines.start + by, lines.end + by)))


def _first_line(lines: list[str], wanted: str, were: Lines) -> int | None:
    """Return where lines of a digest begin: where they did, or at the one other place in the file."""
    count = were.end - were.start + 1
    if _digest(lines, were.start, count) == wanted:
        return were.start
    starts = range(1, len(lines) - count + 2)
    found = [first for first in starts if _digest(lines, first, count) == wanted]
    return found[0] if len(found) == 1 else None


def _digest(lines: list[str], start: int, count: int) -> str:
    return sha256("\n".join(lines[start - 1 : start - 1 + count]).encode()).hexdigest()
