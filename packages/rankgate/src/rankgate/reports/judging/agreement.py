"""What `rankgate judge agreement` says: every figure with its interval, and where judges differ."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

SCHEMA = 1
NOTHING = "–"


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """One judge, and how much was judged."""

    judge: str
    """The judge's name."""
    source: str
    """What kind of judge: person, model or import."""
    graded: int
    """How many passages have a grade by this judge."""
    unsure: int
    """How many the judge could not tell."""
    skipped: int
    """How many the judge left for later."""


@dataclass(frozen=True, slots=True)
class AgreementFigure:
    """A figure with its 95 % interval, by a bootstrap over queries."""

    value: float | None
    """The figure; null where it is undefined, as kappa is where all said the same."""
    low: float | None
    """Where the interval begins; null where there is none."""
    high: float | None
    """Where it ends."""

    @property
    def text(self) -> str:
        """Return it for people.

        >>> AgreementFigure(0.4, 0.18, 0.61).text, AgreementFigure(1.0, None, None).text
        ('0.40 (0.18 to 0.61)', '1.00')
        """
        if self.value is None:
            return NOTHING
        interval = "" if self.low is None else f" ({self.low:.2f} to {self.high:.2f})"
        return f"{self.value:.2f}{interval}"


@dataclass(frozen=True, slots=True)
class CutRow:
    """Agreement on what is relevant at the cut of a metric."""

    cut: str
    """The cut in words, such as ``grade >= 2``."""
    same: AgreementFigure
    """The share of passages of which both say the same."""
    kappa: AgreementFigure
    """Cohen's kappa of two, Fleiss' of several."""


@dataclass(frozen=True, slots=True)
class PairRow:
    """How far two judges agree, or one judge and all others."""

    one: str
    """The first judge."""
    other: str
    """The second; ``others`` for all the rest."""
    passages: int
    """How many passages both graded; against the others, how many pairs of grades."""
    queries: int
    """How many queries these belong to."""
    same: AgreementFigure
    """The share of equal grades."""
    near: AgreementFigure
    """The share of grades that are at most 1 apart."""
    kappa: AgreementFigure
    """Cohen's kappa."""
    linear: AgreementFigure
    """Cohen's kappa with linear weights."""
    quadratic: AgreementFigure
    """Cohen's kappa with quadratic weights."""
    cuts: tuple[CutRow, ...]
    """Agreement at the cut of each metric."""


@dataclass(frozen=True, slots=True)
class GroupRow:
    """How far all judges agree on some passages."""

    passages_of: str
    """Which passages: ``all``, or those of a category."""
    judges: int
    """How many judges graded some of them."""
    passages: int
    """How many have two grades or more."""
    queries: int
    """How many queries these belong to."""
    fleiss: AgreementFigure
    """Fleiss' kappa."""
    nominal: AgreementFigure
    """Krippendorff's alpha of nominal grades."""
    ordinal: AgreementFigure
    """Krippendorff's alpha of ordinal grades."""
    interval: AgreementFigure
    """Krippendorff's alpha of interval grades."""
    cuts: tuple[CutRow, ...]
    """Agreement at the cut of each metric."""


@dataclass(frozen=True, slots=True)
class SaidRow:
    """What one judge said of a passage."""

    judge: str
    """The judge's name."""
    grade: float
    """The grade."""
    comment: str
    """Why, in the judge's own words; empty where the judge said nothing."""


@dataclass(frozen=True, slots=True)
class DisagreementRow:
    """A passage on which judges differ."""

    case: str
    """The id of the case."""
    query: str
    """What it asks."""
    location: str
    """The passage."""
    apart: float
    """The largest difference of two grades."""
    said: tuple[SaidRow, ...]
    """What each judge said, by name."""
    settled: float | None
    """The grade that settled it; null while it is open."""


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """How far the judges of a suite agree."""

    suite: str
    """The name of the suite."""
    judges: tuple[JudgeRow, ...]
    """Who judged."""
    all: GroupRow
    """How far all of them agree."""
    pairs: tuple[PairRow, ...]
    """How far each two agree that graded a passage in common."""
    against_others: tuple[PairRow, ...]
    """How far each agrees with all the others; empty for fewer than three judges."""
    categories: tuple[GroupRow, ...]
    """How far they agree on the cases of each category; empty where cases have none."""
    disagreements: tuple[DisagreementRow, ...]
    """Where they differ, the furthest apart first."""
    notes: tuple[str, ...]
    """What was left out of it."""


def agreement_json(report: AgreementReport) -> str:
    """Write a report as JSON."""
    return json.dumps({"schema": SCHEMA, **asdict(report)}, ensure_ascii=False, indent=2) + "\n"
