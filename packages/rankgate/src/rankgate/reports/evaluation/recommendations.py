"""What to do next: advice made of checked facts alone, the costliest first, each with its evidence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankgate.gates.language import Measure
from rankgate.gates.wording import figure
from rankgate.model.wording import many
from rankgate.reports.text.printable import printable
from rankgate.truth.facts.checked import FactKind, grouped

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankgate.gates.scored import Scored
    from rankgate.model import Case
    from rankgate.truth.diagnosis import MappingFault
    from rankgate.truth.facts.checked import CheckedFact

_EXAMPLES = 3
_EVIDENCE_MOST = 500
_UNSCORED = (FactKind.MOVED, FactKind.GONE)


@dataclass(frozen=True, slots=True)
class Recommendation:
    """One fact, and what helps against it."""

    finding: str
    """What was found, with the number of queries."""
    advice: str
    """What to do."""
    examples: tuple[str, ...]
    """Some of the queries."""
    more: str
    """How many others there are, in words; empty where all are named."""
    evidence: str = ""
    """What was seen that proves it, in one sentence; empty where the finding says it."""
    cost: str = ""
    """How much higher the gated metric would be without it at most; empty where that is not known."""
    kind: str = ""
    """The kind of the fact, such as ``not-returned``."""


@dataclass(frozen=True, slots=True)
class Costs:
    """How much of the gated metric each query costs: what it is short of, as a share of the mean."""

    metric: str = ""
    """The metric; empty where there is none to count in."""
    by_case: Mapping[str, float] = field(default_factory=dict)
    """The cost of each case; none where the metric is undefined."""

    @classmethod
    def of(cls, scored: Scored) -> Costs:
        """Return what queries cost of the metric of the first gate on one, or else of the first metric."""
        scores = scored.scores
        labels = {metric.label: metric for metric in scores.metrics}
        gates = (verdict.rule for verdict in scored.verdicts)
        gated = (str(gate.label) for gate in gates if gate.measure is Measure.METRIC)
        for label in (*gated, *labels):
            metric = labels.get(label)
            limits = None if metric is None or not metric.about_labels else metric.range
            if metric is None or limits is None or limits.width is None:
                continue
            best = limits.lowest if metric.less_is_better else limits.highest
            weights = dict(zip(scores.queries.to_list(), scores.weights.tolist(), strict=True))
            values = {query: value for query, value in scores.per_query(label).items() if value is not None}
            total = sum(weights[query] for query in values)
            costs = {query: abs(best - value) * weights[query] / total for query, value in values.items()}
            return cls(label, costs)
        return cls()

    def together(self, cases: Iterable[str]) -> float:
        """Return what some cases cost together."""
        return sum(self.by_case.get(case, 0.0) for case in cases)


def recommendations(
    cases: Sequence[Case], facts: Sequence[CheckedFact], costs: Costs, command: str = "SUITE"
) -> tuple[Recommendation, ...]:
    """Write the advice that facts give, those first whose queries cost most of the gated metric.

    Args:
        cases: The cases of the suite.
        facts: What was checked; those of one kind and subject are told together.
        costs: What queries cost.
        command: What names the suite on a command line.
    """
    order = list(FactKind)
    worst = sorted(
        grouped(facts),
        # What is not where the suite says is not scored, and comes before what is.
        key=lambda fact: (fact.kind not in _UNSCORED, -costs.together(fact.cases), order.index(fact.kind)),
    )
    queries = {case.id: case.query for case in cases}
    return tuple(_recommendation(fact, queries, costs, command) for fact in worst)


def mapping_advice(faults: Iterable[MappingFault]) -> tuple[Recommendation, ...]:
    """Write the advice about hits that are not where they say: it stands alone, before anything is known."""
    return tuple(
        Recommendation(printable(one.said), printable(_sentence(one.fix)), (), "", kind="mapping")
        for one in faults
    )


def _recommendation(
    fact: CheckedFact, queries: Mapping[str, str], costs: Costs, command: str
) -> Recommendation:
    finding, advice = _WORDS[fact.kind]
    number = many(len(fact.cases), "query", "queries")
    one = len(fact.cases) == 1
    finding = finding.format(
        queries=number,
        subject=fact.subject,
        expect="expects" if one else "expect",
        s="s" if one else "",
        es="es" if one else "",
        ve="s" if one else "ve",
    )
    details = fact.details or ("",) * len(fact.cases)
    examples = [
        f"{queries.get(case, case)} ({detail})" if detail else queries.get(case, case)
        for case, detail in zip(fact.cases, details, strict=True)
    ]
    more = len(examples) - _EXAMPLES
    cost = costs.together(fact.cases)
    return Recommendation(
        finding=printable(finding, _EVIDENCE_MOST),
        advice=printable(advice.format(subject=fact.subject, suite=command), _EVIDENCE_MOST),
        examples=tuple(map(printable, examples[:_EXAMPLES])),
        more=f"and {more} more" if more > 0 else "",
        evidence=printable(_sentence(fact.evidence), _EVIDENCE_MOST),
        cost=f"costs {figure(cost)} of {costs.metric}" if cost and costs.metric else "",
        kind=str(fact.kind),
    )


def _sentence(words: str) -> str:
    first = words.partition(" ")[0]
    # A path or a name is written as it is.
    start = words[:1].upper() if first.isalpha() else words[:1]
    return f"{start}{words[1:]}" + ("" if words.endswith((".", "…")) else ".")


_WORDS: dict[FactKind, tuple[str, str]] = {
    FactKind.OUTAGE: (
        "The system failed on {queries}",
        "Fix this first: each counts as 0, and nothing else is certain of these queries.",
    ),
    FactKind.NO_HITS: (
        "No query returned anything",
        "Check that the system searches the index that was filled: rankgate query shows what it is sent.",
    ),
    FactKind.TEXT_CHANGED: (
        "{queries} {expect} text that changed since it was judged",
        "Read what stands there now, and keep or move the target: rankgate suite fix {suite}.",
    ),
    FactKind.MOVED: (
        "{queries} {expect} a target that is somewhere else now",
        "Follow it: rankgate suite fix {suite}.",
    ),
    FactKind.GONE: (
        "{queries} {expect} a target that is not in the documents",
        "Decide where it went, or that it is gone: rankgate suite fix {suite}.",
    ),
    FactKind.DUPLICATE: (
        "{queries} {expect} text that {subject} has as well",
        "Judge both locations (any_of), or take {subject} out of the index.",
    ),
    FactKind.BELOW: (
        "{queries} return{s} the first relevant hit too far down",
        "It is indexed and it matches: the first hits above it are shown with each query.",
    ),
    FactKind.UNWANTED: (
        "{queries} returned hits where none are right",
        "Only a rule that drops weak hits, such as a minimum score, leaves an answer empty.",
    ),
}
