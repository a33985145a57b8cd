"""The page as one file: markup, style, script, and the data packed so that no text of it is ever markup.

The policy in the file lets the page run its own style and script, by their hashes, and reach nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import html
from typing import TYPE_CHECKING

from rankgate.reports.page.model import Index, Page
from rankgate.reports.page.pack import data_of, packed

if TYPE_CHECKING:
    from rankgate.reports.page.assets_folder import Assets

_POLICY = (
    "default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def render(page: Page | Index, assets: Assets) -> str:
    """Write a page as one HTML file; equal pages are equal to the byte, on equal versions of zlib."""
    return assemble(packed(data_of(page)), page_title(page), assets)


def page_title(page: Page | Index) -> str:
    """Name a page, as the browser's tab does."""
    if isinstance(page, Index):
        return f"rankgate: {page.title}" if page.title else "rankgate"
    system = f", {page.report.system}" if page.report.system else ""
    return f"{page.report.mark} {page.report.title}{system}"


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


def _own_line(text: str) -> str:
    return f"\n{text.strip()}\n"


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
