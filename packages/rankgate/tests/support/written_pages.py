"""Pages written to files, for a browser to open."""

from __future__ import annotations

import base64
import gzip
import json
import re
from typing import TYPE_CHECKING, Any

from rankgate.reports.page.document import own_assets, render

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.reports.page.model import ReportPage


def written(folder: Path, page: ReportPage, name: str = "report") -> Path:
    """Write a page to a file of its own."""
    path = folder / f"{name}.html"
    path.write_text(render(page, own_assets()), encoding="utf-8")
    return path


def page_data(text: str) -> Any:
    """Return the data of an HTML page, its parts joined."""
    found = re.findall(r'<script[^>]* id="(data|parts)">([^<]*)</script>', text)
    texts = {name: words.split() for name, words in found}
    assert set(texts) == {"data", "parts"}
    (head,), parts = ([_unpacked(one) for one in texts[name]] for name in ("data", "parts"))
    if "queries" not in head:
        return head
    later = [query for part in parts for query in part["queries"]]
    del head["part"], head["part_texts"]
    head["texts"] = [one for part in parts for one in part["texts"]]
    for query, rest in zip(head["queries"], later, strict=True):
        before = rest.pop("before", None)
        del query["lost"]
        query.update(rest)
        if before is not None:
            query["before"] |= before
    return head


def _unpacked(text: str) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(text, validate=True)))
