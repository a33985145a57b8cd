"""A hit whose text stands in several places counts at whichever reaches a target."""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from rankgate.runs.store.schemas import HITS, QUERIES
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.truth.judgments.table import Judgments
from support.builders import id_targets, place_targets

Copy = tuple[str, int, int]


def run_of(hits: list[list[Copy]], *, records: bool = False) -> MemoryRun:
    """Make a run of one query; a hit of one place has it, one of several has copies."""
    rows = []
    for rank, places in enumerate(hits, 1):
        row: dict[str, object] = {"query": "q", "rank": rank}
        if records:
            row["copies"] = [{"id": path} for path, _, _ in places]
        elif len(places) == 1:
            row |= dict(zip(("path", "start", "end"), places[0], strict=True))
        else:
            row["copies"] = [dict(zip(("path", "start", "end"), one, strict=True)) for one in places]
        rows.append(row)
    table = pl.DataFrame(rows, schema=HITS.types)
    queries = QUERIES.conform(pl.DataFrame({"query": ["q"], "hits": [len(rows)]}), "test")
    return MemoryRun("run", [Shard.of(queries, table)])


def test_a_hit_reaches_a_target_through_any_of_its_places() -> None:
    judgments = Judgments.of(place_targets(("q", "b.md", 10, 20, 1)))
    elsewhere = run_of([[("a.md", 1, 5), ("c.md", 10, 20)]])
    here = run_of([[("a.md", 1, 5), ("b.md", 12, 14)]])
    assert score(judgments, elsewhere, ["hit@1"])["hit@1"] == 0
    assert score(judgments, here, ["hit@1"])["hit@1"] == 1


def test_line_measures_go_by_the_place_that_was_reached() -> None:
    judgments = Judgments.of(place_targets(("q", "b.md", 10, 19, 1)))
    found = score(judgments, run_of([[("a.md", 1, 50), ("b.md", 10, 14)]]), ["line_p@1", "line_r@1"])
    assert (found["line_p@1"], found["line_r@1"]) == (1.0, 0.5)
    missed = score(judgments, run_of([[("a.md", 1, 50), ("c.md", 10, 14)]]), ["line_p@1"])
    assert missed["line_p@1"] == 0


def test_a_record_among_several_is_reached() -> None:
    judgments = Judgments.of(id_targets(("q", "b", 1)))
    assert score(judgments, run_of([[("a", 0, 0), ("b", 0, 0)]], records=True), ["rr@5"])["rr@5"] == 1
    assert score(judgments, run_of([[("a", 0, 0), ("c", 0, 0)]], records=True), ["rr@5"])["rr@5"] == 0


PLACES = st.tuples(st.sampled_from(["a.md", "b.md"]), st.integers(1, 9), st.integers(0, 3)).map(
    lambda one: (one[0], one[1], one[1] + one[2])
)


@given(PLACES, st.lists(st.lists(PLACES, min_size=1, max_size=5, unique=True), max_size=4))
def test_with_one_target_a_hit_scores_as_the_best_of_its_places(target: Copy, hits: list[list[Copy]]) -> None:
    judgments = Judgments.of(place_targets(("q", *target, 1)))
    metrics = ["ndcg@5", "rr@5", "r@5", "line_r@5"]

    def reaches(one: Copy) -> bool:
        return one[0] == target[0] and one[1] <= target[2] and target[1] <= one[2]

    best, seen = [], set[Copy]()
    for places in hits:
        reaching = sorted(filter(reaches, places), key=lambda one: (one in seen, one[1], -one[2]))
        seen.update(reaching)
        best.append([(reaching or places)[0]])
    several, single = score(judgments, run_of(hits), metrics), score(judgments, run_of(best), metrics)
    for metric in metrics:
        assert several[metric] == single[metric]


NEAR: list[Copy] = [("A", 1, 5), ("A", 10, 14), ("B", 1, 5), ("B", 1, 3)]
TARGETS = st.lists(
    st.tuples(st.sampled_from(NEAR), st.sampled_from(["a", None]), st.integers(0, 2)),
    min_size=1,
    unique_by=lambda one: one[0],
)
RETURNED = st.lists(st.lists(st.sampled_from(NEAR), min_size=1, unique=True), min_size=1, max_size=3)
GRADED = ["ndcg@3", "p@3", "p(any)@3", "ap@3", "r@3", "rr@3", "line_r@3", "pndcg@3"]


