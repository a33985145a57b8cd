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

from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem
from rankgate.suites.format import Format
from rankgate.suites.gathering import Gathering
from rankgate.suites.json_values import Json, read_json
from rankgate.suites.quoting import quoted
from rankgate.suites.rank_eval_metrics import read_metric
from rankgate.suites.rank_eval_writing import write_rank_eval
from rankgate.suites.shapes import EACH, shape_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from rankgate.model.suite import Suite
    from rankgate.suites.format import Reading
    from rankgate.suites.gathering import Draft

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


def read_rank_eval(path: Path, reading: Reading) -> Suite:
    """Read a request body.

    Raises:
        FormatError: with all that is wrong with the file.
    """
    gathering = Gathering(path, reading)
    whole = read_json(path, gathering.problems)
    if whole.is_object("an object with requests") and not whole.at("requests"):
        whole.wrong("requests", found="an object without requests")
    finder = _finder(reading)
    indices: dict[tuple[str, str], str] = {}
    for found in whole.at("requests").items("a list of requests"):
        if not found.is_object("a request"):
            continue
        gathering.left_out(found, _REQUEST)
        name = found.at("id").text("an id")
        query = _query(found, finder, name, gathering)
        if query is not None and name is not None:
            draft = gathering.case(query, found.where, id=name)
            for rating in found.at("ratings").items("a list of ratings"):
                _rating(gathering, draft, rating, indices)
    for key in ("templates", "max_concurrent_searches"):
        if whole.at(key):
            gathering.note(f"{key} left out; how to ask stands in rankgate.toml")
    if len(set(indices.values())) > 1:
        gathering.note(f"the names of {len(set(indices.values()))} indices left out of the ids")
    metrics, scale = read_metric(whole.at("metric"), gathering)
    return gathering.suite(max_grade=scale, **({"metrics": metrics} if metrics else {}))


def _rating(gathering: Gathering, draft: Draft, found: Json, indices: dict[tuple[str, str], str]) -> None:
    if not found.is_object("a rating"):
        return
    name = found.at("_id").text("the id of a document")
    index = found.at("_index").text("an index", required=False) or ""
    wanted = gathering.reading.options.get("index", index)
    if index != wanted:
        gathering.note("{} rating{s} of other indices left out")
        return
    if not found.at("rating"):
        found.wrong("a rating", found="a document without a rating")
        return
    grade = gathering.grades.grade(found.at("rating").value)
    if name is None:
        return
    before = indices.setdefault((str(draft.id), name), index)
    if before != index:
        fix = f"read one index: --option index={before}"
        found.wrong(
            "ids that differ without their index", fix, found=f"{quoted(name, 60)} in {before} and in {index}"
        )
        return
    gathering.target(draft, gathering.id(name, found.where), grade, found.where)


def _query(
    found: Json, finder: Callable[[object], object] | None, name: str | None, gathering: Gathering
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
            gathering.note(f"queries taken from params.{next(iter(given))[:60]} ({{}})")
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


def _finder(reading: Reading) -> Callable[[object], object] | None:
    expression = reading.options.get("query")
    if expression is None:
        return None
    import jmespath
    from jmespath.exceptions import JMESPathError

    try:
        compiled = jmespath.compile(expression)
    except (JMESPathError, RecursionError, ValueError) as error:
        found = f"{quoted(expression)} ({error})"
        raise InputError(Problem("option query", found, "a JMESPath expression")) from error

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


FORMAT = Format(
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
