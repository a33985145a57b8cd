"""Opening the corpus that a suite names, and naming another state of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from rankgate.corpora.corpus import GROUP
from rankgate.corpora.options import named, sha256_of
from rankgate.corpora.sdist_names import normal_version, split_release
from rankgate.errors import InputError, Problem
from rankgate.plugins import load

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankgate.corpora.corpus import Corpus, Room
    from rankgate.model.suite import CorpusSource

_HASH = "@sha256:"


def open_source(source: CorpusSource, room: Room) -> Corpus:
    """Open a corpus through the plugin of its kind.

    Raises:
        PluginError: for a kind that no plugin brings.
        InputError: for a source that is not there, not allowed, or not what it was pinned to.
    """
    opener = cast("Callable[[CorpusSource, Room], Corpus]", load(GROUP, source.kind))
    return opener(source, room)


def moved_to(source: CorpusSource, to: str) -> CorpusSource:
    """Name another state of a corpus: a commit of the repository, a release, or another path.

    A release is a version or ``name==version``, with ``@sha256:…`` where its hash is known. A path is one
    that the suite could have named. The hash of the old state is dropped; a release or an archive without
    one opens only in a room that is `unpinned`, or says in its error what to write.

    >>> from rankgate.model import CorpusSource
    >>> str(moved_to(CorpusSource("click==8.3.2", "sdist", {"sha256": "0" * 64, "under": "src"}), "8.5.1"))
    'sdist click==8.5.1, under src'
    >>> str(moved_to(CorpusSource(".", "git", {"commit": "1a2b3c4"}), "5d6e7f8"))
    'git ., commit 5d6e7f8'

    Raises:
        InputError: for what names no state of such a corpus.
    """
    if not to.strip():
        raise InputError(Problem(named(source), "nothing to move to", "a commit, a release or a path"))
    if source.kind == "git":
        return replace(source, options={**source.options, "commit": to})
    options = {key: value for key, value in source.options.items() if key != "sha256"}
    if source.kind != "sdist":
        return replace(source, place=to, options=options)
    release, mark, sha256 = to.partition(_HASH)
    if normal_version(release) is not None and (old := split_release(source.place)) is not None:
        release = f"{old[0]}=={release.strip()}"
    if split_release(release) is None:
        expected = "a version such as 8.5.1, or name==version"
        raise InputError(Problem(named(source), repr(to[:80]), expected))
    moved = replace(source, place=release, options={**options, **({"sha256": sha256} if mark else {})})
    sha256_of(moved)
    return moved
