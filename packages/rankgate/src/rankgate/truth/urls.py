"""Map URLs and ids of hits to documents: the built-in rule ``map: pages``, and regular expressions.

By ``map: pages``, ``/a/b/``, ``/a/b.html`` and ``/a/b``, with any host and prefix, are the document that ends
with ``a/b`` or ``a/b/index``, and the fragment is a heading. Case and percent escapes make no difference.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from rankgate.errors import LocationError
from rankgate.locations import Location
from rankgate.model import PAGES, MapRule, Suite
from rankgate.suites.schema import compiled
from rankgate.truth.lookup import lines_of

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):/{2,3}", re.IGNORECASE)
_HTML = (".html", ".htm")
_INDEX = ("index", "_index", "readme")
"""The names of documents that are the page of their folder, in the order of preference."""
_FORMATS = (".md", ".mdx", ".markdown", ".rst", ".adoc", ".html", ".htm", ".txt", "")


class Page(NamedTuple):
    """A document found by the URL of its page."""

    document: str
    """The document's name."""
    fragment: str
    """The fragment of the URL without escapes; empty if there is none."""
    url_prefix: str
    """The segments of the URL that are not in the document's name."""
    document_prefix: str
    """The folders of the document that are not in the URL."""


class _Entry(NamedTuple):
    segments: tuple[str, ...]
    document: str
    home: int
    suffix: str

    @property
    def rank(self) -> tuple[int, int, str]:
        """Order documents that have one page: pages before indexes, then by format."""
        form = _FORMATS.index(self.suffix) if self.suffix in _FORMATS else len(_FORMATS)
        return self.home, form, self.document


class PageFinder:
    """Finds documents by the URLs of their pages.

    >>> finder = PageFinder(["docs/auth/keys.md", "docs/auth/index.md", "docs/index.md"])
    >>> finder.find("https://docs.example.org/v2/auth/keys/?q=x#Key%20rotation")[:2]
    ('docs/auth/keys.md', 'Key rotation')
    >>> finder.find("/auth/").document, finder.find("/").document, finder.find("/blog/") is None
    ('docs/auth/index.md', 'docs/index.md', True)
    """

    def __init__(self, documents: Iterable[str]) -> None:
        """Index documents by the last segment of their URLs."""
        self._by_last: dict[str, list[_Entry]] = defaultdict(list)
        self._indexes: list[_Entry] = []
        for document in documents:
            *folders, name = document.casefold().strip("/").split("/")
            stem, dot, suffix = name.rpartition(".")
            stem, suffix = (stem, dot + suffix) if stem else (name, "")
            if stem in _INDEX:
                entry = _Entry(tuple(folders), document, 1 + _INDEX.index(stem), suffix)
                self._indexes.append(entry)
                if folders:
                    self._by_last[folders[-1]].append(entry)
                continue
            self._by_last[stem].append(_Entry((*folders, stem), document, 0, suffix))
            if suffix:
                self._by_last[name].append(_Entry((*folders, name), document, 0, suffix))

    def find(self, url: str) -> Page | None:
        """Return the one document that a URL is the page of; None if there is none, or several."""
        address, _, fragment = url.partition("#")
        if "/" not in address and not address.strip():
            return None
        written = _segments(address)
        if written is None:
            return None
        fragment = unquote(fragment.partition(":~:")[0]).strip()
        segments = tuple(map(str.casefold, written))
        entry = self._best(segments) if segments else self._root()
        if entry is None:
            return None
        both = _common(segments, entry.segments)
        prefix = "/".join(written[: len(written) - both])
        return Page(entry.document, fragment, prefix, "/".join(entry.segments[: len(entry.segments) - both]))

    def _root(self) -> _Entry | None:
        """Return the home page: the index nearest to the root, README only if there is no other."""
        ordered = sorted(self._indexes, key=lambda one: (one.home == len(_INDEX), len(one.segments)))
        first = ordered[:1]
        rivals = [one for one in ordered if first and len(one.segments) == len(first[0].segments)]
        same = [one for one in rivals if one.segments == rivals[0].segments]
        return min(same, key=lambda one: one.rank) if len(same) == len(rivals) and same else None

    def _best(self, segments: tuple[str, ...]) -> _Entry | None:
        found = [(_common(segments, one.segments), one) for one in self._by_last.get(segments[-1], ())]
        if not found:
            return None
        both = max(number for number, _ in found)
        longest = [one for number, one in found if number == both]
        if both == len(segments) or any(len(one.segments) == both for one in longest):
            shortest = min(len(one.segments) for one in longest)
            longest = [one for one in longest if len(one.segments) == shortest]
        if len({one.segments for one in longest}) > 1:
            return None
        return min(longest, key=lambda one: one.rank)


