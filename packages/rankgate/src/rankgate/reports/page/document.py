"""The page as one file: markup, style, script, and the data packed so that no text of it is ever markup.

The policy in the file lets the page run its own style and script, by their hashes, and reach nothing else.
Assets are a template, and the styles and scripts that a list names in their order.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from rankgate.errors import FormatError, Problem
from rankgate.reports.page.model import PageIndex, ReportPage
from rankgate.reports.page.pack import data_of, packed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable

MANIFEST, TEMPLATE = "manifest.txt", "page.html"
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_ENDS = re.compile(r"</(?:style|script)|<!--", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Assets:
    """What every page is made of."""

    template: str
    """The markup, with ``{{name}}`` where something is put in."""
    style: str
    """All styles."""
    script: str
    """All scripts."""

    def filled(self, parts: Mapping[str, str]) -> str:
        """Fill the template; what is put in is not looked at again.

        Raises:
            FormatError: where the template wants what there is not, or not all of it once.
        """
        wanted = _PLACEHOLDER.findall(self.template)
        if sorted(wanted) != sorted(parts):
            raise FormatError(Problem(TEMPLATE, f"holes for {', '.join(wanted)}", ", ".join(parts)))
        return _PLACEHOLDER.sub(lambda found: parts[found[1]], self.template)


@cache
def own_assets() -> Assets:
    """Read the assets that rankgate brings."""
    return read_assets(files("rankgate.reports.page") / "assets")


def read_assets(folder: Traversable) -> Assets:
    """Read the assets of a folder.

    Raises:
        FormatError: for a style or a script that would end the element it stands in.
    """
    names = (folder / MANIFEST).read_text(encoding="utf-8").split()
    texts = {name: folder.joinpath(*name.split("/")).read_text(encoding="utf-8") for name in names}
    for name, text in texts.items():
        if found := _ENDS.search(text):
            fix = "write it in two parts"
            raise FormatError(Problem(name, found[0], "what does not end the element", fix))
    style, script = (
        "\n".join(text.strip() for name, text in texts.items() if name.endswith(ending))
        for ending in (".css", ".js")
    )
    return Assets((folder / TEMPLATE).read_text(encoding="utf-8"), style, script)


_POLICY = (
    "default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def render(page: ReportPage | PageIndex, assets: Assets) -> str:
    """Write a page as one HTML file; equal pages are equal to the byte, on equal versions of zlib."""
    return assemble(packed(data_of(page)), page_title(page), assets)


def page_title(page: ReportPage | PageIndex) -> str:
    """Name a page, as the browser's tab does."""
    if isinstance(page, PageIndex):
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
