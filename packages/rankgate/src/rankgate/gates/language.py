"""The gate language, one line a gate.

    gate       = [ "worst(" key ")" ] measure sign number [ unit ] { clause }
    measure    = metric | "min(" metric ")" | "drop(" metric ")" | "regressed(" metric ")"
               | "lost" [ "@" k ] | "overlap" [ "@" k ] | "rbo"
               | "zero" | "errors" | "checks" | "scenarios" | "invariants"
    sign       = ">=" | "<=" | "<" | "="
    unit       = "%" | "ms"
    clause     = "where" key ( "=" | "!=" ) value | "goal" number [ unit ] | "against" name
    key        = "category" | "tag" | the name of a filter

The clauses have no order, and each may occur once. There is no `and` and no nesting: write two gates.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from rankgate.errors import Code, ExpressionError, InputError, Problem, did_you_mean
from rankgate.model import Case, GateText
from rankgate.scoring.expressions import WeightedSum, parse, parse_all
from rankgate.scoring.metric import Metric

EPS = 1e-9
"""The tolerance of every comparison of values."""
MANY = 200
"""With more queries than that, `lost@K <= 0.5%` holds by default instead of `lost@K = 0`."""
LOST_DEPTH = 10
"""The largest depth of the default gate."""

_GATE = re.compile(
    r"(?:worst\s*\(\s*(?P<worst>[^()=\s]+)\s*\)\s*)?(?P<measure>\S.*?)\s*(?P<sign>>=|<=|==|=|<|>)\s*"
    r"(?P<number>-?(?:\d+(?:\.\d*)?|\.\d+))\s*(?P<unit>%|ms)?(?P<rest>(?:\s+(?:where|goal|against)\b.*)?)"
)
_CLAUSE = re.compile(r"\s+(where|goal|against)\s+")
_WHERE = re.compile(r"(?P<key>[^\s=!]+)\s*(?P<sign>!?=)\s*(?P<value>\S.*)")
_NUMBER = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*(%|ms)?")
_OF_METRIC = re.compile(r"(min|drop|regressed)\s*\(\s*(.*?)\s*\)")
_TO_DEPTH = re.compile(r"(lost|overlap|rbo)(?:@([1-9]\d{0,5}))?")
_EXAMPLES = "ndcg@10 >= 0.65, hit@5 >= 80% where category = exact, drop(ndcg@10) <= 0.01 or lost@10 = 0"


class Kind(StrEnum):
    """What a gate measures."""

    LEVEL = "level"
    """The mean of a metric, or its own statistic."""
    MIN = "min"
    """A metric of every query."""
    DROP = "drop"
    REGRESSED = "regressed"
    LOST = "lost"
    OVERLAP = "overlap"
    RBO = "rbo"
    ZERO = "zero"
    """Queries without a result."""
    ERRORS = "errors"
    CHECKS = "checks"
    SCENARIOS = "scenarios"
    INVARIANTS = "invariants"


COMPARING = frozenset({Kind.DROP, Kind.REGRESSED, Kind.LOST, Kind.OVERLAP, Kind.RBO})
"""Kinds that compare with a baseline."""
SHARES = frozenset({Kind.CHECKS, Kind.SCENARIOS, Kind.INVARIANTS})
"""Kinds that are a share of good things."""
COUNTS = frozenset({Kind.REGRESSED, Kind.LOST, Kind.ZERO, Kind.ERRORS})
"""Kinds that count queries, or are their share with `%`."""
_NO_SLICE = frozenset({Kind.SCENARIOS, Kind.INVARIANTS})


@dataclass(frozen=True, slots=True)
class Slice:
    """Cases with a value of a key, or with another one.

    >>> str(Slice("category", "exact")), str(Slice("kind", "exact", negated=True))
    ('category = exact', 'kind != exact')
    """

    key: str
    value: str
    negated: bool = False

    def __str__(self) -> str:
        return f"{self.key} {'!=' if self.negated else '='} {self.value}"

    def covers(self, case: Case) -> bool:
        """Check whether a case belongs to the slice; one without the key never does."""
        found = values_of(case, self.key)
        return bool(found) and (self.value in found) != self.negated


def values_of(case: Case, key: str) -> tuple[str, ...]:
    """Return the values that a case has for a key: its category, its tags, or those of a filter.

    A tag ``language=go`` is the value `go` of the key `language`.
    """
    if key == "category":
        return (case.category,) if case.category else ()
    if key == "tag":
        return tuple(sorted(case.tags))
    value = case.filters.get(key, ())
    named = (tag.partition("=") for tag in sorted(case.tags))
    tags = (text.strip() for name, equals, text in named if equals and name.strip() == key)
    return (*((value,) if isinstance(value, str) else value), *tags)


_VALUES = 10


def missing_slice(gate: Gate, cases: Sequence[Case]) -> str:
    """Return that no case is in the slice of a gate, with the values that there are; empty if one is."""
    if gate.worst is not None and not any(values_of(case, gate.worst) for case in cases):
        return f"No case has a {gate.worst}."
    if gate.where is None or any(gate.where.covers(case) for case in cases):
        return ""
    values = sorted({value for case in cases for value in values_of(case, gate.where.key)})
    near = did_you_mean(gate.where.value, values)
    found = f" Values: {', '.join(values[:_VALUES])}." if values else ""
    return f"No case has {gate.where}.{found}" + (f" {near[:1].upper()}{near[1:]}" if near else "")


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate, parsed. Made by `parse_gate`."""

    text: str
    kind: Kind
    sign: str
    """One of >=, <=, <, =."""
    threshold: float
    """A percentage is a share here."""
    threshold_text: str
    """As written, such as ``65%``."""
    unit: str = ""
    """The unit of the value: empty, ``%``, ``ms``, ``tokens`` or ``count``."""
    metric: str | None = None
    """The metric's expression."""
    label: str | None = None
    """The metric's one spelling, the key of its scores."""
    k: int | None = None
    """The depth of `lost`, `overlap` and `rbo`; null without a cut."""
    where: Slice | None = None
    worst: str | None = None
    """The key whose worst slice counts."""
    against: str | None = None
    """The system or baseline to compare with; null for the system's own baseline."""
    goal: float | None = None
    goal_text: str = ""
    location: str = ""
    """File, line and column."""
    default: bool = False
    """True for the gate that holds without being written."""

    @property
    def measure(self) -> str:
        """The measure with its depth or metric, such as ``drop(ndcg@10)``."""
        if self.kind is Kind.LEVEL:
            text = str(self.label)
        elif self.label is not None:
            text = f"{self.kind}({self.label})"
        else:
            text = f"{self.kind}@{self.k}" if self.k else str(self.kind)
        return f"worst({self.worst}) {text}" if self.worst else text

    @property
    def higher_is_better(self) -> bool:
        """True if the gate asks for at least its threshold."""
        return self.sign == ">=" or (self.sign == "=" and self.threshold > 0)

    @property
    def holds_for_selection(self) -> bool:
        """True if a selection of cases can decide it: single queries, counts, and ``checks = 100%``."""
        if self.kind in COUNTS:
            return self.unit == "count"
        return self.kind is Kind.MIN or (self.kind in SHARES and self.sign == "=")

    def holds(self, value: float) -> bool:
        """Compare a value with the threshold, within 1e-9."""
        if self.higher_is_better:
            return value >= self.threshold - EPS
        return value <= self.threshold + (-EPS if self.sign == "<" else EPS)

    def at_depth(self, k: int) -> Gate:
        """Return the gate with its metric or depth cut at `k` if it has no cut."""
        if self.metric is not None:
            metric = parse(self.metric).at_depth(k)
            return replace(self, metric=written(metric), label=metric.label)
        if self.kind is Kind.LOST and self.k is None:
            return replace(self, k=min(k, LOST_DEPTH))
        return replace(self, k=self.k or k) if self.kind in (Kind.OVERLAP, Kind.RBO) else self

    @property
    def needs_results(self) -> int:
        """The number of results that it reads, 0 if it has no cut."""
        depths = parse(self.metric).depths if self.metric else ()
        return max([*(size for size in depths if size), self.k or 0])


