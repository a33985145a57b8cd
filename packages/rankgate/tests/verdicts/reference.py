"""An executable reference of verdicts: when a search test passes, fails, or is inconclusive.

It is independent of rankgate and imports nothing of it. Results and targets are opaque ids, which are equal
or not. Locating them is out of scope: a missing target, a result of the baseline that can't be located and
results that need a `map` are flags of the input, and checks of `top` and `never` arrive as booleans. Also out
of scope: budgets of tokens, latency, `any_of`, scenarios, invariants, repeats and the length of results.

A "ruling" is a decision where the specification is silent or can be read in two ways.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache

EPS = 1e-9  # of every comparison of values, also of a gate's value with its threshold


Filters = tuple[tuple[str, str], ...]
Question = tuple[str, Filters]
"""A query and its filters."""


@dataclass(frozen=True)
class Target:
    """An expected result. It is missing if its text is not in the documents any more, or more than once."""

    id: str
    grade: float = 1.0
    source: str = "person"
    missing: bool = False


@dataclass(frozen=True)
class Case:
    name: str
    query: str
    targets: tuple[Target, ...] = ()
    filters: Filters = ()
    weight: float = 1.0
    category: str = ""
    tags: tuple[str, ...] = ()
    expect_empty: bool = False
    checks: tuple[tuple[str, bool], ...] = ()
    """Pairs such as ("top within 3", whether this run passes it)."""
    xfail: str = ""
    until: date | None = None
    """The last day of `xfail`."""


@dataclass(frozen=True)
class Ranking:
    hits: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True)
class Run:
    rankings: Mapping[Question, Ranking]
    system: str = "app"
    mapping: bool = False
    """True if results can't be located without a `map`."""


@dataclass(frozen=True)
class Entry:
    """A line of a baseline."""

    query: str
    hits: tuple[str, ...]
    filters: Filters = ()
    name: str = ""
    unstable: bool = False
    unlocated: bool = False
    """True if results that can't be located now could change the query's value."""


@dataclass(frozen=True)
class Baseline:
    entries: tuple[Entry, ...]
    depth: int = 10


@dataclass(frozen=True, eq=False)
class Suite:
    cases: tuple[Case, ...]
    gates: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ("ndcg@10",)
    """The first one is the primary metric."""
    unlisted: str = "irrelevant"
    """`unjudged` for a pooled suite."""
    no_relevant: str = "exclude"
    gating_sources: tuple[str, ...] = ("person", "import")


@dataclass(frozen=True)
class Settings:
    max_errors: int = 0
    on_inconclusive: str = "fail"
    require_baseline: tuple[str, ...] = ()
    xfail_strict: bool = False
    yardstick: str = "head"


@dataclass(frozen=True)
class GateResult:
    gate: str
    verdict: str
    """passed, failed, inconclusive, not enforced, or over nothing."""
    value: float = 0.0
    n: int = 0
    """The number of queries behind the value; of `checks`, of checks."""
    queries: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    exit_code: int
    headline: str
    cases: tuple[tuple[str, str], ...] = ()
    """Names and words such as ``passed regressed unstable``."""
    gates: tuple[GateResult, ...] = ()
    regressed: tuple[str, ...] = ()
    """Worst first."""
    removed: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    unstable: tuple[str, ...] = ()


def find(case: Case, entries: Sequence[Entry]) -> Entry | None:
    """Return the entry with the query and filters of a case."""
    # Ruling 1: of several without an equal name, it is the first.
    same = [entry for entry in entries if (entry.query, entry.filters) == (case.query, case.filters)]
    named = [entry for entry in same if entry.name == case.name]
    return next(iter(named or (same if case.query else [])), None)


# --- numbers ------------------------------------------------------------------------------------------------

Metric = tuple[str, int]
"""A name and a cut; 0 for none."""
HIT: Metric = ("hit", 0)
Problem = tuple[int, str]
"""An exit code, and a phrase for the headline."""


def parse_metric(text: str) -> Metric:
    # Ruling 2: without a cut (`rr`), the run and the baseline are cut at the depth.
    name, _, k = text.partition("@")
    return name, int(k or 0)


