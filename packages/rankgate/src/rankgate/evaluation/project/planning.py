"""What a suite can show before its system is asked: by stored answers where some are named, else assumed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankgate.errors import Code, InputError
from rankgate.evaluation.project.named_answers import compared_pair
from rankgate.evaluation.settings import RunOptions, Settings, judging_rules, settings_of
from rankgate.gates.against import unwritten_lost
from rankgate.gates.context import Cases
from rankgate.gates.language import COMPARED
from rankgate.gates.planning.claims import ClaimContext, claims, slice_sizes
from rankgate.gates.planning.false_alarms import false_alarms
from rankgate.gates.scored import score_run
from rankgate.reports.suite.plan import PlanFacts, plan_report
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.comparison import query_groups
from rankgate.scoring.paired.change import DropModel
from rankgate.scoring.paired.power import POWER
from rankgate.truth.locations.resolve import resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.evaluation.project.named_answers import NamedAnswers
    from rankgate.evaluation.project.project import Project
    from rankgate.gates.judge import JudgingRules
    from rankgate.gates.language import Gate
    from rankgate.gates.scored import Scored
    from rankgate.model import Suite
    from rankgate.reports.suite.plan import PlanReport
    from rankgate.scoring.comparison import Comparison
    from rankgate.scoring.metric import Metric
    from rankgate.truth.locations.resolve import Truth

DROPS = (0.02, 0.05, 0.1)
"""The drops that are looked at where nobody says."""


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """What to plan for."""

    drops: tuple[float, ...] = DROPS
    """The drops that are to be seen."""
    power: float = POWER
    """In what share of comparisons."""
    sources: tuple[str, ...] = ()
    """The names of stored answers: none, one, or two that are compared."""


def plan_suite(project: Project, suite: Suite, system: str | None, request: PlanRequest) -> PlanReport:
    """Work out what a suite can show; nothing is asked.

    Raises:
        InputError: for gates that cannot be read, and answers that are not there or not to this suite.
    """
    if len(request.sources) > 2:
        found = f"{len(request.sources)} names"
        raise InputError(Code.WRONG_OPTION("--from", found, "one run or baseline, or two to compare"))
    names = request.sources
    system = system or next((name for name in names if name in project.configuration.systems), None)
    rules = judging_rules(suite, _settings(project, suite, system))
    truth = resolve(suite, project.corpus(suite))
    answers = tuple(project.answers(suite, name, system) for name in names)
    scored = _scored(suite, truth, rules, answers)
    comparison = None
    if answers:
        pair = (answers[0], answers[-1])
        comparison, _ = compared_pair(suite, truth.judgments, pair, rules.metrics)
    cases = Cases.of(scored)
    unwritten = unwritten_lost(rules.gates, rules.depth)
    shown = _shown_metric(suite, scored.scores.metrics, rules.gates)
    groups = query_groups(scored.judgments)
    bare = ClaimContext(cases, groups, {}, ())
    models = {
        metric.label: model
        for metric in scored.scores.metrics
        if metric.paired and (model := _model(bare, metric, comparison)) is not None
    }
    if shown.label not in models:
        fix = "give it cases with relevant targets, and read those that nobody has reviewed"
        found = f"no query that counts in {shown.label}"
        raise InputError(Code.CANNOT_PLAN(suite.path or suite.name, found, "at least one to plan with", fix))
    drops = tuple(drop / models[shown.label].scale for drop in request.drops)
    context = ClaimContext(cases, groups, models, drops, rules.min_n)
    keys = dict.fromkeys(key for gate in rules.gates if (key := gate.worst or (gate.only and gate.only.key)))
    if any(case.category for case in suite.cases):
        keys = dict.fromkeys(["category", *keys])
    facts = PlanFacts(
        suite=suite.name,
        metric=shown,
        sources=tuple(one.name for one in answers),
        model=models[shown.label],
        paired=None
        if comparison is None or len(answers) < 2
        else comparison.paired(shown.label, cases.counted(cases.everything, "").rows),
        slices=tuple(slice_sizes(context, list(keys), shown.label, shown.scale)),
        claims=tuple(claims(context, rules.gates, unwritten)),
        alarms=false_alarms(scored, (*rules.gates, *unwritten), rules.min_n),
    )
    return plan_report(facts, request.drops, request.power)


def _settings(project: Project, suite: Suite, system: str | None) -> Settings:
    """Return what the suite is judged by: its own gates, or those of the system that is meant."""
    configuration = project.configuration
    if system is None and configuration.system is None and len(configuration.systems) != 1:
        return Settings(root=configuration.corpus_root)
    entry = configuration.entry(system)
    return settings_of(entry, suite, RunOptions(), configuration.corpus_root)


def _scored(suite: Suite, truth: Truth, rules: JudgingRules, answers: Sequence[NamedAnswers]) -> Scored:
    """Score the answers that were asked several times, where some are named; else none at all.

    Which queries a gate counts follows from the judgments, so that answers without a hit tell it.
    """
    again = next((one for one in answers if one.repeats), None)
    if again is None:
        empty = Shard.of_rankings({case.id: () for case in suite.cases})
        run, repeats = MemoryRun("nothing", [empty]), ()
        return score_run(suite, truth, run, rules.metrics, rules.today, None, repeats, rules.depth)
    return score_run(suite, truth, again.run, rules.metrics, rules.today, None, again.repeats, rules.depth)


def _shown_metric(suite: Suite, metrics: Sequence[Metric], gates: Sequence[Gate]) -> Metric:
    """Choose the metric that drops are told in: of the first gate that compares, or the suite's first.

    Raises:
        InputError: where no metric has a range.
    """
    ranged = [metric for metric in metrics if metric.paired and metric.scale is not None]
    if not ranged:
        fix = "add one, such as ndcg@10"
        raise InputError(
            Code.CANNOT_PLAN(suite.path or suite.name, "no metric with a range", "one to plan with", fix)
        )
    wanted = [gate.label for gate in gates if gate.measure in COMPARED and gate.label]
    return next((metric for metric in ranged if metric.label in wanted[:1]), ranged[0])


def _model(context: ClaimContext, metric: Metric, comparison: Comparison | None) -> DropModel | None:
    if metric.scale is None:
        return None
    rows = context.rows(context.cases.everything, metric.label)
    if comparison is not None:
        return comparison.drop_model(metric.label, rows)
    if not rows.any():
        return None
    nothing, weights = np.zeros(int(rows.sum())), context.cases.scores.weights[rows]
    groups = [group for group, wanted in zip(context.groups, rows, strict=True) if wanted]
    return DropModel.of(nothing, nothing + metric.scale, weights, groups, metric.scale, stored=False)
