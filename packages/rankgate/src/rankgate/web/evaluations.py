"""The kept evaluations as a site: the list, each as a page, any of one suite compared. It takes nothing."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NoReturn

from rankgate.reports.comparison_page.content import page_of_pages
from rankgate.reports.comparison_page.model import render_comparison
from rankgate.reports.page.document import assemble, checked, page_policy, read_page, render
from rankgate.web.access import RefusedError
from rankgate.web.server import SiteAnswer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.reports.page.document import Assets
    from rankgate.web.catalogue import Catalogue, CatalogueEntry

_KEY = "([0-9a-f]{16})"
_MOST = 8
_KEYS = f"[0-9a-f]{{16}}(?:/[0-9a-f]{{16}}){{1,{_MOST - 1}}}"
_PAGE, _COMPARE = re.compile(f"/page/{_KEY}"), re.compile(f"/compare/({_KEYS})")
_AT_ONCE = 2
_KEPT = 4
_UNKNOWN = "nothing is here: the list of evaluations is at /"
_GONE = "the page of this evaluation was removed to make room"


@dataclass(slots=True)
class EvaluationSite:
    """The pages of a catalogue."""

    catalogue: Catalogue
    """What there is."""
    assets: Assets
    """What pages are made of."""
    _comparisons: OrderedDict[tuple[object, ...], bytes] = field(default_factory=OrderedDict)
    _room: threading.BoundedSemaphore = field(default_factory=lambda: threading.BoundedSemaphore(_AT_ONCE))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, path: str, query: str) -> SiteAnswer:  # noqa: ARG002 - no address of it has a query
        """Return the page of an address, as HTML.

        Raises:
            RefusedError: where there is none.
            RankgateError: for a kept page that cannot be read.
        """
        # The page brings the same policy along; only a header can say who may frame it.
        return SiteAnswer(self.page(path), policy=f"{page_policy(self.assets)}; frame-ancestors 'none'")

    def take(self, path: str, body: Mapping[str, Any]) -> NoReturn:  # noqa: ARG002 - refused whatever it is
        """Refuse whatever is posted."""
        raise RefusedError(HTTPStatus.METHOD_NOT_ALLOWED, "only GET is answered")

    def page(self, path: str) -> bytes:
        """Return the page of an address, as HTML.

        Raises:
            RefusedError: where there is none.
        """
        # A comparison of two large pages takes a few hundred megabytes: not many at a time.
        with self._room:
            if path == "/":
                return render(self.catalogue.index(), self.assets).encode()
            if found := _PAGE.fullmatch(path):
                return self._page(found[1])
            if found := _COMPARE.fullmatch(path):
                return self._comparison(found[1].split("/"))
        raise RefusedError(HTTPStatus.NOT_FOUND, _UNKNOWN)

    def _entry(self, key: str) -> CatalogueEntry:
        entry = self.catalogue.entries().get(key)
        if entry is None:
            raise RefusedError(HTTPStatus.NOT_FOUND, _UNKNOWN)
        if not entry.page.is_file():
            raise RefusedError(HTTPStatus.GONE, _GONE)
        return entry

    def _page(self, key: str) -> bytes:
        entry = self._entry(key)
        title = f"{entry.record.mark} {entry.record.suite}, {entry.name}"
        return assemble(checked(entry.page), title, self.assets).encode()

    def _comparison(self, keys: list[str]) -> bytes:
        entries = [self._entry(key) for key in keys]
        if len({entry.record.suite for entry in entries}) > 1:
            raise RefusedError(HTTPStatus.BAD_REQUEST, "evaluations of one suite can be compared")
        known = tuple((entry.page, entry.page.stat().st_mtime_ns) for entry in entries)
        with self._lock:
            if known in self._comparisons:
                return self._comparisons[known]
        pages = [read_page(entry.page) for entry in entries]
        page = page_of_pages(pages, _names(entries), [f"/page/{key}" for key in keys])
        made = render_comparison(page, self.assets).encode()
        with self._lock:
            self._comparisons[known] = made
            if len(self._comparisons) > _KEPT:
                self._comparisons.popitem(last=False)
        return made


def _names(entries: list[CatalogueEntry]) -> list[str]:
    """Name evaluations by their systems alone, where each is of another."""
    systems = [entry.record.system for entry in entries]
    return systems if len({*systems}) == len(systems) else [entry.name for entry in entries]
