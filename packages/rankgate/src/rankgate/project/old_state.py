"""The state of the documents in which the targets of a suite were judged, where it can be had."""

from __future__ import annotations

import hashlib
import os
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.corpora.corpus import SELECTION_KEYS, Selection, moved_to, open_source
from rankgate.corpora.folder import LIMIT, left_out
from rankgate.corpora.git import Git
from rankgate.errors import Code, InputError
from rankgate.model import CorpusSource, fingerprint
from rankgate.project.baselines import Baselines
from rankgate.truth.lookup import CorpusReader, Miss, Spot
from rankgate.truth.resolve import named_locations
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankgate.corpora.corpus import Corpus, OpenContext
    from rankgate.locations import Location
    from rankgate.model import Suite
    from rankgate.truth.anchors import Anchors

_SHORT = 12
_MOST_COMMITS = 200
_MOST_SECONDS = 10.0


@dataclass(frozen=True, slots=True, eq=False)
class OldState:
    """What is known of the documents as they were."""

    corpus: Corpus | None = None
    """The documents; None where only the anchors are known."""
    said: str = ""
    """Where they come from, or why there are none, in words."""
    renames: Mapping[str, str] = field(default_factory=dict)
    """Which files git says were renamed since."""
    commit: str = ""
    """The commit, where git was looked through for it; empty where a person or the anchors name the state."""


def named_state(source: CorpusSource, state: str, room: OpenContext) -> OldState:
    """Open the state that a person names: a commit, a release, a folder or a file.

    Raises:
        InputError: for what names no state of such a corpus.
    """
    where = f"--from {state}"
    try:
        return _named(source, state, room)
    except InputError as error:
        raise InputError([replace(one, where=f"{where}: {one.where}") for one in error.problems]) from error


def _named(source: CorpusSource, state: str, room: OpenContext) -> OldState:
    path = next((one for one in (Path(state), room.here / state) if one.exists()), None)
    if source.kind != "folder" or path is not None:
        place = state
        if path is not None and source.kind != "git":
            place = Path(os.path.relpath(path, room.here)).as_posix()
        corpus = open_source(moved_to(source, place), replace(room, unpinned=True))
        return OldState(corpus, f"the documents of {state}")
    history = FolderHistory.of(room.here / source.place, Selection.of(source))
    if history is None:
        fix = "name a folder that has the documents as they were"
        raise InputError(
            Code.NO_SUCH_COMMIT(source.place, "no git repository, and no such folder", "an old state", fix)
        )
    return _commit(history, state, source, room)


def known_state(source: CorpusSource, anchors: Anchors, now: Corpus, room: OpenContext) -> OldState:
    """Look for the state that was anchored: what the anchors name, or the commit that had the documents."""
    if anchors.fingerprint is None or anchors.fingerprint == now.fingerprint:
        return OldState()
    then = anchors.corpus
    if then is not None and then.kind in ("git", "archive"):
        try:
            corpus = open_source(then, room)
        except InputError:
            return OldState(said=f"{then} cannot be opened")
        fits = corpus.fingerprint == anchors.fingerprint
        return OldState(corpus, f"the documents of {then}") if fits else OldState()
    if source.kind != "folder":
        return OldState()
    # The globs may have changed since as well as the documents.
    anchored = source if then is None or then.kind != "folder" else then
    history = FolderHistory.of(room.here / source.place, Selection.of(anchored))
    if history is None:
        return OldState()
    commit, count = history.find(anchors.fingerprint)
    looked = many(count, "commit")
    if commit is None:
        return OldState(said=f"none of {looked} has the documents that were anchored")
    state = _commit(history, commit, anchored, room)
    return replace(state, said=f"commit {commit[:12]}, found by the anchors ({looked} looked at)")


def unrecorded(suite: Suite, now: Corpus, anchors: Anchors) -> tuple[Location, ...]:
    """Return the locations of a suite that are gone, and of whose texts nothing was recorded."""
    reader = CorpusReader(now)
    return tuple(
        each.location
        for each in named_locations(suite)
        if each.location.id is None
        and (each.case is None or anchors.get(each.case, each.location.whole) is None)
        and isinstance(reader.find(each.location), Miss)
    )


