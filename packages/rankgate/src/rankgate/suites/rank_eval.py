"""Request bodies of the ranking evaluation API of Elasticsearch and OpenSearch, ``_rank_eval``.

The text of a query is ``params.query_string``, or the only text parameter, or the one text that the
full-text queries of the request have; where it is none or several, the option ``query`` is a JMESPath
expression that finds it in an entry of ``requests``, such as ``request.query.match.title.query``. Ratings
name an index and an id; those of several indices are an error, unless the option ``only`` chooses one.

The metric becomes an expression, its threshold ``rel=``: ``precision`` is ``p``, ``recall`` is ``r``,
``mean_reciprocal_rank`` is ``rr``, ``dcg`` is ``dcg(gain=exp)`` or, normalised, ``ndcg(gain=exp)``, since
the API gains 2^rating - 1, and ``expected_reciprocal_rank`` is ``err(max=…)``. The API divides precision by
the hits returned, rankgate by k.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, InputError
from rankgate.io.tables import field_names, number_of, wrong
from rankgate.suites.formats import ReadOptions, SuiteFormat
from rankgate.suites.mapped import Cases, FieldMap, Record, Records, field_map, suite_of
from rankgate.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from rankgate.model import Suite

TEXT_QUERIES = (
    *("combined_fields", "match", "match_bool_prefix", "match_phrase", "match_phrase_prefix", "multi_match"),
    *("query_string", "semantic", "simple_query_string", "text_expansion"),
)
"""The queries of the search API that have the words of a user."""
_TEXTS = ("query", "model_text", "query_text")
_BINARY = {"precision": "p", "recall": "r", "mean_reciprocal_rank": "rr"}
_TEXT = "text of the query"
_MAPPING = FieldMap(
    records=("requests",),
    query=(_TEXT,),
    name=("id",),
    each=("ratings",),
    id=("_id",),
    same=("_index",),
    grade=("rating",),
    ignore=(
        "request",
        "params",
        "template_id",
        "summary_fields",
        "templates",
        "metric",
        "max_concurrent_searches",
    ),
    without_targets="leave out",
    unlisted="unjudged",
)


def read_rank_eval(path: Path, reading: ReadOptions) -> Suite:
    """Read a request body.

    Raises:
        InputError: for an option that is invalid.
        FormatError: with all that is wrong with the file.
    """
    finder = _finder(reading.options.get("query"))
    only = {key: value for key, value in reading.options.items() if key == "only"}
    mapping = field_map(only, "format rank_eval", _MAPPING)
    cases = Cases(path, reading.grades)
    source = Records(path, mapping, cases.problems)
    records = source.read()
    for found in records:
        found.holders[0][_TEXT] = _query(found, finder, cases)
    cases.problems.check()
    body = source.roots[0] if source.roots and isinstance(source.roots[0], dict) else {}
    if body.get("templates"):
        cases.note("templates left out; the request of a system is in rankgate.toml")
    metrics, scale = read_metric(body.get("metric"), cases)
    about: dict[str, Any] = {"max_grade": scale, **({"metrics": metrics} if metrics else {})}
    plain = ReadOptions(reading.grades, reading.corpus)
    return suite_of(records, mapping, cases, plain, **about)


def _query(found: Record, finder: Callable[[object], object] | None, cases: Cases) -> str | None:
    """Return the text of a query; None, reported, if there is none or several."""
    request = found.holders[0]
    if finder is not None:
        text = finder(request)
        if isinstance(text, str) and text.strip():
            return text
        found.wrong(f"--option query finds {text!r:.60}, which is not a text")
        return None
    params = request.get("params")
    given = (
        {key: value for key, value in params.items() if isinstance(value, str)}
        if isinstance(params, dict)
        else {}
    )
    if "query_string" in given:
        given = {"query_string": given["query_string"]}
    texts = list(dict.fromkeys(given.values())) or list(dict.fromkeys(_words(request.get("request"))))
    if len(texts) == 1 and texts[0].strip():
        if given and not {"query", "query_string", "q"} & set(given):
            cases.note(f"queries taken from params.{next(iter(given))[:60]} ({{}})")
        return texts[0]
    seen = f"{len(texts)} texts such as {quoted(texts[0], 40)}" if texts else "no text"
    said = f"{seen} in place of the text of a query"
    found.wrong(said, "name it: --option query=JMESPath, such as params.user_query")
    return None


def _words(request: object) -> Iterator[str]:
    """Yield the words of the full-text queries of a request: their own, or those for a field."""
    waiting = [request]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += reversed(value)
        for key, inner in reversed(value.items()) if isinstance(value, dict) else ():
            if key not in TEXT_QUERIES or not isinstance(inner, dict):
                waiting.append(inner)
            elif own := [inner[name] for name in _TEXTS if isinstance(inner.get(name), str)]:
                yield own[0]
            else:
                for one in inner.values():
                    named = [one.get(name) for name in _TEXTS] if isinstance(one, dict) else [one]
                    yield from (text for text in named if isinstance(text, str))


def _finder(expression: str | None) -> Callable[[object], object] | None:
    if expression is None:
        return None
    import jmespath
    from jmespath.exceptions import JMESPathError

    try:
        compiled = jmespath.compile(expression)
    except (JMESPathError, RecursionError, ValueError) as error:
        said = f"option query: {quoted(expression)} is not a JMESPath expression: {error}"
        raise InputError(Code.WRONG_PATTERN("option query", said, "", "", said)) from error

    def find(value: object) -> object:
        try:
            found: object = compiled.search(value)
        except (JMESPathError, RecursionError, ValueError):
            return None
        return found

    return find


def read_metric(metric: object, cases: Cases) -> tuple[tuple[str, ...], float | None]:
    """Return the metrics as expressions, and the top of the scale if the metric declares it."""
    expressions = []
    scale: float | None = None
    for name, options in metric.items() if isinstance(metric, dict) else ():
        given = options if isinstance(options, dict) else {}
        k = number_of(given.get("k", 10))
        if k is None or k < 1 or k % 1:
            cases.problems.add(wrong(f"{cases.path}: metric.{name}.k", "not a number of hits"))
            continue
        if name in _BINARY:
            rel = number_of(given.get("relevant_rating_threshold", 1))
            expressions.append(f"{_BINARY[name]}(rel={1 if rel is None else rel:g})@{k:.0f}")
            if given.get("ignore_unlabeled") in (True, "true"):
                cases.note("ignore_unlabeled left out: a hit that nobody judged counts as not relevant")
        elif name == "dcg":
            normal = given.get("normalize") in (True, "true")
            expressions.append(f"{'ndcg' if normal else 'dcg'}(gain=exp)@{k:.0f}")
        elif name == "expected_reciprocal_rank":
            scale = number_of(given.get("maximum_relevance"))
            if scale is None or scale <= 0:
                said = "maximum_relevance is not the highest rating, a number above 0"
                cases.problems.add(wrong(f"{cases.path}: metric.{name}", said))
            else:
                expressions.append(f"err(max={scale:g})@{k:.0f}")
        else:
            cases.note(f"the metric {name!r:.60} left out, which rankgate does not have")
        if given.get("unknown_doc_rating"):
            cases.note("unknown_doc_rating left out: a hit that nobody judged gains 0")
    return tuple(expressions), scale


FORMAT = SuiteFormat(
    "rank_eval",
    "request bodies of _rank_eval, of Elasticsearch and OpenSearch",
    read_rank_eval,
    lambda path, start: {"requests", "ratings"} <= field_names(path, start),
    options={
        "query": "JMESPath to the text of the query in an entry of requests",
        "only": "the ratings that count, such as _index=shop",
    },
)
