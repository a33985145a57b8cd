"""The gate language, one line a gate.

    gate       = [ "worst" "(" key ")" ] ( held | lost ) [ "against" name ] [ "where" slice ]
    held       = measure comparison number [ unit ] [ "goal" number [ unit ] ]
    measure    = "errors" | "checks" | "scenarios" | "invariants" | metric | drop | lost
    drop       = "drop" "(" metric ")"
    lost       = "lost" "(" rank "->" "absent" "@" rank ")"
    metric     = a metric expression, or the title of a weighted sum of the suite
    comparison = ">=" | "<=" | ">" | "<" | "="
    number     = digits [ "." digits ]
    unit       = "%" | "ms"
    slice      = key "=" value
    key        = "category" | "group" | "tag" | the name in tags such as language=go
    value      = the rest of the line, in quotes or bare
    name       = whose baseline it is; without it, the system's own

``errors`` counts queries that the system failed to answer, or is their share with ``%``. ``checks`` is the
share of hard checks that hold, ``scenarios`` of scenarios that succeed, ``invariants`` of invariants that
hold. ``drop`` is how far a metric fell since the baseline. ``lost(10 -> absent@10)`` counts the queries whose
first relevant hit was among ten and is not any more; without a comparison none of up to 200 queries may be
lost, above that 0.5 %, rounded down. ``goal`` is what is wanted and not reached yet: it is told beside the
value, and decides nothing. There is no and, no or, and no nesting: write two gates.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from rankgate.errors import Code, ExpressionError, InputError, Problem, did_you_mean
from rankgate.scoring.expressions import WeightedSum, parse, parse_all

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rankgate.model import GateText
    from rankgate.scoring.metric import Metric

_GATE = re.compile(
    r"""(?:worst\s*\(\s*(?P<worst>[^()=\s]+)\s*\)\s*)?
        (?:(?P<bare>lost\s*\([^()]*\))
        |(?P<measure>\S.*?)\s*
        (?P<sign>>=|<=|==|>|<|=)\s*
        (?P<number>-?(?:\d+(?:\.\d*)?|\.\d+))\s*(?P<unit>%|ms)?
        (?:\s+goal\s+(?P<goal>(?:\d+(?:\.\d*)?|\.\d+))\s*(?P<goal_unit>%|ms)?)?)
        (?:\s+against\s+(?P<against>[^\s=<>]+))?
        (?:\s+where\s+(?P<key>[^\s=]+)\s*=\s*(?P<value>\S.*?))?\s*""",
    re.VERBOSE,
)
_COMPARED = re.compile(r"(drop|lost)\s*\(\s*(.*?)\s*\)")
_LOST = re.compile(r"([1-9]\d{0,5})\s*(?:->|→)\s*absent\s*@\s*([1-9]\d{0,5})")
_STRAY = re.compile(r"[<>]|=\Z")
_EXAMPLE = "a gate such as ndcg@10 >= 0.65, r@5 >= 80% where category = exact, or errors = 0"
NEGATED = {">=": "<", "<=": ">", ">": "<=", "<": ">=", "=": "≠"}
"""What holds where a comparison does not."""
_NINE = 9
FEW = 200
"""Of how many queries none may be lost where a gate does not say how many may; above, one of each `FEW`."""


class Measure(StrEnum):
    """What a gate compares."""

    METRIC = "metric"
    ERRORS = "errors"
    CHECKS = "checks"
    SCENARIOS = "scenarios"
    INVARIANTS = "invariants"
    DROP = "drop"
    LOST = "lost"


SHARES = (Measure.CHECKS, Measure.SCENARIOS, Measure.INVARIANTS)
"""What is counted and compared as a percentage."""
PROBED = (Measure.SCENARIOS, Measure.INVARIANTS)
"""What belongs to no case, and so to no slice."""
COMPARED = (Measure.DROP, Measure.LOST)
"""What needs something to compare with."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Cases that have something in common.

    >>> str(Slice("language", "go"))
    'language = go'
    """

    key: str
    """category, group, tag, or the name in tags such as ``language=go``."""
    value: str
    """What the cases of the slice have there."""

    def __str__(self) -> str:
        return f"{self.key} = {self.value}"


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate, read. Made by `parse_gate`."""

    text: str
    """As it was written, without white space around it."""
    measure: Measure
    """What is compared."""
    sign: str
    """How: one of >=, <=, >, <, =."""
    bar: float
    """What it is compared with; a percentage is a share here."""
    bar_text: str
    """The same as it was written, such as ``65%``."""
    unit: str = ""
    """What a value counts: a key of `wording.figure`."""
    metric: str | None = None
    """The expression to score; None for errors, checks, scenarios and invariants."""
    label: str | None = None
    """The metric's one spelling, by which scores know it."""
    only: Slice | None = None
    """The slice it is about; None for every case."""
    worst: str | None = None
    """The key whose worst slice counts."""
    lost: tuple[int, int] | None = None
    """For ``lost``: the rank that was reached, and the one that is not any more."""
    against: str | None = None
    """Whose baseline it is held against; None for the system's own."""
    where: str = ""
    """The file, line and column it was written at."""
    goal: float | None = None
    """What is wanted and not asked for yet."""
    goal_text: str = ""
    """The same as it was written."""
    bare: bool = False
    """True for ``lost`` without a comparison: how many queries are compared says how many may be lost."""

    def at_depth(self, k: int) -> Gate:
        """Return the gate with its metric cut at the depth that is asked for, where it has no cut."""
        if self.metric is None:
            return self
        metric = parse(self.metric).at_depth(k)
        return replace(self, metric=written(metric), label=metric.label)

    @property
    def needs_hits(self) -> int:
        """How many hits it looks at, where it says so; 0 where it does not."""
        sizes = parse(self.metric).depths if self.metric else ()
        return max([*(size for size in sizes if size), *(self.lost or ())], default=0)

    def over(self, queries: int) -> Gate:
        """Return the gate as it holds for so many queries: one without a comparison gets its bar.

        >>> from rankgate.model import GateText
        >>> gate = parse_gate(GateText("lost(10 -> absent@10)"))
        >>> [gate.over(queries).bar_text for queries in (48, 200, 201, 1000)]
        ['0', '0', '1', '5']
        """
        allowed = queries // FEW if queries > FEW else 0
        return replace(self, bar=float(allowed), bar_text=str(allowed)) if self.bare else self

    def holds(self, value: float) -> bool:
        """Compare with the bar."""
        return self._holds(value, self.bar)

    def reaches_goal(self, value: float) -> bool:
        """Compare with the goal; True where there is none."""
        return self.goal is None or self._holds(value, self.goal)

    def _holds(self, value: float, bar: float) -> bool:
        """Compare after rounding both sides to 1e-9, so that no last bit decides."""
        left, right = round(value, _NINE), round(bar, _NINE)
        return {
            ">=": left >= right,
            "<=": left <= right,
            ">": left > right,
            "<": left < right,
            "=": left == right,
        }[self.sign]

    def badness(self, value: float) -> float:
        """Order values from good to bad, as this gate sees them."""
        if self.sign == "=":
            return abs(value - self.bar)
        return value if self.sign in ("<", "<=") else -value