def judged_state(suite: Suite, gone: Sequence[Location], room: OpenContext) -> OldState:
    """Look in git for the documents that targets were judged in; no state where none of them was there.

    They are those of the last commit that changed a baseline, or else of the last one that changed the suite.

    Args:
        suite: The suite.
        gone: Its locations that are gone, of whose texts nothing was recorded.
        room: Where the corpus may come from.
    """
    source = suite.corpus
    if source is None or source.kind != "folder" or suite.path is None:
        return OldState()
    history = FolderHistory.of(room.here / source.place, Selection.of(source))
    if history is None:
        return OldState()
    for commit, said in _judged_commits(suite, history):
        try:
            state = _commit(history, commit, source, room)
        except InputError:
            # The commit of a branch that was squashed, or a clone without its history.
            continue
        reader = CorpusReader(state.corpus)
        if any(isinstance(reader.find(one), Spot) for one in gone):
            return replace(state, said=f"{state.said}, {said}", commit=commit[:_SHORT])
    return OldState()


def _judged_commits(suite: Suite, history: FolderHistory) -> Iterator[tuple[str, str]]:
    """Go through the commits whose documents may have been judged, likeliest first, and why each."""
    for path in (*Baselines(suite, "").saved(), Path(str(suite.path))):
        last = history.last_change(path)
        if last is not None:
            yield last, f"the last that changed {path.name}"


def _commit(history: FolderHistory, commit: str, now: CorpusSource, room: OpenContext) -> OldState:
    place = Path(os.path.relpath(history.top, room.here.resolve())).as_posix()
    under = {} if history.under == "." else {"under": history.under}
    chosen = {key: now.options[key] for key in SELECTION_KEYS if key in now.options}
    source = CorpusSource(place, "git", {"commit": commit, **under, **chosen})
    # The repository may begin above the project; only its objects are read.
    root = history.top if room.root.resolve().is_relative_to(history.top) else room.root
    corpus = open_source(source, replace(room, root=root, unpinned=True))
    whole = corpus.pin.get("commit", commit)
    return OldState(corpus, f"commit {whole[:12]}", history.renames(whole))


class FolderHistory:
    """The history of a folder in the working copy of a repository."""

    def __init__(self, folder: Path, top: Path, selection: Selection) -> None:
        self.top = top
        self.under = folder.resolve().relative_to(top.resolve()).as_posix()
        """The path of the folder in the repository."""
        self._selection = selection
        self._git = Git(top, f"git repository {top}")
        self._hashes: dict[str, str | None] = {}

    @classmethod
    def of(cls, folder: Path, selection: Selection) -> FolderHistory | None:
        """Return the history of a folder; None for a folder in no repository."""
        folder = folder.resolve()
        top = next((one for one in (folder, *folder.parents) if (one / ".git").exists()), None)
        return None if top is None else cls(folder, top, selection)

    def find(self, wanted: str) -> tuple[str | None, int]:
        """Return the newest commit whose documents have a fingerprint, and how many commits were searched."""
        looked = 0
        try:
            said = self._git.ask("log", f"-n{_MOST_COMMITS}", "--format=%H", "HEAD", "--", self.under) or b""
            ends = time.monotonic() + _MOST_SECONDS
            for commit in said.decode().split():
                if time.monotonic() > ends:
                    break
                looked += 1
                if self._fingerprint(commit) == wanted:
                    return commit, looked
        except InputError:
            # Without git, or with a damaged repository, there is no history.
            pass
        return None, looked

    def last_change(self, file: Path) -> str | None:
        """Return the last commit that changed a file; None if there is none, or no git."""
        try:
            return self._git.word("log", "-n1", "--format=%H", "HEAD", "--", str(file.resolve()))
        except InputError:
            return None

    def renames(self, commit: str) -> dict[str, str]:
        """Return the new path of each file of the folder that was renamed since a commit, by the old path."""
        prefix = "" if self.under == "." else f"{self.under}/"
        options = ("-r", "-M", "-z", "--diff-filter=R", "--name-status")
        try:
            said = self._git.ask("diff-tree", *options, commit, "HEAD") or b""
        except InputError:
            return {}
        words = [word.decode(errors="surrogateescape") for word in said.split(b"\0")]
        return {
            old.removeprefix(prefix): new.removeprefix(prefix)
            for old, new in zip(words[1::3], words[2::3], strict=False)
            if old.startswith(prefix) and new.startswith(prefix)
        }

    def _fingerprint(self, commit: str) -> str | None:
        """Return the fingerprint of the folder at a commit; each content is read once."""
        names, _ = self._git.files(commit if self.under == "." else f"{commit}:{self.under}")
        chosen = (path for path in names if not left_out(path) and self._selection.why_not(path) is None)
        files = {path: names[path] for path in chosen}
        new = sorted({*files.values()} - self._hashes.keys())
        for name, data in zip(new, self._git.blobs(new), strict=True):
            left = b"\0" in data or len(data) > LIMIT
            self._hashes[name] = None if left else hashlib.sha256(data).hexdigest()
        hashes = [[path, digest] for path in sorted(files) if (digest := self._hashes[files[path]])]
        return fingerprint(hashes) if hashes else None
