"""Writing request bodies of the ranking evaluation API."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rankgate.files.compressed import write_text
from rankgate.suites.cases import slug
from rankgate.suites.losses import losses, refuse_nothing
from rankgate.suites.rank_eval_metrics import written_metric

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.model.suite import Suite

TEMPLATE = "search"
"""What the template is called that stands in for the user's own."""

_KEPT = frozenset(
    {"ids", "lines", "headings", "symbols", "ids of cases", "grades", "irrelevant", "metrics", "scale"}
)


def write_rank_eval(suite: Suite, path: Path) -> tuple[str, ...]:
    """Write a request body whose queries go through one template, and tell what it cannot hold."""
    metric, warnings = written_metric(suite.metrics, suite.max_grade)
    index = slug(suite.name)
    refuse_nothing([case for case in suite.cases if case.targets], path, "a case with targets")
    fractions = 0
    requests = []
    for case in suite.cases:
        if not case.targets:
            continue
        fractions += sum(not float(target.grade).is_integer() for target in case.targets)
        requests.append(
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
        )
    source = {"query": {"multi_match": {"query": "{{query_string}}", "fields": ["*"]}}}
    body = {
        "templates": [{"id": TEMPLATE, "template": {"source": source}}],
        "requests": requests,
        "metric": metric,
    }
    write_text(path, [json.dumps(body, indent=2, ensure_ascii=False) + "\n"])
    if fractions:
        warnings.append(f"{fractions} ratings that are fractions, which the API does not take")
    warnings.append(
        f"the index is written as {index!r} and the template searches all fields: put in your own"
    )
    return (*losses(suite, _KEPT), *warnings)
