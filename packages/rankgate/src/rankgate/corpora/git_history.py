"""The history of a folder that lies in a git repository: the commit that had some documents, and renames."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.corpora.folder import LIMIT, left_out
from rankgate.corpora.programs import Git
from rankgate.errors import InputError
from rankgate.model.fingerprints import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rankgate.corpora.programs import Blobs
    from rankgate.corpora.selection import Selection

MOST_COMMITS = 200
"""How many commits are looked at for the one that had some documents."""
MOST_SECONDS = 10.0
"""How long is looked for it."""

_FILE = (b"100644", b"100755")


@dataclass(frozen=True, slots=True)
class FoundCommit:
    """What a look through the history of a folder found."""

    commit: str | None
    """The newest commit that had the documents; None where none of those that were looked at had."""
    looked: int
    """How many commits were looked at."""


class FolderHistory:
    """A folder in the working copy of a repository."""

    def __init__(self, folder: Path, top: Path, selection: Selection) -> None:
        """Take the folder, the top folder of its repository, and which of its files are documents."""
        self.top = top
        self.under = folder.resolve().relative_to(top.resolve()).as_posix()
        """The folder as seen from there."""
        self._selection = selection
        self._git = Git(top, f"git repository {top}")
        self._hashes: dict[bytes, str | None] = {}

    @classmethod
    def of(cls, folder: Path, selection: Selection) -> FolderHistory | None:
        """Return the history of a folder; None where it is in no repository."""
        folder = folder.resolve()
        top = next((one for one in (folder, *folder.parents) if (one / ".git").exists()), None)
        return None if top is None else cls(folder, top, selection)

    def find(self, wanted: str) -> FoundCommit:
        """Find the newest commit whose documents have a fingerprint."""
        looked = 0
        try:
            said = self._git.ask("log", f"-n{MOST_COMMITS}", "--format=%H", "HEAD", "--", self.under) or b""
            ends = time.monotonic() + MOST_SECONDS
            with self._git.blobs() as blobs:
                for commit in said.decode().split():
                    if time.monotonic() > ends:
                        break
                    looked += 1
                    if self._fingerprint(commit, blobs) == wanted:
                        return FoundCommit(commit, looked)
        except InputError:
            # Without git, or with a damaged repository, there is no history to look at.
            pass
        return FoundCommit(None, looked)

    def last_change(self, file: Path) -> str | None:
        """Return the last commit that changed a file; None where there is none, or no git."""
        try:
            said = self._git.ask("log", "-n1", "--format=%H", "HEAD", "--", str(file.resolve()))
        except InputError:
            return None
        return (said or b"").decode().strip() or None

    def renames(self, commit: str) -> dict[str, str]:
        """Return which files of the folder git says were renamed since a commit, by the old path."""
        prefix = "" if self.under == "." else f"{self.under}/"
        try:
            said = self._git.ask(
                "diff-tree", "-r", "-M", "-z", "--diff-filter=R", "--name-status", commit, "HEAD"
            )
        except InputError:
            return {}
        words = [word.decode(errors="surrogateescape") for word in (said or b"").split(b"\0")]
        pairs = zip(words[1::3], words[2::3], strict=False)
        return {
            old.removeprefix(prefix): new.removeprefix(prefix)
            for old, new in pairs
            if old.startswith(prefix) and new.startswith(prefix)
        }

    def _fingerprint(self, commit: str, blobs: Blobs) -> str | None:
        """Return the fingerprint that the folder of a commit would have; contents are read once each."""
        files: dict[str, str] = {}
        for name, path in self._leaves(commit):
            if name not in self._hashes:
                self._hashes[name] = _hash(blobs.read(name.decode(), path))
            content = self._hashes[name]
            if content is not None:
                files[path] = content
        return fingerprint([[path, files[path]] for path in sorted(files)]) if files else None

    def _leaves(self, commit: str) -> Iterator[tuple[bytes, str]]:
        tree = commit if self.under == "." else f"{commit}:{self.under}"
        for line in (self._git.ask("ls-tree", "-r", "-z", "--full-tree", tree) or b"").split(b"\0"):
            about, _, path = line.partition(b"\t")
            words = about.split()
            if len(words) == 3 and words[0] in _FILE:
                try:
                    name = path.decode()
                except UnicodeDecodeError:
                    continue
                if not left_out(name) and self._selection.why_not(name) is None:
                    yield words[2], name


def _hash(pieces: Iterator[bytes]) -> str | None:
    """Return the hash of a file as a corpus has it; None for one that a corpus leaves out."""
    digest, size, binary = hashlib.sha256(), 0, False
    for piece in pieces:
        digest.update(piece)
        size += len(piece)
        binary = binary or b"\0" in piece
    return None if binary or size > LIMIT else digest.hexdigest()
