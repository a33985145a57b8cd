"""Request bodies of the ranking evaluation API of Elasticsearch and OpenSearch, ``_rank_eval``.

The text of a query is ``params.query_string``, or the only text parameter, or the one text that the
full-text queries of the request hold; where it is none or several, the option ``query`` is a JMESPath
expression that finds it in an entry of ``requests``, such as ``request.query.match.title.query``. Ratings
name an index and an id; the index is dropped unless two documents differ in it alone, and then the option
``index`` says which to read.

The metric becomes an expression, its threshold ``rel=``: ``precision`` is ``p``, ``recall`` is ``r``,
``mean_reciprocal_rank`` is ``rr``, ``dcg`` is ``dcg(gain=exp)`` or, normalised, ``ndcg(gain=exp)``, since
the API gains 2^rating - 1, and ``expected_reciprocal_rank`` is ``err(max=…)``. The API divides precision by
the hits returned, rankgate by k.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, InputError
from rankgate.files.tree.json_records import EACH, Json, shape_of, write_json
from rankgate.model.wording import quoted
from rankgate.suites.foreign.case_collector import CaseCollector, collected
from rankgate.suites.foreign.grades import spelt
from rankgate.suites.foreign.losses import losses, refuse_nothing
from rankgate.suites.formats import SuiteFormat
from rankgate.suites.native.cases import slug

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from rankgate.model.suite import Suite
    from rankgate.suites.foreign.case_collector import Draft
    from rankgate.suites.formats import ReadOptions


TEXT_QUERIES = frozenset(
    {
        "combined_fields",
        "match",
        "match_bool_prefix",
        "match_phrase",
        "match_phrase_prefix",
        "multi_match",
        "query_string",
        "semantic",
        "simple_query_string",
        "text_expansion",
    }
)
"""The queries of the search API that hold the words of a user."""

_REQUEST = frozenset({"id", "request", "ratings", "params", "template_id", "summary_fields"})
_TEXTS = ("query", "model_text", "query_text")
_PLAIN_NAMES = frozenset({"query", "query_string", "q"})


@collected
def read_rank_eval(cases: CaseCollector) -> dict[str, Any]:
    """Read a request body."""
    whole = cases.whole("requests")
    finder = _finder(cases.reading)
    indices: dict[tuple[str, str], str] = {}
    for found in whole.at("requests").items("a list of requests"):
        if not found.is_object("a request"):
            continue
        cases.left_out(found, _REQUEST)
        name = found.at("id").text("an id")
        query = _query(found, finder, name, cases)
        if query is not None and name is not None:
            draft = cases.case(query, found.where, id=name)
            for rating in found.at("ratings").items("a list of ratings"):
                _rating(cases, draft, rating, indices)
    for key in ("templates", "max_concurrent_searches"):
        if whole.at(key):
            cases.note(f"{key} left out; how to ask stands in rankgate.toml")
    if len(set(indices.values())) > 1:
        cases.note(f"the names of {len(set(indices.values()))} indices left out of the ids")
    metrics, scale = read_metric(whole.at("metric"), cases)
    return {"max_grade": scale, "unlisted": "unjudged", **({"metrics": metrics} if metrics else {})}


def _rating(cases: CaseCollector, draft: Draft, found: Json, indices: dict[tuple[str, str], str]) -> None:
    if not found.is_object("a rating"):
        return
    name = found.at("_id").text("the id of a document")
    index = found.at("_index").text("an index", required=False) or ""
    wanted = cases.reading.options.get("index", index)
    if index != wanted:
        cases.note("{} rating{s} of other indices left out")
        return
    if not found.at("rating"):
        found.wrong("a rating", found="a document without a rating")
        return
    grade = cases.grades.grade(found.at("rating").value)
    if name is None:
        return
    before = indices.setdefault((str(draft.id), name), index)
    if before != index:
        fix = f"read one index: --option index={before}"
        found.wrong(
            "ids that differ without their index", fix, found=f"{quoted(name, 60)} in {before} and in {index}"
        )
        return
    cases.target(draft, cases.id(name, found.where), grade, found.where)


def _query(
    found: Json, finder: Callable[[object], object] | None, name: str | None, cases: CaseCollector
) -> str | None:
    if finder is not None:
        text = finder(found.value)
        if isinstance(text, str) and text.strip():
            return text
        found.wrong("text", found=f"{_shown(text)} where --option query looks in request {_shown(name)}")
        return None
    given = _parameters(found.at("params"))
    if "query_string" in given:
        given = {"query_string": given["query_string"]}
    texts = list(dict.fromkeys(given.values())) or list(dict.fromkeys(_words(found.at("request").value)))
    if len(texts) == 1 and texts[0].strip():
        if given and not _PLAIN_NAMES & set(given):
            cases.note(f"queries taken from params.{next(iter(given))[:60]} ({{}})")
        return texts[0]
    seen = f"{len(texts)} texts such as {quoted(texts[0], 40)}" if texts else "no text"
    fix = "say where it stands: --option query=JMESPath, such as params.user_query"
    found.wrong("one text of a query", fix, found=f"{seen} in request {_shown(name)}")
    return None


def _parameters(params: Json) -> dict[str, str]:
    return {key: value.value for key, value in params.pairs() if isinstance(value.value, str)}


def _shown(value: object) -> str:
    return quoted(value, 60) if isinstance(value, str) else f"{value!r:.60}"


def _words(request: object) -> Iterator[str]:
    """Go through the words that the full-text queries of a request look for, however deep they stand."""
    waiting = [request]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += reversed(value)
        elif isinstance(value, dict):
            for key, inner in reversed(value.items()):
                if key in TEXT_QUERIES and isinstance(inner, dict):
                    yield from _of_query(inner)
                elif isinstance(inner, (dict, list)):
                    waiting.append(inner)


def _of_query(query: dict[str, object]) -> Iterator[str]:
    """Take the words of one full-text query: its own, or those for a field."""
    own = [query[key] for key in _TEXTS if isinstance(query.get(key), str)]
    if own:
        yield str(own[0])
        return
    for inner in query.values():
        if isinstance(inner, str):
            yield inner
        elif isinstance(inner, dict):
            yield from (str(inner[key]) for key in _TEXTS if isinstance(inner.get(key), str))


def _finder(reading: ReadOptions) -> Callable[[object], object] | None:
    expression = reading.options.get("query")
    if expression is None:
        return None
    import jmespath
    from jmespath.exceptions import JMESPathError

    try:
        compiled = jmespath.compile(expression)
    except (JMESPathError, RecursionError, ValueError) as error:
        found = f"{quoted(expression)} ({error})"
        raise InputError(Code.WRONG_PATTERN("option query", found, "a JMESPath expression")) from error

    def find(value: object) -> object:
        try:
            found: object = compiled.search(value)
        except (JMESPathError, RecursionError, ValueError):
            return None
        return found

    return find


def _recognise(_path: Path, start: bytes) -> bool:
    shape = shape_of(start)
    keys = shape.keys("requests", EACH)
    return shape.kind("requests") == "list" and bool({"ratings", "request", "template_id"} & keys)


K = 10
"""How many hits the API looks at unless it is told."""
THRESHOLD = 1
"""From which rating on the API takes a document for relevant unless it is told."""

_BINARY = {"precision": "p", "recall": "r", "mean_reciprocal_rank": "rr"}
_BACK = {short: name for name, short in _BINARY.items()}
_EXPRESSION = re.compile(
    r"(?P<name>p|r|rr|dcg|ndcg|err)(?:\((?P<key>rel|gain|max)=(?P<value>[\w.]+)\))?(?:@(?P<k>\d{1,6}))?"
)


def read_metric(found: Json, cases: CaseCollector) -> tuple[tuple[str, ...], float | None]:
    """Return the metrics as expressions, and the top of the scale where the metric declares it."""
    expressions = []
    scale: float | None = None
    for name, options in found.pairs():
        k = options.at("k").count("a number of hits") or K
        if name in _BINARY:
            threshold = options.at("relevant_rating_threshold").number()
            rel = spelt(THRESHOLD if threshold is None else threshold)
            expressions.append(f"{_BINARY[name]}(rel={rel})@{k}")
            if options.at("ignore_unlabeled").value in (True, "true"):
                cases.note("ignore_unlabeled left out: a hit that nobody judged counts as not relevant")
        elif name == "dcg":
            normal = options.at("normalize").value in (True, "true")
            expressions.append(f"{'ndcg' if normal else 'dcg'}(gain=exp)@{k}")
        elif name == "expected_reciprocal_rank":
            scale = options.at("maximum_relevance").number()
            if scale is None or scale <= 0:
                options.at("maximum_relevance").wrong("the highest rating, above 0")
            else:
                expressions.append(f"err(max={spelt(scale)})@{k}")
        else:
            cases.note(f"the metric {name!r:.60} left out, which rankgate does not know")
        if options.at("unknown_doc_rating"):
            cases.note("unknown_doc_rating left out: a hit that nobody judged gains 0")
    return tuple(expressions), scale if scale and scale > 0 else None


def written_metric(expressions: tuple[str, ...], max_grade: float | None) -> tuple[dict[str, Any], list[str]]:
    """Return the first expression that the API has a metric for, and tell what it does otherwise.

    >>> written_metric(("rr(rel=2)@5",), None)
    ({'mean_reciprocal_rank': {'k': 5, 'relevant_rating_threshold': 2}}, [])
    """
    known = [(text, found) for text in expressions if (found := _EXPRESSION.fullmatch(text))]
    others = [text for text in expressions if text not in {text for text, _ in known[:1]}]
    warnings = [f"the metrics {', '.join(others)}: a request has one"] if others else []
    if not known:
        return {"dcg": {"k": K, "normalize": True}}, warnings
    text, found = known[0]
    k, value = int(found["k"] or K), found["value"]
    if found["name"] in _BACK:
        rel = float(value) if found["key"] == "rel" and _number(value) else THRESHOLD
        whole = max(1, int(rel) if rel == int(rel) else int(rel) + 1)
        return {_BACK[found["name"]]: {"k": k, "relevant_rating_threshold": whole}}, warnings
    if found["name"] == "err":
        top = float(value) if found["key"] == "max" and _number(value) else max_grade
        if top is not None:
            return {"expected_reciprocal_rank": {"k": k, "maximum_relevance": int(top)}}, warnings
    elif value != "exp":
        warnings.append(f"the linear gain of {text}: the API gains 2^rating - 1")
    return {"dcg": {"k": k, "normalize": found["name"] != "dcg"}}, warnings


def _number(text: str | None) -> bool:
    return text is not None and re.fullmatch(r"\d+(\.\d+)?", text) is not None


TEMPLATE = "search"
"""What the template is called that stands in for the user's own."""