def parse_gates(texts: Iterable[GateText], metrics: Iterable[str] = ()) -> tuple[Gate, ...]:
    """Parse gates and report every error at once. `metrics` has the weighted sums that gates may name.

    Raises:
        InputError: for the errors of all gates.
    """
    sums = {one.title: one for one in parse_all(metrics) if isinstance(one, WeightedSum) and one.title}
    gates: list[Gate] = []
    problems: list[Problem] = []
    for text in texts:
        try:
            gates.append(parse_gate(text, sums))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    return tuple(gates)


def problems_of(gates: Iterable[GateText], metrics: Iterable[GateText]) -> list[Problem]:
    """Return the problems of the gates and metrics of a suite, each with its position."""
    problems: list[Problem] = []
    valid: list[str] = []
    for metric in metrics:
        try:
            parse(metric.text)
            valid.append(metric.text)
        except InputError as error:
            problems += [replace(one, where=metric.where) for one in error.problems]
    try:
        parse_gates(gates, valid)
    except InputError as error:
        problems += error.problems
    return problems


def parse_gate(written_gate: GateText | str, sums: Mapping[str, WeightedSum] | None = None) -> Gate:
    """Parse one gate.

    >>> gate = parse_gate("hit@5 >= 80% where category != exact")
    >>> gate.label, gate.threshold, str(gate.where)
    ('hit@5', 0.8, 'category != exact')

    Raises:
        InputError: for a gate that is invalid, can never fail or can never pass.
    """
    given = written_gate if isinstance(written_gate, GateText) else GateText(written_gate)
    text = " ".join(given.text.split())
    found = _GATE.fullmatch(text)
    if found is None:
        raise _wrong(given, "is not a gate", f"Write a gate such as {_EXAMPLES}.")
    kind, metric, k = _measure(found["measure"], sums or {}, given)
    percent = found["unit"] == "%"
    number = float(found["number"])
    own_unit = metric.unit if metric is not None and kind in (Kind.LEVEL, Kind.MIN, Kind.DROP) else ""
    unit = "%" if percent else own_unit or ("count" if kind in COUNTS else "")
    clauses = _clauses(found["rest"], given)
    gate = Gate(
        text=text,
        kind=kind,
        sign="=" if found["sign"] == "==" else found["sign"],
        threshold=number / 100 if percent else number,
        threshold_text=found["number"] + (found["unit"] or ""),
        unit=unit,
        metric=None if metric is None else written(metric),
        label=None if metric is None else metric.label,
        k=k,
        worst=found["worst"],
        location=given.where,
        where=clauses.where,
        against=clauses.against,
        goal=clauses.goal,
        goal_text=clauses.goal_text,
    )
    _check(gate, metric, found["unit"] or "", number, given)
    return gate