def parse_gate(text: GateText, metrics: Iterable[str] = ()) -> Gate:
    """Read one gate. `metrics` are the suite's expressions, whose titles a gate may name.

    >>> from rankgate.model import GateText
    >>> gate = parse_gate(GateText("nDCG@10 >= 65% where category = exact"))
    >>> gate.label, gate.bar, str(gate.only)
    ('ndcg@10', 0.65, 'category = exact')

    Raises:
        InputError: for what is not a gate, or names an unknown metric.
    """
    return _read(text, _titles(metrics))


def parse_gates(texts: Iterable[GateText], metrics: Iterable[str] = ()) -> tuple[Gate, ...]:
    """Read several gates, and report every problem at once.

    Raises:
        InputError: for the problems of all of them.
    """
    titles = _titles(metrics)
    gates: list[Gate] = []
    problems: list[Problem] = []
    for text in texts:
        try:
            gates.append(_read(text, titles))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    return tuple(gates)


def _titles(metrics: Iterable[str]) -> dict[str, WeightedSum]:
    found = (metric for metric in parse_all(metrics) if isinstance(metric, WeightedSum))
    return {metric.title: metric for metric in found if metric.title}


def _read(gate: GateText, titles: Mapping[str, WeightedSum]) -> Gate:
    text = " ".join(gate.text.split())
    where = gate.where or f"gate {text!r}"
    found = _GATE.fullmatch(text)
    if found is None:
        raise InputError(Code.WRONG_GATE(where, repr(text), _EXAMPLE, _hint(text)))
    unit, number = found["unit"] or "", float(found["number"] or 0)
    goal = None if found["goal"] is None else float(found["goal"])
    measured = found["bare"] or found["measure"]
    measure, metric, own_unit = _measure(measured, titles, text, where)
    key = found["key"]
    wrong = _misfit(measure, own_unit, unit, found, where) or _sliced(measure, key, where)
    if problem := wrong or (metric and _unranged(measure, metric, where)):
        raise InputError(problem)
    read = Gate(
        text=text,
        measure=measure,
        sign="=" if found["sign"] == "==" else found["sign"] or "<=",
        bar=number / 100 if unit == "%" else number,
        bar_text=(found["number"] or "0") + unit,
        unit="%" if unit == "%" else own_unit,
        metric=None if metric is None else written(metric),
        label=None if metric is None else metric.label,
        only=Slice(key, _unquoted(found["value"])) if key else None,
        worst=found["worst"],
        lost=_lost(measured) if measure is Measure.LOST else None,
        against=found["against"],
        where=gate.where,
        goal=goal / 100 if goal is not None and unit == "%" else goal,
        goal_text="" if goal is None else found["goal"] + unit,
        bare=found["bare"] is not None,
    )
    if problem := _idle_goal(read, found, where):
        raise InputError(problem)
    return read


