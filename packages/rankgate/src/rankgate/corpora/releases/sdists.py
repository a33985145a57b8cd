"""Releases of several Python packages as one corpus, listed in a requirements file with hashes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rankgate.corpora.joined import JoinedCorpus
from rankgate.corpora.options import SELECTION_KEYS, check_options, file_inside, split_release
from rankgate.corpora.releases.sdist import open_sdist
from rankgate.errors import InputError, Problem
from rankgate.files.problems import Problems
from rankgate.model.suite import CorpusSource
from rankgate.progress import steps

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rankgate.corpora.corpus import OpenContext

_HASH = re.compile(r"--hash[= ]sha256:([0-9a-fA-F]{64})\b")
_COMMENT = re.compile(r"(^|\s)#.*$")
_LARGEST = 1_000_000


def open_sdists(source: CorpusSource, context: OpenContext) -> JoinedCorpus:
    """Open the releases that a file beside the suite lists, each in a folder of its project's name.

    Raises:
        FormatError: for a file of another hash, an archive that is refused, or a list that is not right.
        InputError: for a release that is not there, is not pinned, or cannot be fetched.
    """
    check_options(source, SELECTION_KEYS)
    path = file_inside(context.here / source.place, context.root, "a requirements file with hashes")
    releases = read_releases(path)
    opening = steps(list(releases.items()), "opening releases")
    return JoinedCorpus({name: open_sdist(release, context) for name, release in opening})


def read_releases(path: Path) -> dict[str, CorpusSource]:
    """Read ``name==version --hash=sha256:…``, one a line, as pip does; by the canonical names of projects.

    Raises:
        FormatError: with every line that is something else.
        InputError: for a file that cannot be read.
    """
    problems = Problems(str(path))
    try:
        text = path.read_bytes()[:_LARGEST].decode()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(Problem(str(path), f"{error}", "a requirements file with hashes")) from error
    found: dict[str, CorpusSource] = {}
    for number, stated in _stated(text):
        release, hashes = split_release(stated.split(" --")[0]), _HASH.findall(stated)
        where = f"{path}:{number}"
        if release is None or len(hashes) > 1:
            problems.add(Problem(where, repr(stated[:80]), "name==version --hash=sha256:… of its sdist"))
            continue
        name = canonicalize_name(release[0])
        if name in found:
            problems.add(Problem(where, f"{name} a second time", "each project once"))
        options = {"sha256": hashes[0].lower()} if hashes else {}
        found[name] = CorpusSource("==".join(release), "sdist", options)
    if not found and not problems.total:
        problems.add(Problem(str(path), "no release", "name==version --hash=sha256:…, one a line"))
    problems.check()
    return found


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
