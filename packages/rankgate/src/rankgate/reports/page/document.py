"""The page as one file: markup, style, script, and the data packed so that no text of it is ever markup.

The data is JSON, compressed.
The policy in the file lets the page run its own style and script, by their hashes, and reach nothing else.
Assets are a template, and the styles and scripts that a list names in their order.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from rankgate.errors import FormatError, Problem
from rankgate.files.encoder import encoded
from rankgate.reports.page.model import ReportPage
from rankgate.reports.page.plain.report import plain_rest, plain_verdict

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable

PART = 400
"""How many queries are in a part of the data that is read later."""
_LATER = ("targets", "hits", "reasons", "filters", "returned", "ask")
_LATER_BEFORE = ("hits", "first")
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
            raise FormatError(Problem(TEMPLATE, f"placeholders for {', '.join(wanted)}", ", ".join(parts)))
        return _PLACEHOLDER.sub(lambda found: parts[found[1]], self.template)


@cache
def own_assets() -> Assets:
    """Read the assets that rankgate brings."""
    return read_assets(files("rankgate.reports.page") / "assets")


def read_assets(folder: Traversable, shared: Traversable | None = None) -> Assets:
    """Read the assets of a folder; what its list names and it does not have is taken from a shared one.

    Raises:
        FormatError: for a style or a script that would end the element it stands in.
    """
    names = (folder / MANIFEST).read_text(encoding="utf-8").split()
    texts = {}
    for name in names:
        own = folder.joinpath(*name.split("/"))
        found = own if shared is None or own.is_file() else shared.joinpath(*name.split("/"))
        texts[name] = found.read_text(encoding="utf-8")
    for name, text in texts.items():
        if ends := _ENDS.search(text):
            fix = "write it in two parts"
            raise FormatError(Problem(name, ends[0], "what does not end the element", fix))
    style, script = (
        "\n".join(text.strip() for name, text in texts.items() if name.endswith(ending))
        for ending in (".css", ".js")
    )
    return Assets((folder / TEMPLATE).read_text(encoding="utf-8"), style, script)


_POLICY = (
    "default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def render(page: ReportPage, assets: Assets) -> str:
    """Write a page as one HTML file; equal pages are equal to the byte, on equal versions of zlib."""
    return laid_out(data_of(page), page_title(page), assets)


def page_title(page: ReportPage) -> str:
    """Name a page, as the browser's tab does."""
    system = f", {page.report.system}" if page.report.system else ""
    return f"{page.report.mark} {page.report.title}{system}"


def assemble(data: bytes, title: str, assets: Assets) -> str:
    """Write a page as one HTML file from its packed data."""
    return laid_out(json.loads(gzip.decompress(data)), title, assets)


def laid_out(data: dict[str, Any], title: str, assets: Assets) -> str:
    """Write a page as one HTML file.

    What stands among the markup is escaped; base64 has no character that markup has.
    """
    head, later = split(data)
    parts = {
        "title": html.escape(title),
        "policy": html.escape(page_policy(assets)),
        "style": own_line(assets.style),
        "verdict": plain_verdict(data),
        "plain": plain_rest(data),
        "data": base64.b64encode(packed(head)).decode(),
        "parts": "\n".join(base64.b64encode(packed(part)).decode() for part in later),
        "script": own_line(assets.script),
    }
    return assets.filled(parts)


def page_policy(assets: Assets) -> str:
    """Return the policy of a page: its own style and script by their hashes, and nothing else."""
    style, script = (text_digest(own_line(text)) for text in (assets.style, assets.script))
    return _POLICY.format(style=style, script=script)


def split(data: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Split the data of a page: what the first screen and the table need, and the rest in parts.

    A browser reads the first part at once and the others when somebody asks for them.
    """
    if "queries" not in data:
        return data, []
    firsts, laters = [], []
    for query in data["queries"]:
        before = query.get("before")
        later = {name: query[name] for name in _LATER if name in query}
        first = {name: value for name, value in query.items() if name not in _LATER}
        if before:
            later["before"] = {name: before[name] for name in _LATER_BEFORE if name in before}
            first["before"] = {name: value for name, value in before.items() if name not in _LATER_BEFORE}
        firsts.append(first | {"lost": _is_lost(query)})
        laters.append(later)
    texts = data.get("texts", [])
    size = max(1, -(-len(texts) // max(1, -(-len(laters) // PART))))
    parts = [
        {"queries": laters[at * PART : (at + 1) * PART], "texts": texts[at * size : (at + 1) * size]}
        for at in range(-(-len(laters) // PART))
    ]
    return {**data, "queries": firsts, "texts": [], "part": PART, "part_texts": size}, parts


def _is_lost(query: Mapping[str, Any]) -> bool:
    """Return whether something relevant was found before, and nothing is now."""
    relevant = [one for one in query.get("targets", ()) if not one["grade"] or _grade(one["grade"]) > 0]
    had = query.get("before") is not None and any(one.get("before") is not None for one in relevant)
    return had and all(one["rank"] is None for one in relevant)


def _grade(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def own_line(text: str) -> str:
    """Return a style or script as it stands in the element, which its hash is of."""
    return f"\n{text.strip()}\n"


def text_digest(text: str) -> str:
    """Return the hash of a text as a policy writes it."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def data_of(page: ReportPage) -> dict[str, Any]:
    """Return the data of a page as what `json` can write."""
    data: dict[str, Any] = encoded(page, type(page))
    return data


def packed(data: dict[str, Any], *, level: int = 6) -> bytes:
    """Pack the data of a page."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # Half of a surrogate pair is a string to Python and to nobody else.
    return gzip.compress(text.encode(errors="replace"), compresslevel=level, mtime=0)
