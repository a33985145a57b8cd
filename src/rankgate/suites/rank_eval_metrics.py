"""Metrics of the ranking evaluation API as expressions, and back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rankgate.suites.grades import spelt

if TYPE_CHECKING:
    from rankgate.suites.gathering import Gathering
    from rankgate.suites.json_values import Json

K = 10
"""How many hits the API looks at unless it is told."""
THRESHOLD = 1
"""From which rating on the API takes a document for relevant unless it is told."""

_BINARY = {"precision": "p", "recall": "r", "mean_reciprocal_rank": "rr"}
_BACK = {short: name for name, short in _BINARY.items()}
_EXPRESSION = re.compile(
    r"(?P<name>p|r|rr|dcg|ndcg|err)(?:\((?P<key>rel|gain|max)=(?P<value>[\w.]+)\))?(?:@(?P<k>\d{1,6}))?"
)


def read_metric(found: Json, gathering: Gathering) -> tuple[tuple[str, ...], float | None]:
    """Give the metrics as expressions, and the top of the scale where the metric declares it."""
    expressions = []
    scale: float | None = None
    for name, options in found.pairs():
        k = options.at("k").count("a number of hits") or K
        if name in _BINARY:
            threshold = options.at("relevant_rating_threshold").number()
            rel = spelt(THRESHOLD if threshold is None else threshold)
            expressions.append(f"{_BINARY[name]}(rel={rel})@{k}")
            if options.at("ignore_unlabeled").value in (True, "true"):
                gathering.note("ignore_unlabeled left out: a hit that nobody judged counts as not relevant")
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
            gathering.note(f"the metric {name!r:.60} left out, which rankgate does not know")
        if options.at("unknown_doc_rating"):
            gathering.note("unknown_doc_rating left out: a hit that nobody judged gains 0")
    return tuple(expressions), scale if scale and scale > 0 else None


def written_metric(expressions: tuple[str, ...], max_grade: float | None) -> tuple[dict[str, Any], list[str]]:
    """Give the first expression that the API has a metric for, and tell what it does otherwise.

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
