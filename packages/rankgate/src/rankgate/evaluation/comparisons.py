"""Comparing answers that are there: one with another, or several with one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem
from rankgate.evaluation.baselines import differences, shared_queries
from rankgate.reports.comparison.report import comparison_report
from rankgate.runs.store.run_folder import StoredRun
from rankgate.scoring.comparison import compare
from rankgate.scoring.evaluate import score
from rankgate.scoring.paired.compare import holm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.evaluation.project.project import NamedAnswers
    from rankgate.model import Suite
    from rankgate.reports.comparison.report import ComparisonReport
    from rankgate.truth.judgments.table import Judgments

LATENCY = "latency"
"""What is compared as well, of systems that were asked in turn."""


def compare_answers(
    suite: Suite,
    judgments: Judgments,
    base: NamedAnswers,
    others: Sequence[NamedAnswers],
    metrics: Sequence[str],
) -> list[ComparisonReport]:
    """Compare each of some answers with a base.

    That one is better is a claim on the first metric, and of several claims each is made by Holm's rule; all
    other metrics are exploratory.

    Raises:
        InputError: where answers are to another suite or another corpus, with what differs.
    """
    problems = [
        Problem(named.name, f"another {what}", "answers to the same questions", "test both again, today")
        for named in (base, *others)
        for what in _differences(suite, judgments, named)
    ]
    if problems:
        raise InputError(problems)
    if all(one.in_turn for one in (base, *others)):
        metrics = [*metrics, LATENCY]
    before = score(judgments, base.run, metrics)
    compared = []
    for named in others:
        asked = shared_queries(suite, [one.baseline for one in (base, named) if one.baseline])
        after = score(judgments, named.run, metrics)
        compared.append(compare(judgments, (base.run, before), (named.run, after), asked))
    primary = before.metrics[0].label
    adjusted = holm([one.paired(primary, one.shared).p for one in compared])
    return [
        comparison_report(
            (base.name, named.name),
            comparison,
            (base.run, named.run),
            suite.cases,
            adjusted=float(p),
            claims=len(others),
            notes=_notes(base, named),
        )
        for named, comparison, p in zip(others, compared, adjusted, strict=True)
    ]


def _differences(suite: Suite, judgments: Judgments, named: NamedAnswers) -> list[str]:
    if named.baseline is not None:
        return differences(named.baseline.about, suite, judgments)
    if not isinstance(named.run, StoredRun):
        return []
    manifest = named.run.manifest
    different = [] if manifest.corpus == judgments.corpus else ["corpus"]
    return different + ([] if manifest.suite in (None, suite.fingerprint) else ["suite"])


def _notes(*both: NamedAnswers) -> list[str]:
    if all(one.in_turn for one in both):
        return []
    files = [one.name for one in both if one.baseline is None and not isinstance(one.run, StoredRun)]
    said = [f"{name} does not say which suite and corpus it answers: taken at its word" for name in files]
    return [*said, "latency is not compared, as the two were not asked in turn: say --ask"]
