"""Small cases score as brute force says, and what must hold of every input holds."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from functools import reduce
from math import fsum
from operator import add
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from rankgate.locations import Lines
from rankgate.model import Hit
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.truth.judgments.table import Judgments
from support import oracle
from support.oracle import Aim, Place

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

GRADES = (-1.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
TOP_GRADE = 3.0


@dataclass(frozen=True)
class Case:
    """One query: what it should find and what was returned."""

    aims: tuple[Aim, ...]
    hits: tuple[Place, ...]
    exhaustive: bool = False
    weight: float = field(default=1.0)


ids = st.sampled_from(("a", "b", "c", "d", "e"))
ranges = st.builds(
    lambda path, start, more: (path, start, start + more),
    st.sampled_from(("a.py", "a.py", "b.py")),
    st.integers(1, 5),
    st.integers(0, 5),
)
groups = st.sampled_from((None, None, "first group", "second group"))


@st.composite
def cases(draw: st.DrawFn, places: st.SearchStrategy[Place] | None = None) -> Case:
    kind = draw(st.sampled_from((ids, ranges))) if places is None else places
    aimed = draw(st.lists(kind, min_size=1, max_size=4, unique=True))
    aims = tuple(Aim(place, draw(st.sampled_from(GRADES)), draw(groups)) for place in aimed)
    # A small pool makes repeats frequent; wide hits that reach several targets are what makes them matter.
    pool = [*draw(st.lists(kind, min_size=1, max_size=3)), *aimed[:2]]
    hits = tuple(draw(st.lists(st.sampled_from(pool), max_size=5)))
    return Case(aims, hits, draw(st.booleans()), draw(st.sampled_from((1.0, 0.5, 3.0))))


def named(drawn: Sequence[Case]) -> dict[str, Case]:
    return {f"q{number}": case for number, case in enumerate(drawn)}


suites = st.lists(cases(), min_size=1, max_size=3).map(named)
small = settings(
    max_examples=300, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def target_row(query: str, aim: Aim) -> dict[str, object]:
    if isinstance(aim.place, str):
        place: dict[str, object] = {"id": aim.place, "path": None, "start": None, "end": None}
    else:
        place = {"id": None, "path": aim.place[0], "start": aim.place[1], "end": aim.place[2]}
    return {"query": query, **place, "grade": aim.grade, "group": aim.group}


TARGETS = {
    "query": pl.String, "id": pl.String, "path": pl.String, "start": pl.Int64, "end": pl.Int64,
    "grade": pl.Float64, "group": pl.String,
}  # fmt: skip
CASES = {"query": pl.String, "weight": pl.Float64, "exhaustive": pl.Boolean}


def judgments_of(suite: Mapping[str, Case], shuffle: random.Random | None = None) -> Judgments:
    targets = [target_row(query, aim) for query, case in suite.items() for aim in case.aims]
    rows = [
        {"query": query, "weight": case.weight, "exhaustive": case.exhaustive}
        for query, case in suite.items()
    ]
    if shuffle:
        shuffle.shuffle(targets)
        shuffle.shuffle(rows)
    return Judgments.of(
        pl.DataFrame(targets, schema=TARGETS),
        cases=pl.DataFrame(rows, schema=CASES),
        max_grade=TOP_GRADE,
    )


def hit_of(place: Place) -> Hit:
    if isinstance(place, str):
        return Hit(id=place)
    return Hit(path=place[0], lines=Lines(place[1], place[2]))


def shard_of(suite: Mapping[str, Case]) -> Shard:
    return Shard.of_rankings({query: list(map(hit_of, case.hits)) for query, case in suite.items()})


def run_of(suite: Mapping[str, Case]) -> MemoryRun:
    return MemoryRun("generated", (shard_of(suite),))


def wanted(case: Case, k: int) -> dict[str, float | None]:
    """Say what the oracle expects of one case; ERR and judged have more than one answer and stand apart."""
    hits, aims = case.hits, case.aims
    everything = len(hits) + len(aims)
    return {
        "ndcg": oracle.ndcg(hits, aims, everything),
        f"ndcg@{k}": oracle.ndcg(hits, aims, k),
        f"ndcg(gain=exp)@{k}": oracle.ndcg(hits, aims, k, exp=True),
        f"dcg@{k}": oracle.dcg(hits, aims, k),
        f"dcg(gain=exp)@{k}": oracle.dcg(hits, aims, k, exp=True),
        f"pndcg@{k}": oracle.pndcg(hits, aims, k) if case.exhaustive else None,
        "ap": oracle.ap(hits, aims, everything),
        f"ap@{k}": oracle.ap(hits, aims, k),
        "ap(rel=1)": oracle.ap(hits, aims, everything, rel=1),
        "p": oracle.p(hits, aims, None),
        f"p@{k}": oracle.p(hits, aims, k),
        f"p(rel=1)@{k}": oracle.p(hits, aims, k, rel=1),
        f"p(any=true)@{k}": oracle.p_any(hits, aims, k),
        "r": oracle.r(hits, aims, None),
        f"r@{k}": oracle.r(hits, aims, k),
        f"r(rel=2)@{k}": oracle.r(hits, aims, k, rel=2),
        f"hit@{k}": oracle.hit(hits, aims, k),
        "rr": oracle.rr(hits, aims, None),
        f"rr@{k}": oracle.rr(hits, aims, k),
        "rr(rel=2)": oracle.rr(hits, aims, None, rel=2),
        "rprec": oracle.rprec(hits, aims),
        "rprec(rel=1)": oracle.rprec(hits, aims, rel=1),
        "f1": oracle.f1(hits, aims, None),
        f"f1@{k}": oracle.f1(hits, aims, k),
        "rbp(p=0.8)": oracle.rbp(hits, aims, 0.8),
    }


def same(value: float | None) -> object:
    return None if value is None else pytest.approx(value, rel=0, abs=1e-12)


def mean(values: Sequence[tuple[float | None, float]]) -> float | None:
    defined = [(value, weight) for value, weight in values if value is not None]
    if not defined:
        return None
    return fsum(value * weight for value, weight in defined) / fsum(weight for _, weight in defined)


@given(suite=suites, k=st.integers(1, 6))
@settings(small, max_examples=600)
def test_every_measure_is_what_brute_force_says(suite: dict[str, Case], k: int) -> None:
    by_query = {query: wanted(case, k) for query, case in suite.items()}
    names = list(by_query["q0"])
    scores = score(judgments_of(suite), run_of(suite), names)
    for name in names:
        got = scores.per_query(name)
        assert got.keys() == suite.keys()
        for query in suite:
            assert got[query] == same(by_query[query][name]), (name, query)
        values = [by_query[query][name] for query in suite]
        weights = [case.weight for case in suite.values()]
        assert scores[name] == same(mean(list(zip(values, weights, strict=True)))), name
        counts = scores.counts(name)
        assert counts.undefined == values.count(None)
        assert counts.scored == len(values) - values.count(None)


@given(suite=suites, k=st.integers(1, 6))
@small
def test_err_is_that_of_a_crediting_with_the_largest_dcg(suite: dict[str, Case], k: int) -> None:
    name = f"err(max=4)@{k}"
    for query, got in score(judgments_of(suite), run_of(suite), [name]).per_query(name).items():
        case = suite[query]
        expected = oracle.err(case.hits, case.aims, k, top=4)
        if expected is None:
            assert got is None
        else:
            assert any(got == same(one) for one in expected), (got, expected)


@given(suite=suites, k=st.integers(1, 6))
@small
def test_judged_is_the_share_of_returned_hits_that_reach_a_target(suite: dict[str, Case], k: int) -> None:
    name = f"judged@{k}"
    irrelevant = any(aim.grade <= 0 for case in suite.values() for aim in case.aims)
    for query, got in score(judgments_of(suite), run_of(suite), [name]).per_query(name).items():
        case = suite[query]
        if not case.exhaustive:
            assert got == same(oracle.judged(case.hits, case.aims, k, irrelevant=irrelevant))
        elif case.hits:
            assert got == 1


@given(case=cases(), k=st.integers(1, 6))
@small
def test_no_measure_leaves_the_range_from_0_to_1(case: Case, k: int) -> None:
    names = ["ndcg", f"ndcg@{k}", f"ndcg(gain=exp)@{k}", "ap", f"ap@{k}", "p", f"p@{k}", f"p(any=true)@{k}"]
    names += [
        "r",
        f"r@{k}",
        "rprec",
        "rr",
        f"hit@{k}",
        "f1",
        f"f1@{k}",
        f"err@{k}",
        "rbp(p=0.8)",
        f"judged@{k}",
    ]
    scores = score(judgments_of({"q": case}), run_of({"q": case}), names)
    for name in names:
        value = scores.per_query(name)["q"]
        assert value is None or 0 <= value <= 1, (name, value)


@given(
    case=cases(ranges),
    which=st.integers(0, 4),
    up=st.integers(0, 4),
    down=st.integers(0, 4),
    k=st.integers(1, 6),
)
@small
def test_a_wider_hit_never_lowers_ndcg(case: Case, which: int, up: int, down: int, k: int) -> None:
    assume(which < len(case.hits))
    hit = case.hits[which]
    assert not isinstance(hit, str)
    path, start, end = hit
    wider = (path, max(1, start - up), end + down)
    assume(wider not in case.hits)
    hits = (*case.hits[:which], wider, *case.hits[which + 1 :])
    suite = {"narrow": case, "wide": replace(case, hits=hits)}
    for name in ("ndcg", f"ndcg@{k}", f"ndcg(gain=exp)@{k}"):
        values = score(judgments_of(suite), run_of(suite), [name]).per_query(name)
        narrow, wide = values["narrow"], values["wide"]
        if narrow is None or wide is None:
            assert narrow is wide
        else:
            assert wide >= narrow - 1e-12


@given(case=cases(), more=st.integers(1, 5))
@small
def test_hits_below_the_cut_change_nothing_above_it(case: Case, more: int) -> None:
    assume(case.hits)
    k = len(case.hits)
    unjudged: list[Place] = [f"new {number}" for number in range(more)]  # their counts stay unknown
    suite = {"short": case, "long": replace(case, hits=(*case.hits, *unjudged))}
    names = [f"{name}@{k}" for name in ("ndcg", "ndcg(gain=exp)", "dcg", "pndcg", "ap", "p", "p(any=true)")]
    names += [f"{name}@{k}" for name in ("r", "hit", "rr", "f1", "err", "judged")]
    scores = score(judgments_of(suite), run_of(suite), names)
    for name in names:
        values = scores.per_query(name)
        assert values["short"] == values["long"], name


@given(suite=st.lists(cases(), min_size=3, max_size=12).map(named), seed=st.integers(0, 10_000))
@settings(small, max_examples=100)
def test_the_order_of_queries_rows_and_shards_changes_no_bit(suite: dict[str, Case], seed: int) -> None:
    names = [
        "ndcg",
        "ndcg@3",
        "ndcg(gain=exp)@5",
        "ap",
        "rr",
        "r@3",
        "f1@2",
        "rbp(p=0.8)",
        "err@4",
        "pndcg@4",
    ]
    before = score(judgments_of(suite), run_of(suite), names)

    chance = random.Random(seed)
    queries = chance.sample(list(suite), len(suite))
    first, second = sorted(chance.sample(range(len(queries) + 1), 2))
    parts = [queries[:first], queries[first:second], queries[second:]]
    shards = tuple(shard_of({query: suite[query] for query in part}) for part in parts if part)
    after = score(judgments_of(suite, chance), MemoryRun("shuffled", shards), names)

    for name in names:
        assert after[name] == before[name], name
        assert dict(after.per_query(name)) == dict(before.per_query(name)), name
        assert after.counts(name) == before.counts(name)


def test_a_sum_that_plain_addition_gets_wrong_is_exact_in_every_order() -> None:
    """0.1 + 0.7 + 0.2 and 0.2 + 0.7 + 0.1 differ in floating point; the mean may not."""
    found: dict[str, Case] = {}
    for number in range(200):
        depth = 1 + number % 7
        hits = (*(f"miss {rank}" for rank in range(depth - 1)), "a")
        found[f"q{number}"] = Case((Aim("a", 1.0),), hits, weight=0.1 * (1 + number % 13))
    backwards = dict(reversed(found.items()))
    values = [1 / (1 + number % 7) for number in range(200)]
    weights = [case.weight for case in found.values()]
    products = [value * weight for value, weight in zip(values, weights, strict=True)]
    assert reduce(add, products) != reduce(add, reversed(products))

    one = score(judgments_of(found), run_of(found), ["rr"])["rr"]
    other = score(judgments_of(backwards), run_of(backwards), ["rr"])["rr"]
    assert one == other
    assert one == pytest.approx(fsum(products) / fsum(weights), rel=1e-15)