def _idle_goal(gate: Gate, found: re.Match[str], where: str) -> Problem | None:
    """Refuse a goal that no value between the bar and it could miss."""
    if gate.goal is None:
        return None
    said = f"{found['sign']} {gate.bar_text} goal {found['goal']}{found['goal_unit'] or ''}"
    if gate.sign == "=":
        return Code.WRONG_GATE(where, said, "a goal beside >=, <=, > or <")
    if (found["goal_unit"] or "") != (found["unit"] or ""):
        return Code.WRONG_GATE(where, said, "the bar and the goal in one unit")
    if gate.holds(gate.goal) and not gate.reaches_goal(gate.bar):
        return None
    return Code.WRONG_GATE(where, said, "a goal beyond the bar", "where it is reached, make it the bar")


def _measure(
    text: str, titles: Mapping[str, WeightedSum], whole: str, where: str
) -> tuple[Measure, Metric | None, str]:
    """Return what is measured, and in which unit."""
    if text == "errors":
        return Measure.ERRORS, None, "count"
    if text in SHARES:
        return Measure(text), None, "%"
    if compared := _COMPARED.fullmatch(text):
        measure = Measure(compared[1])
        if measure is Measure.LOST:
            if _LOST.fullmatch(compared[2]) is None:
                expected = "the rank that was reached and the depth it is gone from: lost(10 -> absent@10)"
                raise InputError(Code.WRONG_GATE(where, repr(text), expected))
            return measure, None, "count"
        _, metric, unit = _measure(compared[2], titles, whole, where)
        if metric is None:
            raise InputError(Code.WRONG_GATE(where, repr(text), f"{measure}(…) of a metric"))
        return measure, metric, unit
    if text in titles:
        return Measure.METRIC, titles[text], ""
    try:
        metric = parse(text)
    except ExpressionError as error:
        if _STRAY.search(text):
            raise InputError(Code.WRONG_GATE(where, repr(whole), _EXAMPLE, _hint(whole))) from error
        raise InputError([_problem(problem, where, titles, text) for problem in error.problems]) from error
    return Measure.METRIC, metric, metric.unit


