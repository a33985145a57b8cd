"""What a gate is judged by: the gate, the cases it is about, and which of these count."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.errors import Code, InputError, Problem, did_you_mean
from rankgate.gates.language import NEGATED, Measure, written
from rankgate.gates.scored import GateVerdict
from rankgate.gates.wording import decimals_to_tell, figure, tally
from rankgate.model import Answer, Counts, Status
from rankgate.runs.store.schemas import HITS
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score

if TYPE_CHECKING:
    from rankgate.gates.checks import Checks
    from rankgate.gates.language import Gate, Slice
    from rankgate.gates.scored import Against, Scored
    from rankgate.scoring.matches import Bools, Ints
    from rankgate.scoring.metric import Metric
    from rankgate.scoring.scores import Scores
    from rankgate.truth.judgments.table import Judgments

UNREVIEWED = "reviewed, gates not enforced"
"""How the reason ends where nobody has reviewed a case."""
NONE = "(none)"
"""The slice of the cases that do not have the key."""
_MOST_SHOWN = 8


class Slices:
    """Which cases have a category, a group, a tag, or a ``key=value`` tag."""

    def __init__(self, cases: pl.DataFrame) -> None:
        self._size = cases.height
        self._cases = cases

    @cached_property
    def _rows(self) -> dict[str, dict[str, Ints]]:
        """The numbers of the cases of every value of every key, gathered where a slice is asked for."""
        found: dict[str, dict[str, list[int]]] = {}

        def add(key: str, value: str | None, row: int) -> None:
            if value is not None:
                rows = found.setdefault(key, {}).setdefault(value, [])
                if not rows or rows[-1] != row:
                    rows.append(row)

        # As lists: a million values, each taken out of a column of Polars by itself, take ten times as long.
        columns = (self._cases[name].to_list() for name in ("category", "group", "tags"))
        for row, (category, group, tags) in enumerate(zip(*columns, strict=True)):
            add("category", category, row)
            add("group", group, row)
            for tag in tags:
                key, equals, value = tag.partition("=")
                add("tag", tag, row)
                if equals:
                    add(key.strip(), value.strip(), row)
        return {
            key: {value: np.array(rows, dtype=np.int64) for value, rows in values.items()}
            for key, values in found.items()
        }

    @property
    def numbered(self) -> dict[str, dict[str, Ints]]:
        """The numbers of the cases of every value of every key, keys as first written, values in order.

        The cases without a key are those of its value ``(none)``. Masks would each be as long as the suite.
        """
        found = {}
        for key, rows in self._rows.items():
            values = dict(sorted(rows.items()))
            there = np.zeros(self._size, dtype=bool)
            there[np.concatenate(list(values.values()))] = True
            found[key] = values if there.all() else {**values, NONE: np.flatnonzero(~there)}
        return found

    def values(self, key: str, where: str) -> dict[str, Bools]:
        """Mark the cases of every value of a key, values in alphabetical order.

        Raises:
            InputError: for a key that no case has.
        """
        if key not in self._rows:
            known = sorted(self._rows)
            expected = f"one of {_some(known)}" if known else "cases with a category, a group or tags"
            raise InputError(
                Code.UNKNOWN_SLICE(
                    where, f"slice key {key!r}", expected, did_you_mean(key, known, cutoff=0.5)
                )
            )
        return {value: self._mask(rows) for value, rows in sorted(self._rows[key].items())}

    def partition(self, key: str, mask: Bools, where: str) -> dict[str, Bools]:
        """Mark those of some cases that have each value of a key, and those that have none of them.

        Raises:
            InputError: for a key that no case has.
        """
        found = {value: members & mask for value, members in self.values(key, where).items()}
        without = mask & ~np.logical_or.reduce(list(found.values()))
        return {**found, NONE: without} if without.any() else found

    def members(self, wanted: Slice, where: str) -> Bools:
        """Mark the cases of one slice.

        Raises:
            InputError: for a key or a value that no case has.
        """
        values = self.values(wanted.key, where)
        if wanted.value not in values:
            known = list(values)
            raise InputError(
                Code.UNKNOWN_SLICE(
                    where,
                    f"{wanted.key} {wanted.value!r}",
                    f"one of {_some(known)}",
                    did_you_mean(wanted.value, known, cutoff=0.5),
                )
            )
        return values[wanted.value]

    def _mask(self, rows: Ints) -> Bools:
        mask = np.zeros(self._size, dtype=bool)
        mask[rows] = True
        return mask


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:_MOST_SHOWN])
    return shown if len(names) <= _MOST_SHOWN else f"{shown} and {len(names) - _MOST_SHOWN} more"


@dataclass(frozen=True, slots=True)
class Cases:
    """What gates need to know of every case, in the order of the scores."""

    scores: Scores
    """What gates score: reviewed targets alone."""
    shown: Scores
    """What every target is worth."""
    names: tuple[str, ...]
    slices: Slices
    judged: Bools
    """Cases with a relevant target that is no estimate."""
    unreviewed: Bools
    """Cases with relevant targets, none of which anybody has reviewed."""
    excused: Bools
    """Known misses."""
    errored: Bools
    missing: Bools
    gone: Bools
    """Cases whose relevant targets are all gone."""
    allow_estimated: bool
    """True where gates may count estimated labels."""
    judgments: Judgments
    """What should be found."""

    @classmethod
    def of(cls, scored: Scored, scores: Scores | None = None, shown: Scores | None = None) -> Cases:
        """Gather it for the scores of an evaluation, or for others of the same judgments."""
        scores, shown = scores or scored.gated.scores, shown or scored.scores
        relevant = scored.judgments.targets.filter(pl.col("grade") > 0)
        known = pl.Series(list(scored.known_misses), dtype=pl.String)

        def among(queries: pl.Series) -> Bools:
            return scores.queries.is_in(queries.unique().implode()).to_numpy()

        judged = among(relevant["query"])
        return cls(
            scores=scores,
            shown=shown,
            names=tuple(scores.queries.to_list()),
            slices=Slices(scored.judgments.cases),
            judged=judged & ~scores.estimated,
            unreviewed=judged & ~among(relevant.filter("reviewed")["query"]),
            excused=among(known),
            errored=errored_cases(scores),
            missing=(scores.status == Answer.MISSING.value).to_numpy(),
            gone=scores.gone,
            allow_estimated=scored.suite.allow_estimated,
            judgments=scored.judgments,
        )

    @property
    def everything(self) -> Bools:
        """Every case, marked."""
        return np.ones(len(self.names), dtype=bool)

    def answerable(self, metric: Metric) -> Bools:
        """Mark the cases that would have a value if the system answered, at once and without a hit."""
        answers = pl.DataFrame({"query": self.names}).with_columns(latency_ms=0.0, hits=0)
        run = MemoryRun("no hits", [Shard.of(answers, HITS.empty())])
        answered = score(self.judgments, run, [written(metric)], depth=self.scores.depth)
        return answered.columns[metric.label].defined

    @property
    def reviewed(self) -> int:
        """How many judged cases somebody has reviewed."""
        return int((self.judged & ~self.unreviewed).sum())

    @property
    def not_enforced(self) -> str | None:
        """Why no gate is enforced, where a suite has targets and nobody has reviewed a single case."""
        if not self.judged.any() or self.reviewed:
            return None
        return f"0 of {int(self.judged.sum())} {UNREVIEWED}"

    def counted(self, mask: Bools, unit: str, *, reviewed_only: bool = True) -> CountedCases:
        """Take the cases that a gate counts: not the unreviewed ones, nor known misses.

        How long an answer took is no matter of truth, and counts for every case.
        """
        truth = unit != "ms"
        unreviewed = mask & self.unreviewed & truth
        aside = unreviewed & reviewed_only
        known = mask & self.excused & ~aside & truth
        return CountedCases(self, mask & ~aside & ~known, unreviewed, known)


@dataclass(frozen=True, slots=True)
class CountedCases:
    """The cases that a gate counts, and those that it leaves out."""

    cases: Cases
    rows: Bools
    """Those that count, with a value or without."""
    unreviewed: Bools
    known: Bools

    def counts(self, label: str) -> Counts:
        """Count what stands behind the value of a metric."""
        scores, rows = self.cases.scores, self.rows
        defined = scores.columns[label].defined
        return Counts(
            scored=int((rows & defined).sum()),
            undefined=int((rows & ~defined & ~self.cases.gone).sum()),
            gone=int((rows & ~defined & self.cases.gone).sum()),
            unreviewed=int(self.unreviewed.sum()),
            errored=int((rows & self.cases.errored).sum()),
            missing=int((rows & self.cases.missing).sum()),
            estimated=int((rows & scores.marked(label)).sum()),
        )

    def words(self, counts: Counts, label: str) -> str:
        """Write the counts of a metric, and how many known misses there are beside them."""
        as_zero = errors_are_zero(self.cases.scores, label)
        return ", ".join([tally(counts, as_zero=as_zero), *self.excused])

    @property
    def excused(self) -> list[str]:
        """How many known misses there are, in words; none where there are none."""
        known = int(self.known.sum())
        return [f"{known} xfail"] if known else []


@dataclass(frozen=True, slots=True)
class GateContext:
    """One gate, and all it takes to judge it."""

    gate: Gate
    mask: Bools
    """The cases of its slice."""
    cases: Cases
    checks: Checks
    min_n: int
    against: Against | None = None
    """What the run is held against; None where there is nothing."""

    def verdict(self, status: Status, value: float | None, reason: str, counts: Counts) -> GateVerdict:
        """Return the verdict on it; one that passes says whether the goal is reached as well."""
        if self.gate.goal is not None and status is Status.PASSED and value is not None:
            goal = f"goal {self.gate.goal_text}"
            short = "above" if self.gate.badness(1.0) > self.gate.badness(0.0) else "below"
            met = f"{goal} reached: make it the gate's value"
            reason = f"{reason}; {met if self.gate.reaches_goal(value) else f'{short} {goal}'}"
        return GateVerdict(self.gate.text, status, value, reason, counts, self.gate.where, rule=self.gate)

    def decided(self, value: float) -> Status:
        """Check whether a value is on the right side of the bar."""
        return Status.PASSED if self.gate.holds(value) else Status.FAILED

    def comparison(self, value: float) -> str:
        """Write the value, how it stands to the bar, and the bar; of a drop below 0, what it improved by."""
        if improved := improvement(self.gate, value):
            return improved
        sign = self.gate.sign if self.gate.holds(value) else NEGATED[self.gate.sign]
        return f"{value_text(self.gate, value)} {sign} {self.gate.bar_text}"


def value_text(gate: Gate, value: float) -> str:
    """Write a value with enough digits to see on which side of the gate's bar it is.

    >>> from rankgate.gates.language import parse_gate
    >>> from rankgate.model import GateText
    >>> value_text(parse_gate(GateText("ndcg@10 >= 0.65")), 0.64996)
    '0.64996'
    """
    return figure(value, gate.unit, decimals=decimals_to_tell(value, gate.bar, gate.unit))


def improvement(gate: Gate, value: float) -> str:
    """Write a drop below 0 as what it is; nothing for any other value, and where that misses the gate.

    >>> from rankgate.gates.language import parse_gate
    >>> from rankgate.model import GateText
    >>> improvement(parse_gate(GateText("drop(ndcg@10) < 0.05")), -0.0211)
    'improved by 0.0211'
    """
    text = value_text(gate, value)
    told = gate.measure is Measure.DROP and text.startswith("-") and gate.holds(value)
    return f"improved by {text.removeprefix('-')}" if told else ""


def errors_are_zero(scores: Scores, label: str) -> bool:
    """Check whether every query that ended in an error has the value 0."""
    column = scores.columns[label]
    return bool((column.defined & (column.values == 0.0))[errored_cases(scores)].all())


def errored_cases(scores: Scores) -> Bools:
    """Mark the cases that the system failed to answer."""
    return scores.status.is_in([Answer.ERROR.value, Answer.TIMEOUT.value]).to_numpy()


def nothing_scored(gate: Gate, found: str) -> Problem:
    """Return the problem of a gate that is over nothing."""
    fix = "a gate over nothing would always pass; correct the slice, or give its cases relevant targets"
    return Code.NOTHING_SCORED(
        gate_location(gate), f"{gate.text!r} over no scored query: {found}", "at least one", fix
    )


def gate_location(gate: Gate) -> str:
    """Return where a gate was written."""
    return gate.where or f"gate {gate.text!r}"