_KEPT = frozenset(
    {
        "ids",
        "lines",
        "headings",
        "symbols",
        "ids of cases",
        "grades",
        "irrelevant",
        "metrics",
        "scale",
        "unlisted",
    }
)


def write_rank_eval(suite: Suite, path: Path) -> tuple[str, ...]:
    """Write a request body whose queries go through one template, and tell what it cannot hold."""
    metric, warnings = written_metric(suite.metrics, suite.max_grade)
    index = slug(suite.name)
    written = [case for case in suite.cases if case.targets]
    refuse_nothing(written, path, "a case with targets")
    requests = [
        {
            "id": case.id,
            "template_id": TEMPLATE,
            "params": {"query_string": case.query},
            "ratings": [
                {
                    "_index": index,
                    "_id": str(target.location),
                    "rating": int(target.grade) if float(target.grade).is_integer() else target.grade,
                }
                for target in case.targets
            ],
        }
        for case in written
    ]
    source = {"query": {"multi_match": {"query": "{{query_string}}", "fields": ["*"]}}}
    body = {
        "templates": [{"id": TEMPLATE, "template": {"source": source}}],
        "requests": requests,
        "metric": metric,
    }
    write_json(path, body)
    grades = [float(target.grade) for case in written for target in case.targets]
    if fractions := sum(not grade.is_integer() for grade in grades):
        warnings.append(f"{fractions} ratings that are fractions, which the API does not take")
    warnings.append(
        f"the index is written as {index!r} and the template searches all fields: put in your own"
    )
    return (*losses(suite, _KEPT), *warnings)


FORMAT = SuiteFormat(
    "rank_eval",
    "request bodies of _rank_eval, of Elasticsearch and OpenSearch",
    read_rank_eval,
    _recognise,
    write_rank_eval,
    {
        "query": "JMESPath to the text of the query in an entry of requests",
        "index": "read only the ratings of this index",
    },
)