def _measure(
    text: str, sums: Mapping[str, WeightedSum], gate: GateText
) -> tuple[Kind, Metric | None, int | None]:
    if text in (Kind.ZERO, Kind.ERRORS, *SHARES):
        return Kind(text), None, None
    if depth := _TO_DEPTH.fullmatch(text):
        return Kind(depth[1]), None, int(depth[2]) if depth[2] else None
    inner = _OF_METRIC.fullmatch(text)
    name = inner[2] if inner else text
    if name in sums:
        metric: Metric = sums[name]
    else:
        try:
            metric = parse(name)
        except ExpressionError as error:
            words = [*(kind.value for kind in Kind if kind is not Kind.LEVEL), *sums]
            near = did_you_mean(text.partition("(")[0], words, cutoff=0.75)
            if near or re.search(r"[<>=,]|\b(and|or)\b", name):
                fix = near[:1].upper() + near[1:] if near else "Write one comparison per gate."
                raise _wrong(gate, f"has an invalid measure {text!r}", fix) from error
            raise InputError(
                [replace(problem, where=gate.where or f"gate {gate.text!r}") for problem in error.problems]
            ) from error
    return Kind(inner[1]) if inner else Kind.LEVEL, metric, None


@dataclass(slots=True)
class _Clauses:
    where: Slice | None = None
    against: str | None = None
    goal: float | None = None
    goal_text: str = ""


