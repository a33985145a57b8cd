"""Request bodies of the ranking evaluation API."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import FormatError, InputError
from rankgate.model import Location
from rankgate.model.suite import Case, Suite, Target
from rankgate.scoring.expressions import parse_all
from rankgate.suites.foreign.rank_eval import write_rank_eval
from rankgate.suites.formats import load_suite
from support.formats import judged, read

if TYPE_CHECKING:
    from pathlib import Path

RATINGS = [{"_index": "shop", "_id": "a", "rating": 3}, {"_index": "shop", "_id": "b", "rating": 0}]


def body(request: object, metric: object = None, **more: Any) -> dict[str, Any]:
    entry = {"id": "q1", "request": request, "ratings": RATINGS, **more}
    return {"requests": [entry], **({} if metric is None else {"metric": metric})}


@pytest.mark.parametrize(
    "query",
    [
        {"match": {"title": "amsterdam"}},
        {"match": {"title": {"query": "amsterdam", "operator": "and"}}},
        {"multi_match": {"query": "amsterdam", "fields": ["a", "b"]}},
        {"bool": {"should": [{"match": {"a": "amsterdam"}}, {"match_phrase": {"b": "amsterdam"}}]}},
        {"function_score": {"query": {"query_string": {"query": "amsterdam", "default_field": "x"}}}},
    ],
)
def test_the_text_of_the_query_is_found_in_the_request(tmp_path: Path, query: object) -> None:
    suite = read(tmp_path / "a.json", body({"query": query}))
    assert judged(suite) == {"amsterdam": {"a": 3, "b": 0}}
    assert suite.cases[0].id == "q1"


def test_the_text_of_the_query_is_a_parameter_of_the_template(tmp_path: Path) -> None:
    written = body(None, template_id="t", params={"query_string": "berlin", "field": "text"})
    written["templates"] = [{"id": "t", "template": {"source": {}}}]
    suite = read(tmp_path / "a.json", written)
    assert list(judged(suite)) == ["berlin"]
    assert suite.notes == ("templates left out; how to ask stands in rankgate.toml",)


def test_a_query_that_is_not_found_once_is_refused_unless_the_reader_points_at_it(tmp_path: Path) -> None:
    both = {"query": {"bool": {"must": [{"match": {"a": "one"}}, {"match": {"b": "two"}}]}}}
    for request, found in ((both, "2 texts such as 'one'"), ({"query": {"match_all": {}}}, "no text")):
        with pytest.raises(
            FormatError, match=rf"requests\[0\]: found {found} in request 'q1'.*--option query="
        ):
            read(tmp_path / "a.json", body(request))
    suite = read(tmp_path / "a.json", body(both), query="request.query.bool.must[1].match.b")
    assert list(judged(suite)) == ["two"]
    with pytest.raises(FormatError, match="where --option query looks in request 'q1'"):
        read(tmp_path / "a.json", body(both), query="request.nothing")
    with pytest.raises(InputError, match="expected a JMESPath expression"):
        read(tmp_path / "a.json", body(both), query="a[")


@pytest.mark.parametrize(
    ("metric", "expression"),
    [
        ({"precision": {"k": 20, "relevant_rating_threshold": 2}}, "p(rel=2)@20"),
        ({"recall": {}}, "r(rel=1)@10"),
        ({"mean_reciprocal_rank": {"k": 5}}, "rr(rel=1)@5"),
        ({"dcg": {"k": 20, "normalize": False}}, "dcg(gain=exp)@20"),
        ({"dcg": {"normalize": True}}, "ndcg(gain=exp)@10"),
        ({"expected_reciprocal_rank": {"maximum_relevance": 3, "k": 20}}, "err(max=3)@20"),
    ],
)
def test_the_metric_becomes_an_expression_and_back(tmp_path: Path, metric: object, expression: str) -> None:
    suite = read(tmp_path / "a.json", body({"query": {"match": {"a": "x"}}}, metric))
    assert suite.metrics == (expression,)
    assert len(parse_all(suite.metrics)) == 1
    assert suite.max_grade == (3 if "err" in expression else None)
    (warning,) = write_rank_eval(suite, tmp_path / "b.json")
    assert warning.startswith("the index is written as 'a'")
    assert load_suite(tmp_path / "b.json").metrics == (expression,)
    assert load_suite(tmp_path / "b.json").cases == suite.cases


def test_indices_are_dropped_unless_only_they_differ(tmp_path: Path) -> None:
    written = body({"query": {"match": {"a": "x"}}})
    written["requests"][0]["ratings"] = [*RATINGS, {"_index": "books", "_id": "c", "rating": 1}]
    suite = read(tmp_path / "a.json", written)
    assert judged(suite) == {"x": {"a": 3, "b": 0, "c": 1}}
    assert suite.notes == ("the names of 2 indices left out of the ids",)
    written["requests"][0]["ratings"][2]["_id"] = "a"
    with pytest.raises(FormatError, match=r"found 'a' in shop and in books.*--option index=shop"):
        read(tmp_path / "a.json", written)
    assert judged(read(tmp_path / "a.json", written, index="books")) == {"x": {"a": 1}}


def test_what_a_request_cannot_hold_is_told(tmp_path: Path) -> None:
    cases = (
        Case("q", "rotate", (Target(Location.at("a.md:1-2"), 0.5),), category="exact"),
        Case("none", "none", expect_empty=True),
    )
    lost = write_rank_eval(Suite("My docs", cases, ("ndcg@10", "iou@5")), tmp_path / "a.json")
    assert lost == (
        "1 path written as opaque ids",
        "categories of 1 case left out",
        "1 case that expects no results left out",
        "the metrics iou@5: a request has one",
        "the linear gain of ndcg@10: the API gains 2^rating - 1",
        "1 ratings that are fractions, which the API does not take",
        "the index is written as 'my-docs' and the template searches all fields: put in your own",
    )
    (entry,) = json.loads((tmp_path / "a.json").read_text())["requests"]
    assert entry["params"] == {"query_string": "rotate"}
    assert entry["ratings"] == [{"_index": "my-docs", "_id": "a.md:1-2", "rating": 0.5}]
