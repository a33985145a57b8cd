"""Small evaluations: a suite and what a system answered, taken through scoring, checks and gates."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

import polars as pl

from rankgate.evaluation.advice.findings import checked_facts
from rankgate.gates.checks import Checks, run_checks
from rankgate.gates.judge import JudgingRules, judge, judge_run
from rankgate.gates.language import parse_gates
from rankgate.gates.scored import Against, Scored
from rankgate.model import Answer, Case, GateText, Location, Suite, Target, Top
from rankgate.reports.evaluation.report import EvaluationReport, Header, evaluation_report
from rankgate.reports.evaluation.summary.listed import MOST_QUERIES
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.comparison import compare
from rankgate.scoring.evaluate import score
from rankgate.truth.judgments.table import Judgments
from rankgate.truth.locations.resolve import ResolvedTop

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.gates.scored import GateVerdict
    from rankgate.model import Hit
    from rankgate.scoring.scores import Scores

TODAY = date(2026, 3, 1)


def resolved(top: Top) -> ResolvedTop:
    """Resolve a `top` that needs no corpus."""
    location, lines = top.location, top.location.lines
    start, end = (None, None) if lines is None else (lines.start, lines.end)
    return ResolvedTop(top, location.id, location.path, start, end)


@dataclass(frozen=True)
class Evaluated:
    """Everything there is to judge and to report on."""

    suite: Suite
    judgments: Judgments
    run: MemoryRun
    scores: Scores
    checks: Checks

    def judge(
        self,
        *gates: str,
        min_n: int = 5,
        max_errors: int = 0,
        today: date = TODAY,
        against: Against | None = None,
    ) -> tuple[GateVerdict, ...]:
        """Judge some gates, written at ``search.yaml:2:3``."""
        texts = [GateText(gate, "search.yaml:2:3") for gate in gates]
        parsed = parse_gates(texts, self.suite.metrics)
        return judge(self.scored(today, against), parsed, max_errors=max_errors, min_n=min_n)

    def scored(self, today: date = TODAY, against: Against | None = None) -> Scored:
        """Put it together as judging and reports take it."""
        held: dict[str | None, Against] = {} if against is None else {None: against}
        return Scored(self.suite, self.judgments, self.run, self.scores, today, self.checks, held)

    def since(self, before: Evaluated) -> Against:
        """Hold it against what a system answered before, to the queries that it was asked then."""
        both = (before.run, before.scores), (self.run, self.scores)
        asked = [query for shard in before.run.shards() for query in shard.queries["query"]]
        return Against("the baseline of app", compare(self.judgments, *both, asked), before.run)

    def report(
        self,
        *gates: str,
        header: Header | None = None,
        notes: Sequence[str] = (),
        against: Against | None = None,
        enforce: bool = True,
        most: int | None = MOST_QUERIES,
    ) -> EvaluationReport:
        """Judge some gates and report."""
        header = header or Header(system="app.search:search")
        parsed = parse_gates([GateText(gate, "search.yaml:2:3") for gate in gates], self.suite.metrics)
        rules = JudgingRules(
            parsed,
            self.suite.metrics,
            TODAY,
            max_errors=header.max_errors,
            enforce=enforce,
            min_n=header.min_n,
        )
        scored = judge_run(self.scored(against=against), rules)
        facts = checked_facts(scored, None)
        return evaluation_report(scored, header, notes, facts, most=most)


def target(text: str, grade: float = 1.0, *, reviewed: bool = True, group: str | None = None) -> Target:
    """A target at a place if the text has a dot, or else an id."""
    where = Location.at(text) if "." in text else Location.of_id(text)
    return Target(where, grade, reviewed=reviewed, group=group)


def evaluated(
    cases: Sequence[Case],
    answers: Mapping[str, Sequence[Hit | str] | Answer],
    *,
    metrics: Sequence[str] = ("ndcg@10",),
    latency: Mapping[str, float] | None = None,
    name: str = "search",
) -> Evaluated:
    """Score what a system answered; an `Answer` in place of hits is a query that ended so."""
    suite = Suite(name, tuple(cases), metrics=tuple(metrics))
    judgments = Judgments.from_suite(suite)
    rankings = {query: () if isinstance(hits, Answer) else hits for query, hits in answers.items()}
    shard = Shard.of_rankings(rankings)
    ends = {query: hits.value for query, hits in answers.items() if isinstance(hits, Answer)}
    times = {query: float(time) for query, time in (latency or {"": 0.0}).items()}
    query = pl.col("query")
    queries = shard.queries.with_columns(
        status=query.replace_strict(ends, default="ok", return_dtype=pl.String),
        error=pl.when(query.is_in(list(ends))).then(pl.lit("connection refused")),
        latency_ms=query.replace_strict(times, default=None, return_dtype=pl.Float64),
    )
    run = MemoryRun("bm25", [Shard.of(queries, shard.hits)])
    scores = score(judgments, run, metrics)
    tops = {case.id: tuple(map(resolved, case.top)) for case in cases if case.top}
    return Evaluated(suite, judgments, run, scores, run_checks(suite, tops, run, scores))
