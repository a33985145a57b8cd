"""A release of a Python package, as its source distribution: a version and a hash name the same bytes."""

from __future__ import annotations

import json
import re
import secrets
import shutil
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from packaging.utils import canonicalize_name

from rankgate.corpora.archive import open_file
from rankgate.corpora.cache import cache_folder, writing
from rankgate.corpora.options import (
    SELECTION_KEYS,
    check_options,
    named,
    parsed_version,
    sha256_of,
    split_release,
    under_of,
)
from rankgate.corpora.releases.fetching import Fetcher, NotThereError, pip_settings, shown_url
from rankgate.errors import Code, FormatError, InputError, Problem, did_you_mean
from rankgate.files.atomic import digest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rankgate.corpora.corpus import OpenContext
    from rankgate.corpora.folder import FolderCorpus
    from rankgate.corpora.releases.fetching import FetchedPage, PipSettings
    from rankgate.model.suite import CorpusSource


SUFFIXES = (".tar.gz", ".zip")
"""What the file of an sdist may end in, the first being the usual one."""

_SHA256 = re.compile(r"sha256=([0-9a-fA-F]{64})\b")
_MOST = 200_000


def open_sdist(source: CorpusSource, context: OpenContext) -> FolderCorpus:
    """Open the release that a suite names, fetched through the index that pip is configured with.

    Raises:
        FormatError: for a file of another hash, or an archive that is refused.
        InputError: for a release that is not there, is not pinned, or cannot be fetched.
    """
    check_options(source, ("sha256", "under", *SELECTION_KEYS))
    where, pinned, under = named(source), sha256_of(source), under_of(source)
    release = split_release(source.place)
    if release is None:
        raise InputError(Code.WRONG_VALUE(where, repr(source.place[:80]), "a release, as in click==8.3.2"))
    downloads = cache_folder(context) / "downloads"
    if pinned is None and not context.unpinned:
        found = Release(*release, where=where).hash_found(downloads)
        raise InputError(
            Code.NOT_PINNED(where, "no sha256", "the hash that pins the release", f"write sha256: {found}")
        )
    # The file is asked for even where it is unpacked: a hash that is another release's must not pass.
    path = Release(*release, where=where, sha256=pinned).fetch(downloads, context.tell)
    corpus, found = open_file(path, pinned, under, where, context)
    if pinned is None:
        note = f"{source.place} has sha256 {found}"
        return replace(corpus, notes=(*corpus.notes, note), pin={"sha256": found})
    return corpus


@dataclass(frozen=True, slots=True)
class Release:
    """One release, to be found and fetched."""

    name: str
    """The project's name, spelt in any way."""
    version: str
    """The version."""
    where: str
    """Its name in errors."""
    sha256: str | None = None
    """The hash it must have; None for any."""

    def hash_found(self, downloads: Path) -> str:
        """Return what hash the file has: as the index says, or else by fetching it.

        Raises:
            InputError: for a release that is not there, or cannot be fetched.
        """
        settings = pip_settings()
        link = self._link(settings, Fetcher(settings))
        return link.sha256 or digest(self.fetch(downloads))

    def fetch(self, folder: Path, tell: Callable[[str], None] = lambda _: None) -> Path:
        """Fetch the file into a folder, unless it is there with the right hash.

        Raises:
            FormatError: for a file of another hash.
            InputError: for a release that is not there, or cannot be fetched.
        """
        if self.sha256 is not None and (kept := self._kept(folder, self.sha256)) is not None:
            return kept
        settings = pip_settings()
        fetcher = Fetcher(settings)
        link = self._link(settings, fetcher)
        known = self.sha256 or link.sha256
        if known is not None and (kept := self._kept(folder, known)) is not None:
            return kept
        if self.sha256 is not None and link.sha256 not in (None, self.sha256):
            raise self._other_hash(str(link.sha256))
        tell(f"fetching {link.file}")
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            aside = folder / f".{secrets.token_hex(8)}.part"
            try:
                _copy(link.url, aside, fetcher)
                found = digest(aside)
                if found != (known or found):
                    raise self._other_hash(found)
                aside.replace(folder / link.file)
            finally:
                aside.unlink(missing_ok=True)
        return folder / link.file

    def _kept(self, folder: Path, sha256: str) -> Path | None:
        if not folder.is_dir():
            return None
        for file in sorted(folder.iterdir()):
            said = version_in(file.name, self.name)
            if said is not None and _same(said, self.version) and file.is_file() and digest(file) == sha256:
                return file
        return None

    def _link(self, settings: PipSettings, fetcher: Fetcher) -> Link:
        """Choose the file of this release: the pinned one, else the usual form."""
        links, failures = _all_links(self.name, settings, fetcher)
        versions = {link: version for link in links if (version := version_in(link.file, self.name))}
        fitting = [link for link, version in versions.items() if _same(version, self.version)]
        if not fitting and failures:
            raise failures[0]
        if not fitting:
            raise InputError(self._not_there(links, list(dict.fromkeys(versions.values()))))
        told = [replace(link, sha256=_hash_of(link)) for link in fitting]
        order = sorted(told, key=lambda link: not link.file.endswith(SUFFIXES[0]))
        return next((link for link in order if link.sha256 and link.sha256 == self.sha256), order[0])

    def _not_there(self, links: list[Link], versions: list[str]) -> Problem:
        if not links:
            fix = "check the name, and that the index has it"
            return Code.NO_SUCH_RELEASE(
                self.where, f"no project {self.name!r} in the index", "a project", fix
            )
        if not versions:
            fix = "name an archive of its source instead"
            return Code.NO_SUCH_RELEASE(self.where, "wheels only", "a project with source distributions", fix)
        fix = did_you_mean(self.version, versions, most=3, otherwise=f"there is {versions[-1]}")
        return Code.NO_SUCH_RELEASE(
            self.where, f"no source of version {self.version}", "a version that is there", fix
        )

    def _other_hash(self, found: str) -> FormatError:
        fix = "the file is not the one that was pinned: find out why before you write the new hash"
        return FormatError(Code.HASH_MISMATCH(self.where, f"sha256 {found}", f"sha256 {self.sha256}", fix))


