"""Drawing states of gates alone: a suite, answers and baselines, and ten lists of gates that judge them.

Scoring costs more than judging, so that ten lists of gates share one material. What is drawn for a material
and for a list comes from one number, the seed of the state.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any

from verdicts.oracle.findings import keys_of, values_of
from verdicts.oracle.judge import judge
from verdicts.oracle.scorer import terms
from verdicts.oracle.sides import Answers
from verdicts.state import (
    Baseline,
    Case,
    Gate,
    Probe,
    Question,
    State,
    Suite,
    System,
    Target,
    answers_at,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verdicts.state import Answer

LISTS = 10
"""How many lists of gates judge one material."""
IDS = tuple(f"d{number}" for number in range(1, 25))
LANGS = ("go", "go", "go", "py", "py", "c", None)
KINDS = ("exact", "exact", "vague", "vague", "long", None)
TAGS = ("hot", "old", "beta")
_LABELLED = ("ndcg", "ndcg", "p", "r", "rr", "hit", "ap", "all")
_SUITE = "s.yaml"
RUN = "runs/a"


@dataclass(frozen=True)
class Material:
    """What gates are judged on."""

    state: State
    answers: Answers
    metrics: tuple[str, ...]
    """What the lists of gates are about."""
    min_n: int

    @property
    def suite(self) -> Suite:
        return self.state.suites[0]

    @property
    def system(self) -> System:
        return self.state.systems[0]

    @property
    def writable(self) -> bool:
        """Whether it can be written as files: a run of ours misses no query, and `min_n` is no setting."""
        return self.min_n == 5 and "missing" not in self.answers.by_case.values()

    def under(self, rules: System) -> Material:
        """Return it with what its system is judged by."""
        return replace(self, state=self.state.with_system(rules))


@dataclass(frozen=True)
class _Style:
    """What the cases and the answers of a material are like, by chances."""

    reviewed: float
    known: float
    empty: float
    checked: float
    undefined: float
    answered: float
    grouped: float
    sliced: float
    weights: tuple[int, ...]
    found: float
    """How often a target is among the hits of today."""
    moved: float
    """How often an answer differs from that of today: before, or when asked again."""
    failing: float
    missing: float
    k: int

    @classmethod
    def drawn(cls, rng: Random) -> _Style:
        return cls(
            reviewed=rng.choice((1,) * 7 + (0.9, 0.6, 0.6, 0.3, 0)),
            known=rng.choice((0, 0, 0.1, 0.3)),
            empty=rng.choice((0, 0.1, 0.3)),
            checked=rng.choice((0, 0.1, 0.3)),
            undefined=rng.choice((0, 0.05, 0.3)),
            answered=rng.choice((0,) * 10 + (0.2,)),
            grouped=rng.choice((0, 0, 0.5, 0.9)),
            sliced=rng.choice((0, 0.7, 1, 1)),
            weights=rng.choice(((1,), (1,), (1, 2, 3), (1, 1, 1, 10), (1, 1, 1, 1, 1, 100))),
            found=rng.choice((0.2, 0.6, 0.9, 0.97)),
            moved=rng.choice((0, 0.05, 0.2, 0.6, 1)),
            failing=rng.choice((0,) * 8 + (0.05, 0.05, 0.4, 1)),
            missing=rng.choice((0,) * 15 + (0.2,)),
            k=rng.choice((5, 10, 10, 10, 12, 20, 30)),
        )

    def steady(self) -> _Style:
        """Return one of cases that all count, and of which one or two are lost."""
        none = replace(self, known=0, empty=0, undefined=0, answered=0, failing=0, missing=0)
        return replace(none, reviewed=1, found=0.995, moved=1)

    def answering(self, rng: Random) -> _Style:
        """Return one of cases of which some expect an answer, beside targets that may wait for review."""
        return replace(
            self, answered=0.3, reviewed=rng.choice((1, 0.6, 0.3, 0, 0)), moved=max(self.moved, 0.2)
        )


_LARGE = 200
"""From so many cases on, every query of a material is compared, once."""


def draw_material(number: int) -> Material:
    """Draw a material; the same number draws the same one."""
    rng = Random(f"material {number}")
    style = _Style.drawn(rng)
    count = rng.choice((2, 5, 6, 8, 10, 12, 16, 20, 25, 30, 30, 40, 60, 80))
    if large := rng.random() < 0.06:
        # How many may be lost is decided by how many are compared.
        count, style = rng.choice((200, 200, 200, 201, 400)), style.steady()
    # What is estimated from answers rarely meets repeats, and targets that wait for review. It is drawn by a
    # generator of its own, so that all other materials stay what they are.
    own = Random(f"answers {number}")
    if answering := not large and own.random() < 0.06:
        style = style.answering(own)
    cases = [_case(rng, at, style) for at in range(count)]
    probes = tuple(_probes(rng)) if rng.random() < 0.15 else ()
    allowed = rng.random() < (0.7 if answering else 0.3)
    suite = Suite(_SUITE, tuple(cases), (), k=style.k, probes=probes, allow_estimated=allowed)
    first = {case.name: _answer(rng, case, style) for case in cases}
    again = 0 if large else rng.choice((0, 1, 2) if answering else (0, 0, 0, 1, 2))
    repeats = tuple(_again(rng, cases, first, style) for _ in range(again))
    asked = {one.name: _probed(rng, one, style) for one in probes}
    answers = Answers(first, style.k, repeats, tuple(_times(rng, one) for one in (first, *repeats)), asked)
    baselines: dict[tuple[str, str], Baseline] = {}
    for name, chance in (("app", 0.93), ("other", 0.7)):
        if rng.random() < chance:
            baselines[_SUITE, name] = _baseline(rng, name, cases, first, style)
    state = State(
        suites=(suite,),
        systems=(System("app", "run", folder=RUN), System("other", "run", folder=RUN)),
        books={"good": {}},
        baselines=baselines,
        require_baseline=rng.random() < 0.05,
    )
    metrics = [_metric(rng, style.k) for _ in range(5)]
    if answering:
        metrics[:2] = own.choice(("hit@5", "rr@5", "p@5", "p@1")), own.choice(("judged@1", "judged@5"))
    return Material(state, answers, tuple(dict.fromkeys(metrics)), rng.choice((5, 5, 5, 5, 2, 3, 8)))


def draw_rules(material: Material, number: int) -> System:
    """Draw what a system is judged by: its gates, and what holds for all of them."""
    rng = Random(f"rules {number}")
    gates: dict[str, Gate] = {}
    for _ in range(rng.choice((1, 2, 3, 4, 5))):
        gate = _gate(rng, material)
        if gate.kind in ("metric", "drop") and rng.random() < 0.15:
            gate = _at_its_value(gate, material)
        gates.setdefault(gate.text, gate)
    return replace(
        material.system,
        gates=tuple(gates.values()),
        gate=rng.random() < 0.95,
        max_errors=rng.choice((0, 0, 1, 3, 50)),
        lenient=rng.choice((None, None, False, True)),
    )


def _at_its_value(gate: Gate, material: Material) -> Gate:
    """Put the bar of a gate at what is measured, to nine decimals, where no last bit may decide."""
    alone = replace(material.system, gates=(gate,))
    judged = judge(material.state, material.suite, alone, material.answers, material.min_n)
    value = judged.found[gate.text].value if gate.text in judged.found else None
    return (
        gate if value is None else replace(gate, bar=round(value, 9), unit="ms" if gate.unit == "ms" else "")
    )


def _case(rng: Random, at: int, style: _Style) -> Case:
    case = Case(f"case-{at}", f"query {at}", weight=rng.choice(style.weights))
    if rng.random() < style.sliced:
        tags = tuple(one for one in TAGS if rng.random() < 0.4)
        case = replace(case, lang=rng.choice(LANGS), category=rng.choice(KINDS), tags=tags)
    if rng.random() < style.grouped:
        case = replace(case, group=f"g{rng.randrange(4)}")
    if rng.random() < style.known:
        xfail: Any = rng.choice(("past", "today", "future"))
        case = replace(case, xfail=xfail)
    if rng.random() < style.empty:
        return replace(case, empty=True)
    if rng.random() < style.answered:
        return replace(case, answer=True)
    targets = tuple(_targets(rng, style))
    case = replace(case, targets=targets, exhaustive=rng.random() < 0.2)
    if targets and rng.random() < style.checked:
        case = replace(case, top=(rng.choice(targets).place, rng.choice((1, 2, 5))))
    if rng.random() < style.checked:
        others = [one for one in IDS if one not in {target.place for target in targets}]
        case = replace(case, never=rng.choice(others))
    return case


def _targets(rng: Random, style: _Style) -> Iterator[Target]:
    places = rng.sample(IDS, rng.choice((1, 1, 1, 2, 2, 3, 5)))
    irrelevant = rng.random() < style.undefined
    either = rng.random() < 0.15
    for at, place in enumerate(places):
        grade = rng.choice((0, 0, -1)) if irrelevant else rng.choice((1, 1, 2, 3, 0) if at else (1, 1, 2, 3))
        yield Target(
            place,
            grade,
            reviewed=rng.random() < style.reviewed,
            group="either" if either and at < 2 and grade > 0 else None,
        )


def _answer(rng: Random, case: Case, style: _Style) -> Answer:
    if rng.random() < style.failing:
        return "error" if rng.random() < 0.7 else "late"
    if rng.random() < style.missing:
        return "missing"
    if case.empty:
        return () if rng.random() < style.found else tuple(rng.sample(IDS, 2))
    wanted = {one.place for one in case.targets}
    hits = rng.sample([one for one in IDS if one not in wanted], rng.choice((0, 0, 1, 3, 6, 9, 15)))
    places = [answers_at(case.name)] if case.answer else [one.place for one in case.targets]
    for place in places:
        if rng.random() < style.found:
            hits.insert(rng.randrange(min(len(hits) + 1, rng.choice((1, 3, 12)))), place)
    if hits and rng.random() < 0.1:
        hits.insert(rng.randrange(len(hits) + 1), rng.choice(hits))
    return tuple(hits[: style.k])


def _moved(rng: Random, case: Case, answer: Answer, style: _Style) -> Answer:
    """Draw another answer than one, which may be close to it."""
    if isinstance(answer, str) or rng.random() < 0.5:
        return _answer(rng, case, replace(style, missing=0))
    hits = list(answer)
    if hits and rng.random() < 0.5:
        hits.remove(rng.choice(hits))
    rng.shuffle(hits)
    return tuple(hits)


def _again(
    rng: Random, cases: Sequence[Case], first: Mapping[str, Answer], style: _Style
) -> dict[str, Answer]:
    found = {
        case.name: _moved(rng, case, first[case.name], style)
        if rng.random() < style.moved
        else first[case.name]
        for case in cases
    }
    # A query that is in one run of ours is in all.
    return {name: "missing" if first[name] == "missing" else one for name, one in found.items()}


def _times(rng: Random, given: Mapping[str, Answer]) -> dict[str, float]:
    return {
        name: 2000.0 + rng.randrange(50) if one == "late" else float(rng.randrange(1, 400))
        for name, one in given.items()
    }


def _baseline(
    rng: Random, name: str, cases: Sequence[Case], first: Mapping[str, Answer], style: _Style
) -> Baseline:
    k = rng.choice((style.k,) * 10 + (10, 3, 40, None))
    lacking, gone = rng.choice((0,) * 9 + (0.1, 0.2, 0.5)), rng.choice((0,) * 9 + (0.1, 0.25, 0.5))
    times = rng.choice((0, 0, 0, 0, 1, 2))
    if len(cases) >= _LARGE:
        lacking = gone = times = 0
    renamed = rng.choice((0, 0, 0.3))
    kept: dict[str, tuple[Question, Answer]] = {}
    whole = replace(style, failing=0, missing=0, found=max(style.found, 0.9))
    for at, case in enumerate(cases):
        if rng.random() < lacking:
            continue
        answer = first[case.name]
        if isinstance(answer, str) or style.moved == 1:
            answer = _answer(rng, case, whole)
        elif rng.random() < style.moved:
            answer = _moved(rng, case, answer, whole)
        called = f"was-{at}" if rng.random() < renamed else case.name
        kept[called] = (case.question, answer if isinstance(answer, str) else answer[: k or style.k])
    for at in range(int(gone * len(cases))):
        kept[f"gone-{at}"] = (Question(f"gone {at}"), tuple(rng.sample(IDS, 3)))
    again = [
        {called: _wavering(rng, answer, style) for called, (_, answer) in kept.items()} for _ in range(times)
    ]
    return Baseline("s", name, None, k, kept, tuple(again))


def _wavering(rng: Random, answer: Answer, style: _Style) -> Answer:
    """Draw what was answered when the same was asked again: mostly the same."""
    if isinstance(answer, str) or rng.random() > max(0.05, style.moved / 2):
        return answer
    return tuple(rng.sample(answer, rng.randrange(len(answer) + 1)))


def _probes(rng: Random) -> Iterator[Probe]:
    for at in range(rng.choice((1, 2, 4))):
        finds = rng.choice(IDS) if rng.random() < 0.5 else None
        yield Probe(f"probe-{at}", f"probe {at}", finds)


def _probed(rng: Random, probe: Probe, style: _Style) -> Answer:
    if rng.random() < style.failing / 2:
        return "error"
    if probe.finds is None:
        return () if rng.random() < style.found else ("d1",)
    others = [one for one in IDS if one != probe.finds]
    hits = rng.sample(others, 3)
    return (probe.finds, *hits) if rng.random() < style.found else tuple(hits)


def _metric(rng: Random, k: int) -> str:
    cut = rng.choice([one for one in (1, 3, 5, 10, 20) if one <= k])
    plain = f"{rng.choice(_LABELLED)}@{cut}"
    first, second = rng.choice(("0.5", "2", "0.25")), rng.choice(("0.5", "1.5"))
    return rng.choice(
        (
            plain,
            plain,
            plain,
            f"ndcg(gain=exp)@{cut}",
            f"rr(rel=2)@{cut}",
            f"rating@{cut}",
            f"judged@{cut}",
            f"rating(max=3)@{cut}",
            f"pndcg@{cut}",
            "zero",
            rng.choice(("abstention_p", "abstention_r")),
            rng.choice(("latency.p95", "latency.p50", "latency.max", "latency.mean")),
            f"tokens_to(recall={rng.choice(('1', '0.5'))})@{rng.choice((100, 300, 1000))}tokens",
            f"r@{rng.choice((100, 300))}tokens",
            f"{first}*{plain} {rng.choice('+-')} {second}*rr@{cut}",
            f"{first}*hit@{cut} - {second}*zero",
        )
    )


def _bar(rng: Random, metric: str) -> tuple[float, str]:
    """Draw a bar that values of a metric lie around, and its unit."""
    name = terms(metric)[0].name
    if name == "latency":
        return float(rng.choice((100, 200, 390, 2000))), "ms"
    if name == "tokens_to":
        return float(rng.choice((50, 100, 200, 300))), ""
    if name == "rating":
        return rng.choice((0, 0.5, 1, 1.5, 2)), ""
    bar = rng.choice((0, 0.1, 0.25, 0.333333, 0.5, 0.6, 0.75, 0.9, 1))
    return bar, "%" if rng.random() < 0.2 and bar != 0.333333 else ""


def _gate(rng: Random, material: Material) -> Gate:
    cases, k = material.suite.cases, material.suite.k or 10
    checked = any(case.top or case.never or case.empty for case in cases)
    kind: Any = rng.choices(
        ("metric", "drop", "lost", "errors", "checks", "scenarios", "invariants"),
        (9, 10, 5, 1, 1 if checked else 0.1, *(2 * [1 if material.suite.probes else 0.05])),
    )[0]
    keys = sorted(keys_of(cases))
    metric = rng.choice(material.metrics)
    gate = Gate(kind, against="other" if rng.random() < 0.12 else None)
    if kind in ("metric", "drop", "lost") and keys and rng.random() < 0.35:
        gate = replace(gate, key=rng.choice(keys))
    if kind not in ("scenarios", "invariants") and keys and rng.random() < 0.25:
        # Of a case that is drawn, so that most slices are large.
        one = rng.choice([case for case in cases if any(values_of(case, key) for key in keys)])
        key = rng.choice([key for key in keys if values_of(one, key)])
        gate = replace(gate, where=(key, rng.choice(values_of(one, key))))
    if kind in ("scenarios", "invariants", "checks"):
        share = rng.choice((0, 0, 0.5, 1))
        return replace(gate, against=None, bar=share, unit="%" if share else "", sign=">=" if share else "")
    if kind == "errors":
        unit = rng.choice(("", "", "%"))
        bar = rng.choice((0, 0.05, 0.5)) if unit else rng.choice((0, 0, 1, 3))
        return replace(gate, against=None, bar=bar, unit=unit, sign=rng.choice(("=", "<=", "<=")))
    if kind == "lost":
        return _lost(rng, gate, k)
    if kind == "metric":
        bar, unit = _bar(rng, metric)
        sign = rng.choice((">=", ">=", "<=", ">", "<", "="))
        return replace(gate, against=None, metric=metric, bar=bar, unit=unit, sign=sign)
    paired = [one for one in material.metrics if not one.startswith(("latency", "abstention"))]
    if not paired:
        return replace(gate, kind="metric", metric="rr@1", bar=0.5, against=None)
    metric = rng.choice(paired)
    margin = rng.choice((0.01, 0.05, 0.1, 0.1, 0.2, 0.3, 0.5, 0.8))
    unit = "%" if rng.random() < 0.2 else ""
    if terms(metric)[0].name in ("tokens_to", "rating"):
        margin, unit = margin * 100 if metric.startswith("tokens") else margin, ""
    return replace(gate, metric=metric, bar=margin, unit=unit, sign=rng.choice(("<", "<=")))


def _lost(rng: Random, gate: Gate, k: int) -> Gate:
    ranks = [one for one in (1, 3, 5, 10, 20) if one <= k]
    gate = replace(gate, ranks=(rng.choice(ranks), rng.choice(ranks)))
    if rng.random() < 0.35:
        return replace(gate, bare=True)
    unit = rng.choice(("", "", "%"))
    bar = rng.choice((0, 0.05, 0.2)) if unit else rng.choice((0, 0, 1, 2))
    return replace(gate, bar=bar, unit=unit, sign=rng.choice(("<=", "=", "<=", "<")) if bar else "=")
