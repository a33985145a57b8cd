"""Labels: what each judge said of a passage, one line of `judgments/NAME.jsonl` beside the suite.

A log is only ever appended to, and a line is on the disk before the next passage is shown. What a judge says
later of the same passage takes the place of what was said before. A last line without its end is what a crash
left behind: it is left out, and told.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Literal, TypeAlias

from pydantic import Field

from rankgate.errors import Code, InputError, LocationError, Problem
from rankgate.io.atomic import sync
from rankgate.io.problems import Problems
from rankgate.io.records import Name, read_objects, validated
from rankgate.locations import Location
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

FOLDER = "judgments"
"""The folder of the logs, beside the suite."""
Saying: TypeAlias = Literal["grade", "unsure", "skip"]
"""What a judge did with a passage: graded it, could not tell, or left it for later."""
UnitKey: TypeAlias = tuple[str, str]
"""What a label is about: the id of a case, and the location as it is written."""
MODEL = "model"
"""The source of what a model judge said."""
PEOPLE = ("person", "import")
"""The sources of what people said."""
SOURCES = (*PEOPLE, MODEL)
"""The kinds of judges."""
_NAME = re.compile(r"[\w][\w.@+-]{0,63}")
_Grade: TypeAlias = Annotated[float, Field(ge=-1000, le=1000)]


@dataclass(frozen=True, slots=True)
class Label:
    """What one judge said of one passage for one query.

    >>> label = Label("ada", "rotate-a-key", "rotate a key", at="keys.md:3-9", grade=2)
    >>> str(label.location)
    'keys.md:3-9'
    """

    judge: Name
    """Who said it: a name of a person, or of a model judge."""
    case: Name
    """The id of the case."""
    query: str
    """What the case asked when it was judged."""
    suite: str | None = None
    """The file name of the suite; None where the folder has only one."""
    at: str | None = None
    """The lines that were shown, such as ``keys.md:3-9``; None for an id."""
    id: str | None = None
    """The opaque id that was shown; None for lines."""
    said: Saying = "grade"
    """Whether it was graded."""
    grade: _Grade | None = None
    """The grade; None where none was given."""
    comment: str | None = None
    """Why, in the judge's own words."""
    better: str | None = None
    """The location that the judge chose in place of what was shown."""
    group: str | None = None
    """Passages of one group are alternatives: any of them will do."""
    source: Literal["person", "model", "import"] = "person"
    """What kind of judge said it."""
    prompt: str | None = None
    """The digest of a model judge's prompt."""
    guidelines: str | None = None
    """The digest of the guidelines that were shown."""
    text: str | None = None
    """The digest of the text that was shown."""
    time: str | None = None
    """When it was said, in UTC."""
    settles: bool = False
    """True where it was said with the other labels in sight, to settle them."""

    @property
    def location(self) -> Location:
        """What was shown."""
        return Location.of_id(self.id) if self.id is not None else Location.at(self.at or "")

    @property
    def unit(self) -> UnitKey:
        """What it is about: the case, and the location as it is written."""
        return self.case, self.id if self.id is not None else self.at or ""


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of a suite: of each judge the last one on each passage."""

    each: tuple[Label, ...] = ()
    """By judge, in the order in which they were said."""
    notes: tuple[str, ...] = ()
    """What was left out, in words."""

    @property
    def judges(self) -> tuple[str, ...]:
        """Who has said something, by name."""
        return tuple(sorted({label.judge for label in self.each}))

    def of(self, judge: str) -> tuple[Label, ...]:
        """Return what one judge said."""
        return tuple(label for label in self.each if label.judge == judge)

    def graded(
        self, sources: Iterable[str] = ("person", "import", "model")
    ) -> dict[tuple[str, str], tuple[Label, ...]]:
        """Return the grades of each passage, of judges of some kinds."""
        counted = frozenset(sources)
        found: dict[UnitKey, list[Label]] = defaultdict(list)
        for label in self.each:
            if label.grade is not None and label.source in counted:
                found[label.unit].append(label)
        return {unit: tuple(labels) for unit, labels in found.items()}

    def settled(self, sources: Iterable[str] = SOURCES) -> dict[UnitKey, Label]:
        """Return the one label that counts for each passage that has one; where judges differ, none does."""
        found = {unit: settled_label(labels) for unit, labels in self.graded(sources).items()}
        return {unit: label for unit, label in found.items() if label is not None}


def settled_label(labels: Sequence[Label]) -> Label | None:
    """Return the label that counts: the last that settles, or what all agree on; None where they differ."""
    settling = [label for label in labels if label.settles]
    if settling:
        return max(settling, key=lambda label: label.time or "")
    return labels[-1] if len({label.grade for label in labels}) == 1 else None


def labels_folder(suite: str | Path) -> Path:
    """Return the folder that has the labels of a suite, named by its file."""
    return Path(suite).parent / FOLDER


def read_labels(suite: str | Path) -> Labels:
    """Read what every judge said of a suite, named by its file; nothing where nobody has.

    Suites that stand beside each other share the logs.

    Raises:
        FormatError: with all that is wrong with the logs.
    """
    suite, folder = Path(suite), labels_folder(suite)
    each: list[Label] = []
    notes: list[str] = []
    problems = Problems(str(folder))
    for path in sorted(folder.glob("*.jsonl")):
        each += _read_log(path, problems)
        if _ends_torn(path):
            notes.append(f"{folder}/{path.name}: the last line has no end and is left out")
    problems.check()
    others = Counter(label.suite for label in each if label.suite not in {None, suite.name})
    for name, count in sorted(others.items()):
        if not (suite.parent / name).exists():
            notes.append(f"{folder}: {many(count, 'label')} of {name}, which does not exist, left out")
    return Labels(tuple(label for label in each if label.suite in {None, suite.name}), tuple(notes))


def _read_log(path: Path, problems: Problems) -> Iterator[Label]:
    """Return the last label on each passage of one log."""
    last: dict[tuple[str, UnitKey], Label] = {}
    for where, row in read_objects(path, problems, ended=True):
        label: Label | None = validated(row, Label, where, problems)
        if label is not None and _is_sound(label, path.stem, where, problems):
            last.pop((label.suite or "", label.unit), None)
            last[label.suite or "", label.unit] = label
    yield from last.values()


def _is_sound(label: Label, name: str, where: str, problems: Problems) -> bool:
    """Check what types alone do not say of a label."""
    wrong = list(_wrong(label, name, where))
    for problem in wrong:
        problems.add(problem)
    return not wrong


def _wrong(label: Label, name: str, where: str) -> Iterator[Problem]:
    if label.judge != name:
        yield Code.WRONG_LABEL(where, f"the judge {label.judge!r}", f"{name!r}, as the file is called")
    if (label.at is None) == (label.id is None):
        yield Code.WRONG_LABEL(
            where, "both id and at" if label.id is not None else "neither id nor at", "one of the two"
        )
    if (label.grade is not None) != (label.said == "grade"):
        yield Code.WRONG_LABEL(
            where, f"said {label.said!r} with grade {label.grade}", "a grade where it was graded"
        )
    for key in ("at", "better"):
        text = getattr(label, key)
        try:
            named = text is not None and Location.at(text)
            if named and (named.heading or named.symbol is not None):
                yield Code.WRONG_LABEL(
                    f"{where}: {key}", f"{text!r:.80}", "a path or lines such as path:10-50"
                )
        except LocationError as error:
            yield Code.WRONG_LABEL(
                f"{where}: {key}", f"{text!r:.80} ({error})", "a path or lines such as path:10-50"
            )


def check_judge(name: str, where: str = "judge") -> None:
    """Refuse a name that no log can have.

    Raises:
        InputError: for such a name.
    """
    if not _NAME.fullmatch(name):
        expected = "letters, digits and . _ - + @, 64 at most"
        raise InputError(Code.WRONG_LABEL(where, f"the name {name!r}", expected))


class LabelLog:
    """Appends what one judge says to the log of a suite. One at a time writes to a log.

    >>> import tempfile
    >>> suite = Path(tempfile.mkdtemp()) / "docs.yaml"
    >>> LabelLog(suite, "ada").append(Label("ada", "c", "a query", at="keys.md:3-9", grade=2))
    >>> [label.grade for label in read_labels(suite).each]
    [2.0]
    """

    def __init__(self, suite: str | Path, judge: str) -> None:
        check_judge(judge)
        self.judge = judge
        """Who judges."""
        self._suite = Path(suite).name
        self.path = labels_folder(suite) / f"{judge}.jsonl"

    def append(self, label: Label) -> None:
        """Write one label to the disk, behind whatever is there.

        Raises:
            InputError: for a label that no reader would take.
        """
        grade = None if label.grade is None else float(label.grade)
        label = replace(label, judge=self.judge, suite=self._suite, grade=grade, time=label.time or _now())
        if wrong := list(_wrong(label, self.judge, "label")):
            raise InputError(wrong)
        line = {each.name: getattr(label, each.name) for each in fields(Label)}
        if label.grade is not None and label.grade.is_integer():
            line["grade"] = int(label.grade)
        kept = {key: value for key, value in line.items() if not _is_default(key, value)}
        text = json.dumps(kept, ensure_ascii=False, allow_nan=False) + "\n"
        fresh = not self.path.exists()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab+") as file:
            _cut_torn_line(file)
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        if fresh and os.name == "posix":
            sync(self.path.parent)


def _is_default(key: str, value: object) -> bool:
    """Check whether a field need not be written; 0 is a grade."""
    return value is None or value is False or (key, value) == ("said", "grade")


def _cut_torn_line(file: IO[bytes]) -> None:
    """Take away a last line that a crash left without its end."""
    end = file.seek(0, os.SEEK_END)
    if not end:
        return
    file.seek(end - 1)
    if file.read(1) == b"\n":
        return
    file.seek(0)
    file.truncate(file.read().rfind(b"\n") + 1)


def _ends_torn(path: Path) -> bool:
    content = path.read_bytes()
    return bool(content) and not content.endswith(b"\n")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