def _hash_of(link: Link) -> str | None:
    """Return the hash that a page says, or that a local file has."""
    return link.sha256 if link.sha256 is not None or "://" in link.url else digest(link.url)


def version_in(file: str, name: str) -> str | None:
    """Return the version that the name of an sdist's file says; None for another file.

    Names are spelt in many ways: ``Django-4.2.tar.gz``, ``zope.interface-5.0.zip``, ``my_tool-1.0.tar.gz``.

    >>> version_in("Django-4.2.tar.gz", "django"), version_in("django_x-4.2.tar.gz", "django")
    ('4.2', None)
    """
    suffix = next((suffix for suffix in SUFFIXES if file.lower().endswith(suffix)), None)
    if suffix is None or len(file) > 255 or re.search(r"[^A-Za-z0-9._+!-]", file):
        return None
    stem = file[: -len(suffix)]
    # A version may hold a dash too, as 1.0-1 does, so that the last one need not end the name.
    for dash in re.finditer("-", stem):
        left, right = stem[: dash.start()], stem[dash.end() :]
        if canonicalize_name(left) == canonicalize_name(name) and parsed_version(right) is not None:
            return right
    return None


def _same(one: str, other: str) -> bool:
    return parsed_version(one) == parsed_version(other)


def _all_links(name: str, settings: PipSettings, fetcher: Fetcher) -> tuple[list[Link], list[InputError]]:
    """List the files of a project wherever pip would look; one that fails does not hide the others."""
    links: list[Link] = []
    failures: list[InputError] = []
    for link in settings.links:
        folder = _folder(link)
        if folder is not None:
            links += [
                Link(path.name, str(path), None) for path in sorted(folder.glob("*.*")) if path.is_file()
            ]
    pages = [url for url in settings.links if _folder(url) is None]
    pages += [f"{url.rstrip('/')}/{canonicalize_name(name)}/" for url in settings.indexes]
    for url in pages:
        try:
            links += links_of(fetcher.page(url))
        except NotThereError:
            continue
        except InputError as error:
            failures.append(error)
    return links, failures


def _folder(link: str) -> Path | None:
    """Return the folder that pip's find-links names; None for a web page."""
    if link.startswith("file:"):
        link = unquote(urlsplit(link).path)
    elif "://" in link:
        return None
    return Path(link).expanduser()


def _copy(url: str, aside: Path, fetcher: Fetcher) -> None:
    if "://" in url:
        fetcher.file(url, aside)
    else:
        shutil.copyfile(url, aside)


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
    """List the files that a page of an index names: HTML (PEP 503) or JSON (PEP 691), with their hashes.

    Raises:
        FormatError: for a page that is neither HTML nor JSON.
    """
    if page.kind.endswith("json"):
        return _json_links(page)
    if "html" not in page.kind and page.data.lstrip()[:1] != b"<":
        found = f"a page of type {page.kind[:80]!r}"
        raise FormatError(Code.FETCH_FAILED(shown_url(page.url), found, "an index in HTML or JSON"))
    reader = _Anchors(page.url)
    reader.feed(page.data.decode(errors="replace"))
    reader.close()
    return reader.links


def _json_links(page: FetchedPage) -> list[Link]:
    try:
        found = json.loads(page.data)
        files = [file for file in found["files"] if isinstance(file, dict)][:_MOST]
    except (ValueError, RecursionError, LookupError, TypeError) as error:
        raise FormatError(
            Code.FETCH_FAILED(shown_url(page.url), "JSON that lists no files", "an index")
        ) from error
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
