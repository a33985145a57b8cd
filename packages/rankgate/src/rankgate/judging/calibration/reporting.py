"""Works out the report on a model judge, from its labels and people's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.judging.calibration.calibrate import calibrate
from rankgate.reports.judging.agreement import AgreementFigure
from rankgate.reports.judging.calibration import BiasBetweenRow, CalibrationReport, SystemBiasRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.judging.agreement.intervals import Estimate
    from rankgate.judging.calibration.pool import CalibrationPool
    from rankgate.truth.judgments.labels import Labels

PEOPLE = ("person", "import")
"""The kinds of judges that a model is measured against."""


def calibration_report(
    suite: str, judge: str, pool: CalibrationPool, labels: Labels, drawn: Sequence[int]
) -> CalibrationReport:
    """Return what people's labels of the passages drawn say of a model judge.

    Args:
        suite: The name of the suite.
        judge: The name of the model judge.
        pool: What it graded.
        labels: The labels of the suite, those of people among them.
        drawn: The rows of the pool that `draw_pairs` chose. Other labels of people are not used: what they
            graded for another reason is no random part of the pool.
    """
    settled, graded = labels.settled(PEOPLE), labels.graded(PEOPLE)
    grades = {unit: label.grade for unit, label in settled.items() if label.grade is not None}
    keys = [pool.keys[row] for row in drawn]
    found = calibrate(pool, pool.people(grades, drawn))
    names = {label.judge for key in keys if key in grades for label in graded.get(key, ())}
    return CalibrationReport(
        suite=suite,
        judge=judge,
        people=tuple(sorted(names)),
        pool=found.pool,
        drawn=len(keys),
        pairs=found.pairs,
        queries=found.queries,
        unsettled=sum(key in graded and key not in grades for key in keys),
        scale=found.scale,
        confusion=found.confusion,
        counts=found.counts,
        kappa=_figure(found.kappa),
        bias=tuple(SystemBiasRow(name, _figure(bias)) for name, bias in found.bias),
        between=tuple(
            BiasBetweenRow(each.one, each.other, _figure(each.bias), each.within) for each in found.between
        ),
        first=None if found.first is None else _figure(found.first),
        passed=found.passed,
        reasons=found.reasons,
    )


def _figure(found: Estimate) -> AgreementFigure:
    return AgreementFigure(found.value, found.low, found.high)
