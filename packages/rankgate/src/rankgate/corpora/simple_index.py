"""The pages of a package index: HTML (PEP 503) or JSON (PEP 691), each a list of files with their hashes."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from rankgate.corpora.fetching import shown_url
from rankgate.errors import FormatError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.corpora.fetching import FetchedPage

_SHA256 = re.compile(r"sha256=([0-9a-fA-F]{64})\b")
_MOST = 200_000


@dataclass(frozen=True, slots=True)
class Link:
    """One file that a page names."""

    file: str
    """Its name."""
    url: str
    """Where it is."""
    sha256: str | None
    """Its hash, where the page says it."""


def links_of(page: FetchedPage) -> list[Link]:
    """List the files that a page of an index names.

    Raises:
        FormatError: for a page that is neither HTML nor JSON.
    """
    if page.kind.endswith("json"):
        return _json_links(page)
    if "html" not in page.kind and page.data.lstrip()[:1] != b"<":
        found = f"a page of type {page.kind[:80]!r}"
        raise FormatError(Problem(shown_url(page.url), found, "an index in HTML or JSON"))
    reader = _Anchors(page.url)
    reader.feed(page.data.decode(errors="replace"))
    reader.close()
    return reader.links


def _json_links(page: FetchedPage) -> list[Link]:
    try:
        found = json.loads(page.data)
        files = [file for file in found["files"] if isinstance(file, dict)][:_MOST]
    except (ValueError, RecursionError, LookupError, TypeError) as error:
        raise FormatError(Problem(shown_url(page.url), "JSON that lists no files", "an index")) from error
    return [link for file in files if (link := _json_link(page, file)) is not None]


def _json_link(page: FetchedPage, file: Mapping[str, Any]) -> Link | None:
    name, url, hashes = file.get("filename"), file.get("url"), file.get("hashes")
    if not isinstance(name, str) or not isinstance(url, str):
        return None
    sha256 = hashes.get("sha256") if isinstance(hashes, dict) else None
    said = isinstance(sha256, str) and _SHA256.fullmatch(f"sha256={sha256}")
    try:
        return Link(name, urljoin(page.url, url), str(sha256).lower() if said else None)
    except ValueError:
        return None


class _Anchors(HTMLParser):
    def __init__(self, url: str) -> None:
        super().__init__(convert_charrefs=True)
        self._base = url
        self.links: list[Link] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        href = dict(attrs).get("href")
        if href is None or len(self.links) >= _MOST:
            return
        try:
            if tag == "base":
                self._base = urljoin(self._base, href)
            elif tag == "a":
                url, fragment = urldefrag(urljoin(self._base, href.strip()))
                file = unquote(urlsplit(url).path.rpartition("/")[2])
                sha256 = _SHA256.search(fragment)
                self.links.append(Link(file, url, sha256[1].lower() if sha256 else None))
        except ValueError:
            # One address that cannot be read does not hide the others.
            return
