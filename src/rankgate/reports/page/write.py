"""The page as one file: markup, style, script, and the data packed so that no text of it is ever markup.

The policy in the file lets the page run its own style and script, by their hashes, and reach nothing else.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
from typing import TYPE_CHECKING

from rankgate.errors import FormatError, Problem
from rankgate.files.compressed import read_bytes
from rankgate.files.problems import Problems
from rankgate.reports.page.model import SCHEMA, Index, Page
from rankgate.reports.typed_json import Decoder, encoded

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.reports.page.assets_folder import Assets

LIMIT = 1 << 28
"""How many bytes of data a page may unpack to: 256 MiB."""
_POLICY = (
    "default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def render(page: Page | Index, assets: Assets) -> str:
    """Write a page as one HTML file; equal pages are equal to the byte, on equal versions of zlib."""
    return assemble(packed(page), page_title(page), assets)


def page_title(page: Page | Index) -> str:
    """Name a page, as the browser's tab does."""
    if isinstance(page, Index):
        return f"rankgate: {page.title}" if page.title else "rankgate"
    system = f", {page.report.system}" if page.report.system else ""
    return f"{page.report.mark} {page.report.title}{system}"


def packed(page: Page | Index) -> bytes:
    """Pack the data of a page: JSON, compressed."""
    text = json.dumps(encoded(page, type(page)), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # Half of a surrogate pair is a string to Python and to nobody else.
    return gzip.compress(text.encode(errors="replace"), compresslevel=6, mtime=0)


def assemble(data: bytes, title: str, assets: Assets) -> str:
    """Put packed data and assets into one file.

    The title is the only text among the markup, and escaped; base64 has no character that markup has.
    """
    style, script = (_own_line(text) for text in (assets.style, assets.script))
    policy = _POLICY.format(style=_digest(style), script=_digest(script))
    parts = {
        "title": html.escape(title),
        "policy": html.escape(policy),
        "style": style,
        "data": base64.b64encode(data).decode(),
        "script": script,
    }
    return assets.filled(parts)


def read_page(path: Path) -> Page:
    """Read the packed data of a page.

    Raises:
        InputError: for a file that cannot be read.
        FormatError: with all that is wrong with it.
    """
    return unpacked(read_bytes(path, limit=LIMIT), str(path))


def unpacked(data: bytes, where: str) -> Page:
    """Read the data of a page, which may be packed no longer.

    Raises:
        FormatError: with all that is wrong with it.
    """
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise FormatError(Problem(where, f"what is not JSON ({error})", "the data of a page")) from error
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        fix = "look at it with the rankgate that wrote it"
        seen = repr(found.get("schema"))[:60] if isinstance(found, dict) else "something else"
        raise FormatError(Problem(f"{where}: schema", seen, str(SCHEMA), fix))
    problems = Problems(where)
    page: Page | None = Decoder(where, problems).fields(found, Page, "")
    problems.check()
    if page is None:
        raise FormatError(Problem(where, "something else", "the data of a page"))
    return page


def _own_line(text: str) -> str:
    return f"\n{text.strip()}\n"


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
