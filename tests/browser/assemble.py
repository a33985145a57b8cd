"""Put a page together as one file, the way it is written for people."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
from pathlib import Path
from typing import Any

from rankgate.reports.page.model import Page
from rankgate.reports.typed_json import encoded

ASSETS = Path(__file__).parents[2] / "src" / "rankgate" / "reports" / "page" / "assets"


def assembled(page: Page | dict[str, Any]) -> str:
    """Write a page, or data of another kind, as one HTML file."""
    names = (ASSETS / "manifest.txt").read_text(encoding="utf-8").split()
    texts = {name: (ASSETS / name).read_text(encoding="utf-8").strip() for name in names}
    style, script = (
        "\n".join(text for name, text in texts.items() if name.endswith(ending)) for ending in (".css", ".js")
    )
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)]
    policy = (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    data = page if isinstance(page, dict) else encoded(page, Page)
    packed = gzip.compress(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode(), mtime=0)
    title = "rankgate" if isinstance(page, dict) else page.report.title
    parts = {"policy": html.escape(policy), "title": html.escape(title), "style": style}
    parts |= {"data": base64.b64encode(packed).decode(), "script": script}
    text = (ASSETS / "page.html").read_text(encoding="utf-8")
    head, *rest = text.split("{{")
    return head + "".join(parts[piece.partition("}}")[0]] + piece.partition("}}")[2] for piece in rest)