@lru_cache(maxsize=8)
def depth(suite: Suite) -> int:
    """Return the largest cut of all metrics, gates and checks."""
    words = [*suite.metrics, *suite.gates, *(label for case in suite.cases for label, _ in case.checks)]
    return max((int(n) for word in words for n in re.findall(r"(?:@|within )(\d+)", word)), default=10)


def judged(suite: Suite, case: Case) -> list[Target]:
    """Return the targets of a case whose source counts in gates."""
    return [target for target in case.targets if target.source in suite.gating_sources]


def is_judged(suite: Suite, case: Case) -> bool:
    # Ruling 4: `no_relevant: zero` is about queries with judgments that are all 0.
    found = judged(suite, case)
    return any(target.grade > 0 for target in found) or (bool(found) and suite.no_relevant == "zero")


def is_scored(suite: Suite, case: Case) -> bool:
    """Return whether metrics count a case: it is judged, and not all its relevant targets are missing."""
    relevant = [target for target in judged(suite, case) if target.grade > 0]
    return is_judged(suite, case) and not (relevant and all(target.missing for target in relevant))


def digits(value: float) -> float:
    """Return a value to sort by; the last bit decides no order."""
    return round(value, 9)


def dcg(gains: Sequence[float], rank: int = 1) -> float:
    return sum(gain / math.log2(rank + i + 1) for i, gain in enumerate(gains))


def credit(
    reached: Sequence[Sequence[Target]], earned: frozenset[Target] = frozenset(), rank: int = 1
) -> tuple[float, ...]:
    """Return what each result earns: each target once, by the assignment with the highest DCG."""
    if rank > len(reached):
        return ()
    choices = [
        (target.grade, *credit(reached, earned | {target}, rank + 1))
        for target in reached[rank - 1]
        if target not in earned
    ]
    return max([*choices, (0.0, *credit(reached, earned, rank + 1))], key=lambda gains: dcg(gains, rank))


def score(suite: Suite, metric: Metric, case: Case, hits: Sequence[str]) -> float:
    """Return one metric of one query. A duplicate keeps its rank and earns nothing again."""
    name, k = metric[0], metric[1] or depth(suite)
    relevant = [target for target in judged(suite, case) if target.grade > 0]
    reached = [[t for t in relevant if not t.missing and hit == t.id] for hit in hits[:k]]
    if not any(reached):
        return 0.0
    gains, ideal = credit(reached), sorted((target.grade for target in relevant), reverse=True)[:k]
    first = 1 + next(i for i, targets in enumerate(reached) if targets)
    # Ruling 5: a missing target stays in the denominator of recall.
    found = {target for targets in reached for target in targets}
    return {
        "ndcg": dcg(gains) / dcg(ideal),
        "rr": 1 / first,
        "p": sum(gain > 0 for gain in gains) / (metric[1] or len(reached)),
        "r": len(found) / len(relevant),
        "hit": 1.0,
    }[name]


@dataclass(frozen=True, eq=False)
class Row:
    """A case, its answer, its line of the baseline, and the checks that were evaluated."""

    suite: Suite
    case: Case
    now: Ranking
    entry: Entry | None
    checks: tuple[tuple[str, bool], ...]

    def after(self, metric: Metric) -> float:
        return score(self.suite, metric, self.case, self.now.hits)

    def fell(self, metric: Metric) -> float:
        before = self.entry.hits if self.entry else ()
        return score(self.suite, metric, self.case, before) - self.after(metric)

    def regressed(self, metric: Metric) -> bool:
        return bool(self.now.error) or self.fell(metric) > EPS

    def overlap(self, k: int) -> float | None:
        """Return the share of common results; None for two empty lists."""
        # Ruling 7: a result that is there twice counts once.
        now, then = set(self.now.hits[:k]), set(self.entry.hits[:k] if self.entry else ())
        if now or then:
            return len(now & then) / max(len(now), len(then))
        return 0.0 if self.now.error else None

    def passes(self) -> bool:
        """Return whether a known miss passes."""
        # Ruling 8: without a relevant judgment that gates, its checks decide alone.
        found = self.after(HIT) > 0 if is_judged(self.suite, self.case) else bool(self.checks)
        return found and not self.now.error and all(ok for _, ok in self.checks)


