"""Bounds by unjudged hits hold for every grading that brute force tries, and are its ends where said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgate.model import Hit, Lines
from rankgate.scoring.expressions import parse
from rankgate.scoring.unjudged.allowed import allowed
from rankgate.scoring.unjudged.sides import BothSides
from rankgate.truth.judgments.table import Judgments
from support import oracle
from support.builders import id_targets, run_of
from support.oracle import Aim, Place

if TYPE_CHECKING:
    from rankgate.runs.store.tables import MemoryRun

SCALE = (0.0, 1.0, 2.0, 3.0)
IDS: tuple[Place, ...] = ("a", "b", "c", "d", "e", "f")
LINES: tuple[Place, ...] = tuple(("a.py", 10 * n, 10 * n + 5) for n in range(1, 7))
Value: TypeAlias = Callable[[Sequence[Place], Sequence[Aim]], float | None]

EXACT: dict[str, Value] = {
    "ndcg@3": lambda hits, aims: oracle.ndcg(hits, aims, 3),
    "ndcg": lambda hits, aims: oracle.ndcg(hits, aims, 99),
    "ndcg(gain=exp)@3": lambda hits, aims: oracle.ndcg(hits, aims, 3, exp=True),
    "dcg@3": lambda hits, aims: oracle.dcg(hits, aims, 3),
    "p@3": lambda hits, aims: oracle.p(hits, aims, 3),
    "p": lambda hits, aims: oracle.p(hits, aims, None),
    "p(any)@3": lambda hits, aims: oracle.p_any(hits, aims, 3),
    "r@3": lambda hits, aims: oracle.r(hits, aims, 3),
    "r(rel=2)@2": lambda hits, aims: oracle.r(hits, aims, 2, 2.0),
    "hit@2": lambda hits, aims: oracle.hit(hits, aims, 2),
    "rr@3": lambda hits, aims: oracle.rr(hits, aims, 3),
    "rr(rel=2)@3": lambda hits, aims: oracle.rr(hits, aims, 3, 2.0),
    "rbp(p=0.6)": lambda hits, aims: oracle.rbp(hits, aims, 0.6),
}
"""Both values and the difference are the ends."""
EXACT_VALUES: dict[str, Value] = {
    "ap@3": lambda hits, aims: oracle.ap(hits, aims, 3),
    "f1@3": lambda hits, aims: oracle.f1(hits, aims, 3),
    "err(max=3)@3": lambda hits, aims: max(oracle.err(hits, aims, 3, 3.0) or [0.0]),
}
"""The values are the ends, the difference lies between its bounds."""
HELD: dict[str, Value] = {
    "rprec": oracle.rprec,
    "0.5*ndcg@3 + 0.5*rr@3 - 0.2*r@2": lambda hits, aims: (
        0.5 * (oracle.ndcg(hits, aims, 3) or 0.0)
        + 0.5 * (oracle.rr(hits, aims, 3) or 0.0)
        - 0.2 * (oracle.r(hits, aims, 2) or 0.0)
    ),
}
"""Values and differences lie between the bounds."""


class Drawn(NamedTuple):
    """One query with two rankings."""

    aims: tuple[Aim, ...]
    before: tuple[Place, ...]
    after: tuple[Place, ...]


@st.composite
def drawn(draw: st.DrawFn) -> Drawn:
    places = draw(st.sampled_from((IDS, LINES)))
    judged = draw(st.lists(st.sampled_from(places), min_size=1, max_size=4, unique=True))
    grades = [3.0, *(draw(st.sampled_from((-1.0, *SCALE))) for _ in judged[1:])]
    if draw(st.booleans()):
        grades[0] = draw(st.sampled_from((1.0, 2.0)))
    alternatives = draw(st.sampled_from((None, None, "either")))
    aims = tuple(
        Aim(place, grade, alternatives if at < 2 else None)
        for at, (place, grade) in enumerate(zip(judged, grades, strict=True))
    )
    rankings = st.lists(st.sampled_from(places), max_size=4)
    return Drawn(aims, tuple(draw(rankings)), tuple(draw(rankings)))


def hit_of(place: Place, side: str) -> Hit:
    if isinstance(place, str):
        return Hit(id=place)
    return Hit(id=f"{side}-{place[1]}", path=place[0], lines=Lines(place[1], place[2]))


def sides_of(one: Drawn) -> BothSides:
    rows = [
        {
            "query": "q",
            "group": aim.group,
            "grade": aim.grade,
            "id": aim.place if isinstance(aim.place, str) else None,
            "path": None if isinstance(aim.place, str) else aim.place[0],
            "start": None if isinstance(aim.place, str) else aim.place[1],
            "end": None if isinstance(aim.place, str) else aim.place[2],
        }
        for aim in one.aims
    ]
    types = {"group": pl.String, "id": pl.String, "path": pl.String, "start": pl.UInt32, "end": pl.UInt32}
    judgments = Judgments.of(
        pl.DataFrame(rows, schema_overrides=types), pl.DataFrame({"query": ["q"]}), max_grade=3.0
    )
    return BothSides.of(judgments, (_run(one.before, "before"), _run(one.after, "after")), frozenset())


def _run(places: Sequence[Place], side: str) -> MemoryRun:
    return run_of({"q": [hit_of(place, side) for place in places]})


def gradings(one: Drawn, depth: int) -> list[tuple[Aim, ...]]:
    """List what could be judged: every grade of the scale for every unjudged hit above the depth."""
    judged = {aim.place for aim in one.aims}
    seen = [place for place in (*one.before[:depth], *one.after[:depth]) if place not in judged]
    names = list(dict.fromkeys(seen))
    return [
        (*one.aims, *(Aim(name, grade, None) for name, grade in zip(names, grades, strict=True) if grade))
        for grades in product(SCALE, repeat=len(names))
    ]


def ends(one: Drawn, depth: int, value: Value) -> list[tuple[float, float]]:
    found = []
    for aims in gradings(one, depth):
        before, after = value(one.before, aims), value(one.after, aims)
        assert before is not None
        assert after is not None
        found.append((before, after, after - before))
    return [(min(column), max(column)) for column in zip(*found, strict=True)]


CASES = [
    *((name, value, 3) for name, value in EXACT.items()),
    *((name, value, 2) for name, value in EXACT_VALUES.items()),
    *((name, value, 0) for name, value in HELD.items()),
]


@pytest.mark.parametrize(("name", "value", "exact"), CASES, ids=[name for name, *_ in CASES])
@settings(max_examples=40, deadline=None)
@given(one=drawn())
def test_no_grading_leaves_the_bounds(name: str, value: Value, exact: int, one: Drawn) -> None:
    both, metric = sides_of(one), parse(name)
    if not metric.column(both.before.matches).defined.all():
        return
    depth = 99 if None in metric.depths else max(depth or 0 for depth in metric.depths)
    found = allowed(metric, both)
    spans = found.before, found.after, found.difference
    for at, (span, (lowest, highest)) in enumerate(zip(spans, ends(one, depth, value), strict=True)):
        low, high = float(span.low[0]), float(span.high[0])
        assert low <= lowest + 1e-9
        assert high >= highest - 1e-9
        if at < exact:
            assert low == pytest.approx(lowest, abs=1e-9)
            assert high == pytest.approx(highest, abs=1e-9)


def test_many_queries_have_the_bounds_that_each_has_alone() -> None:
    rng = np.random.default_rng(7)
    names = np.array([f"d{n}" for n in range(40)])
    targets: list[tuple[str, str, float]] = []
    rankings: tuple[dict[str, list[str]], dict[str, list[str]]] = ({}, {})
    for query in range(60):
        judged = rng.choice(names, 12, replace=False)
        targets += [(f"q{query}", str(name), float(rng.integers(0, 4))) for name in judged[1:]]
        targets.append((f"q{query}", str(judged[0]), 2.0))
        for ranking in rankings:
            ranking[f"q{query}"] = [str(name) for name in rng.choice(names, 15, replace=False)]
    whole = BothSides.of(
        Judgments.of(id_targets(*targets), max_grade=3.0),
        (run_of(rankings[0]), run_of(rankings[1])),
        frozenset(),
    )
    for name in ("ndcg@10", "r@10", "p@10", "rr@10", "ap@10"):
        together = allowed(parse(name), whole)
        for query in (0, 17, 59):
            rows = [row for row in targets if row[0] == f"q{query}"]
            before, after = (run_of({f"q{query}": ranking[f"q{query}"]}) for ranking in rankings)
            judgments = Judgments.of(id_targets(*rows), max_grade=3.0)
            alone = BothSides.of(judgments, (before, after), frozenset())
            one = allowed(parse(name), alone)
            for part in ("before", "after", "difference"):
                for end in ("low", "high"):
                    of_all = getattr(getattr(together, part), end)[query]
                    assert of_all == pytest.approx(getattr(getattr(one, part), end)[0], abs=1e-12)
