"""The sections of an HTML page, and every id it has, by the parser of the standard library.

Where a page says what its main content is, only headings in it make sections: navigation, headers and footers
are on every page of a site.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from rankgate.outline.nodes import Heading, document, sections

if TYPE_CHECKING:
    from rankgate.outline.nodes import OutlineNode

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_VOID = frozenset(
    [
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
    ]
)
_SILENT = frozenset(["script", "style", "template", "noscript", "svg", "math", "head"])
_BESIDE = frozenset(["nav", "header", "footer", "aside"])
_PERMALINKS = frozenset(["headerlink", "anchor", "hash-link", "permalink", "toclink", "anchor-link"])
_BLOCKS = frozenset(["section", "article", "div", "main", "body"])


@dataclass(slots=True)
class _Open:
    """An element whose end has not come yet."""

    tag: str
    ids: tuple[str, ...]
    start: int
    silent: bool
    has_heading: bool = False


@dataclass(slots=True)
class HtmlPage:
    """What a page is made of."""

    headings: list[Heading] = field(default_factory=list)
    """Its headings in their order, each with its own ids and that of the element it opens."""
    elements: list[tuple[str, int, int]] = field(default_factory=list)
    """Every id with the first and the last line of its element."""
    main: tuple[int, int] | None = None
    """The lines of the main content, where the page says so."""


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = HtmlPage()
        self._open: list[_Open] = []
        self._tags: Counter[str] = Counter()
        self._words: list[str] | None = None
        self._inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line = self.getpos()[0]
        values = {name: value or "" for name, value in attrs}
        names = [values.get("id", ""), values.get("name", "") if tag == "a" else ""]
        ids = tuple(dict.fromkeys(name for name in names if name))
        if tag in _VOID:
            self.page.elements += [(name, line, line) for name in ids]
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
        if tag not in _VOID:
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
            self.page.elements += [(name, one.start, line) for name in one.ids]
            if one.tag in _HEADINGS and self._words is not None:
                self._heading(one)
            if one.tag == tag:
                break
        if tag in {"main", "article"} and (self.page.main is None or tag == "main"):
            self.page.main = (one.start, line)

    def end(self) -> None:
        """End what is still open where the page ends."""
        while self._open:
            self.handle_endtag(self._open[-1].tag)

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
            self.page.headings.append(Heading(level, one.start, title, tuple(dict.fromkeys(ids))))


def read_html(text: str) -> HtmlPage:
    """Read the headings and the ids of a page."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    reader.end()
    page = reader.page
    if page.main is not None:
        first, last = page.main
        page.headings = [one for one in page.headings if first <= one.start <= last]
    return page


def outline_html(_path: str, text: str) -> list[OutlineNode]:
    r"""List the sections of a page.

    >>> [(one.name, one.ids) for one in outline_html("a.html", "<h1 id=a>A <a class=headerlink>¶</a></h1>")]
    [('A', ('a',))]
    """
    page = read_html(text)
    return sections(page.headings, page.main[1] if page.main else document("", text).end)