class MapRules:
    r"""The map rules of a suite; the first one that matches a name decides.

    >>> rules = MapRules([MapRule("https://docs[.]example[.]org/(.*)", r"docs/\1.md")], ())
    >>> rules.location("https://docs.example.org/keys").path, rules.location("https://example.com/") is None
    ('docs/keys.md', True)
    """

    def __init__(self, rules: Sequence[MapRule], documents: Iterable[str]) -> None:
        """Compile the rules.

        Args:
            rules: The rules, which the author of the suite wrote.
            documents: The names of documents for ``map: pages``.

        Raises:
            InputError: for an invalid pattern or template.
        """
        self._rules = [
            (rule, None if rule == PAGES else compiled(rule, f"map[{number}]"))
            for number, rule in enumerate(rules)
        ]
        self._documents = documents
        self._pages: PageFinder | None = None
        self._matched: set[int] = set()

    def __bool__(self) -> bool:
        return bool(self._rules)

    @property
    def unused(self) -> tuple[MapRule, ...]:
        """The rules that have matched no name so far."""
        return tuple(rule for number, (rule, _) in enumerate(self._rules) if number not in self._matched)

    def mapped(self, name: str) -> str | Page | None:
        """Return what the first matching rule makes of a name; None if no rule matches.

        Raises:
            InputError: for a pattern that takes too long.
        """
        for number, (rule, pattern) in enumerate(self._rules):
            if pattern is None:
                self._pages = self._pages or PageFinder(self._documents)
                if (page := self._pages.find(name)) is not None:
                    self._matched.add(number)
                    return page
            elif found := pattern.fullmatch(name):
                self._matched.add(number)
                return str(found.expand(rule.template))
        return None

    def location(self, name: str) -> Location | None:
        """Return the location in a file that a name is mapped to."""
        location = location_of(self.mapped(name))
        return None if location is None or location.path is None else location


def location_of(mapped: str | Page | None) -> Location | None:
    """Return the location that a rule made; None for a text that is an id only."""
    try:
        if isinstance(mapped, Page):
            return Location(path=mapped.document, heading=(mapped.fragment,) if mapped.fragment else ())
        return None if mapped is None else Location.at(mapped)
    except LocationError:
        return None


def judged_names(suite: Suite) -> dict[str, bool]:
    """Return the judged names of a suite without a corpus, ids and paths, each with whether it is a file."""
    names: dict[str, bool] = {}
    if suite.corpus is not None:
        return names
    for place in (place for case in (suite.whole or suite).cases for place in case.locations):
        location = place if place.id is None else lines_of(place.id)
        if location is not None and location.path is not None:
            names[location.path] = True
        elif place.id is not None:
            names.setdefault(place.id, False)
    return names


def _segments(address: str) -> list[str] | None:
    """Return the segments of the page's name, without host, query, index and the extension of HTML."""
    path = address.partition("?")[0].replace("\\", "/")
    scheme = _SCHEME.match(path)
    if scheme is not None:
        path = path[scheme.end() :]
        if scheme[1].lower() in {"http", "https"}:
            path = path.partition("/")[2]
    segments = [unquote(one) for one in path.split("/") if one not in {"", "."}]
    if ".." in segments:
        return None
    if not segments:
        return segments
    last = segments[-1]
    if last.lower().endswith(_HTML):
        segments[-1] = last = last.rpartition(".")[0]
    if last.rpartition(".")[0].casefold() in _INDEX or last.casefold() in _INDEX:
        segments.pop()
    return [one for one in segments if one]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Count the segments at the end that both have."""
    number = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right:
            break
        number += 1
    return number
