"""The sections of an HTML page, and every id it has, by the parser of the standard library.

Where a page says what its main content is, only headings in it make sections: navigation, headers and footers
are on every page of a site.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from html.parser import HTMLParser

from rankgate.outline.nodes import Heading, OutlineNode, document, sections

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_VOID = re.compile("area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr")
_SILENT = ("script", "style", "template", "noscript", "svg", "math", "head")
_BESIDE = ("nav", "header", "footer", "aside")
_PERMALINKS = {"headerlink", "anchor", "hash-link", "permalink", "toclink", "anchor-link"}
_BLOCKS = ("section", "article", "div", "main", "body")


@dataclass(slots=True)
class _Open:
    """An element whose end has not come yet."""

    tag: str
    ids: tuple[str, ...]
    start: int
    silent: bool
    has_heading: bool = False


class HtmlPage(HTMLParser):
    """The headings and the ids of a page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.headings: list[Heading] = []
        """Each with its own ids and that of the element that it opens."""
        self.elements: list[tuple[str, int, int]] = []
        """Every id with the first and the last line of its element."""
        self.main: tuple[int, int] | None = None
        """The lines of the main content, if the page has some."""
        self._open: list[_Open] = []
        self._tags: Counter[str] = Counter()
        self._words: list[str] | None = None
        self._inside: list[str] = []
        self.feed(text)
        self.close()
        while self._open:
            self.handle_endtag(self._open[-1].tag)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line = self.getpos()[0]
        values = {name: value or "" for name, value in attrs}
        names = [values.get("id", ""), values.get("name", "") if tag == "a" else ""]
        ids = tuple(dict.fromkeys(name for name in names if name))
        if _VOID.fullmatch(tag):
            self.elements += [(name, line, line) for name in ids]
            return
        link = tag == "a" and bool(_PERMALINKS & set(values.get("class", "").split()))
        self._tags[tag] += 1
        self._open.append(_Open(tag, ids, line, self._silent or tag in _SILENT or link))
        if tag in _HEADINGS and not self._silent:
            self._words, self._inside = [], []
        elif self._words is not None:
            self._inside += ids

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if not _VOID.fullmatch(tag):
            self.handle_endtag(tag)

    def handle_data(self, data: str) -> None:
        if self._words is not None and not self._silent:
            self._words.append(data)

    def handle_endtag(self, tag: str) -> None:
        if not self._tags[tag]:
            return
        line = self.getpos()[0]
        # What was left open inside ends here as well, as browsers have it.
        while self._open:
            one = self._open.pop()
            self._tags[one.tag] -= 1
            self.elements += [(name, one.start, line) for name in one.ids]
            if one.tag in _HEADINGS and self._words is not None:
                self._heading(one)
            if one.tag == tag:
                break
        if tag in {"main", "article"} and (self.main is None or tag == "main"):
            self.main = (one.start, line)

    @property
    def _silent(self) -> bool:
        return bool(self._open) and self._open[-1].silent

    def _heading(self, one: _Open) -> None:
        title = " ".join("".join(self._words or ()).split())
        self._words = None
        around = self._open[-1] if self._open else None
        ids = [*one.ids, *self._inside]
        if around is not None and around.tag in _BLOCKS and not around.has_heading:
            around.has_heading = True
            ids += around.ids
        if not any(self._tags[tag] for tag in _BESIDE):
            level = _HEADINGS[one.tag]
            self.headings.append(Heading(level, one.start, title, tuple(dict.fromkeys(ids))))


def outline_html(_path: str, text: str) -> list[OutlineNode]:
    r"""List the sections of a page.

    >>> [(one.name, one.ids) for one in outline_html("a.html", "<h1 id=a>A <a class=headerlink>¶</a></h1>")]
    [('A', ('a',))]
    """
    page = HtmlPage(text)
    first, last = page.main or (1, document("", text).end)
    return sections([one for one in page.headings if first <= one.start <= last], last)
