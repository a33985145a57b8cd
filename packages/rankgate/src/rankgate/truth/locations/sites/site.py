"""A web site whose pages are files of a corpus: addresses to locations, and headings to addresses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from rankgate.errors import FormatError
from rankgate.model.locations import Lines, Location
from rankgate.outline import read_outline
from rankgate.truth.locations.sites.docusaurus import docusaurus_rules
from rankgate.truth.locations.sites.files import SiteFiles
from rankgate.truth.locations.sites.github import LINES, github_rules
from rankgate.truth.locations.sites.hugo import hugo_rules
from rankgate.truth.locations.sites.mkdocs import mkdocs_rules
from rankgate.truth.locations.sites.sphinx import sphinx_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rankgate.corpora.corpus import Corpus
    from rankgate.outline.anchors.page import PageAnchor
    from rankgate.truth.locations.sites.files import SiteRules

_PROGRAMS: Mapping[str, Callable[[SiteFiles, str], SiteRules]] = {
    "docusaurus": docusaurus_rules,
    "github": github_rules,
    "hugo": hugo_rules,
    "mkdocs": mkdocs_rules,
    "sphinx": sphinx_rules,
}
_HOSTS = frozenset({"localhost", "127.0.0.1", "::1", ""})
_ENDING = re.compile(r"(?:(?:^|/)index)?(?:\.html?)?\Z")
_LANGUAGE_OR_VERSION = re.compile(
    r"[a-z]{2}(?:[-_][A-Za-z]{2,4})?|latest|stable|main|master|dev|current|next|docs|"
    r"(?:v|release-?|version-?)?\d+(?:\.(?:\d+|x))*"
)


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A location that an address means, in place of what a regular expression matched."""

    location: Location
    """The file, and lines or a heading where the address has an anchor."""

    def expand(self, _template: str) -> str:
        """Return the location as it is written."""
        return str(self.location)


class PublishedSite:
    """The pages of a site, read when the first address is looked for."""

    def __init__(self, rules: SiteRules, corpus: Corpus) -> None:
        self._rules = rules
        self._corpus = corpus
        self._anchors: dict[str, tuple[PageAnchor, ...]] = {}
        self._sections: dict[str, dict[int, int]] = {}
        self._by_name: dict[str, dict[str, PageAnchor]] = {}

    @classmethod
    def of(cls, program: str, corpus: Corpus, configuration: str = "") -> PublishedSite:
        """Read the configuration of a site.

        Args:
            program: What makes the site: docusaurus, github, hugo, mkdocs or sphinx.
            corpus: What its pages are made of.
            configuration: The file of its configuration; by default the one that is found.

        Raises:
            InputError: where the configuration is not there or cannot be read.
        """
        return cls(_PROGRAMS[program](SiteFiles(corpus), configuration), corpus)

    def fullmatch(self, address: str) -> FoundPage | None:
        """Find the page that an address means, as a pattern of a rule would match it."""
        found = self.find(address)
        return None if found is None else FoundPage(found)

    def find(self, address: str) -> Location | None:
        """Find the file and lines that an address means; None for what is no address of the site."""
        way, _, fragment = address.partition("#")
        path = self._page(way)
        if path is None:
            return None
        if not fragment:
            return Location(path=path)
        name = unquote(fragment)
        if (lines := LINES.fullmatch(name)) is not None and "github" in way:
            first = int(lines[1])
            return Location(path=path, lines=Lines(first, max(first, int(lines[2] or first))))
        anchor = self._named(path).get(name.removeprefix("user-content-")) or self._named(path).get(name)
        if anchor is not None:
            return self._located(anchor.path or path, anchor)
        # A heading that is made elsewhere, by an extension: whatever else is known of the file decides.
        return Location(path=path, heading=(name,))

    def _named(self, path: str) -> dict[str, PageAnchor]:
        if path not in self._by_name:
            # The first of an id is the one that a browser goes to.
            self._by_name[path] = {anchor.id: anchor for anchor in reversed(self.anchors(path))}
        return self._by_name[path]

    def _located(self, path: str, anchor: PageAnchor) -> Location:
        """Return the lines of an anchor: those that a target has where a section begins there."""
        if anchor.level and path not in self._sections:
            try:
                nodes = read_outline(path, self._corpus.text(path))
            except FormatError:
                nodes = ()
            self._sections[path] = {node.start: node.end for node in nodes or () if node.kind == "section"}
        end = self._sections[path].get(anchor.start, anchor.end) if anchor.level else anchor.end
        return Location(path=path, lines=Lines(anchor.start, end))

    def address(self, path: str, line: int) -> str | None:
        """Return the address of the heading at a line of a file; None where the site has none.

        A file that is no page may be included by one.
        """
        for page in [path] if path in self._addresses else self._including(path):
            for anchor in self.anchors(page):
                if anchor.level and anchor.start == line and (anchor.path or page) == path:
                    return f"{self._rules.base or '/'}{self._written(page)}#{quote(anchor.id)}"
        return None

    def is_page(self, path: str) -> bool:
        """Check whether a file is a page of the site."""
        return path in self._addresses

    def anchors(self, path: str) -> tuple[PageAnchor, ...]:
        """List the ids of a page; none of one that cannot be parsed."""
        if path not in self._anchors:
            try:
                self._anchors[path] = tuple(self._rules.anchors(path))
            except FormatError:
                self._anchors[path] = ()
        return self._anchors[path]

    @cached_property
    def _addresses(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for address, path in self._rules.pages.items():
            found.setdefault(path, address)
        return found

    def _written(self, page: str) -> str:
        """Write the address of a page below that of the site."""
        way, ending = quote(self._addresses[page]), self._rules.ending
        if ending.startswith(".") and page.rpartition("/")[2].startswith("index."):
            return f"{way}/index{ending}" if way else f"index{ending}"
        return f"{way}{ending}" if way else ""

    def _including(self, path: str) -> list[str]:
        name = path.rpartition("/")[2]
        pages = ((page, self._corpus.text(page)) for page in self._addresses)
        return [page for page, text in pages if "include::" in text and name in text]

    def _page(self, way: str) -> str | None:
        """Find the file of an address without its anchor.

        Below the address of the site it must be a page. Without one, or on a machine of one's own, whatever
        stands before it, such as a language and a version, is left out: as little as makes one page fit.
        """
        try:
            parts, base = urlsplit(way), urlsplit(self._rules.base)
        except ValueError:
            return None
        host = parts.hostname or ""
        if host not in _HOSTS and base.hostname and host != base.hostname:
            return None
        if not parts.scheme and not way.startswith("/") and way in self._corpus:
            return None
        whole = unquote(parts.path)
        below = whole.removeprefix(unquote(base.path)) if parts.scheme or way.startswith("/") else whole
        steps = _canonical(below).split("/")
        absolute = bool(parts.scheme) or way.startswith("/")
        for left_out in range(len(steps) + 1 if absolute else 1):
            key = "/".join(steps[left_out:])
            before = steps[:left_out]
            if key in self._rules.pages and (key or self._is_prefix(before)):
                return self._rules.pages[key]
        return None

    def _is_prefix(self, steps: list[str]) -> bool:
        """Check whether an address of nothing but these can be that of the first page."""
        return all(not step or _LANGUAGE_OR_VERSION.fullmatch(step) for step in steps)


def _canonical(way: str) -> str:
    """Return an address without slashes around it, without ``index`` and without its ending.

    >>> [_canonical(way) for way in ("/guide/keys/", "guide/keys.html", "guide/index.html", "/")]
    ['guide/keys', 'guide/keys', 'guide', '']
    """
    return _ENDING.sub("", way.strip("/"))
