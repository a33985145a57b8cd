"""Reading metric expressions.

    expression = [ title "=" ] term { ( "+" | "-" ) term }
    term       = [ number "*" ] metric
    metric     = name [ "." statistic ] [ "(" parameter { "," parameter } ")" ] [ "@" cut ]
    parameter  = name [ "=" value ]
    cut        = integer [ "tokens" ]

Names ignore case, and the spellings of other tools are understood: ``nDCG@10``, ``ndcg_cut_10`` and
``ndcg_at_10`` are ``ndcg@10``. Every metric has one canonical spelling, its `label`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, get_type_hints

import numpy as np

from rankgate.errors import Code, ExpressionError, PluginError, Problem, did_you_mean
from rankgate.plugins import listed, load
from rankgate.scoring.matches import Column, Cut
from rankgate.scoring.metric import Metric, ValueRange, spell_number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankgate.scoring.matches import Matches


GROUP = "rankgate.metrics"
ALIASES = {
    "average_precision": "ap",
    "f": "f1",
    "hit_rate": "hit",
    "hitrate": "hit",
    "hits": "hit",
    "map": "ap",
    "map_cut": "ap",
    "mrr": "rr",
    "ndcg_cut": "ndcg",
    "precision": "p",
    "r_precision": "rprec",
    "recall": "r",
    "recip_rank": "rr",
    "reciprocal_rank": "rr",
    "set_f": "f1",
    "set_p": "p",
    "set_recall": "r",
    "success": "hit",
}

_TAKEN = {"run", "query", "status", "metric", "value"}
_TITLE = re.compile(r"\s*([A-Za-z_][\w-]*)\s*=(?![^()]*\))\s*")
_METRIC = re.compile(
    r"""\s*(?P<name>[A-Za-z_]\w*)
        (?:\.(?P<stat>[A-Za-z]\w*(?:\.\d+)?))?
        (?:\((?P<parameters>[^()]*)\))?
        (?:@(?P<cut>[0-9]{1,9})(?P<tokens>tokens)?)?\s*""",
    re.VERBOSE,
)
_NUMBER = re.compile(r"\s*(\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+)\s*\*")
_SPELT_CUT = re.compile(r"(?P<name>.*?)_(?:at_)?(?P<cut>[0-9]{1,9})\Z")


def parse(text: str) -> Metric:
    """Read one expression.

    >>> parse("nDCG_at_10").label
    'ndcg@10'
    >>> parse("relevance = 0.4*p@5 + 0.3*r@5 + 0.3*MRR").formula
    '0.4*p@5 + 0.3*r@5 + 0.3*rr'

    Raises:
        ExpressionError: for what is not an expression, or names an unknown metric or parameter.
    """
    title = _TITLE.match(text)
    if title and title[1] in _TAKEN:
        raise _wrong(text, f"the title {title[1]!r}", "another; scores have that column")
    at = title.end() if title else 0
    terms: list[tuple[float, Metric]] = []
    weighted = title is not None
    sign = 1.0
    while True:
        number = _NUMBER.match(text, at)
        at = number.end() if number else at
        found = _METRIC.match(text, at)
        if found is None:
            raise _unreadable(text, at)
        weight = float(number[1] if number else 1)
        if weight == math.inf:
            raise _wrong(text, f"the weight {number and number[1]}", "a finite number")
        terms.append((sign * weight, _metric(text, found)))
        weighted = weighted or number is not None
        at = found.end()
        if at == len(text):
            break
        if text[at] not in "+-":
            raise _unreadable(text, at)
        sign, at, weighted = (1.0 if text[at] == "+" else -1.0), at + 1, True
    if not weighted:
        return terms[0][1]
    for _, metric in terms:
        if metric.statistic != "mean" or metric.unit not in ("", "gain") or not metric.paired:
            raise _wrong(text, f"{metric.label} in a sum", "metrics that are means of shares")
    return WeightedSum(terms=tuple(terms), title=title[1] if title else None)


def parse_all(texts: Iterable[str]) -> list[Metric]:
    """Read several expressions, and report every problem at once; one that is said twice counts once.

    Raises:
        ExpressionError: for the problems of all of them, or two different sums of one title.
    """
    found: dict[str, Metric] = {}
    problems: list[Problem] = []
    for text in texts:
        try:
            metric = parse(text)
        except ExpressionError as error:
            problems.extend(error.problems)
            continue
        if found.setdefault(metric.label, metric) != metric:
            problems.append(Code.REPEATED(repr(text), f"a second {metric.label!r}", "another title"))
    if problems:
        raise ExpressionError(problems)
    return list(found.values())


def _metric(text: str, found: re.Match[str]) -> Metric:
    name, cut = found["name"].lower(), found["cut"]
    if cut is None and metric_named(name) is None and (spelt := _SPELT_CUT.match(name)):
        name, cut = spelt["name"], spelt["cut"]
    kind = metric_named(name)
    if kind is None:
        raise unknown_metric(found["name"], repr(text))
    arguments = _arguments(text, kind, found["parameters"] or "")
    if found["stat"] is not None:
        if "stat" not in _parameters(kind):
            raise _wrong(text, f".{found['stat']}", f"{kind.name} without a statistic")
        arguments["stat"] = found["stat"]
    if cut is not None:
        if not kind.cut_by:
            raise _wrong(text, f"a cut at {cut}", f"{kind.name}, which has none")
        arguments["cut"] = Cut(int(cut), tokens=found["tokens"] is not None)
    metric = kind(**arguments)
    values: object = metric.range
    if not isinstance(values, ValueRange | None):
        expected = "rankgate.ValueRange(lowest, highest), or None"
        raise PluginError(Problem(f"{GROUP} {name!r}: range", repr(values), expected))
    return metric


def metric_named(name: str) -> type[Metric] | None:
    """Find a metric by its name, another tool's name for it, or as ``module:attr`` or ``./file.py:attr``.

    Raises:
        PluginError: for what is there and is not a metric.
    """
    if ":" not in name:
        name = ALIASES.get(name.lower(), name.lower())
        if name not in listed(GROUP):
            return None
    kind = load(GROUP, name)
    if not (isinstance(kind, type) and issubclass(kind, Metric)):
        raise PluginError(Problem(f"{GROUP} {name!r}", repr(kind), "a Metric class"))
    return kind


def unknown_metric(name: str, where: str) -> ExpressionError:
    """Return the error that there is no such metric, and which ones are near."""
    names = sorted({*listed(GROUP), *ALIASES})
    own = f"one of your own must be installed, as an entry point of {GROUP} (docs/plugins.md of rankgate)"
    fix = did_you_mean(name.lower(), names, most=3, cutoff=0.5, otherwise=own)
    return ExpressionError(
        Code.UNKNOWN_METRIC(where, f"metric {name!r}", "one of `rankgate list metrics`", fix)
    )


@cache
def _parameters(kind: type[Metric]) -> dict[str, object]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind) if field.name != "cut"}


def _arguments(text: str, kind: type[Metric], parameters: str) -> dict[str, Any]:
    known = _parameters(kind)
    arguments: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in parameters.split(","))):
        key, given, value = (piece.strip() for piece in part.partition("="))
        if key not in known or key == "stat":
            expected = f"a parameter of {kind.name}: {', '.join(known) or 'it has none'}"
            fix = did_you_mean(key, known, most=3, cutoff=0.5, otherwise="`rankgate list metrics` shows them")
            raise _wrong(text, f"parameter {key!r}", expected, fix)
        if key in arguments:
            raise _wrong(text, f"{key} twice", f"{key} once")
        arguments[key] = _value(text, key, value if given else None, known[key])
    return arguments


def _value(text: str, key: str, value: str | None, hint: Any) -> object:
    choices = getattr(hint, "__args__", ())
    if hint is bool:
        if value is None or value.lower() in ("true", "false"):
            return value is None or value.lower() == "true"
        raise _wrong(text, f"{key}={value}", f"{key}, {key}=true or {key}=false")
    if value is None:
        raise _wrong(text, f"{key} without a value", f"{key}=…")
    if hint is float or float in choices:
        try:
            number = float(value)
        except ValueError:
            number = float("nan")
        if number - number != 0:
            raise _wrong(text, f"{key}={value}", "a number")
        return number
    if hint is not str and value not in choices:
        raise _wrong(text, f"{key}={value}", " or ".join(map(str, choices)))
    return value


def _wrong(text: str, found: str, expected: str, fix: str = "") -> ExpressionError:
    return ExpressionError(Problem(repr(text), found, expected, fix))


def _unreadable(text: str, at: int) -> ExpressionError:
    rest = text[at:].strip()
    found = f"{rest!r}" if rest else "the end of the expression"
    return _wrong(text, found, "a metric such as ndcg@10, p@5 or rr(rel=2)")


@dataclass(frozen=True)
class WeightedSum(Metric):
    """A weighted sum: several metrics in one figure, such as ``0.4*p@5 + 0.3*r@5 + 0.3*rr``.

    What it measures: for each query, the sum of its terms' values times their weights.
    Use it when: a team has agreed on one figure and still wants its parts.
    Edge cases: undefined where a term is.

    Example:
        >>> from rankgate.scoring.evaluate import score_ranking
        >>> score_ranking("0.5*p@2 + 0.5*rr", ["c", "a", "b"], {"a": 2, "b": 1})
        0.5

    Reference: none.
    """

    name: ClassVar[str] = "sum"

    terms: tuple[tuple[float, Metric], ...] = ()
    """Weights and metrics, as they were written."""
    title: str | None = None
    """The name it was given: ``relevance = …``."""

    def at_depth(self, k: int | None) -> WeightedSum:
        """Return it with every term cut at the depth that is asked for."""
        return replace(self, terms=tuple((weight, metric.at_depth(k)) for weight, metric in self.terms))

    @property
    def depths(self) -> tuple[int | None, ...]:
        """How many hits its terms look at."""
        return tuple(size for _, metric in self.terms for size in metric.depths)

    @property
    def range(self) -> ValueRange | None:
        """Which values a query can have, by its terms and their weights; None where one is unknown."""
        total = ValueRange(0.0, 0.0)
        for weight, metric in self.terms:
            if metric.range is None:
                return None
            total = total.plus(metric.range.times(weight))
        return total

    @property
    def less_is_better(self) -> bool:
        """True where every term says so, by its direction and the sign of its weight."""
        return all(metric.less_is_better == (weight > 0) for weight, metric in self.terms)

    @property
    def about_labels(self) -> bool:
        """True where what should be found plays a part in a term."""
        return any(metric.about_labels for _, metric in self.terms)

    @property
    def reads(self) -> frozenset[str]:
        """What its terms read beyond the hits on relevant targets."""
        return frozenset[str]().union(*(metric.reads for _, metric in self.terms))

    @property
    def label(self) -> str:
        """Its title, or the sum in its one spelling."""
        return self.title or self.formula

    @property
    def formula(self) -> str:
        """The sum in its one spelling."""
        text = " + ".join(f"{spell_number(weight)}*{metric.label}" for weight, metric in self.terms)
        return text.replace("+ -", "- ")

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        total, defined = np.zeros(matches.size), np.ones(matches.size, dtype=bool)
        for weight, metric in self.terms:
            column = metric.values(matches)
            total += weight * column.values
            defined &= column.defined
        return Column(total, defined)
