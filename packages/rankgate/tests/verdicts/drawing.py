"""Draw states of a test: a suite, answers, baselines, settings and a selection, all from one seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from random import Random

from verdicts.project import State, with_unlocated_hits
from verdicts.reference import (
    Baseline,
    Case,
    Entry,
    Filters,
    Question,
    Ranking,
    Run,
    Settings,
    Suite,
    Target,
    depth,
    judged,
    values_of,
)

# No id contains another one: that would be a problem of mapping.
IDS = (
    *("apple", "birch", "cedar", "daisy", "elder", "fern", "grape", "hazel"),
    *("iris", "juniper", "kale", "lotus", "maple", "nettle", "olive", "poppy"),
)
METRICS = ["ndcg@10", "ndcg@5", "ndcg", "rr", "rr@10", "p@3", "p", "r@5", "hit@3"]
SLICES = ("category", "tag", "lang")
KINDS = (
    *("level", "level", "worst", "min", "drop", "drop", "regressed", "regressed", "lost", "lost", "lost"),
    *("overlap", "zero", "errors", "checks"),
)
INVALID = [
    "lost >= 0",
    "drop(rr) < 5",
    "ndcg@10 >= 0.65%",
    "rr <= 0.5",
    "zero <= 0.05",
    "checks >= 0.9",
    "overlap@5 >= 0%",
    "rr >= 0.5 against prod",
    "worst(tag) rr >= 0.5 where tag = x",
    "regressed(rr) <= 0.5",
    "drop(rr) <= 1%",
    "errors >= 1",
    "min(zero) >= 1",
    "rr >= 0.5 goal 0.4",
    "lost@10 = 0 against nobody",
]


@dataclass(frozen=True)
class Style:
    """What the cases and rankings of a state are like, as probabilities."""

    found: float
    """That a target is among the results."""
    moved: float
    """That an answer differs from the baseline."""
    error: float
    empty: float
    """That a case expects no result."""
    checked: float
    known: float
    """That a case is a known miss."""
    missing: float
    model: float
    """That a model judged a target."""
    new: float
    removed: float
    reworded: float
    """That the query of a case is another one in the baseline."""
    unstable: float
    unlocated: float
    doubled: float
    """That a case has the query of the one before."""
    weights: tuple[float, ...]

    @classmethod
    def drawn(cls, random: Random) -> Style:
        return cls(
            found=random.choice((0.3, 0.6, 0.9, 0.98)),
            moved=random.choice((0, 0.05, 0.2, 0.5, 1)),
            error=random.choice((0,) * 6 + (0.1, 0.3)),
            empty=random.choice((0, 0, 0, 0.1, 0.4)),
            checked=random.choice((0, 0, 0.3)),
            known=random.choice((0, 0, 0.2)),
            missing=random.choice((0,) * 9 + (0.2,)),
            model=random.choice((0,) * 6 + (0.2, 0.5, 1)),
            new=random.choice((0, 0, 0, 0.2, 0.2, 1)),
            removed=random.choice((0, 0, 0.3)),
            reworded=random.choice((0, 0, 0, 0.2)),
            unstable=random.choice((0, 0, 0.15, 0.5, 1)),
            unlocated=random.choice((0,) * 8 + (0.1, 0.4)),
            doubled=random.choice((0, 0, 0, 0.2)),
            weights=random.choice(((1,), (1,), (1, 2, 3), (1, 1, 0.5, 10))),
        )


def draw(seed: int, today: date = date(2026, 6, 1)) -> State:
    """Draw a state."""
    random = Random(seed)
    style = Style.drawn(random)
    count = random.choice((1, 2, 3, 4, 5, 6, 8, 8, 12, 12, 20)) if random.random() > 0.01 else 202
    cases = _cases(random, style, count, today)
    metrics = tuple(random.sample(METRICS, random.choice((1, 1, 2))))
    suite = Suite(
        cases=cases,
        gates=tuple(_gate(random, cases) for _ in range(random.choice((0, 1, 1, 2, 3, 4)))),
        metrics=metrics,
        unlisted=random.choice(("irrelevant", "irrelevant", "unjudged")),
        no_relevant=random.choice(("exclude",) * 5 + ("zero",)),
        gating_sources=random.choice((("person", "import"),) * 5 + (("person", "import", "model"),)),
    )
    if random.random() < 0.02:
        suite = replace(suite, gates=(*suite.gates, random.choice(INVALID)))
    before = {_question(case): _ranking(random, style, case) for case in cases}
    now = {
        _question(case): _later(random, style, case, before[_question(case)])
        for case in cases
    }  # fmt: skip
    if random.random() < 0.03 and not any(ranking.error for ranking in now.values()):
        now.pop(random.choice(list(now)))  # a stored run without this query
    only = None
    if random.random() < 0.15:
        names = [case.name for case in cases]
        only = tuple(random.sample(names, random.randint(1, len(names))))
    state = State(
        suite=replace(suite, cases=tuple(_checked(case, now.get(_question(case))) for case in cases)),
        run=Run(now),
        baseline=_baseline(random, style, cases, before) if random.random() < 0.8 else None,
        settings=Settings(
            max_errors=random.choice((0, 0, 1, 2, 20)),
            on_inconclusive=random.choice(("fail", "fail", "warn")),
            require_baseline=random.choice(((),) * 8 + (("app",), ("prod",))),
            xfail_strict=random.random() < 0.2,
        ),
        others={"prod": _baseline(random, style, cases, before) if random.random() < 0.3 else None},
        only=only,
        today=today,
    )
    return with_unlocated_hits(state)


def _question(case: Case) -> Question:
    return case.query, case.filters


def _cases(random: Random, style: Style, count: int, today: date) -> tuple[Case, ...]:
    cases: list[Case] = []
    for i in range(1, count + 1):
        filters: Filters = random.choice(((),) * 5 + ((("lang", "go"),), (("lang", "py"),)))
        query = f"how to do thing {i}"
        if cases and random.random() < style.doubled:
            query, filters = cases[-1].query, random.choice((filters, cases[-1].filters))
        known = random.random() < style.known
        until = random.choice((None, None, today, today - timedelta(1), today + timedelta(1)))
        case = Case(
            name=f"c{i:03}",
            query=query,
            filters=filters,
            weight=random.choice(style.weights),
            category=random.choice(("", "exact", "exact", "how")),
            tags=tuple(sorted(random.sample(("x", "y", "z"), random.choice((0, 0, 1, 2))))),
            xfail="#7" if known else "",
            until=until if known else None,
        )
        cases.append(_expecting(random, style, case))
    return tuple(cases)


def _expecting(random: Random, style: Style, case: Case) -> Case:
    """Add what a case expects. Checks get their result when the answer is drawn."""
    if random.random() < style.empty:
        return replace(case, expect_empty=True)
    ids = random.sample(IDS, random.choice((0, 1, 1, 1, 2, 3)))
    targets = tuple(_target(random, style, id_) for id_ in ids)
    checks = []
    # A `top` is about targets that count and can be located.
    plain = [target for target in targets if target.grade > 0 and target.source != "model"]
    if len(plain) == 1 == len(targets) and not plain[0].missing and random.random() < style.checked:
        checks.append((f"top within {random.choice((1, 3, 5))}", True))
    if random.random() < style.checked:
        other = random.choice([id_ for id_ in IDS if id_ not in ids])
        checks.append((f"never {other} within {random.choice((1, 5, 10))}", True))
    return replace(case, targets=targets, checks=tuple(checks))


def _target(random: Random, style: Style, id_: str) -> Target:
    grade = random.choice((1.0, 1.0, 1.0, 2.0, 3.0, 0.5, 0.0))
    source = "model" if random.random() < style.model else random.choice(("person", "import"))
    return Target(id_, grade, source, missing=grade > 0 and random.random() < style.missing)


def _checked(case: Case, now: Ranking | None) -> Case:
    """Return a case with the results of its checks."""
    hits = now.hits if now else ()

    def passes(label: str) -> bool:
        word, _, rest = label.partition(" ")
        top = hits[: int(label.rsplit(" ", 1)[1])]
        return case.targets[0].id in top if word == "top" else rest.split(" ")[0] not in top

    return replace(case, checks=tuple((label, passes(label)) for label, _ in case.checks))


def _ranking(random: Random, style: Style, case: Case) -> Ranking:
    if case.expect_empty:
        return Ranking() if random.random() < 0.7 else Ranking(tuple(random.sample(IDS, 3)))
    targets = [target.id for target in case.targets]
    others = [id_ for id_ in IDS if id_ not in targets]
    hits = random.sample(others, random.choice((0, 1, 3, 5, 9, 9, 10, 10)))
    for target in targets:
        if random.random() < style.found:
            hits.insert(min(random.choice((0, 0, 0, 1, 2, 4, 9)), len(hits)), target)
    if hits and random.random() < 0.03:
        hits.append(hits[0])  # a duplicate
    return Ranking(tuple(hits))


def _later(random: Random, style: Style, case: Case, before: Ranking) -> Ranking:
    """Return the answer of today."""
    if random.random() < style.error:
        return Ranking(error="time-out")
    if random.random() >= style.moved:
        return before
    change, hits = random.randrange(5), list(before.hits)
    if change == 0:
        random.shuffle(hits)
    elif change == 1:  # without one of the targets
        gone = [target.id for target in case.targets[:1]]
        hits = [hit for hit in hits if hit not in gone]
    elif change == 2:
        hits = []
    elif change == 3:
        hits = random.sample(IDS, 5)
    else:
        return _ranking(random, style, case)
    return Ranking(tuple(hits))


def _baseline(
    random: Random, style: Style, cases: Sequence[Case], before: dict[Question, Ranking]
) -> Baseline:
    deep = random.choice((10, 10, 10, 20, 5, 3))
    entries = []
    for case in cases:
        if random.random() < style.new:
            continue
        query = f"{case.query} again" if random.random() < style.reworded else case.query
        renamed = random.random() < style.doubled
        entries.append(
            Entry(
                query=query,
                hits=before[_question(case)].hits[:deep],
                filters=case.filters,
                name=f"was-{case.name}" if renamed else case.name,
                unstable=random.random() < style.unstable,
                unlocated=random.random() < style.unlocated,
            )
        )
    if not entries or random.random() < style.removed:
        entries.append(Entry("a removed query", tuple(random.sample(IDS, 5)), name="removed"))
    return Baseline(tuple(sorted(entries, key=lambda entry: entry.name)), deep)


def _gate(random: Random, cases: Sequence[Case]) -> str:
    metric, k = random.choice(METRICS), random.choice((1, 3, 5, 10))
    share = random.choice((1, 5, 10, 25, 33, 50, 67, 75))
    level = random.choice((0.1, 0.25, 0.5, 0.5, 0.75, 1))
    count = random.choice(("= 0", "= 0", "<= 1", "< 2", f"<= {share}%"))
    kind = random.choice(KINDS)
    gate = {
        "level": f"{metric} >= {level}",
        "worst": f"worst({random.choice(('category', 'category', 'tag', 'lang'))}) {metric} >= {level}",
        "min": f"min({metric}) >= {level}",
        "drop": f"drop({metric}) <= {random.choice((0, 0.01, 0.05, 0.1, 0.25, 0.5))}",
        "regressed": f"regressed({metric}) {count}",
        "lost": f"lost{random.choice(('', f'@{k}'))} {count}",
        "overlap": f"overlap{random.choice(('', f'@{k}'))} >= {random.choice((0.2, 0.5, 0.8, 1))}",
        "zero": f"zero {count}",
        "errors": f"errors {count}",
        "checks": f"checks {random.choice(('= 100%', f'>= {share}%'))}",
    }[kind]
    if kind == "level" and level < 1 and random.random() < 0.1:
        gate += f" goal {random.choice((0.9, 1))}"
    clauses = []
    slices = [(key, value) for case in cases for key in SLICES for value in values_of(case, key)]
    if kind != "worst" and random.random() < 0.25:
        absent = not slices or random.random() < 0.03
        key, value = ("category", "nobody") if absent else random.choice(slices)
        clauses.append(f"where {key} {random.choice(('=', '=', '!='))} {value}")
    if kind in ("drop", "regressed", "lost", "overlap") and random.random() < 0.15:
        clauses.append("against prod")
    random.shuffle(clauses)
    return " ".join([gate, *clauses])


def is_covered(state: State) -> set[str]:
    """Return the kinds of states that a state is one of, to check that all of them are drawn."""
    outcome, suite = state.expected(), state.suite
    words = {word for _, words in outcome.cases for word in words.split()}
    found = {f"case {word}" for word in words} | {f"exit code {outcome.exit_code}"}
    for result in outcome.gates:
        kind = result.gate.partition(" ")[0].partition("(")[0].partition("@")[0]
        found.add(f"{kind} {result.verdict}")
    default = len(outcome.gates) > len(suite.gates)
    sliced = any(gate.startswith("lost") and "where" in gate for gate in suite.gates)
    facts = {
        "error within max_errors": "error" in words and outcome.exit_code != 3,
        "new": outcome.new,
        "removed": outcome.removed,
        "unstable": outcome.unstable,
        "default gate": default,
        "default gate beside a sliced one": default and sliced,
        "selection": state.only is not None,
        "stored run": state.is_stored,
        "missing target": any(t.missing for c in suite.cases for t in judged(suite, c)),
        "more than 200 queries": len(suite.cases) > 200,
        "deeper than the baseline": state.baseline and depth(suite) > state.baseline.depth,
    }
    return found | {name for name, holds in facts.items() if holds}