def mean(rows: Sequence[Row], value_of: Callable[[Row], float]) -> float:
    # Ruling 6: also of a metric in percent (`hit@5 >= 80%`), which is weighted and no share.
    return sum(row.case.weight * value_of(row) for row in rows) / sum(row.case.weight for row in rows)


# --- the language of gates ----------------------------------------------------------------------------------

METRICS = {"ndcg", "rr", "p", "r", "hit"}
COMPARING = {"drop", "regressed", "lost", "overlap"}
JUDGED = {"level", "min", "drop", "regressed", "lost"}
HIGHER = {"level", "min", "overlap", "checks"}
BLAMING = {"min", "lost", "regressed"}
"""The gates whose queries are failed cases."""
GATE = re.compile(
    r"(?:worst\((\w+)\)\s+)?([a-z]+)(?:\((\w+(?:@\d+)?)\))?(?:@(\d+))?"
    r"\s*(>=|<=|=|<|>)\s*(\d+(?:\.\d+)?)\s*(%?)\s*(.*)"
)


@dataclass(frozen=True)
class Gate:
    text: str
    kind: str
    """`level`, or the word itself."""
    metric: Metric
    op: str
    bound: float
    percent: bool
    worst: str
    """A key."""
    where: tuple[str, ...]
    """A key, = or !=, and a value."""
    against: str

    def covers(self, case: Case) -> bool:
        if not self.where:
            return True
        found = values_of(case, self.where[0])
        return bool(found) and (self.where[2] in found) == (self.where[1] == "=")

    def holds(self, found: float) -> bool:
        if self.kind in HIGHER:
            return found >= self.bound - EPS
        return found <= (self.bound - EPS if self.op == "<" else self.bound + EPS)

    def is_enforced_for_a_selection(self) -> bool:
        """Return whether it is about single queries. Of the shares only `checks = 100%` is."""
        counted = self.kind in ("regressed", "lost", "zero", "errors") and not self.percent
        return counted or self.kind == "min" or (self.kind == "checks" and self.op == "=")


def values_of(case: Case, key: str) -> list[str]:
    """Return the values that a case has for `category`, `tag` or a filter."""
    known = {"category": (case.category,), "tag": case.tags}
    return [value for value in known.get(key, (dict(case.filters).get(key, ""),)) if value]