def _clauses(rest: str, gate: GateText) -> _Clauses:
    """Parse what follows the threshold: `where`, `goal` and `against`, in any order."""
    parts = _CLAUSE.split(f" {rest.strip()} " if rest.strip() else "")[1:]
    names, values = parts[::2], [part.strip() for part in parts[1::2]]
    if len(set(names)) < len(names) or not all(values):
        raise _wrong(gate, "has a clause twice, or one without a value", "Write each clause once.")
    found = _Clauses()
    for name, value in zip(names, values, strict=True):
        if name == "against":
            if re.search(r"[\s=<>]", value):
                raise _wrong(gate, f"has an invalid name {value!r} after `against`", "Name one system.")
            found.against = value
        elif name == "where":
            where = _WHERE.fullmatch(value)
            if where is None or re.search(r"\s(and|or)\s", value):
                fix = "Write `where key = value` or `where key != value`, and one gate per slice."
                raise _wrong(gate, f"has an invalid clause `where {value}`", fix)
            found.where = Slice(where["key"], _unquoted(where["value"]), negated=where["sign"] == "!=")
        else:
            goal = _NUMBER.fullmatch(value)
            if goal is None:
                raise _wrong(gate, f"has an invalid goal {value!r}", "Write a number, such as `goal 0.80`.")
            found.goal, found.goal_text = float(goal[1]) / (100 if goal[2] == "%" else 1), value
    return found


def _check(gate: Gate, metric: Metric | None, unit: str, number: float, given: GateText) -> None:
    """Raise an error for a gate that means nothing, can never fail or can never pass."""
    kind, threshold = gate.kind, gate.threshold
    good = kind in (Kind.LEVEL, Kind.MIN) and metric is not None and not metric.less_is_better
    if good or kind in SHARES or kind in (Kind.OVERLAP, Kind.RBO):
        if not (gate.sign == ">=" or (gate.sign == "=" and unit == "%" and number == 100)):
            raise _wrong(given, f"compares with `{gate.sign}`", "Use `>=`, or `= 100%`.")
    elif not (gate.sign in ("<=", "<") or (gate.sign == "=" and number == 0)):
        raise _wrong(given, f"compares with `{gate.sign}`", "Use `<=`, `<` or `= 0`.")
    _check_unit(gate, metric, unit, number, given)
    low, high = _range(gate, metric)
    at_least = gate.higher_is_better
    if (at_least and threshold <= low + EPS) or (
        not at_least and threshold > high - (gate.sign != "<") * EPS
    ):
        raise _wrong(given, "can never fail", f"Its values are from {low:g} to {high:g}.")
    if (at_least and threshold > high + EPS) or threshold < low or (gate.sign == "<" and threshold <= low):
        raise _wrong(given, "can never pass", f"Its values are from {low:g} to {high:g}.")
    _check_clauses(gate, high, unit, given)


def _check_unit(gate: Gate, metric: Metric | None, unit: str, number: float, given: GateText) -> None:
    """Raise an error for a threshold or a metric that the kind of gate can't have."""
    kind = gate.kind
    if unit == "ms" and gate.unit != "ms":
        raise _wrong(given, "has a threshold in ms", "Only latency is measured in ms.")
    if unit == "%" and gate.unit == "%" and metric is not None and metric.unit not in ("", "%"):
        raise _wrong(given, f"has a percentage of {metric.unit}", f"Write a number of {metric.unit}.")
    if kind in SHARES and unit != "%":
        raise _wrong(given, "is a share without a percent sign", f"Write {kind} = 100%.")
    if kind in COUNTS and unit != "%" and number % 1:
        raise _wrong(given, f"counts queries, and {number:g} is not a count", "Write a share with %.")
    if kind is Kind.DROP and unit == "%":
        raise _wrong(given, "has a drop in percent", "Write the drop as a number, such as 0.01.")
    if kind in (Kind.DROP, Kind.REGRESSED, Kind.MIN) and metric is not None and not metric.paired:
        raise _wrong(
            given, f"reads {metric.label}, a figure of the whole suite", f"Gate {metric.label} itself."
        )
    if kind in (Kind.DROP, Kind.REGRESSED) and metric is not None and metric.unit == "ms":
        fix = "Write a bound, such as latency.p95 < 200ms: machines differ from day to day."
        raise _wrong(given, "compares latencies of two runs", fix)
    if metric is not None and metric.range is None:
        fix = "Add `limits = (0.0, 1.0)` with its lowest and highest value to its class."
        raise _wrong(given, f"reads {metric.label}, a metric without a range", fix)
    if unit == "%" and 0 < number < 1 and (kind in (Kind.LEVEL, Kind.MIN) or kind in SHARES):
        raise _wrong(given, f"has the threshold {number:g}%", f"Write {number:g} or {number * 100:g}%.")


