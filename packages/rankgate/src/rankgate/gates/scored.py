"""Everything that is known of a run under a suite: what judging, reports, pages and reviews take whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from rankgate.gates.checks import Checks, in_every_repeat, run_checks
from rankgate.gates.language import written
from rankgate.model import Answer, SuiteVerdict, Verdict
from rankgate.model.placing import LEAST_HITS, HitClass
from rankgate.model.wording import no_titles
from rankgate.runs.store.hits import hit_counts, kept_texts
from rankgate.scoring.evaluate import score
from rankgate.scoring.placements import JudgedHits
from rankgate.scoring.repeats import mean_scores, score_all
from rankgate.scoring.reviewed import ReviewedRun, partly_reviewed, reviewed_judgments
from rankgate.truth.estimate import answered_cases, estimate
from rankgate.truth.gone import FollowedTargets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from rankgate.gates.language import Gate
    from rankgate.model import Suite
    from rankgate.model.placing import HitCounts
    from rankgate.model.wording import TitleOf
    from rankgate.runs.store.tables import Run
    from rankgate.scoring.comparison import Comparison
    from rankgate.scoring.scores import Scores
    from rankgate.truth.diagnosis import MappingFault
    from rankgate.truth.gone import GoneLocation
    from rankgate.truth.judgments.table import Judgments
    from rankgate.truth.locations.resolve import Truth


@dataclass(frozen=True, slots=True)
class GateVerdict(Verdict):
    """A verdict that carries the gate it is of; files keep only what every verdict has."""

    rule: Gate = field(kw_only=True, repr=False)
    """The gate, parsed."""


@dataclass(frozen=True, slots=True, eq=False)
class GatedScores:
    """What gates score: the reviewed targets, and rankings without hits on the others alone."""

    judgments: Judgments
    """What should be found."""
    run: Run
    """What was found."""
    scores: Scores
    """What it is worth."""
    repeats: tuple[Run, ...] = ()
    """What was found when the same was asked again."""

    @classmethod
    def of(cls, judgments: Judgments, run: Run, scores: Scores, repeats: tuple[Run, ...] = ()) -> GatedScores:
        """Score a run by what is reviewed; where that is all of it, or nothing yet, it is what was scored."""
        if not partly_reviewed(judgments):
            return cls(judgments, run, scores, repeats)
        reviewed = reviewed_judgments(judgments)
        left, *again = (ReviewedRun(judgments, one) for one in (run, *repeats))
        metrics = [written(metric) for metric in scores.metrics]
        return cls(reviewed, left, score_all(reviewed, (left, *again), metrics, scores.depth), tuple(again))


@dataclass(frozen=True, slots=True)
class Overlap:
    """How much of a baseline is still asked, and how deep it goes."""

    kept: int = 0
    """How many questions it has."""
    asked: int = 0
    """How many of them are asked today."""
    depth: int | None = None
    """How many hits it has of each; None where it does not tell."""
    k: int = 0
    """How many are asked for today."""
    too_deep: tuple[str, ...] = ()
    """The metrics that look deeper than it goes, by their labels: they are not compared."""

    @property
    def enough(self) -> bool:
        """True where most of its questions are still asked."""
        return most(self.asked, self.kept)

    def lacks(self, hits: int) -> bool:
        """Check whether it goes less deep than so many hits, of those that are asked for."""
        return self.depth is not None and min(hits, self.k) > self.depth


def most(part: int, whole: int) -> bool:
    """Check whether a part is 80 % or more of the whole: of fewer, a comparison says nothing about all."""
    return 5 * part >= 4 * whole


@dataclass(frozen=True, slots=True, eq=False)
class Against:
    """What a run is held against."""

    name: str
    """What people call it."""
    comparison: Comparison | None = None
    """How the run compares with it; None where it cannot be."""
    run: Run | None = None
    """The answers that it is held against."""
    why: str = ""
    """Why it cannot be, and what to do."""
    absent: bool = False
    """True where there is nothing yet to compare with: nothing is enforced then."""
    required: bool = False
    """True where there must be something, so that its absence is refused."""
    command: str = ""
    """The command that makes it."""
    reviewed: Comparison | None = None
    """How the run compares by what is reviewed; None where that is no other comparison."""
    overlap: Overlap = field(default_factory=Overlap)
    """How much of it is still asked."""
    moved: str = ""
    """What became of its locations, where the documents have changed since it was made."""
    documents: tuple[str, ...] = ()
    """The documents of which it is known that they have changed since: those that its hits are in."""
    commit: str = ""
    """The commit at which it was asked, with ``+`` where files were changed; empty where it does not say."""
    date: str = ""
    """The day on which it was asked; empty where it does not say."""

    @property
    def gated(self) -> Comparison | None:
        """The comparison that gates go by."""
        return self.reviewed or self.comparison


@dataclass(frozen=True, eq=False)
class Scored:
    """A run under a suite: what should be found, what was, what it is worth, and what gates say of it."""

    suite: Suite
    """The cases, and what holds for all of them."""
    judgments: Judgments
    """What should be found."""
    run: Run
    """What was found."""
    scores: Scores
    """What it is worth."""
    today: date
    """The day on which known misses are judged."""
    checks: Checks = field(default_factory=Checks)
    """The hard checks, the scenarios and the invariants."""
    baselines: Mapping[str | None, Against] = field(default_factory=dict)
    """What gates are held against, by the name that they give; None is the system's own baseline."""
    verdicts: tuple[GateVerdict, ...] = ()
    """The gates, judged; none before they are."""
    verdict: SuiteVerdict = field(default_factory=SuiteVerdict)
    """What all of them say together."""
    faults: tuple[MappingFault, ...] = ()
    """What keeps hits from their locations, the most important first."""
    repeats: tuple[Run, ...] = ()
    """What was found when the same was asked again; `scores` are the means over all times."""
    each: tuple[Scores, ...] = ()
    """The scores of each time, where there are repeats."""
    gone: tuple[GoneLocation, ...] = ()
    """The locations of the suite that its documents do not have any more."""
    followed: FollowedTargets = field(default_factory=FollowedTargets)
    """Where the texts of those stand now, as far as that is proved."""
    titles: TitleOf = no_titles
    """Returns the heading or symbol of some lines of a file, where the corpus is at hand; else nothing."""

    @cached_property
    def located(self) -> HitCounts:
        """How many hits ended where, and how they got there."""
        return hit_counts(self.run)

    @property
    def nothing_located(self) -> bool:
        """Whether hits came back and none is in the corpus, where targets are: no score is due then."""
        classes = self.located.classes
        hits = sum(classes.values())
        wanted = self.judgments.corpus is not None and self.judgments.targets["path"].is_not_null().any()
        return wanted and hits >= LEAST_HITS and not any(HitClass(one).located for one in classes)

    @cached_property
    def gated(self) -> GatedScores:
        """What gates score of it."""
        return GatedScores.of(self.judgments, self.run, self.scores, self.repeats)

    @cached_property
    def own_baseline(self) -> Against | None:
        """What the run is held against where a gate names nothing."""
        return self.baselines.get(None)

    @cached_property
    def judged_hits(self) -> JudgedHits:
        """The hits joined with the judgments, once: as the comparison with the own baseline has them."""
        compared = self.own_baseline.comparison if self.own_baseline else None
        return JudgedHits(self.judgments, self.run) if compared is None else compared.hits_after

    @cached_property
    def answers(self) -> Mapping[str, AnswerSummary]:
        """What the run says of each query, and the error of one that failed when it was asked again."""
        found = answer_summaries(self.run)
        for number, run in enumerate(self.repeats, 2):
            for query, answer in answer_summaries(run).items():
                if answer.error is not None and query in found and found[query].error is None:
                    found[query] = found[query]._replace(error=f"{answer.error} (in repeat {number})")
        return found

    @cached_property
    def known_misses(self) -> frozenset[str]:
        """The cases that are known misses today."""
        return frozenset(
            case.id for case in self.suite.cases if case.xfail and self.today <= case.xfail.until
        )


