"""A model judge measured against people: the pairs that are drawn for them, and what their grades show."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from json import loads
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError
from rankgate.judging.calibration.drawing import draw_pairs
from rankgate.judging.calibration.pool import CalibrationPool
from rankgate.judging.calibration.reporting import calibration_report
from rankgate.judging.pool.candidates import hit_candidates
from rankgate.model.wording import many
from rankgate.reports.judging.calibration import calibration_json
from rankgate.truth.judgments.calibrations import (
    MODEL,
    PEOPLE,
    CalibrationVerdict,
    DrawnPair,
    KeptCalibration,
    PooledPassage,
)
from rankgate.truth.judgments.labels import Labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankgate.evaluation.project.named_answers import NamedAnswers
    from rankgate.judging.pool.candidates import PoolCandidate
    from rankgate.model.locations import Location
    from rankgate.reports.judging.calibration import CalibrationReport
    from rankgate.truth.judgments.labels import Label, UnitKey

MOST_UNSURE = 0.1
"""The share of the pairs drawn that people may be unsure of."""


@dataclass(frozen=True, slots=True)
class ModelLog:
    """What a model judge said of a suite, by its latest prompt, model and guidelines."""

    judge: str
    """The judge."""
    labels: Mapping[UnitKey, Label]
    """Its graded labels."""
    prompt: str
    """What they are made of."""
    guidelines: str | None
    """The digest of the guidelines."""
    others: int = 0
    """How many labels it has by other prompts, models or guidelines."""

    @classmethod
    def of(cls, labels: Labels, judge: str) -> ModelLog:
        """Take what one judge said.

        Raises:
            InputError: where it has said nothing.
        """
        own = [label for label in labels.of(judge) if label.source == MODEL and label.prompt is not None]
        if not own:
            known = sorted({label.judge for label in labels.each if label.source == MODEL})
            fix = f"ask it first: rankgate judge ask --judge {judge}"
            found = f"no labels of {judge} (there are those of {', '.join(known)})" if known else "no labels"
            raise InputError(Code.NO_LABELS(f"judge {judge}", found, "labels of a model judge", fix))
        latest = max(own, key=lambda label: label.time or "")
        made = [one for one in own if (one.prompt, one.guidelines) == (latest.prompt, latest.guidelines)]
        graded = {label.unit: label for label in made if label.grade is not None}
        return cls(judge, graded, latest.prompt or "", latest.guidelines, len(own) - len(made))

    def has_drawn(self, kept: KeptCalibration | None) -> bool:
        """Check whether pairs were drawn from labels that are made of the same."""
        return kept is not None and (kept.prompt, kept.guidelines) == (self.prompt, self.guidelines)


def drawn_calibration(
    log: ModelLog, answers: Sequence[NamedAnswers], depth: int, pairs: int
) -> KeptCalibration:
    """Draw pairs for people to judge, stratified by the model's grade and by what found them.

    Args:
        log: What the model said.
        answers: What systems found.
        depth: How many hits of each query.
        pairs: How many to draw.

    Raises:
        InputError: where no system found anything that the model graded, or there are too few pairs.
    """
    systems = tuple(one.name for one in answers)
    ranks = found_ranks(log.labels.values(), answers, depth)
    grades = {unit: label.grade for unit, label in log.labels.items() if label.grade is not None}
    pool = CalibrationPool.of(grades, ranks, systems)
    if not pool.keys:
        found = f"none of {many(len(grades), 'passage')} among the first {depth} hits of {', '.join(systems)}"
        raise InputError(Code.NO_LABELS(f"judge {log.judge}", found, "passages that a system found"))
    rows = draw_pairs(pool, min(pairs, len(pool.keys)))
    strata = pool.strata
    sizes, taken = Counter(strata.tolist()), Counter(strata[rows].tolist())
    weights = {stratum: sizes[stratum] / count for stratum, count in taken.items()}
    drawn = (
        DrawnPair(case, location, weights[int(stratum)])
        for (case, location), stratum in ((pool.keys[row], strata[row]) for row in rows)
    )
    passages = (PooledPassage(*key, dict(sorted(ranks[key].items()))) for key in sorted(pool.keys))
    return KeptCalibration(log.prompt, log.guidelines, systems, tuple(passages), tuple(drawn))


def found_ranks(
    labels: Iterable[Label], answers: Sequence[NamedAnswers], depth: int
) -> dict[UnitKey, dict[str, int]]:
    """Return at which rank each system found what was labelled: its best hit that overlaps."""
    by_case: dict[str, list[tuple[UnitKey, Location]]] = defaultdict(list)
    for label in labels:
        by_case[label.case].append((label.unit, label.location))
    found: dict[UnitKey, dict[str, int]] = defaultdict(dict)
    for one in answers:
        run = one.run if one.moved is None else one.moved.run
        for hit in hit_candidates(one.name, run, sorted(by_case), depth):
            for unit, location in by_case[hit.case]:
                if _reaches(hit, location):
                    best = found[unit].get(one.name, hit.vote.rank)
                    found[unit][one.name] = min(best, hit.vote.rank)
    return found


def _reaches(hit: PoolCandidate, location: Location) -> bool:
    if location.path is None:
        return hit.id is not None and hit.id == location.id
    if hit.path != location.path:
        return False
    if location.lines is None or hit.start is None or hit.end is None:
        return location.lines is None
    return hit.start <= location.lines.end and location.lines.start <= hit.end


@dataclass(frozen=True, slots=True)
class MeasuredJudge:
    """What people's labels say of a judge so far."""

    report: CalibrationReport
    """The figures, and why it may not gate."""
    left: tuple[UnitKey, ...]
    """What was drawn and nobody has judged."""
    kept: KeptCalibration
    """What is written: with a verdict, where everything was judged."""


