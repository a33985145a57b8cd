"""Releases of several Python packages as one corpus, listed in a requirements file with hashes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rankgate.corpora.cache import cache_folder
from rankgate.corpora.joined import JoinedCorpus
from rankgate.corpora.options import SELECTION_KEYS, check_options, file_inside, split_release
from rankgate.corpora.releases.sdist import Release, open_sdist
from rankgate.errors import Code, InputError, Problem
from rankgate.files.problems import Problems
from rankgate.model.suite import CorpusSource
from rankgate.progress import steps

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from rankgate.corpora.corpus import OpenContext

_HASH = re.compile(r"--hash[= ]\s*(\S*)")
_SHA256 = re.compile("sha256:([0-9a-fA-F]{64})")
_COMMENT = re.compile(r"(^|\s)#.*$")
_LARGEST = 1_000_000
_FORM = "name==version --hash=sha256:… of its sdist"


@dataclass(frozen=True, slots=True)
class ListedRelease:
    """One release of a list."""

    source: CorpusSource
    """The release as a corpus of its own."""
    where: str
    """The file and the line that it begins in."""


def open_sdists(source: CorpusSource, context: OpenContext) -> JoinedCorpus:
    """Open the releases that a file beside the suite lists, each in a folder of its project's name.

    Raises:
        FormatError: for a file of another hash, an archive that is refused, or a list that is not right.
        InputError: for a release that is not there, is not pinned, or cannot be fetched.
    """
    check_options(source, SELECTION_KEYS)
    path = file_inside(context.here / source.place, context.root, "a requirements file with hashes")
    releases = read_releases(path)
    _check_pinned(releases, context)
    opening = steps(list(releases.items()), "opening releases")
    return JoinedCorpus({name: open_sdist(listed.source, context) for name, listed in opening})


def _check_pinned(releases: Mapping[str, ListedRelease], context: OpenContext) -> None:
    """Refuse releases without a hash: the list is where it stands, so that nothing else could pin them."""
    downloads = cache_folder(context) / "downloads"
    problems = []
    for listed in releases.values():
        release = split_release(listed.source.place)
        if release is not None and "sha256" not in listed.source.options:
            found = Release(*release, where=listed.where).hash_found(downloads)
            fix = f"write {listed.source.place} --hash=sha256:{found}"
            problems.append(
                Code.NOT_PINNED(listed.where, f"{listed.source.place} without a hash", _FORM, fix)
            )
    if problems:
        raise InputError(problems)


def read_releases(path: Path) -> dict[str, ListedRelease]:
    """Read ``name==version --hash=sha256:…``, one a line, as pip does; by the canonical names of projects.

    Raises:
        FormatError: with every line that is something else.
        InputError: for a file that cannot be read.
    """
    problems = Problems(str(path))
    found: dict[str, ListedRelease] = {}
    for number, stated in _stated(_text(path)):
        where, hashes = f"{path}:{number}", _HASH.findall(stated)
        release = split_release(_HASH.sub("", stated))
        pins = [pin[1].lower() for pin in map(_SHA256.fullmatch, hashes) if pin is not None]
        if stated.startswith("-"):
            # Not with its value: an index may be named with a password.
            option = re.split(r"[\s=]", stated, maxsplit=1)[0]
            fix = "take it out: releases come from the index that pip is configured with"
            problems.add(Problem(where, f"the option {option[:80]!r}", _FORM, fix))
        elif release is None:
            problems.add(Problem(where, repr(stated[:80]), _FORM))
        elif len(hashes) > 1:
            fix = "keep the hash of its source distribution, and take those of wheels out"
            problems.add(Problem(where, f"{len(hashes)} hashes of {'=='.join(release)}", _FORM, fix))
        elif len(pins) < len(hashes):
            problems.add(Problem(where, f"the hash {hashes[0][:80]!r}", "sha256: and 64 hexadecimal digits"))
        elif (name := canonicalize_name(release[0])) in found:
            before = found[name].where.rpartition(":")[2]
            problems.add(
                Code.REPEATED(where, f"{name} a second time", f"each project once, as in line {before}")
            )
        else:
            options = {"sha256": pins[0]} if pins else {}
            found[name] = ListedRelease(CorpusSource("==".join(release), "sdist", options), where)
    if not found and not problems.total:
        problems.add(Problem(str(path), "no release", f"{_FORM}, one a line"))
    problems.check()
    return found


def _text(path: Path) -> str:
    expected = "a requirements file with hashes"
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError(Code.TOO_LARGE(str(path), f"more than {_LARGEST:,} bytes", expected))
        return path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(Code.UNREADABLE_FILE(str(path), f"{error}", expected)) from error


def _stated(text: str) -> Iterator[tuple[int, str]]:
    """Return what each line says, with its number; one that ends in a backslash goes on in the next."""
    begun, before = 0, ""
    for number, line in enumerate(text.splitlines(), start=1):
        begun = begun or number
        before += " " + _COMMENT.sub("", line).strip()
        if before.endswith("\\"):
            before = before[:-1]
            continue
        if before.strip():
            yield begun, before.strip()
        begun, before = 0, ""
    if before.strip():
        yield begun, before.strip()