def parse_gate(text: str) -> Gate:
    """Parse a gate. Every error here is exit code 2, before a query is sent."""

    def require(condition: object, why: str = "not a gate") -> None:
        if not condition:
            raise ValueError(f"{text}: {why}")

    match = GATE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text}: not a gate")
    worst, word, inner, k, op, digits, sign, rest = match.groups()
    number, percent, kind = float(digits), bool(sign), "level" if word in METRICS else word
    bound = number / 100 if percent else number
    metric = parse_metric(inner) if inner else (word, int(k or 0))
    require(kind in JUDGED | HIGHER | COMPARING | {"zero", "errors"}, "unknown measure")
    takes_metric = kind in ("level", "min", "drop", "regressed")
    require((metric[0] in METRICS) == takes_metric, "drop, regressed and min take a metric")
    # Ruling 9: "can never fail or never pass" reads the gate alone: `lost <= 3` of 3 queries is no error.
    if kind in HIGHER:
        require(op == ">=" or (op == "=" and percent and number == 100), "use >=, or = 100%")
        require(EPS < bound <= 1, "never fails, or never passes")
        require(percent or kind != "checks", "a share has a %")
        require(
            not percent or number >= 1, f"{number:g} or {number * 100:g}%?"
        )  # ruling 10: `ndcg >= 1%` is valid
    else:
        require(op in ("<=", "<") or (op == "=" and number == 0), "use <=, < or = 0")
        limit = 1 if percent or kind == "drop" else math.inf
        possible = (bound or op != "<") and (bound < limit or (op, bound) == ("<", limit))
        require(possible, "never fails, or never passes")
        # Ruling 11: `drop(m) <= 1%` is an error (of the baseline, or of the range?).
        require(
            not percent if kind == "drop" else percent or number % 1 == 0, "a drop has no %; a share has one"
        )
    # Ruling 12: where, goal and against come in any order; worst() and goal take a level.
    words = re.split(r"\b(where|goal|against)\b", rest)
    extra = {key: argument.strip() for key, argument in zip(words[1::2], words[2::2], strict=True)}
    where = re.fullmatch(r"(\w+)\s*(!?=)\s*(.+)", extra["where"]) if "where" in extra else None
    goal = re.fullmatch(r"(\d+(?:\.\d+)?)(%?)", extra["goal"]) if "goal" in extra else None
    require(not words[0].strip() and len(extra) == len(words) // 2 and extra.get("against") != "")
    require(
        bool(where) == ("where" in extra) and bool(goal) == ("goal" in extra),
        "where KEY = VALUE, goal NUMBER",
    )
    require(kind in COMPARING or "against" not in extra, "against takes drop, regressed, lost or overlap")
    require(kind == "level" or not (worst or goal), "worst() and goal take a level")
    require(not (worst and where), "worst() takes no where")
    if goal:
        require(bound < float(goal[1]) / (100 if goal[2] else 1) <= 1, "a goal out of reach")
    slice_ = where.groups() if where else ()
    return Gate(text, kind, metric, op, bound, percent, worst or "", slice_, extra.get("against", ""))


# --- the gates that nobody wrote ----------------------------------------------------------------------------


def compares_all(suite: Suite, kinds: Sequence[str], metric: Metric | None = None) -> bool:
    """Return whether the suite has such a gate over all queries against its own baseline."""
    gates = [gate for gate in map(parse_gate, suite.gates) if not gate.where and not gate.against]
    return any(gate.kind in kinds and metric in (None, gate.metric) for gate in gates)


def default_gates(suite: Suite, *, has_baseline: bool) -> tuple[str, ...]:
    if not has_baseline or compares_all(suite, ("lost",)):
        return ()
    # Ruling 13: "more than 200 queries" counts the cases, scored, selected or not.
    return (f"lost@{min(depth(suite), 10)} {'<= 0.5%' if len(suite.cases) > 200 else '= 0'}",)


def gate_written_by_baseline_set(suite: Suite) -> str | None:
    """Return the gate that the suite's first baseline adds to it."""
    # Ruling 14: n counts the queries that enter the primary metric.
    weights = [case.weight for case in suite.cases if is_scored(suite, case) and not case.xfail]
    primary = parse_metric(suite.metrics[0])
    if not weights or compares_all(suite, ("drop", "regressed"), primary):
        return None
    n, fall = sum(weights) / max(weights), 50 if primary[0] == "rr" else 40
    return f"drop({suite.metrics[0]}) <= {max(1, math.ceil(fall / n - EPS)) / 100:g}"


# --- the verdict --------------------------------------------------------------------------------------------


def can_read(gate: Gate, suite: Suite, case: Case) -> bool:
    """Return whether a case has what the gate reads, whatever the run is."""
    # If no case has it, it is exit code 2. Ruling 15: so for checks, worst and zero.
    if not gate.covers(case) or (gate.worst and not values_of(case, gate.worst)):
        return False
    if gate.kind == "checks":
        return bool(case.checks or case.expect_empty or case.xfail)
    return is_judged(suite, case) if gate.kind in JUDGED else gate.kind != "zero" or not case.expect_empty


def counts(gate: Gate, row: Row, k: int) -> bool:
    """Return whether a row is one of those that the gate counts."""
    if gate.kind == "regressed":
        return row.regressed(gate.metric)
    if gate.kind == "errors":
        return bool(row.now.error)
    if gate.kind == "lost":
        return not row.now.error and row.fell(("hit", k)) > 0
    return not row.now.hits


def gate_result(
    gate: Gate,
    suite: Suite,
    rows: Sequence[Row],
    reference: Baseline | None,
    *,
    default: bool,
    selected: bool,
) -> GateResult:
    kind, metric, primary = gate.kind, gate.metric, parse_metric(suite.metrics[0])
    k = metric[1] or (min(depth(suite), 10) if kind == "lost" else depth(suite))
    if not any(can_read(gate, suite, case) for case in suite.cases):
        # Ruling 16: the default gate over nothing is not an error.
        return GateResult(gate.text, "not enforced" if default or selected else "over nothing")
    pool = [row for row in rows if can_read(gate, suite, row.case)]
    pool = [row for row in pool if kind not in JUDGED or is_scored(suite, row.case)]
    pool = [row for row in pool if kind != "zero" or not row.now.error]
    if kind in COMPARING:
        # Ruling 17: unstable queries count in overlap, as in drop.
        pool = [row for row in pool if reference and row.entry]
        pool = [
            row for row in pool if not (kind in ("lost", "regressed") and row.entry and row.entry.unstable)
        ]
        pool = [row for row in pool if kind != "overlap" or row.overlap(k) is not None]
    n = sum(len(row.checks) for row in pool) if kind == "checks" else len(pool)
    if not n:  # no baseline, or all are new, unstable, known misses or errors
        return GateResult(gate.text, "not enforced")
    if kind in ("level", "min"):
        keys = {
            row: [row.case.name] if kind == "min" else values_of(row.case, gate.worst) if gate.worst else [""]
            for row in pool
        }
        every = dict.fromkeys(key for row in pool for key in keys[row])
        parts = [[row for row in pool if key in keys[row]] for key in every]
        worst = min(parts, key=lambda part: mean(part, lambda row: row.after(metric)))
        found = mean(worst, lambda row: row.after(metric))
        # Ruling 37: of worst(), the number of queries is that of the worst slice: they are behind the value.
        n = len(worst if gate.worst else pool)
        named = [row for row in (pool if kind == "min" else worst) if row.after(metric) < gate.bound - EPS]
        named.sort(key=lambda row: (not (row.entry and row.regressed(metric)), digits(row.after(metric))))
    elif kind == "drop":
        found, named = mean(pool, lambda row: row.fell(metric)), [r for r in pool if r.fell(metric) > EPS]
        named.sort(key=lambda row: -digits(row.fell(metric)))
    elif kind == "overlap":
        found = mean(pool, lambda row: row.overlap(k) or 0.0)
        named = [row for row in pool if (row.overlap(k) or 0.0) < gate.bound - EPS]
        named.sort(key=lambda row: digits(row.overlap(k) or 0.0))
    elif kind == "checks":
        # Ruling 18: the share of checks, not of cases.
        found = sum(ok for row in pool for _, ok in row.checks) / n
        named = [row for row in pool if not all(ok for _, ok in row.checks)]
    else:
        named = [row for row in pool if counts(gate, row, k)]
        found = len(named) / n if gate.percent else float(len(named))
        named.sort(key=lambda row: -digits(row.fell(primary)) if kind in COMPARING else 0)
    verdict = "passed" if gate.holds(found) else "failed"
    if kind in COMPARING and reference:
        # Both make the baseline look worse, so a failure is certain. To overlap, unlocated results look
        # different, so a pass is.
        shallow = k > reference.depth
        lacking = [row for row in pool if row.entry and row.entry.unlocated]
        if kind != "overlap":
            # Ruling 38: the value of a query without a relevant target (`no_relevant: zero`) can't change.
            lacking = [row for row in lacking if any(t.grade > 0 for t in judged(suite, row.case))]
        unlocated = 5 * len(lacking) > n
        if kind == "overlap":
            unclear = shallow or (unlocated and verdict == "failed")
        else:
            unclear = (shallow or unlocated) and verdict == "passed"
        verdict = "inconclusive" if unclear else verdict
    verdict = "not enforced" if selected and not gate.is_enforced_for_a_selection() else verdict
    queries = tuple(row.case.name for row in named) if verdict == "failed" else ()
    return GateResult(gate.text, verdict, found, n, queries)


def rows_of(
    suite: Suite, run: Run, entries: Sequence[Entry], today: date, only: Sequence[str] | None
) -> list[Row]:
    rows = []
    for case in suite.cases:
        if only is not None and case.name not in only:
            continue
        now = run.rankings.get((case.query, case.filters), Ranking())  # absent from a stored run: no results
        # Ruling 21: the checks of an error are left out of a share. "expired" is no question to the answer.
        checks = (
            [*case.checks, *[("expect: empty", not now.hits)] * case.expect_empty] if not now.error else []
        )
        if case.xfail and case.until and today > case.until:
            checks.append(("expired", False))
        rows.append(Row(suite, case, now, find(case, entries), tuple(checks)))
    return rows


@dataclass(frozen=True)
class Tested:
    """The rows of a test: known misses apart, and those that fail because of a check."""

    rows: tuple[Row, ...]
    known: tuple[Row, ...]
    broken: tuple[Row, ...]

    @property
    def every(self) -> list[Row]:
        return [*self.rows, *self.known]


def wrong_call(
    suite: Suite, gates: Sequence[Gate], references: Mapping[str, object], only: Sequence[str] | None
) -> str:
    """Return what is wrong before a query is sent; empty if nothing is."""
    if any(gate.against not in references for gate in gates):
        return "against names nothing"
    if all(case.expect_empty for case in suite.cases):
        return "every case expects nothing"
    if any(not case.weight > 0 for case in suite.cases):
        return "a weight must be more than 0"  # ruling 19
    if only is not None and not any(case.name in only for case in suite.cases):
        return "no query selected"  # ruling 20
    return ""


def problems_of(suite: Suite, run: Run, test: Tested, *, baseline: bool, settings: Settings) -> list[Problem]:
    """Return the problems of exit codes 2 and 3 that do not depend on gates."""
    problems: list[Problem] = []
    if run.mapping:
        problems.append((3, "hits could not be located"))
    if (errors := sum(bool(row.now.error) for row in test.every)) > settings.max_errors:
        problems.append((3, f"errors: {errors}"))
    # Ruling 23: not if all selected queries expect nothing.
    if not any(row.now.hits for row in test.every) and not all(row.case.expect_empty for row in test.every):
        problems.append((3, "no query has any result"))
    # Ruling 24: missing targets count in every selected case, also in a known miss, but only if their source
    # gates. Ruling 35: those of grade 0 do not count, because nothing depends on them.
    relevant = [t for row in test.every for t in judged(suite, row.case) if t.grade > 0]
    if missing := sum(target.missing for target in relevant):
        problems.append((2, f"missing targets: {missing}"))
    if not baseline and run.system in settings.require_baseline:
        problems.append((2, f"no baseline of {run.system}"))
    return problems


def describe(suite: Suite, row: Row, test: Tested, blamed: set[str], *, baseline: bool) -> str:
    """Return the words for one case."""
    if row in test.known:
        return "failed " * (row in test.broken) + "known miss" + " passes" * row.passes()
    # Ruling 29: a case without a target that is left is failed, because it makes the exit code 2.
    scored, primary = is_scored(suite, row.case), parse_metric(suite.metrics[0])
    bad = (is_judged(suite, row.case) and not scored) or row in test.broken or row.case.name in blamed
    words = ["error" if row.now.error else "failed" if bad else "passed"]
    if row.entry and scored:
        # No result is a missing target.
        ids = {target.id for target in judged(suite, row.case) if not target.missing}
        top = set(row.now.hits[: primary[1] or depth(suite)])
        if row.regressed(primary):
            words.append("unknown" if suite.unlisted == "unjudged" and top - ids else "regressed")
        else:
            words.append("improved" if row.fell(primary) < -EPS else "unchanged")
        words += ["unstable"] * row.entry.unstable
    return " ".join(words + ["new"] * bool(baseline and not row.entry))


def decide(
    suite: Suite,
    run: Run,
    baseline: Baseline | None,
    settings: Settings,
    today: date,
    others: Mapping[str, Baseline | None] | None = None,
    only: Sequence[str] | None = None,
) -> Outcome:
    """Decide a test.

    Args:
        suite: The suite.
        run: The results of the system.
        baseline: Its baseline.
        settings: Those of the project.
        today: The day, for `xfail`.
        others: A baseline or None for each name that `against` can have.
        only: The names of a selection.
    """
    references = {**(others or {}), "": baseline}
    entries = baseline.entries if baseline else ()
    try:
        texts = (*suite.gates, *default_gates(suite, has_baseline=baseline is not None))
        gates = [parse_gate(text) for text in texts]
    except ValueError as error:
        return Outcome(2, f"invalid gate: {error}")
    if wrong := wrong_call(suite, gates, references, only):
        return Outcome(2, wrong)
    every = rows_of(suite, run, entries, today, only)
    known = [
        row for row in every if row.case.xfail and not any(label == "expired" for label, _ in row.checks)
    ]
    rows = [row for row in every if row not in known]
    # Ruling 28: a `checks` gate that a selection doesn't enforce covers the checks too.
    covered = [row for row in rows if any(gate.kind == "checks" and gate.covers(row.case) for gate in gates)]
    broken = [row for row in rows if row not in covered and not all(ok for _, ok in row.checks)]
    broken += [row for row in known if settings.xfail_strict and row.passes()]
    test = Tested(tuple(rows), tuple(known), tuple(broken))

    problems = problems_of(suite, run, test, baseline=baseline is not None, settings=settings)
    results = []
    for i, gate in enumerate(gates):
        other = references[gate.against]
        found = other.entries if other else ()
        compared = [replace(row, entry=find(row.case, found)) for row in rows] if gate.against else rows
        default, selected = i >= len(suite.gates), only is not None
        results.append(gate_result(gate, suite, compared, other, default=default, selected=selected))
    problems += [
        (2, f"over nothing: {result.gate}") for result in results if result.verdict == "over nothing"
    ]
    # Ruling 25: "passed" needs an enforced gate on results, or a check.
    could_fail = any(row.checks for row in rows) or any(
        gate.kind != "errors" and result.verdict in ("passed", "failed", "inconclusive")
        for gate, result in zip(gates, results, strict=True)
    )
    # Ruling 26: "no judgment gates" is exit code 2 only if nothing else could fail. It is about the selected
    # queries: if none of them has a relevant judgment, no judgment is left out that could count.
    relevant = any(target.grade > 0 for row in every for target in row.case.targets)
    if relevant and not any(judged(suite, case) for case in suite.cases) and not could_fail:
        problems.append((2, "no judgment gates"))
    if any(code == 3 for code, _ in problems):
        # Ruling 36: a gate over nothing is one whatever the results are.
        results = [
            replace(one, verdict="not enforced", queries=()) if one.verdict != "over nothing" else one
            for one in results
        ]
    elif broken or any(result.verdict == "failed" for result in results):
        problems.append((1, "failed"))
    if any(result.verdict == "inconclusive" for result in results):
        problems.append((4, "inconclusive"))
    problems.sort(key=lambda problem: (2, 3, 1, 4).index(problem[0]))
    code = problems[0][0] if problems else 0

    pairs = zip(gates, results, strict=True)
    blamed = {name for gate, result in pairs for name in result.queries if gate.kind in BLAMING}
    # Ruling 30: an unstable query keeps its word and a mark, and is not in the list of regressed queries.
    primary = parse_metric(suite.metrics[0])
    stable = [row for row in rows if row.entry and not row.entry.unstable and is_scored(suite, row.case)]
    worse = sorted(
        (row for row in stable if row.regressed(primary)), key=lambda row: -digits(row.fell(primary))
    )
    used = [find(case, entries) for case in suite.cases]
    has_baseline = baseline is not None
    return Outcome(
        exit_code=0 if code == 4 and settings.on_inconclusive != "fail" else code,
        headline="; ".join(phrase for _, phrase in problems) or ("passed" if could_fail else "no gates"),
        cases=tuple((r.case.name, describe(suite, r, test, blamed, baseline=has_baseline)) for r in every),
        gates=tuple(results),
        regressed=tuple(row.case.name for row in worse),
        removed=tuple(entry.name for entry in entries if all(entry is not other for other in used)),
        new=tuple(row.case.name for row in every if baseline and not row.entry),
        unstable=tuple(row.case.name for row in every if row.entry and row.entry.unstable),
    )
