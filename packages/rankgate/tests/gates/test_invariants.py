"""Invariants: each relation holds, is broken with a reason, and never passes over nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.gates.invariants import check_invariants
from rankgate.gates.probe_answers import ProbeAnswers
from rankgate.gates.scenarios import NO_SYSTEM
from rankgate.locations import Location, fits_glob
from rankgate.model import Answer, Hit, Invariant, MatchBy, Matching, Query, Relation, Top, XFail, query_id
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
    """Return the reasons why one invariant failed, after `passed` or `not run` if it did not fail."""
    known = XFail("known")
    invariant = Invariant("i", relation, tuple(queries), where="s.yaml:3:5", xfail=known, **more)
    locations = (*invariant.above, *invariant.below)
    tops = {query_id("i", 0): tuple(resolved(Top(location)) for location in locations)}
    run = answered(*answers)
    (result,) = check_invariants([invariant], ProbeAnswers(run), run, tops, matching or Matching())
    assert (result.kind, result.name, result.where) == ("invariant", "i", "s.yaml:3:5")
    assert result.known is known
    assert bool(result.reasons) == (result.passed is not True)
    return (
        result.reasons
        if result.passed is False
        else ("passed" if result.passed else "not run", *result.reasons)
    )


PASSED = ("passed",)
TWO = (Query("auth", 3), Query("authenticate", 3))


def same(*answers: Sequence[Hit | str], **more: Any) -> tuple[str, ...]:
    return judged(Relation.SAME_RESULTS, TWO, *answers, **more)


def test_the_same_results_are_the_same_places_in_the_same_order() -> None:
    assert same([A, B], [A, B]) == PASSED
    assert same([A, B], [B, A]) == ("'auth' has a.md:1-5 at rank 1, 'authenticate' has b.md:1-5",)
    assert same([A, B], [A]) == ("'auth' has b.md:1-5 at rank 2, 'authenticate' has no result",)
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
    assert same([A, B], [B, C], order=False) == ("only 'auth' has a.md:1-5; 1 of its 2 results differ",)
    assert same([A], [A, A], order=False) == ("only 'authenticate' has a.md:1-5; 1 of its 2 results differ",)
    assert same([A, B], [A2, B], by="document") == PASSED
    assert same([A, A2, B], [A2, B], by="document") == PASSED
    assert same([A, A2, B], [B, A], by="document") == ("'auth' has a.md at rank 1, 'authenticate' has b.md",)
    assert same([A, A2, B], [B, A], by="document", order=False) == PASSED


def test_two_empty_answers_are_not_the_same_results() -> None:
    assert same([], []) == ("no results for 'auth'", "no results for 'authenticate'")
    assert same([A], []) == ("no results for 'authenticate'",)


ROUTER: dict[str, Any] = {
    "above": (Location.at("router.ts:1-50"),),
    "below": (Location.at("router.ts:10-20"),),
}


def above(*hits: Hit | str, k: int = 10, **more: Any) -> tuple[str, ...]:
    return judged(Relation.RANKS_ABOVE, [Query("router", k)], hits, **(more or ROUTER))


def test_what_ranks_above_is_found_and_comes_first() -> None:
    places: dict[str, Any] = {"above": (Location.at("a.md"),), "below": (Location.at("b.md"),)}
    assert above(A, B, **places) == PASSED
    assert above(A, **places) == PASSED
    assert above(C, A, B, **places) == PASSED
    assert above(B, A, **places) == ("a.md is at rank 2, below b.md at rank 1",)
    assert above(B, **places) == ("a.md is not within the first 1 result",)
    assert above(**places) == ("a.md is not within the first 0 results",)
    assert above(C, A, B, k=1, **places) == ("a.md is not within the first 1 result; it is at rank 2",)
    ids: dict[str, Any] = {"above": (Location.of_id("x"),), "below": (Location.of_id("y"),)}
    assert above("x", "y", **ids) == PASSED
    assert above("y", "x", **ids) == ("x is at rank 2, below y at rank 1",)


def test_a_hit_on_a_class_and_a_hit_on_its_method_are_told_apart() -> None:
    whole, method = at("router.ts", 1, 50), at("router.ts", 10, 20)
    assert above(whole, method) == PASSED
    assert above(method, whole) == ("router.ts:1-50 is at rank 2, below router.ts:10-20 at rank 1",)
    assert above(method) == ("router.ts:1-50 is not within the first 1 result",)
    by_path = Matching(by=MatchBy.PATH)
    file = judged(Relation.RANKS_ABOVE, [Query("q")], [at("router.ts")], matching=by_path, **ROUTER)
    assert file == ("the result at rank 1 matches router.ts:1-50 as well as router.ts:10-20",)


def test_ranks_above_with_lists_checks_every_pair() -> None:
    lists: dict[str, Any] = {
        "above": (Location.of_id("a"), Location.of_id("b")),
        "below": (Location.of_id("c"), Location.of_id("d")),
    }
    assert above("b", "a", "d", "c", **lists) == PASSED
    assert above("b", "a", "d", **lists) == PASSED
    assert above("a", "c", "b", **lists) == ("b is at rank 3, below c at rank 2",)
    assert above("d", "a", "c", **lists) == (
        "a is at rank 2, below d at rank 1",
        "b is not within the first 3 results",
    )


def test_different_results_fails_if_two_queries_have_the_same_results() -> None:
    def different(*answers: Sequence[Hit | str], **more: Any) -> tuple[str, ...]:
        queries = [Query(text, 2) for text in ("go", "java", "rust")]
        return judged(Relation.DIFFERENT_RESULTS, queries[: len(answers)], *answers, **more)

    assert different([A, B], [B, C], [A, C]) == PASSED
    assert different([A, B], [B, A]) == PASSED
    assert different([A, B], [B, A], order=False) == ("'go' and 'java' have the same results",)
    assert different([A, B], [C], [A, B, C]) == ("'go' and 'rust' have the same results",)
    assert different([A], [A2], by="document") == ("'go' and 'java' have the same results",)
    assert different([A], []) == ("no results for 'java'",)
    assert different([A]) == ("one query cannot be compared with another",)


def test_rare_term_fails_if_it_displaces_the_first_result() -> None:
    def rare(without: Sequence[Hit | str], with_term: Sequence[Hit | str]) -> tuple[str, ...]:
        queries = [Query("refresh token", 3), Query("refresh token xqzvk", 3)]
        return judged(Relation.RARE_TERM, queries, without, with_term)

    assert rare([A, B], [C, B, A]) == PASSED
    assert rare([A], [B, C, "x", A]) == (
        "a.md:1-5, the first result of 'refresh token', is at rank 4 for 'refresh token xqzvk', not within 3",
    )
    assert rare([A], [B]) == (
        "a.md:1-5, the first result of 'refresh token', is not found for 'refresh token xqzvk', not within 3",
    )
    assert rare([], [A]) == ("no results for 'refresh token'",)
    assert rare([A], []) == ("no results for 'refresh token xqzvk'",)


def test_filters_leave_only_what_they_ask_for() -> None:
    def only(*hits: Hit | str) -> tuple[str, ...]:
        query = Query("deploy", 3, {"type": "runbook"})
        return judged(Relation.FILTER_ONLY, [query], hits, only=("runbooks/**", "ops/*.md"))

    inside: list[Hit | str] = [at("runbooks/a.md", 1, 2), at("runbooks/b/b.md"), at("ops/c.md"), "runbooks/d"]
    assert only(*inside) == PASSED
    assert only() == ("no results for 'deploy'",)
    # Hits beyond k were returned under the same filters.
    assert only(*inside, at("ops/deep/x.md", 3, 4), "elsewhere") == (
        (
            "ops/deep/x.md:3-4 at rank 5 does not match the filters: "
            "2 of 6 results outside runbooks/**, ops/*.md"
        ),
    )
    assert only(Hit(text="no place")) == (
        (
            "a hit without a location at rank 1 does not match the filters: "
            "1 of 1 result outside runbooks/**, ops/*.md"
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
        "a.md scores 3.00001 for 'oauth' and 3 for 'oauth xqzvk': a bonus for one word, in 1 of 2 results",
    )
    assert bonus(scored(3.6, 2.4), scored(3, 2)) == (
        "a.md scores 3.6 for 'oauth' and 3 for 'oauth xqzvk': a bonus for one word, in 2 of 2 results",
    )
    assert bonus(scored(-1), scored(-2)) != PASSED
    assert bonus(["a"], ["a"]) == ("the system returns no scores",)
    assert bonus(scored(float("inf")), scored(1)) == ("the system returns no scores",)
    assert bonus(scored(3), []) == ("no results for 'oauth xqzvk'",)
    assert bonus([], []) == ("no results for 'oauth'", "no results for 'oauth xqzvk'")
    assert bonus(scored(3), [Hit(path="z.md", score=3)]) == (
        "'oauth' and 'oauth xqzvk' have no result in common",
    )


def test_asking_for_more_changes_none_of_the_first() -> None:
    def monotone(*answers: Sequence[Hit | str]) -> tuple[str, ...]:
        return judged(Relation.MONOTONE, [Query("deploy", k) for k in (1, 2, 4)], *answers)

    assert monotone([A], [A, B], [A, B, C]) == PASSED
    assert monotone([A], [A], [A]) == PASSED
    # A system that gives more than it is asked for is held to what it was asked for.
    assert monotone([A, C], [A, B], [A, B, C]) == PASSED
    assert monotone([B], [A, B], [A, B, C]) == ("rank 1 is b.md:1-5 with k = 1, a.md:1-5 with k = 2",)
    assert monotone([A], [A, B], [A, C]) == ("rank 2 is b.md:1-5 with k = 2, c.md:1-5 with k = 4",)
    assert monotone([A], [A, B], [A]) == ("rank 2 is b.md:1-5 with k = 2, no result with k = 4",)
    assert monotone([], [A], [A]) == ("no results with k = 1, 1 result with k = 2",)
    assert monotone([], [], []) == ("no results for 'deploy'",)
    assert monotone([A], [A], []) == ("no results for 'deploy'",)


def test_the_same_query_has_the_same_answer_every_time() -> None:
    def stable(*answers: Sequence[Hit | str]) -> tuple[str, ...]:
        return judged(Relation.STABLE, [Query("deploy")] * len(answers), *answers)

    assert stable([A, B], [A, B], [A, B]) == PASSED
    assert stable([A, B], [A, B], [B, A]) == ("rank 1 is a.md:1-5 in run 1, b.md:1-5 in run 3 of 3",)
    assert stable([A], [A, B]) == ("rank 2 is no result in run 1, b.md:1-5 in run 2 of 2",)
    assert stable([Hit(id="1", path="a.md")], [Hit(id="2", path="a.md")]) != PASSED
    assert stable([], []) == ("no results for 'deploy'",)
    assert stable([A]) == ("the query was run only once",)


def test_what_must_find_nothing_finds_nothing() -> None:
    queries = [Query("blockchain"), Query("nft")]
    assert judged(Relation.EMPTY, queries, [], []) == PASSED
    assert judged(Relation.EMPTY, queries, [], [A, B]) == ("'nft' has 2 results, the first is a.md:1-5",)


@pytest.mark.parametrize("relation", list(Relation))
def test_a_query_without_an_answer_leaves_the_invariant_open(relation: Relation) -> None:
    more: dict[str, Any] = {"only": ("**",)} if relation is Relation.FILTER_ONLY else {}
    more |= (
        {"above": (Location.at("a.md"),), "below": (Location.at("b.md"),)}
        if relation is Relation.RANKS_ABOVE
        else {}
    )
    errored = judged(relation, [Query("q", 1)], Answer.ERROR, **more)
    assert errored == ("not run", "'q': error: connection refused")
    late = judged(relation, [Query("q", 1)], Answer.TIMEOUT, **more)
    assert late == ("not run", "'q': timed out: connection refused")
    assert judged(relation, [Query("q", 1)], **more) == ("the run does not contain 'q'",)
    assert judged(relation, [], **more) == ("no queries",)


def test_without_a_run_nothing_was_asked() -> None:
    invariant = Invariant("i", Relation.EMPTY, (Query("q"),))
    (result,) = check_invariants([invariant], ProbeAnswers(None), None, {}, Matching())
    assert (result.passed, result.reasons) == (None, (NO_SYSTEM,))


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
