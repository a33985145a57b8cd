"""Request bodies of the ranking evaluation API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import FormatError, InputError
from rankgate.scoring.expressions import parse_all
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
    assert suite.notes == ("templates left out; the request of a system is in rankgate.toml",)


def test_a_query_that_is_not_found_once_is_refused_unless_the_reader_points_at_it(tmp_path: Path) -> None:
    both = {"query": {"bool": {"must": [{"match": {"a": "one"}}, {"match": {"b": "two"}}]}}}
    for request, found in ((both, "2 texts such as 'one'"), ({"query": {"match_all": {}}}, "no text")):
        with pytest.raises(
            FormatError, match=rf"requests\[0\]: {found} in place of the text.*--option query="
        ):
            read(tmp_path / "a.json", body(request))
    suite = read(tmp_path / "a.json", body(both), query="request.query.bool.must[1].match.b")
    assert list(judged(suite)) == ["two"]
    with pytest.raises(FormatError, match="--option query finds None, which is not a text"):
        read(tmp_path / "a.json", body(both), query="request.nothing")
    with pytest.raises(InputError, match="is not a JMESPath expression"):
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
def test_the_metric_becomes_an_expression(tmp_path: Path, metric: object, expression: str) -> None:
    suite = read(tmp_path / "a.json", body({"query": {"match": {"a": "x"}}}, metric))
    assert suite.metrics == (expression,)
    assert len(parse_all(suite.metrics)) == 1
    assert suite.max_grade == (3 if "err" in expression else None)


def test_ratings_of_several_indices_need_a_choice(tmp_path: Path) -> None:
    written = body({"query": {"match": {"a": "x"}}})
    written["requests"][0]["ratings"] = [*RATINGS, {"_index": "books", "_id": "c", "rating": 1}]
    with pytest.raises(FormatError, match=r"_index has several values.*--option only=_index=shop"):
        read(tmp_path / "a.json", written)
    assert judged(read(tmp_path / "a.json", written, only="_index=books")) == {"x": {"c": 1}}