def score_run(
    suite: Suite,
    truth: Truth,
    run: Run,
    metrics: Sequence[str],
    today: date,
    probed: Checks | None = None,
    repeats: tuple[Run, ...] = (),
    depth: int | None = None,
) -> Scored:
    """Score a run and check what must hold for single cases; no gate is judged yet.

    Args:
        suite: The cases.
        truth: What they expect, resolved.
        run: The answers.
        metrics: What to score.
        today: The day on which known misses are judged.
        probed: What came of scenarios and invariants.
        repeats: The answers to the same, asked again.
        depth: How many hits were asked for; metrics without a cut are cut there.
    """
    answered, _ = answered_cases(suite.cases)
    names, runs = [case.id for case in answered], (run, *repeats)
    judgments = truth.judgments
    if answered:
        # A label is about a text, whichever time returned it.
        texts = chain.from_iterable(kept_texts(one, names) for one in runs)
        judgments = estimate(judgments, answered, texts)
    each = tuple(score(judgments, one, metrics, depth=depth) for one in runs)
    checked = [run_checks(suite, truth.tops, *both, truth.gone_tops) for both in zip(runs, each, strict=True)]
    checks = in_every_repeat(checked).with_probes(probed or Checks())
    return Scored(
        suite=suite,
        judgments=judgments,
        run=run,
        scores=mean_scores(each),
        today=today,
        checks=checks,
        repeats=repeats,
        each=each if repeats else (),
        gone=truth.gone,
    )


class AnswerSummary(NamedTuple):
    """What a run says of one query."""

    error: str | None
    hits: int
    seconds: float | None


def answer_summaries(run: Run) -> dict[str, AnswerSummary]:
    """Read what a run says of its queries."""
    found: dict[str, AnswerSummary] = {}
    for shard in run.shards():
        for query, error, hits, latency in shard.queries.select(
            "query", "error", "hits", "latency_ms"
        ).iter_rows():
            found[query] = AnswerSummary(error, hits, None if latency is None else latency / 1000)
    return found


def errored_queries(run: Run) -> int:
    """Count the queries that the system failed to answer."""
    return len(error_texts(run))


def error_texts(run: Run) -> dict[str, str]:
    """Return the queries that the system failed to answer, each with its message."""
    bad = pl.col("status").is_in([Answer.ERROR.value, Answer.TIMEOUT.value])
    return {
        query: error or ""
        for shard in run.shards()
        for query, error in shard.queries.filter(bad).select("query", "error").iter_rows()
    }
