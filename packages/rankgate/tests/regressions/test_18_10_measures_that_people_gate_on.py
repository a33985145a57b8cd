"""Measures that people gate on: no result, every target, what must not appear, abstention, mean rating."""

from __future__ import annotations

from contextlib import chdir
from typing import TYPE_CHECKING

import polars as pl
import pytest

import rankgate as rg
from rankgate.errors import InputError
from rankgate.model import Answer, Case, Hit, Location, Status, Top
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.scoring.expressions import parse
from rankgate.suites.formats import load_suite
from rankgate.truth.judgments.table import Judgments
from support.builders import at, graded, id_targets, place_targets, run_of, scored
from support.commands import rankgate
from support.evaluations import evaluated, target
from support.pytest_sessions import GOOD, Project

if TYPE_CHECKING:
    from pathlib import Path

ANY = (target("right"),)
CASES = [
    Case("found", "a", ANY),
    Case("nothing", "b", ANY),
    Case("silent", "c", expect_empty=True),
    Case("talks", "d", expect_empty=True),
    Case("broken", "e", ANY),
]
ANSWERS = {"found": ["right"], "nothing": [], "silent": [], "talks": ["x"], "broken": Answer.ERROR}


def test_the_share_of_queries_without_a_hit_leaves_out_errors_and_what_should_be_empty() -> None:
    run = evaluated(CASES, ANSWERS, metrics=("zero",))
    values = {"found": 0, "nothing": 1, "silent": None, "talks": None, "broken": None}
    assert run.scores.per_query("zero") == values
    low, high, *_ = run.judge("zero <= 50%", "zero <= 0.4", max_errors=1)
    assert (low.status, high.status) == (Status.PASSED, Status.FAILED)
    assert parse("zero").less_is_better


def test_a_query_that_a_run_lacks_has_no_hit() -> None:
    scores = score(Judgments.of(id_targets(("q", "a", 1), ("gone", "a", 1))), run_of({"q": ["a"]}), ["zero"])
    assert scores.per_query("zero") == {"q": 0, "gone": 1}


def test_all_targets_must_be_within_the_cut() -> None:
    two = graded({"a": 2, "b": 1})
    names = ("all@1", "all@2", "all@3", "all(rel=2)@2")
    assert scored(two, ["x", "a", "b"], *names) == [0, 0, 1, 1]
    both = place_targets(("q", "a.py", 1, 5, 1), ("q", "a.py", 6, 9, 1))
    assert scored(both, [at("a.py", 4, 7)], "all@1", "p@1") == [1, 1]
    assert scored(graded({"x": 0}), ["a"], "all@3") == [None]


def test_abstention_is_right_where_nothing_is() -> None:
    run = evaluated(CASES, ANSWERS, metrics=("abstention_p", "abstention_r"))
    nothing: dict[str, float | None] = dict.fromkeys(ANSWERS)
    assert run.scores.per_query("abstention_p") == {**nothing, "nothing": 0, "silent": 1}
    assert run.scores.per_query("abstention_r") == {**nothing, "silent": 1, "talks": 0}
    assert (run.scores["abstention_p"], run.scores["abstention_r"]) == (0.5, 0.5)


def test_without_an_empty_answer_abstention_precision_is_open_and_recall_tells() -> None:
    answers = {case.id: ["right"] for case in CASES}
    run = evaluated(CASES, answers, metrics=("abstention_p", "abstention_r"))
    precision, recall, *_ = run.judge("abstention_p >= 0.9", "abstention_r >= 0.5")
    assert (precision.status, recall.status) == (Status.INCONCLUSIVE, Status.FAILED)
    with pytest.raises(InputError, match="abstention_r"):
        evaluated(CASES[:2], {"found": ["right"], "nothing": []}, metrics=("abstention_r",)).judge(
            "abstention_r >= 0.5"
        )


@pytest.mark.parametrize("metric", ["abstention_p", "abstention_r"])
def test_abstention_is_of_a_suite_and_has_no_drop(metric: str) -> None:
    run = evaluated(CASES, ANSWERS, metrics=(metric,))
    with pytest.raises(InputError, match="a figure of the suite"):
        run.judge(f"drop({metric}) < 0.1")
    with pytest.raises(InputError, match="in a sum"):
        parse(f"rr + {metric}")