def judged(targets: list[tuple[Copy, str | None, int]]) -> Judgments:
    rows = [("q", *place, float(grade), group) for place, group, grade in targets]
    columns = ["query", "path", "start", "end", "grade", "group"]
    cases = pl.DataFrame({"query": ["q"], "exhaustive": [True]})
    return Judgments.of(pl.DataFrame(rows, columns, orient="row"), cases)


@given(TARGETS, RETURNED)
def test_neither_the_order_in_which_places_are_named_nor_another_metric_changes_a_score(
    targets: list[tuple[Copy, str | None, int]], hits: list[list[Copy]]
) -> None:
    given = score(judged(targets), run_of(hits), GRADED)
    other = score(judged(targets), run_of([one[::-1] for one in hits]), [*GRADED, "judged@3", "bpref"])
    assert [given[metric] for metric in GRADED] == [other[metric] for metric in GRADED]


def test_line_measures_go_by_a_place_that_is_new() -> None:
    targets: list[tuple[Copy, str | None, int]] = [(("A", 1, 5), None, 1), (("B", 1, 5), None, 1)]
    for places in ([("A", 1, 5), ("B", 1, 5)], [("B", 1, 5), ("A", 1, 5)]):
        found = score(judged(targets), run_of([[("A", 1, 5)], places]), ["line_r@3", "r@3"])
        assert (found["line_r@3"], found["r@3"]) == (1.0, 1.0)


def test_a_hit_that_returns_more_is_not_charged_for_it() -> None:
    targets: list[tuple[Copy, str | None, int]] = [(("A", 1, 5), "a", 2), (("B", 1, 5), "a", 0)]
    run = run_of([[("A", 1, 5)], [("A", 1, 5), ("B", 1, 5)]])
    assert score(judged(targets), run, ["pndcg@3", "judged@3"])["pndcg@3"] == 1.0


def test_places_that_were_all_returned_before_are_no_new_one_whichever_file_they_are_in() -> None:
    whole = Judgments.of(pl.DataFrame({"query": ["q"], "path": ["A"], "grade": [2.0]}))
    copies = [{"path": "A", "start": 1, "end": 5}, {"path": "A", "start": 10, "end": 14}]
    for own in (None, "A"):
        rows = [{"query": "q", "rank": rank, **one} for rank, one in enumerate(copies, 1)]
        rows.append({"query": "q", "rank": 3, "path": own, "copies": copies})
        table = pl.DataFrame(rows, schema=HITS.types)
        queries = QUERIES.conform(pl.DataFrame({"query": ["q"], "hits": [3]}), "test")
        found = score(whole, MemoryRun("run", [Shard.of(queries, table)]), ["p(any)@3"])
        assert found["p(any)@3"] == 2 / 3


def test_a_place_that_was_not_returned_before_counts_whichever_is_named_first() -> None:
    rows = [("q", "A", 1, 5, 1.0, "a"), ("q", "B", 1, 5, 1.0, "a"), ("q", "B", 1, 3, 1.0, None)]
    columns = ["query", "path", "start", "end", "grade", "group"]
    judgments = Judgments.of(pl.DataFrame(rows, columns, orient="row"))
    for places in ([("A", 1, 5), ("B", 1, 5)], [("B", 1, 5), ("A", 1, 5)]):
        found = score(judgments, run_of([[("B", 1, 5)], places]), ["ndcg@10", "p@2"])
        assert (found["ndcg@10"], found["p@2"]) == (1.0, 1.0)
    whole = Judgments.of(pl.DataFrame({"query": ["q"], "path": ["A"], "grade": [1.0]}))
    for places in ([("A", 1, 5), ("A", 10, 14)], [("A", 10, 14), ("A", 1, 5)]):
        assert score(whole, run_of([[("A", 1, 5)], places]), ["p(any)@2"])["p(any)@2"] == 1.0