def _range(gate: Gate, metric: Metric | None) -> tuple[float, float]:
    """Return the lowest and the highest value that a gate can have."""
    if metric is not None and metric.range is not None:
        if gate.kind in (Kind.LEVEL, Kind.MIN):
            return metric.range.lowest, metric.range.highest
        if gate.kind is Kind.DROP:
            width = metric.range.highest - metric.range.lowest
            return 0.0, width if math.isfinite(width) else math.inf
    return 0.0, math.inf if gate.unit == "count" else 1.0


def _check_clauses(gate: Gate, high: float, unit: str, given: GateText) -> None:
    if gate.against is not None and gate.kind not in COMPARING:
        fix = "Use `against` with drop, regressed, lost, overlap or rbo."
        raise _wrong(given, f"compares {gate.measure} with {gate.against}", fix)
    if gate.worst and (gate.kind is not Kind.LEVEL or gate.where is not None):
        raise _wrong(
            given, "has `worst(…)` and no single metric", "Use worst(key) with a metric, without where."
        )
    if gate.where is not None and gate.kind in _NO_SLICE:
        raise _wrong(given, f"has a slice of {gate.kind}", "Slices are of cases. Remove `where`.")
    if gate.goal is None:
        return
    if gate.kind is not Kind.LEVEL:
        raise _wrong(given, f"has a goal for {gate.kind}", "A goal belongs to a metric.")
    if gate.goal_text.endswith("%") != (unit == "%"):
        raise _wrong(given, "has a threshold and a goal in different units", "Use one unit.")
    beyond = threshold_beyond(gate.goal, gate)
    if not beyond or (gate.higher_is_better and gate.goal > high + EPS):
        raise _wrong(given, "has a goal that is not beyond the threshold", "Remove the goal, or raise it.")


def threshold_beyond(goal: float, gate: Gate) -> bool:
    """Check whether a goal is stricter than the threshold."""
    return goal > gate.threshold + EPS if gate.higher_is_better else goal < gate.threshold - EPS


def _wrong(gate: GateText, problem: str, fix: str) -> InputError:
    where = f"{gate.where}: " if gate.where else ""
    text = " ".join(gate.text.split())
    said = f"{where}the gate {text!r} {problem}. {fix}"
    return InputError(Code.WRONG_GATE(gate.where or f"gate {text!r}", repr(text), problem, "", said))


def written(metric: Metric) -> str:
    """Return an expression of a metric that `parse` reads."""
    if isinstance(metric, WeightedSum) and metric.title:
        return f"{metric.title} = {metric.formula}"
    return metric.label


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value


def compares_all(gates: Iterable[Gate], kinds: Sequence[Kind], label: str | None = None) -> bool:
    """Check whether a gate of some kinds compares all queries with the system's own baseline."""
    return any(
        gate.kind in kinds and not gate.where and not gate.against and label in (None, gate.label)
        for gate in gates
    )


def default_gate(gates: Iterable[Gate], depth: int, queries: int) -> Gate | None:
    """Return the gate on lost queries that holds with a baseline, unless a gate of the suite replaces it.

    >>> default_gate((), 20, 12).text, default_gate((), 5, 400).text
    ('lost@10 = 0', 'lost@5 <= 0.5%')
    """
    if compares_all(gates, [Kind.LOST]):
        return None
    limit = "<= 0.5%" if queries > MANY else "= 0"
    return replace(parse_gate(f"lost@{min(depth, LOST_DEPTH)} {limit}"), default=True)
