"""How far a model judge agrees with people, ``judgments/calibration-NAME.json``; what its labels count for.

The file has the passages that were drawn for people to judge and, once they have, what was measured. It holds
for one suite, prompt, model and guidelines: labels that were made by others count for nothing.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rankgate.errors import FormatError, Problem
from rankgate.files.atomic import replacing
from rankgate.files.decoder import PAIRS, Constraint, Decoder, Name
from rankgate.files.encoder import encoded
from rankgate.files.problems import Problems
from rankgate.model.wording import many
from rankgate.truth.judgments.labels import Labels, check_judge, labels_folder

if TYPE_CHECKING:
    from rankgate.model.suite import Suite
    from rankgate.truth.judgments.labels import Label, UnitKey

MODEL = "model"
"""The source of what a model judge said."""
PEOPLE = ("person", "import")
"""The sources of what people said."""
_PASSAGE = re.compile(r'\{\n +"case": .*?\n {4}\}', re.DOTALL)
_BREAK = re.compile(r"\s*\n\s*")
_Weight = Annotated[float, Constraint("more than 0", lambda number: number > 0)]
_Rank = Annotated[int, Constraint("a rank, from 1", lambda number: number > 0)]


@dataclass(frozen=True, slots=True)
class PooledPassage:
    """A query and a passage that the model graded, with what found it."""

    case: Name
    """The id of the case."""
    location: Name
    """The lines, such as ``keys.md:3-9``, or the opaque id."""
    ranks: Mapping[str, _Rank] = field(default_factory=dict)
    """At which rank each system found it."""

    @property
    def unit(self) -> UnitKey:
        """What labels name it by."""
        return self.case, self.location


@dataclass(frozen=True, slots=True)
class DrawnPair:
    """A query and a passage that people are asked to judge."""

    case: Name
    """The id of the case."""
    location: Name
    """The lines, or the opaque id."""
    weight: _Weight = 1.0
    """How many passages of the pool it stands for."""

    @property
    def unit(self) -> UnitKey:
        """What labels name it by."""
        return self.case, self.location


@dataclass(frozen=True, slots=True)
class CalibrationVerdict:
    """What was measured of a model judge, once people had judged all that was drawn."""

    time: str
    """When, in UTC."""
    met: bool
    """True where the bar is met."""
    reasons: tuple[str, ...] = ()
    """Why it is not."""
    state: PAIRS = ()
    """What it was measured on: the fingerprints of suite and corpus."""
    report: object = None
    """Every figure, as `judge calibrate --format json` prints it."""


@dataclass(frozen=True, slots=True)
class KeptCalibration:
    """What was drawn for people to judge, and what was measured."""

    prompt: Name
    """The digest of the prompt and the judge, as its labels have it."""
    guidelines: str | None = None
    """The digest of the guidelines, as its labels have it."""
    systems: tuple[str, ...] = ()
    """The systems whose hits are in the pool."""
    pool: tuple[PooledPassage, ...] = ()
    """What the model had graded when the pairs were drawn."""
    drawn: tuple[DrawnPair, ...] = ()
    """The pairs, in the order in which they are judged."""
    verdict: CalibrationVerdict | None = None
    """What was measured; None where people have not judged all of them yet."""
    queries: tuple[Name, ...] = ()
    """The cases that people are asked to grade whole, so that means can be corrected."""


@dataclass(frozen=True, slots=True)
class _CalibrationFile:
    """The file: suites that stand beside each other share it."""

    suites: Mapping[str, KeptCalibration] = field(default_factory=dict)


def calibration_path(suite: str | Path, judge: str) -> Path:
    """Return the file of a judge, beside the logs of a suite, which is named by its file."""
    check_judge(judge)
    return labels_folder(suite) / f"calibration-{judge}.json"


def read_calibration(suite: str | Path, judge: str) -> KeptCalibration | None:
    """Read what is known of a judge under a suite, which is named by its file; None where nothing is.

    Raises:
        FormatError: for a file that is not right.
    """
    return _read(calibration_path(suite, judge)).suites.get(Path(suite).name)


def write_calibration(suite: str | Path, judge: str, calibration: KeptCalibration) -> Path:
    """Write what is known of a judge under a suite; what the file has of other suites stays.

    Raises:
        FormatError: for a file that is not right, which is left as it is.
    """
    path = calibration_path(suite, judge)
    suites = {**_read(path).suites, Path(suite).name: calibration}
    content = {"suites": {name: _written(one) for name, one in sorted(suites.items())}}
    with replacing(path) as aside:
        text = json.dumps(content, indent=1, ensure_ascii=True, allow_nan=False)
        # A line for each passage, so that a difference can be read.
        lines = _PASSAGE.sub(lambda found: _BREAK.sub(" ", found[0]), text)
        aside.write_text(lines + "\n", encoding="utf-8", newline="\n")
    return path


def drawn_units(suite: str | Path) -> tuple[UnitKey, ...]:
    """Return what people are asked to judge to measure the model judges of a suite, those of each in order.

    Raises:
        FormatError: for a file that is not right.
    """
    found: dict[UnitKey, None] = {}
    for path in sorted(labels_folder(suite).glob("calibration-*.json")):
        known = _read(path).suites.get(Path(suite).name)
        if known is not None and known.verdict is None:
            found |= dict.fromkeys(one.unit for one in known.drawn)
    return tuple(found)


def drawn_queries(suite: str | Path, judge: str) -> tuple[str, ...]:
    """Return the cases that people are asked to grade whole, to correct means by the labels of a judge.

    Raises:
        FormatError: for a file that is not right.
    """
    known = read_calibration(suite, judge)
    return () if known is None else known.queries


def _written(calibration: KeptCalibration) -> object:
    found = encoded(calibration, KeptCalibration)
    found["pool"] = [{**one, "ranks": dict(one["ranks"])} for one in found["pool"]]
    return found


def _read(path: Path) -> _CalibrationFile:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return _CalibrationFile()
    except (OSError, ValueError, RecursionError) as error:
        raise FormatError(Problem(str(path), f"{error}", "JSON that `judge calibrate` wrote")) from error
    problems = Problems(str(path))
    found: _CalibrationFile | None = Decoder(str(path), problems).read(content, _CalibrationFile)
    problems.check()
    return found or _CalibrationFile()


class ModelLabels:
    """Says which labels of model judges gates may count under a suite; reads each judge's file once.

    They count where the suite's `gating_sources` has `model`, and either has no people, so that the truth of
    the whole suite is said to be a model's, or the judge met the bar with the prompt and the guidelines that
    the label was made with.
    """

    def __init__(self, suite: Suite) -> None:
        self._path = suite.path
        self._sources = suite.gating_sources
        self._known: dict[str, KeptCalibration | None] = {}

    def why_not(self, label: Label) -> str | None:
        """Return why a label counts for nothing, as words that follow "labels"; None where it counts.

        Labels of people are not judged here.

        Raises:
            FormatError: for a file of a calibration that is not right.
        """
        if label.source != MODEL:
            return None
        if MODEL not in self._sources:
            return "of a model, which gating_sources does not name"
        if not any(source in PEOPLE for source in self._sources):
            return None
        known = self._calibration(label.judge)
        if known is None or known.verdict is None:
            return f"of the model judge {label.judge}, which has not been calibrated"
        if (known.prompt, known.guidelines) != (label.prompt, label.guidelines):
            return f"of the model judge {label.judge} with a prompt or guidelines that were not calibrated"
        return None if known.verdict.met else f"of the model judge {label.judge}, which is below the bar"

    def _calibration(self, judge: str) -> KeptCalibration | None:
        if judge not in self._known:
            self._known[judge] = None if self._path is None else read_calibration(self._path, judge)
        return self._known[judge]


def counted_labels(suite: Suite, labels: Labels) -> Labels:
    """Return the labels without those of models that count for nothing, which are told with their number.

    What a model says of a passage that people graded gives way to them, wherever gates count people.

    Raises:
        FormatError: for a file of a calibration that is not right.
    """
    models, left = ModelLabels(suite), Counter[str]()
    by_people = labels.graded(source for source in PEOPLE if source in suite.gating_sources).keys()
    counted = []
    for label in labels.each:
        why = models.why_not(label)
        if why is None and label.source == MODEL and label.unit in by_people:
            why = f"of the model judge {label.judge} on passages that people graded"
        if why is None:
            counted.append(label)
        else:
            left[why] += 1
    said = (f"{many(count, 'label')} {why}: not counted" for why, count in left.items())
    return Labels(tuple(counted), (*labels.notes, *said))