def _problem(problem: Problem, where: str, titles: Mapping[str, WeightedSum], text: str) -> Problem:
    """Return where the gate stands, and know the suite's own titles and what is no metric."""
    fix = did_you_mean(text, (Measure.ERRORS, *SHARES), cutoff=0.75, otherwise=problem.fix)
    if titles and problem.found.startswith("metric "):
        fix = f"{fix} (the suite's own: {', '.join(titles)})"
    return replace(problem, where=where, fix=fix, said="")


def _lost(text: str) -> tuple[int, int]:
    compared = _COMPARED.fullmatch(text)
    found = _LOST.fullmatch(compared[2]) if compared else None
    return (int(found[1]), int(found[2])) if found else (1, 1)


def _misfit(measure: Measure, own_unit: str, unit: str, found: re.Match[str], where: str) -> Problem | None:
    worst = found["worst"]
    if measure is Measure.DROP and own_unit == "ms":
        fix = "write a bound, such as latency.p95 < 200ms: machines differ from day to day"
        return Code.WRONG_GATE(where, f"{measure} of a latency", "a metric of the answers", fix)
    if found["against"] and measure not in COMPARED:
        return Code.WRONG_GATE(where, f"{measure} against {found['against']}", "drop or lost")
    if worst and measure not in (Measure.METRIC, *COMPARED):
        return Code.WRONG_GATE(where, f"worst({worst}) {measure}", "worst(…) and a metric, drop or lost")
    if measure in SHARES and unit != "%":
        return Code.WRONG_GATE(
            where, f"{measure} with a bare number", "a percentage", f"write {measure} = 100%"
        )
    if unit == "ms" and own_unit != "ms":
        return Code.WRONG_GATE(where, "a bar in ms", "a bar in ms for latency alone")
    if unit == "%" and own_unit not in ("", "%", "count"):
        return Code.WRONG_GATE(where, f"a percentage for a figure in {own_unit}", f"a number of {own_unit}")
    return None


def _sliced(measure: Measure, key: str | None, where: str) -> Problem | None:
    if key is None or measure not in PROBED:
        return None
    fix = "slices are of cases; take the where out"
    return Code.WRONG_GATE(where, f"{measure} where {key} = …", f"{measure} without where", fix)


def _unranged(measure: Measure, metric: Metric, where: str) -> Problem | None:
    """Refuse a metric whose range nobody has declared, and in a comparison one without a value a query."""
    if measure is Measure.DROP and not metric.paired:
        found, fix = f"{measure} of {metric.label}, a figure of the suite", f"write {metric.label} >= …"
        return Code.WRONG_GATE(where, found, "a metric with a value a query", fix)
    if metric.range is None:
        fix = "add its lowest and highest value to its class, `limits = (0.0, 1.0)`, or take the gate out"
        return Code.WRONG_GATE(
            where, f"{metric.label}, which declares no range", "a metric with a range", fix
        )
    return None


def _hint(text: str) -> str:
    if not re.search(r"[<>=]", text):
        return "say what the metric is compared with"
    if "," in text or re.search(r"\s(and|or)\s", text):
        return "one comparison a gate; write two gates"
    return "a metric, a comparison and a number, then perhaps where key = value"


def written(metric: Metric) -> str:
    """Write a metric so that it can be read again."""
    if isinstance(metric, WeightedSum) and metric.title:
        return f"{metric.title} = {metric.formula}"
    return metric.label


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value
