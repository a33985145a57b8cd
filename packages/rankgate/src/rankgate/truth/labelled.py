"""What judges said was not relevant, read from the logs beside a suite, as rows of judgments.

A passage that was judged relevant becomes a target of the suite by `rankgate judge apply`, where people read
it; what was judged and is not relevant stays in the logs, and counts as judged.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from rankgate.model.suite import LazyCases, Target
from rankgate.model.wording import many
from rankgate.truth.judgments.calibrations import counted_labels
from rankgate.truth.judgments.labels import labels_folder, read_labels
from rankgate.truth.judgments.table import target_row

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rankgate.corpora.corpus import Corpus
    from rankgate.model.suite import Case, Suite
    from rankgate.truth.judgments.labels import Label


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
    has changed since, by a kind of judge that gates do not count, or by a model that is not calibrated.

    Raises:
        FormatError: for logs and calibrations that are not right.
    """
    if suite.path is None or isinstance(suite.cases, LazyCases) or not labels_folder(suite.path).is_dir():
        return LabelledRows()
    labels = counted_labels(suite, read_labels(suite.path))
    graded = labels.graded(suite.gating_sources)
    settled = labels.settled(suite.gating_sources)
    left: Counter[str] = Counter()
    left["that judges disagree on"] = len(graded) - len(settled)
    left["judged by sources that no gate counts"] = len(labels.graded().keys() - graded.keys())
    cases = {case.id: case for case in suite.cases}
    rows = []
    # Many labels are of one file, and a corpus reads a file each time that it is asked for it.
    lines_of = cache(lambda path: corpus.text(path).split("\n")) if corpus is not None else None
    for label in settled.values():
        case = cases.get(label.case)
        if case is None or case.query != label.query:
            left["of queries that have changed since"] += 1
        elif label.grade is not None and label.grade <= 0 and not case.expect_empty:
            row = _row(case, label, corpus, lines_of)
            if row is None:
                left["whose text has changed since"] += 1
            else:
                rows.append(row)
    said = (f"{many(count, 'label')} {why}: not counted" for why, count in left.items() if count)
    return LabelledRows(tuple(rows), (*labels.notes, *said))


def _row(
    case: Case, label: Label, corpus: Corpus | None, lines_of: Callable[[str], list[str]] | None
) -> Mapping[str, object] | None:
    location = label.location
    target = Target(location, 0.0, source=label.source)
    if location.path is None:
        return target_row(case, target, "id", id=location.id)
    if corpus is not None and location.path not in corpus:
        return None
    if location.lines is None:
        return target_row(case, target, "path", path=location.path)
    start, end = location.lines.start, location.lines.end
    if lines_of is not None and label.text is not None:
        found = _lines_today(lines_of(location.path), label.text, start, end)
        if found is None:
            return None
        start, end = found
    return target_row(case, target, "lines", path=location.path, start=start, end=end)


def _lines_today(lines: list[str], wanted: str, start: int, end: int) -> tuple[int, int] | None:
    """Return where lines of a digest are: where they were, or at the one other place in the file."""
    count = end - start + 1
    if _digest(lines, start, count) == wanted:
        return start, end
    starts = range(1, len(lines) - count + 2)
    found = [first for first in starts if _digest(lines, first, count) == wanted]
    return (found[0], found[0] + count - 1) if len(found) == 1 else None


def _digest(lines: list[str], start: int, count: int) -> str:
    return sha256("\n".join(lines[start - 1 : start - 1 + count]).encode()).hexdigest()
