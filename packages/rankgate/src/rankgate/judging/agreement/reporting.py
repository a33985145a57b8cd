"""Works out how far the judges of a suite agree, from their labels."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from rankgate.judging.agreement.measure import group_agreement, pair_agreement
from rankgate.judging.agreement.ratings import Rating, Ratings
from rankgate.reports.agreement import (
    AgreementFigure,
    AgreementReport,
    CutRow,
    DisagreementRow,
    GroupRow,
    JudgeRow,
    PairRow,
    SaidRow,
)
from rankgate.scoring.expressions import WeightedSum, parse_all
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rankgate.gates.language import Gate
    from rankgate.judging.agreement.intervals import Estimate
    from rankgate.judging.agreement.measure import CutAgreement, PairAgreement
    from rankgate.model import Suite
    from rankgate.scoring.metric import Metric
    from rankgate.truth.judgments.labels import Label, Labels

OTHERS = "others"
"""What all judges but one are called."""


def agreement_report(suite: Suite, labels: Labels, cuts: Sequence[float | None]) -> AgreementReport:
    """Return how far the judges of a suite agree, over all grades and at each cut.

    Labels that settle a disagreement were given with the others in sight: they are no second opinion, and
    are left out of every figure.
    """
    blind = [label for label in labels.each if not label.settles]
    ratings = Ratings.of(_rating(label) for label in blind)
    together = [
        (one, other)
        for one, other in combinations(ratings.judges, 2)
        if len(ratings.columns([one, other]).shared().units)
    ]
    settling = len(labels.each) - len(blind)
    left = f"left out of every figure, as said with the others in sight: {many(settling, 'label')}"
    categories = {case.id: case.category for case in suite.cases if case.category}
    return AgreementReport(
        suite=suite.name,
        judges=tuple(_judge(name, labels.of(name)) for name in labels.judges),
        all=_group("all", ratings, cuts),
        pairs=tuple(_pair(pair_agreement(ratings.columns(pair), cuts)) for pair in together),
        against_others=tuple(_against_others(ratings, cuts)),
        categories=tuple(_by_category(blind, categories, cuts)),
        disagreements=tuple(_disagreements(labels)),
        notes=(*labels.notes, *([left] if settling else [])),
    )


def cuts_of(metrics: Iterable[str], gates: Iterable[Gate] = ()) -> tuple[float | None, ...]:
    """Return the cut of each metric, ascending: the least grade that is relevant to it, None for above 0.

    >>> cuts_of(["ndcg@10", "rr(rel=2)", "0.5*p(rel=3)@1 + 0.5*r@5"])
    (None, 2.0, 3.0)
    """
    named = [*metrics, *(gate.metric for gate in gates if gate.metric is not None)]
    found = {rel for metric in parse_all(named) for rel in _rels(metric)}
    return (*([None] if None in found else []), *sorted(rel for rel in found if rel is not None))


def _rels(metric: Metric) -> Iterator[float | None]:
    if isinstance(metric, WeightedSum):
        for _, term in metric.terms:
            yield from _rels(term)
        return
    rel = getattr(metric, "rel", None)
    yield None if rel is None else float(rel)


def _rating(label: Label) -> Rating:
    case, location = label.unit
    return Rating(label.judge, location, case, label.grade)


def _judge(name: str, labels: Sequence[Label]) -> JudgeRow:
    said = [label.said for label in labels]
    return JudgeRow(name, labels[0].source, said.count("grade"), said.count("unsure"), said.count("skip"))


def _figure(found: Estimate) -> AgreementFigure:
    return AgreementFigure(found.value, found.low, found.high)


def _cuts(cuts: Iterable[CutAgreement]) -> tuple[CutRow, ...]:
    return tuple(CutRow(cut.words, _figure(cut.same), _figure(cut.kappa)) for cut in cuts)


def _pair(found: PairAgreement) -> PairRow:
    return PairRow(
        *found.judges,
        passages=found.units,
        queries=found.queries,
        same=_figure(found.same),
        near=_figure(found.near),
        kappa=_figure(found.kappa),
        linear=_figure(found.linear),
        quadratic=_figure(found.quadratic),
        cuts=_cuts(found.cuts),
    )


def _group(name: str, ratings: Ratings, cuts: Sequence[float | None]) -> GroupRow:
    found = group_agreement(ratings, cuts)
    return GroupRow(
        passages_of=name,
        judges=int(ratings.graded.any(axis=0).sum()),
        passages=found.units,
        queries=found.queries,
        fleiss=_figure(found.fleiss),
        nominal=_figure(found.nominal),
        ordinal=_figure(found.ordinal),
        interval=_figure(found.interval),
        cuts=_cuts(found.cuts),
    )


def _against_others(ratings: Ratings, cuts: Sequence[float | None]) -> Iterator[PairRow]:
    """Return each judge beside every grade that another gave the same passage."""
    if len(ratings.judges) < 3:
        return
    for at, judge in enumerate(ratings.judges):
        rest = [column for column in range(len(ratings.judges)) if column != at]
        own = np.repeat(ratings.grades[:, at], len(rest))
        both = np.column_stack([own, ratings.grades[:, rest].ravel()])
        units = tuple(unit for unit in ratings.units for _ in rest)
        table = Ratings((judge, OTHERS), units, np.repeat(ratings.queries, len(rest)), both)
        found = pair_agreement(table, cuts)
        if found.units:
            yield _pair(found)


def _by_category(
    labels: Sequence[Label], categories: Mapping[str, str], cuts: Sequence[float | None]
) -> Iterator[GroupRow]:
    for name in sorted(set(categories.values())):
        ratings = Ratings.of(_rating(label) for label in labels if categories.get(label.case) == name)
        row = _group(name, ratings, cuts)
        if row.passages:
            yield row


def _disagreements(labels: Labels) -> list[DisagreementRow]:
    found = []
    for (case, location), given in labels.graded().items():
        blind = [label for label in given if not label.settles]
        grades = [label.grade for label in blind if label.grade is not None]
        if len(set(grades)) < 2:
            continue
        settling = [label for label in given if label.settles]
        last = max(settling, key=lambda label: label.time or "", default=None)
        said = tuple(
            SaidRow(label.judge, label.grade, label.comment or "")
            for label in sorted(blind, key=lambda label: label.judge)
            if label.grade is not None
        )
        apart = max(grades) - min(grades)
        settled = None if last is None else last.grade
        found.append(DisagreementRow(case, blind[-1].query, location, apart, said, settled))
    return sorted(found, key=lambda row: (-row.apart, row.case, row.location))
