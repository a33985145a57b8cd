"""The data of a page, packed: JSON, compressed, and read again with distrust."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

from rankgate.errors import FormatError, Problem
from rankgate.files.compressed import read_bytes
from rankgate.files.encoder import encoded
from rankgate.files.problems import Problems
from rankgate.reports.evaluation.json_report import SCHEMA, of_today
from rankgate.reports.page.model import PageIndex, ReportPage
from rankgate.reports.text.printable import ReportDecoder

if TYPE_CHECKING:
    from pathlib import Path

LIMIT = 1 << 28
"""How many bytes of data a page may unpack to: 256 MiB."""
COMPACT = 2_000_000
"""How many bytes a page may have that is kept whole."""
_WITHOUT = "the texts of hits are not kept: the latest report has them"


def data_of(page: ReportPage | PageIndex) -> dict[str, Any]:
    """Return the data of a page as what `json` can write."""
    data: dict[str, Any] = encoded(page, type(page))
    return data


def packed(data: dict[str, Any], *, level: int = 6) -> bytes:
    """Pack the data of a page."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # Half of a surrogate pair is a string to Python and to nobody else.
    return gzip.compress(text.encode(errors="replace"), compresslevel=level, mtime=0)


def compacted(data: dict[str, Any], whole: bytes) -> bytes:
    """Pack what is worth keeping of a page for later: all of it, or the rankings without their texts."""
    if len(whole) <= COMPACT:
        return whole
    queries = [
        {**query, "hits": [{**hit, "text": None} for hit in query["hits"]]} for query in data["queries"]
    ]
    return packed({**data, "queries": queries, "texts": [], "notes": [*data["notes"], _WITHOUT]})


def checked(path: Path) -> bytes:
    """Return the packed data of a page, once it is known to be some, as today's page reads it.

    Raises:
        InputError: for a file that cannot be read.
        FormatError: for what is no page.
    """
    return packed(_object(read_bytes(path, limit=LIMIT), str(path)), level=1)


def read_page(path: Path) -> ReportPage:
    """Read the packed data of a page.

    Raises:
        InputError: for a file that cannot be read.
        FormatError: with all that is wrong with it.
    """
    return unpacked(read_bytes(path, limit=LIMIT), str(path))


def unpacked(data: bytes, where: str) -> ReportPage:
    """Read the data of a page, which may be packed no longer.

    Raises:
        FormatError: with all that is wrong with it.
    """
    problems = Problems(where)
    page: ReportPage | None = ReportDecoder(where, problems).read(_object(data, where), ReportPage)
    problems.check()
    if page is None:
        raise FormatError(Problem(where, "something else", "the data of a page"))
    return page


def _object(data: bytes, where: str) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise FormatError(Problem(where, f"what is not JSON ({error})", "the data of a page")) from error
    if isinstance(found, dict):
        found = of_today(found)
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        fix = "look at it with the rankgate that wrote it"
        seen = repr(found.get("schema"))[:60] if isinstance(found, dict) else "something else"
        raise FormatError(Problem(f"{where}: schema", seen, str(SCHEMA), fix))
    return found