def test_the_mean_rating_is_of_judged_hits_and_judged_stands_beside_it() -> None:
    judged = graded({"a": 3, "b": 1, "c": 0, "d": -1})
    hits = ["c", "a", "x", "b", "d"]
    names = ("rating@1", "rating@2", "rating@3", "rating@4", "rating@5", "rating(max=3)@4")
    assert scored(judged, hits, *names) == pytest.approx([0, 1.5, 1.5, 4 / 3, 1, 4 / 3])
    assert scored(judged, [], "rating@3") == scored(judged, ["x"], "rating@3") == [0]
    assert scored(judged, ["a", "a"], "rating@2") == [1.5]  # a location that comes again gains nothing
    assert scored(graded({"a": 3}, exhaustive=True), ["a", "x"], "rating@2") == [1.5]
    assert scored(graded({"c": 0}), ["c"], "rating@2") == [None]
    scores = score(judged, run_of({"q": hits}), ["rating@3"])
    assert list(scores.columns) == ["rating@3", "judged@3"]
    assert scores["judged@3"] == pytest.approx(2 / 3)
    assert str(parse("rating@3").range) == "0 or more"
    assert str(parse("rating(max=3)@3").range) == "0 to 3"
    with pytest.raises(InputError, match="a grade of 3"):
        scored(judged, hits, "rating(max=2)@3")


SUITE = """\
{head}cases:
  - name: keys
    query: rotate a key
    id: keys
    never: {never}
"""


@pytest.mark.parametrize(
    ("head", "never", "code", "said"),
    [
        ("", "[old, older]", 0, ""),
        ("", "login", 1, "expected login never in the top 10, found at rank 2"),
        ("", "[old, {id: login}]", 1, "found at rank 2"),
        ("k: 1\n", "login", 0, ""),
        ("", "keys", 2, "keys under never, and as what is wanted"),
    ],
)
def test_what_must_not_appear_is_a_check_within_the_depth_asked(
    tmp_path: Path, head: str, never: str, code: int, said: str
) -> None:
    Project.of(tmp_path, SUITE.format(head=head, never=never), GOOD)
    with chdir(tmp_path):
        done = rankgate("test", "search.yaml")
    assert done.code == code, done.out + done.err
    assert said in done.out + done.err


def test_what_must_not_appear_is_a_location_where_there_is_a_corpus(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "new.md").write_text("# New\n\nrotate\n")
    (tmp_path / "docs" / "old.md").write_text("# Old\n\nrotate\n\n# Other\n\nelse\n")
    path = tmp_path / "search.yaml"
    path.write_text("corpus: docs\ncases:\n  - {query: rotate, at: new.md, never: 'old.md#Old'}\n")
    suite = load_suite(path)
    hits = [
        Hit(path="new.md"),
        Hit(path="old.md", lines=rg.Lines(6, 7)),
        Hit(path="old.md", lines=rg.Lines(1, 2)),
    ]
    assert rg.evaluate(suite, lambda _query: hits[:2]).exit_code == 0
    assert rg.evaluate(suite, lambda _query: hits).exit_code == 1


@pytest.mark.parametrize("name", ["again.yaml", "again.jsonl"])
def test_it_is_written_as_it_is_read(tmp_path: Path, name: str) -> None:
    text = "cases:\n  - {query: q, id: a, never: [b, {id: c}], top: {id: a, within: 3}}\n"
    path = tmp_path / "search.yaml"
    path.write_text(text)
    suite = load_suite(path)
    expected = (Top(Location.of_id("a"), 3), Top(Location.of_id("b"), 0), Top(Location.of_id("c"), 0))
    assert suite.cases[0].top == expected
    assert rankgate("suite", "convert", str(path), str(tmp_path / name)).code == 0
    assert load_suite(tmp_path / name).cases[0].top == expected


def test_an_answer_that_did_not_come_is_not_checked() -> None:
    case = Case("q", "q", ANY, top=(Top(Location.of_id("old"), 0),))
    (check,) = evaluated([case], {"q": Answer.ERROR}).checks.results
    assert (check.result.value, check.expected) == ("not run", "old never")


def test_how_queries_ended_is_read_from_every_shard() -> None:
    table = pl.DataFrame({"query": ["a", "b"], "status": ["timeout", "ok"], "hits": [0, 0]})
    shards = [Shard.of_rankings({"q": ["x"]}), Shard.of(table, Shard.of_rankings({}).hits)]
    targets = Judgments.of(id_targets(("q", "x", 1), ("a", "x", 1), ("b", "x", 1)))
    assert score(targets, MemoryRun("s", shards), ["zero"]).per_query("zero") == {"q": 0, "a": None, "b": 1}
