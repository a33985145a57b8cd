"""Worked examples of verdicts, in a notation of a line each.

`now` and `was` are the answers of the system and the lines of its baseline, in turn for q1, q2, …:

    3     target `a` at rank 3 of 10 results
    0     10 other results
    -     no results
    !     an error
    a+b   these ids
    .     no line
    1*20  the token 20 times

A case expects `a`, unless `cases` says otherwise (None: no case): in `a! b:3 c~model`, a is missing, b has
grade 3 and c was judged by a model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from verdicts.project import State, with_unlocated_hits
from verdicts.reference import (
    Baseline,
    Case,
    Entry,
    Outcome,
    Ranking,
    Run,
    Settings,
    Suite,
    Target,
    gate_written_by_baseline_set,
)

TODAY = date(2026, 6, 1)
TARGET = re.compile(r"(\w+)(!?)(?::(\d))?(?:~(\w+))?")


@dataclass(frozen=True)
class Example:
    title: str
    verdict: str
    """The exit code, and how the headline starts."""
    facts: Mapping[str, str]
    """By the name of a case, a gate or a list: what is expected."""
    state: State


def answers(text: str) -> dict[str, Ranking]:
    """Parse tokens."""
    rankings: dict[str, Ranking] = {}
    tokens = [token.split("*") for token in text.split()]
    for i, token in enumerate(
        (token for token, *times in tokens for _ in range(int((times or ["1"])[0]))), 1
    ):
        others = [f"x{rank}" for rank in range(1, 11)]
        if token == "!":
            rankings[f"q{i}"] = Ranking(error="time-out")
        elif token.isdigit():
            rank = int(token)
            hits = [*others[: rank - 1], "a", *others[rank - 1 : 9]] if rank else others
            rankings[f"q{i}"] = Ranking(tuple(hits))
        elif token != ".":
            rankings[f"q{i}"] = Ranking(() if token == "-" else tuple(token.split("+")))
    return rankings


def _case(name: str, given: Mapping[str, Any] | str) -> Case:
    keys = {"targets": "a"} | ({"targets": given} if isinstance(given, str) else dict(given))
    targets = []
    for word in keys.pop("targets").split():
        match = TARGET.fullmatch(word)
        assert match is not None, word
        missing, grade, source = bool(match[2]), float(match[3] or 1), match[4] or "person"
        targets.append(Target(match[1], grade, source, missing))
    return Case(**{"name": name, "query": name, **keys}, targets=tuple(targets))


def state_of(
    now: str,
    was: str = "",
    gates: str = "",
    cases: Mapping[str, Any] | None = None,
    lines: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    deep: int = 10,
    n: int = 0,
    settings: Mapping[str, Any] | None = None,
    against: str = "",
    only: tuple[str, ...] | None = None,
    **suite: Any,
) -> State:
    """Return the state of an example; `n` is the number of cases if it is not that of `now`."""

    def baseline(text: str) -> Baseline | None:
        entries = [
            Entry(**{"query": q, "hits": ranking.hits, "name": q, **(lines or {}).get(q, {})})
            for q, ranking in answers(text).items()
        ]
        return Baseline(tuple(entries), deep) if text else None

    names = [f"q{i}" for i in range(1, (n or len(answers(now))) + 1)]
    given = {name: (cases or {}).get(name, {}) for name in names}
    return with_unlocated_hits(
        State(
            suite=Suite(
                cases=tuple(_case(name, keys) for name, keys in given.items() if keys is not None),
                gates=tuple(gate.strip() for gate in gates.split(";") if gate),
                **suite,
            ),
            run=Run({(q, ()): ranking for q, ranking in answers(now).items()}),
            baseline=baseline(was),
            settings=Settings(**(settings or {})),
            others={"prod": baseline(against)},
            only=only,
            today=TODAY,
        )
    )


EXAMPLES: list[Example] = []


def example(title: str, verdict: str, facts: str = "", **inputs: Any) -> None:
    pairs = [
        fact.split(": ", 1) if ": " in fact else [fact.rstrip(":"), ""] for fact in facts.split(" | ") if fact
    ]
    found = {key.strip(): value.strip() for key, value in pairs}
    EXAMPLES.append(Example(title, verdict, found, state_of(**inputs)))


def facts_of(outcome: Outcome, suite: Suite) -> dict[str, str]:
    """Return everything that an example may state, by the words that it uses."""
    facts = {name: " ".join(getattr(outcome, name)) for name in ("regressed", "removed", "new", "unstable")}
    shown, more = outcome.regressed[:5], len(outcome.regressed) - 5
    if outcome.exit_code == 0:  # the regressed queries of a green test: at most five, then a count
        facts["printed"] = " ".join([*shown, *[f"{more} more"] * (more > 0)])
    for result in outcome.gates:
        words = [result.verdict, *[f"{result.value:.4g} of {result.n}"] * bool(result.n), *result.queries]
        facts[result.gate] = " ".join(words)
    if not outcome.headline.startswith("invalid"):
        facts["written"] = gate_written_by_baseline_set(suite) or ""
    return facts | dict(outcome.cases)


# --- inputs that several examples share ---------------------------------------------------------------------

DROP = "drop(ndcg@10) <= 0.02"
SLICES = {q: {"category": c} for q, c in {"q1": "exact", "q2": "exact", "q3": "how"}.items()}
CHECKS = {
    "q1": {"checks": (("top within 3", True),), "category": "x"},
    "q2": {"checks": (("top within 2", False),)},
}
HEAVY = {"q1": {"weight": 2}}
TAGS = {"q1": {"tags": ("x", "y")}, "q2": {"tags": ("y",)}}
EMPTY = {"targets": "", "expect_empty": True}
LAST = {"q2": "a!"}
MISS = {"xfail": "#7"}
DOUBLE = {"q3": {"query": "q2"}}
OTHER = {"q2": {"name": "x"}, "q3": {"name": "y", "query": "q2"}}
MOVED = {q: {"unlocated": True} for q in ("q1", "q2")}
SHAKY = {"q2": {"unstable": True}}
ONE = {"max_errors": 1}
WARN = {"on_inconclusive": "warn"}

# --- levels and counts --------------------------------------------------------------------------------------

example(
    "3 queries, no gate, no baseline: nothing could fail",
    "0 no gates",
    "q3: passed | written: drop(ndcg@10) <= 0.14",
    now="1 1 0",
)
for gate, verdict, fact in [
    ("ndcg@10 >= 0.4", "0 passed", "passed 0.4077 of 4"),
    ("ndcg@10 >= 0.65", "1 failed", "failed 0.4077 of 4 q3 q4 q2"),
    ("rr >= 0.75 where category = exact", "0 passed", "passed 0.75 of 2"),
    ("rr >= 0.5 where category != exact", "1 failed", "failed 0 of 1 q3"),
    ("rr >= 0.5 where category = exakt", "2 over nothing", "over nothing"),
    ("zero <= 25%", "0 passed", "passed 0.25 of 4"),
    ("zero = 0", "1 failed", "failed 1 of 4 q4"),
    ("errors = 0", "0 no gates", "passed 0 of 4"),
    ("worst(category) hit@5 >= 50%", "1 failed", "failed 0 of 1 q3"),
    ("min(p@5) >= 0.2", "1 failed", "failed 0 of 4 q3 q4"),
    ("drop(ndcg@10) <= 0.1", "0 no gates", "not enforced"),
    ("ndcg@10 >= 0.4 goal 0.8", "0 passed", "passed 0.4077 of 4"),
]:
    title = f"ranks 1, 2, not found, no results: {gate}"
    example(title, verdict, f"{gate}: {fact}", now="1 2 0 -", gates=gate, cases=SLICES)
for gate in [
    "lost >= 0",
    "drop(rr) < 5",
    "drop(rr) <= 1",
    "ndcg >= 0.65%",
    "ndcg@10 >= 1.2",
    "ndcg@10 >= 0",
    "ndcg@10 <= 0.5",
    "errors >= 1",
    "lost <= 0.5",
    "checks >= 0.9",
    "zero <= 0.05",
    "zero <= 100%",
    "lost@10 < 0",
    "overlap@5 >= 0%",
    "rr >= 0.5 against prod",
    "rr >= 0.5 and r >= 0.5",
]:
    example(f"{gate} is an error", "2 invalid gate", now="1", gates=gate)
example(
    "the system is called prod, not production",
    "2 against names nothing",
    now="1",
    gates="overlap@5 >= 0.8 against production",
)
example(
    "a case with two tags is in both slices",
    "0 passed",
    "worst(tag) rr >= 0.3: passed 0.625 of 2",
    now="1 4",
    gates="worst(tag) rr >= 0.3",
    cases=TAGS,
)

# --- errors, empty results, checks --------------------------------------------------------------------------

example(
    "1 error, max_errors 0: no gate is enforced",
    "3 errors: 1",
    "q3: error | rr >= 0.9: not enforced 0.3333 of 3",
    now="1 0 !",
    gates="rr >= 0.9",
)
example(
    "1 error: rr 0, not lost",
    "0 passed",
    "q2: error regressed | rr >= 0.4: passed 0.5 of 2",
    was="1 1",
    now="1 !",
    gates="rr >= 0.4",
    settings=ONE,
)
example(
    "1 error where nothing was found before",
    "1 failed",
    "regressed(rr) = 0: failed 1 of 2 q2",
    was="1 0",
    now="1 !",
    gates="regressed(rr) = 0",
    settings=ONE,
)
example(
    "1 error fails no check and is not in zero",
    "0 passed",
    "q2: error | zero = 0: passed 0 of 1",
    now="1 !",
    gates="zero = 0",
    cases=CHECKS,
    settings=ONE,
)
example(
    "1 query is absent from a stored run",
    "1 failed",
    "q2: passed | zero = 0: failed 1 of 2 q2",
    now="1",
    n=2,
    gates="zero = 0",
)
example("no query of 3 has a result", "3 no query has any result", now="- - -", gates="zero <= 5%")
example(
    "all 2 cases expect nothing", "2 every case expects nothing", now="- -", cases={"q1": EMPTY, "q2": EMPTY}
)
example(
    "1 of 2 cases expects nothing and gets 10 results",
    "1 failed",
    "q2: failed",
    now="1 0",
    cases={"q2": EMPTY},
)
for gate, verdict, fact in [
    ("checks >= 50%", "0 passed", "q2: passed | checks >= 50%: passed 0.5 of 2"),
    ("checks >= 90%", "1 failed", "q2: passed"),
    ("checks = 100% where category = x", "1 failed", "q2: failed"),
]:
    title = f"the check of q1 passes, that of q2 fails: {gate}"
    example(title, verdict, fact, now="1 3", gates=gate, cases=CHECKS)

# --- missing targets, judgments, known misses ---------------------------------------------------------------

example(
    "1 of 2 targets is missing: scored",
    "2 missing targets: 1",
    "ndcg@10 >= 0.6: passed 0.6131 of 1",
    now="1",
    gates="ndcg@10 >= 0.6",
    cases={"q1": "a b!"},
)
example(
    "the only target is missing, and a gate fails",
    "2 missing targets: 1; failed",
    "rr >= 1: failed 0.5 of 2 q1",
    now="0 0 1",
    gates="rr >= 1",
    cases=LAST,
)
example(
    "a target of grade 0 is missing: nothing depends on it",
    "0 passed",
    "rr >= 1: passed 1 of 1",
    now="1",
    gates="rr >= 1",
    cases={"q1": "a b!:0"},
)
example("the only query is judged by a model", "2 no judgment gates", now="1", cases={"q1": "a~model"})
example(
    "judged by a model, with a gate that needs no judgments: 1 error",
    "3 errors: 1",
    now="1 !",
    gates="zero = 0",
    cases={"q1": "a~model", "q2": "a~model"},
)
example(
    "1 error, of a known miss until yesterday",
    "1 failed",
    "q2: error",
    now="1 !",
    gates="rr >= 0.5",
    cases={"q2": {"xfail": "#7", "until": date(2026, 5, 31)}},
    settings=ONE,
)
example(
    "1 of 3 is a known miss",
    "0 passed",
    "rr >= 1: passed 1 of 2 | q3: known miss",
    now="1 1 0",
    gates="rr >= 1",
    cases={"q3": MISS},
)
example(
    "a known miss at rank 9, on its last day",
    "0 passed",
    "q2: known miss passes",
    now="1 9",
    gates="rr >= 1",
    cases={"q2": MISS | {"until": TODAY}},
)
example(
    "the same, xfail_strict",
    "1 failed",
    "q2: failed known miss passes",
    now="1 9",
    cases={"q2": MISS | {"until": TODAY}},
    settings={"xfail_strict": True},
)
example(
    "a known miss until yesterday",
    "1 failed",
    "q2: failed",
    now="1 1",
    cases={"q2": MISS | {"until": date(2026, 5, 31)}},
)
example(
    "a gate over a known miss alone",
    "0 no gates",
    now="1 0",
    gates="rr >= 1 where category = x",
    cases={"q2": MISS | {"category": "x"}},
)

# --- compared with a baseline -------------------------------------------------------------------------------

for gate, verdict, fact in [
    ("lost@10 = 0", "1 failed", "failed 1 of 4 q3"),
    ("lost@1 = 0 where category = exact", "1 failed", "failed 1 of 2 q2"),
    ("lost@10 <= 25%", "0 passed", "passed 0.25 of 4"),
    ("regressed(hit@5) <= 1", "0 passed", "passed 1 of 4"),
    ("regressed(ndcg@10) <= 1", "1 failed", "failed 2 of 4 q3 q2"),
    ("drop(ndcg@10) <= 0.2", "1 failed", "failed 0.25 of 4 q3 q2"),
    ("overlap@10 >= 0.8", "1 failed", "failed 0.75 of 4 q3"),
    ("ndcg@10 >= 0.7", "1 failed", "failed 0.6577 of 4 q3 q2"),
]:
    example(
        f"1 1 1 2 become 1 2 - 1: {gate}",
        verdict,
        f"{gate}: {fact}",
        was="1 1 1 2",
        now="1 2 - 1",
        gates=f"{gate}; lost@9 <= 4",
        cases=SLICES,
    )
example(
    "20 queries, 1 falls to rank 2: drop 0.01845",
    "0 passed",
    "q20: passed regressed | printed: q20",
    was="1*20",
    now="1*19 2",
    gates=DROP,
)
example(
    "20 queries, 2 fall to rank 2",
    "1 failed",
    f"q20: passed regressed | {DROP}: failed 0.03691 of 20 q19 q20",
    was="1*20",
    now="1*18 2*2",
    gates=DROP,
)
example(
    "rr is primary, 1 of 20 falls to rank 2",
    "0 passed",
    "q20: passed regressed | written: drop(rr) <= 0.03",
    was="1*20",
    now="1*19 2",
    metrics=("rr",),
)
example(
    "drop deleted: 20 queries fall to rank 4",
    "0 passed",
    "printed: q1 q2 q3 q4 q5 15 more",
    was="1*20",
    now="4*20",
)
example(
    "1 of 3 is lost, without a gate",
    "1 failed",
    "q3: failed regressed | lost@10 = 0: failed 1 of 3 q3",
    was="1 1 2",
    now="1 1 0",
)
example(
    "a sliced lost gate replaces no default",
    "1 failed",
    "q4: failed regressed",
    was="1*4",
    now="1*3 0",
    gates="lost@10 = 0 where category = how",
    cases=SLICES,
)
example(
    "2 of 400 lost",
    "0 passed",
    "lost@10 <= 0.5%: passed 0.005 of 400 | printed: q399 q400 | written: drop(ndcg@10) <= 0.01",
    was="1*400",
    now="1*398 0*2",
)
example(
    "1 of 3 removed, 1 new, 1 improved",
    "0 passed",
    "removed: q4 | new: q2 | q1: passed improved | lost@10 = 0: passed 0 of 2",
    was="3 . 1 1",
    now="1 1 1",
)
example(
    "1 unstable of 2 is lost",
    "1 failed",
    f"q2: passed regressed unstable | {DROP}: failed 0.5 of 2 q2",
    was="1 1",
    now="1 0",
    gates=DROP,
    lines=SHAKY,
)
example(
    "1 unstable and 1 new",
    "0 no gates",
    "regressed(rr) = 0: not enforced",
    was=". 1",
    now="0 0",
    gates="regressed(rr) = 0",
    lines=SHAKY,
)
example(
    "10 results that nobody judged",
    "1 failed",
    "q2: failed unknown | lost@10 = 0: failed 1 of 2 q2",
    was="1 1",
    now="1 0",
    unlisted="unjudged",
)
example(
    "no judgments, 4 of 5 as in prod",
    "0 passed",
    now="a+b+c+d+e",
    against="a+b+c+d+z",
    cases={"q1": ""},
    gates="overlap@10 >= 0.8 against prod",
)
example(
    "5 results, all in the 10 of before",
    "1 failed",
    "overlap@10 >= 0.6: failed 0.5 of 1 q1",
    now="a+x1+x2+x3+x4",
    was="1",
    gates="overlap@10 >= 0.6",
)
example(
    "a required baseline is missing",
    "2 no baseline of app; failed",
    now="1 0",
    gates="rr >= 0.6",
    settings={"require_baseline": ("app",)},
)
example(
    "hits of 2 of 5 can't be located",
    "4 inconclusive",
    "lost@10 = 0: inconclusive 0 of 5",
    was="1*5",
    now="1*5",
    lines=MOVED,
)
example(
    "the same, on_inconclusive = warn",
    "0 inconclusive",
    "q5: passed regressed",
    was="1*5",
    now="1*4 2",
    lines=MOVED,
    settings=WARN,
)
example(
    "hits of 2 of 5 can't be located, 1 is lost",
    "1 failed",
    "lost@10 = 0: failed 1 of 5 q5",
    was="1*5",
    now="1*4 0",
    lines=MOVED,
    settings=WARN,
)
example(
    "hits of 2 of 5 can't be located, overlap 0.8",
    "4 inconclusive",
    "q5: passed unchanged",
    was="0*5",
    now="0*4 -",
    lines=MOVED,
    gates="overlap@5 >= 0.9",
)
for title, targets in (("nothing", "a:0"), ("nothing that counts in gates", "a:0 b~model")):
    example(
        f"hits of 2 of 5 can't be located, for them {title} is relevant",
        "0 passed",
        was="2*5",
        now="2*5",
        lines=MOVED,
        cases={"q1": targets, "q2": targets},
        no_relevant="zero",
    )
example(
    "hits of 2 of 10 can't be located, 2 without results on both sides have no overlap",
    "4 inconclusive",
    was="0*8 -*2",
    now="0*8 -*2",
    lines=MOVED,
    gates="overlap@5 >= 0.9",
)
for gate, verdict in [
    ("drop(rr@10) <= 0.3", "4 inconclusive"),
    ("drop(rr@10) <= 0.2", "1 failed"),
    ("drop(rr@5) <= 0.3", "0 passed"),
]:
    title = f"a baseline of depth 5, 1 of 2 falls to rank 2: {gate}"
    example(title, verdict, was="1 1", now="1 2", deep=5, gates=gate + "; lost@5 = 0")
example(
    "a duplicate of a lost case is added",
    "1 failed",
    "lost@10 = 0: failed 2 of 3 q2 q3 | new: ",
    was="1 1",
    now="1 0 1",
    cases=DOUBLE,
)
example(
    "2 cases with one query are renamed",
    "1 failed",
    "lost@10 = 0: failed 2 of 3 x y | new: ",
    was="1 1 1",
    now="1 0",
    n=3,
    lines=DOUBLE,
    cases=OTHER,
)

# --- selections and the gate that `baseline set` writes -----------------------------------------------------

example(
    "1 of 3 selected: lost",
    "1 failed",
    f"{DROP}: not enforced 1 of 1 | removed: ",
    was="1 1 1",
    now="1 0 1",
    only=("q2",),
    gates=DROP,
)
example(
    "1 of 3 selected: rank 2",
    "0 passed",
    "rr >= 0.9: not enforced 0.5 of 1",
    was="1 1 1",
    now="1 1 2",
    only=("q3",),
    gates="rr >= 0.9; zero = 0 where tag = x",
)
example("1 of 2 selected: it expects nothing", "0 passed", now="1 -", only=("q2",), cases={"q2": EMPTY})
MODEL_AND_NONE = {"q1": "a~model", "q2": ""}
example(
    "1 of 2 selected: judged by a model", "2 no judgment gates", now="1 1", only=("q1",), cases=MODEL_AND_NONE
)
example(
    "1 of 2 selected: no judgments, the other one by a model",
    "0 no gates",
    now="1 1",
    only=("q2",),
    cases=MODEL_AND_NONE,
)
example(
    "a query of weight 2 among 20", "0 no gates", "written: drop(ndcg@10) <= 0.04", now="1*20", cases=HEAVY
)
