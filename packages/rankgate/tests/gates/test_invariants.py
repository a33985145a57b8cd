"""Invariants: each relation holds, is broken with a reason, and never passes over nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.gates.checks import CheckResult
from rankgate.gates.invariants import judge_invariants
from rankgate.gates.probe_answers import ProbeAnswers
from rankgate.gates.scenarios import NOT_ASKED
from rankgate.model import Answer, Hit, Invariant, Location, MatchBy, Matching, Query, Relation, Top
from rankgate.model.locations import fits_glob
from rankgate.model.probes import query_id
from rankgate.runs.store.tables import MemoryRun, Shard
from support.builders import at
from support.evaluations import resolved

if TYPE_CHECKING:
    from collections.abc import Sequence

A, B, C = at("a.md", 1, 5), at("b.md", 1, 5), at("c.md", 1, 5)
A2 = at("a.md", 9, 12)


def answered(*answers: Sequence[Hit | str] | Answer) -> MemoryRun:
    """The answers to the queries of invariant `i`, in order; an `Answer` is a query that ended so."""
    rankings = {query_id("i", number): hits for number, hits in enumerate(answers)}
    shard = Shard.of_rankings(
        {name: () if isinstance(hits, Answer) else hits for name, hits in rankings.items()}
    )
    ends = {name: hits.value for name, hits in rankings.items() if isinstance(hits, Answer)}
    status = pl.col("query").replace_strict(ends, default="ok", return_dtype=pl.String)
    error = pl.when(pl.col("query").is_in(list(ends))).then(pl.lit("connection\nrefused"))
    return MemoryRun("probes", [Shard.of(shard.queries.with_columns(status=status, error=error), shard.hits)])


def judged(
    relation: Relation,
    queries: Sequence[Query],
    *answers: Sequence[Hit | str] | Answer,
    matching: Matching | None = None,
    **more: Any,
) -> tuple[str, ...]:
    """Judge one invariant: its reasons, `passed` or `not run` before them."""
    invariant = Invariant("i", relation, tuple(queries), where="s.yaml:3:5", **more)
    tops = {
        query_id("i", 0): tuple(resolved(Top(place)) for place in (invariant.above, invariant.below) if place)
    }
    run = answered(*answers)
    (result,) = judge_invariants([invariant], ProbeAnswers(run), run, tops, matching or Matching())
    assert (result.name, result.relation, result.where) == ("i", relation, "s.yaml:3:5")
    assert bool(result.reasons) == (result.result is not CheckResult.PASSED)
    return result.reasons if result.result is CheckResult.FAILED else (result.result.value, *result.reasons)


PASSED = ("passed",)
TWO = (Query("auth", 3), Query("authenticate", 3))


def same(*answers: Sequence[Hit | str], **more: Any) -> tuple[str, ...]:
    return judged(Relation.SAME_RESULTS, TWO, *answers, **more)


def test_the_same_results_are_the_same_places_in_the_same_order() -> None:
    assert same([A, B], [A, B]) == PASSED
    assert same([A, B], [B, A]) == ("'auth' has a.md:1-5 at rank 1, 'authenticate' has b.md:1-5",)
    assert same([A, B], [A]) == ("'auth' has b.md:1-5 at rank 2, 'authenticate' has no hit",)
    assert same([A], [A2]) == ("'auth' has a.md:1-5 at rank 1, 'authenticate' has a.md:9-12",)
    assert same(["x"], ["x"]) == PASSED
    assert same(["x"], ["y"]) == ("'auth' has x at rank 1, 'authenticate' has y",)
    # A hit that has a place is known by it, whatever the index calls it.
    assert same([Hit(id="1", path="a.md")], [Hit(id="2", path="a.md")]) == PASSED


def test_only_the_first_k_hits_count_for_the_same_results() -> None:
    assert same([A, B, C, "x"], [A, B, C, "y"]) == PASSED
    assert same([A, B, "x"], [A, B, "y"]) != PASSED


def test_results_may_be_the_same_in_any_order_or_by_document() -> None:
    assert same([A, B], [B, A], order=False) == PASSED
    assert same([A, B], [B, C], order=False) == ("only 'auth' has a.md:1-5, 1 hit of its own in 2",)
    assert same([A], [A, A], order=False) == ("only 'authenticate' has a.md:1-5, 1 hit of its own in 2",)
    assert same([A, B], [A2, B], by="document") == PASSED
    assert same([A, A2, B], [A2, B], by="document") == PASSED
    assert same([A, A2, B], [B, A], by="document") == ("'auth' has a.md at rank 1, 'authenticate' has b.md",)
    assert same([A, A2, B], [B, A], by="document", order=False) == PASSED


def test_two_empty_answers_are_not_the_same_results() -> None:
    assert same([], []) == ("no hits for 'auth'", "no hits for 'authenticate'")
    assert same([A], []) == ("no hits for 'authenticate'",)


ROUTER: dict[str, Any] = {"above": Location.at("router.ts:1-50"), "below": Location.at("router.ts:10-20")}


def above(*hits: Hit | str, k: int = 10, **more: Any) -> tuple[str, ...]:
    return judged(Relation.RANKS_ABOVE, [Query("router", k)], hits, **(more or ROUTER))


def test_what_ranks_above_is_found_and_comes_first() -> None:
    places: dict[str, Any] = {"above": Location.at("a.md"), "below": Location.at("b.md")}
    assert above(A, B, **places) == PASSED
    assert above(A, **places) == PASSED
    assert above(C, A, B, **places) == PASSED
    assert above(B, A, **places) == ("a.md is at rank 2, below b.md at rank 1",)
    assert above(B, **places) == ("a.md is not among 1 hit",)
    assert above(**places) == ("a.md is not among 0 hits",)
    assert above(C, A, B, k=1, **places) == ("a.md is at rank 2, not among the first 1",)
    ids: dict[str, Any] = {"above": Location.of_id("x"), "below": Location.of_id("y")}
    assert above("x", "y", **ids) == PASSED
    assert above("y", "x", **ids) == ("x is at rank 2, below y at rank 1",)


def test_a_hit_on_a_class_and_a_hit_on_its_method_are_told_apart() -> None:
    whole, method = at("router.ts", 1, 50), at("router.ts", 10, 20)
    assert above(whole, method) == PASSED
    assert above(method, whole) == ("router.ts:1-50 is at rank 2, below router.ts:10-20 at rank 1",)
    assert above(method) == ("router.ts:1-50 is not among 1 hit",)
    by_path = Matching(by=MatchBy.PATH)
    file = judged(Relation.RANKS_ABOVE, [Query("q")], [at("router.ts")], matching=by_path, **ROUTER)
    assert file == ("the hit at rank 1 is router.ts:1-50 as much as router.ts:10-20",)


def test_filters_leave_only_what_they_ask_for() -> None:
    def only(*hits: Hit | str) -> tuple[str, ...]:
        query = Query("deploy", 3, {"type": "runbook"})
        return judged(Relation.FILTER_ONLY, [query], hits, only=("runbooks/**", "ops/*.md"))

    inside: list[Hit | str] = [at("runbooks/a.md", 1, 2), at("runbooks/b/b.md"), at("ops/c.md"), "runbooks/d"]
    assert only(*inside) == PASSED
    assert only() == ("no hits for 'deploy'",)
    # Hits beyond k were returned under the same filters.
    assert only(*inside, at("ops/deep/x.md", 3, 4), "elsewhere") == (
        (
            "ops/deep/x.md:3-4 at rank 5 is not what the filters ask for: "
            "2 of 6 hits outside runbooks/**, ops/*.md"
        ),
    )
    assert only(Hit(text="no place")) == (
        (
            "a hit without a location at rank 1 is not what the filters ask for: "
            "1 of 1 hit outside runbooks/**, ops/*.md"
        ),
    )


def test_a_word_alone_scores_no_more_than_beside_a_word_that_is_nowhere() -> None:
    def bonus(alone: Sequence[Hit | str], beside: Sequence[Hit | str]) -> tuple[str, ...]:
        queries = [Query("oauth"), Query("oauth xqzvk")]
        return judged(Relation.SINGLE_TERM_NO_BONUS, queries, alone, beside)

    def scored(*scores: float) -> list[Hit]:
        return [Hit(path=f"{name}.md", score=score) for name, score in zip("abc", scores, strict=False)]

    assert bonus(scored(3, 2), scored(3, 2)) == PASSED
    assert bonus(scored(3, 2), scored(4, 2)) == PASSED
    assert bonus(scored(3.000002, 2), scored(3, 2)) == PASSED
    assert bonus(scored(-2, -3), scored(-2, -3)) == PASSED
    assert bonus(scored(3.00001, 2), scored(3, 2)) == (
        "a.md scores 3.00001 for 'oauth' and 3 for 'oauth xqzvk': a bonus for one word, in 1 of 2 hits",
    )
    assert bonus(scored(3.6, 2.4), scored(3, 2)) == (
        "a.md scores 3.6 for 'oauth' and 3 for 'oauth xqzvk': a bonus for one word, in 2 of 2 hits",
    )
    assert bonus(scored(-1), scored(-2)) != PASSED
    assert bonus(["a"], ["a"]) == ("the system gives no scores",)
    assert bonus(scored(float("inf")), scored(1)) == ("the system gives no scores",)
    assert bonus(scored(3), []) == ("no hits for 'oauth xqzvk'",)
    assert bonus([], []) == ("no hits for 'oauth'", "no hits for 'oauth xqzvk'")
    assert bonus(scored(3), [Hit(path="z.md", score=3)]) == (
        "'oauth' and 'oauth xqzvk' have no hit in common",
    )


def test_asking_for_more_changes_none_of_the_first() -> None:
    def monotone(*answers: Sequence[Hit | str]) -> tuple[str, ...]:
        return judged(Relation.MONOTONE, [Query("deploy", k) for k in (1, 2, 4)], *answers)

    assert monotone([A], [A, B], [A, B, C]) == PASSED
    assert monotone([A], [A], [A]) == PASSED
    # A system that gives more than it is asked for is held to what it was asked for.
    assert monotone([A, C], [A, B], [A, B, C]) == PASSED
    assert monotone([B], [A, B], [A, B, C]) == ("asked for 1 hits, b.md:1-5 is at rank 1; for 2, a.md:1-5",)
    assert monotone([A], [A, B], [A, C]) == ("asked for 2 hits, b.md:1-5 is at rank 2; for 4, c.md:1-5",)
    assert monotone([A], [A, B], [A]) == ("asked for 2 hits, b.md:1-5 is at rank 2; for 4, no hit",)
    assert monotone([], [A], [A]) == ("asked for 1 hits there are none, for 2 there are 1",)
    assert monotone([], [], []) == ("no hits for 'deploy'",)
    assert monotone([A], [A], []) == ("no hits for 'deploy'",)


def test_the_same_query_has_the_same_answer_every_time() -> None:
    def stable(*answers: Sequence[Hit | str]) -> tuple[str, ...]:
        return judged(Relation.STABLE, [Query("deploy")] * len(answers), *answers)

    assert stable([A, B], [A, B], [A, B]) == PASSED
    assert stable([A, B], [A, B], [B, A]) == (
        "a.md:1-5 is at rank 1 at first, b.md:1-5 when asked again (3 of 3)",
    )
    assert stable([A], [A, B]) == ("no hit is at rank 2 at first, b.md:1-5 when asked again (2 of 2)",)
    assert stable([Hit(id="1", path="a.md")], [Hit(id="2", path="a.md")]) != PASSED
    assert stable([], []) == ("no hits for 'deploy'",)
    assert stable([A]) == ("it was asked once, and there is nothing to compare",)


def test_what_must_find_nothing_finds_nothing() -> None:
    queries = [Query("blockchain"), Query("nft")]
    assert judged(Relation.EMPTY, queries, [], []) == PASSED
    assert judged(Relation.EMPTY, queries, [], [A, B]) == ("'nft' has 2 hits, the first a.md:1-5",)


@pytest.mark.parametrize("relation", list(Relation))
def test_a_query_without_an_answer_leaves_the_invariant_open(relation: Relation) -> None:
    more: dict[str, Any] = {"only": ("**",)} if relation is Relation.FILTER_ONLY else {}
    more |= (
        {"above": Location.at("a.md"), "below": Location.at("b.md")}
        if relation is Relation.RANKS_ABOVE
        else {}
    )
    errored = judged(relation, [Query("q", 1)], Answer.ERROR, **more)
    assert errored == ("not run", "'q': the system did not answer (connection refused)")
    late = judged(relation, [Query("q", 1)], Answer.TIMEOUT, **more)
    assert late == ("not run", "'q': the system did not answer in time (connection refused)")
    assert judged(relation, [Query("q", 1)], **more) == ("the run does not have 'q'",)
    assert judged(relation, [], **more) == ("it asks nothing",)


def test_without_a_run_nothing_was_asked() -> None:
    invariant = Invariant("i", Relation.EMPTY, (Query("q"),))
    (result,) = judge_invariants([invariant], ProbeAnswers(None), None, {}, Matching())
    assert (result.result, result.reasons) == (CheckResult.NOT_RUN, (NOT_ASKED,))


_HITS = st.lists(st.sampled_from(["a", "b", "c"]), max_size=4)


@given(_HITS, _HITS)
def test_no_relation_between_answers_holds_over_nothing(one: list[str], other: list[str]) -> None:
    """Equal answers with hits hold, answers without any never do."""
    for relation in (Relation.SAME_RESULTS, Relation.STABLE):
        expected = bool(one) and one == other
        assert (judged(relation, [Query("q", 4), Query("r", 4)], one, other) == PASSED) == expected
    monotone = judged(Relation.MONOTONE, [Query("q", 2), Query("q", 4)], one[:2], other)
    assert (monotone == PASSED) == (bool(one) and other[: len(one[:2])] == one[:2])


@pytest.mark.parametrize(
    ("path", "glob", "fits"),
    [
        ("runbooks/a.md", "runbooks/**", True),
        ("runbooks/a/b.md", "runbooks/**", True),
        ("runbooks/a/b.md", "runbooks/*", False),
        ("runbooks/a.md", "runbooks/", True),
        ("runbooks2/a.md", "runbooks/**", False),
        ("a/runbooks/b.md", "**/runbooks/*.md", True),
        ("runbooks/b.md", "**/runbooks/*.md", True),
        ("b.md", "[a-c].md", True),
        ("B.md", "b.md", False),
        ("", "**", False),
        ("a" * 5000, "*a" * 30 + "b", False),
    ],
)
def test_globs_go_by_segments(path: str, glob: str, fits: bool) -> None:
    assert fits_glob(path, glob) is fits