def measured_judge(
    suite: str, log: ModelLog, kept: KeptCalibration, labels: Labels, state: Mapping[str, str]
) -> MeasuredJudge:
    """Measure a judge by what people said of the pairs that were drawn.

    Args:
        suite: The name of the suite.
        log: What the model said.
        kept: What was drawn.
        labels: All labels of the suite.
        state: The fingerprints of suite and corpus.
    """
    people = Labels(tuple(label for label in labels.each if _of_the_same_text(label, log)))
    grades = {one.unit: float(log.labels[one.unit].grade or 0) for one in kept.pool if one.unit in log.labels}
    pool = CalibrationPool.of(grades, {one.unit: one.ranks for one in kept.pool}, kept.systems)
    rows = {key: row for row, key in enumerate(pool.keys)}
    drawn = [one.unit for one in kept.drawn if one.unit in rows]
    report = calibration_report(suite, log.judge, pool, people, [rows[unit] for unit in drawn])
    graded = people.graded(PEOPLE).keys()
    unsure = {label.unit for label in people.each if label.said == "unsure"} - graded
    left = tuple(unit for unit in drawn if unit not in graded and unit not in unsure)
    few = len(unsure & {*drawn}) > MOST_UNSURE * len(drawn)
    open_reasons = [
        f"{many(len(left), 'pair')} of {len(drawn)} not judged yet" if left else "",
        f"people disagree on {many(report.unsettled, 'pair')}: settle them with rankgate judge settle"
        if report.unsettled
        else "",
    ]
    unsure_reason = f"people are unsure of more than {MOST_UNSURE:.0%} of the pairs" if few else ""
    reasons = (*filter(None, open_reasons), *filter(None, [unsure_reason]), *report.reasons)
    report = replace(report, passed=not reasons, reasons=reasons)
    verdict = None
    if not any(open_reasons):
        time = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        figures = loads(calibration_json(report))
        verdict = CalibrationVerdict(time, report.passed, reasons, tuple(state.items()), figures)
    return MeasuredJudge(report, left, replace(kept, verdict=verdict))


def _of_the_same_text(label: Label, log: ModelLog) -> bool:
    """Check whether a person judged what the model did: the text may have changed between them."""
    model = log.labels.get(label.unit)
    return label.source in PEOPLE and (
        model is None or None in {label.text, model.text} or label.text == model.text
    )
