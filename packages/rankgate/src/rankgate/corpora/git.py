"""A local repository at a commit, read from its objects; the working copy does not matter."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.corpora.cache import LARGEST, NOT_UTF8, Unpacked, open_kept, read_unpacked
from rankgate.corpora.options import (
    OUTSIDE,
    SELECTION_KEYS,
    check_options,
    folder_inside,
    named,
    one,
    under_of,
)
from rankgate.corpora.programs import Git
from rankgate.errors import Code, FormatError, InputError, Problem, escaped
from rankgate.model.locations import is_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.corpora.corpus import Corpus, OpenContext
    from rankgate.model.suite import CorpusSource
from rankgate.progress import steps

_HASH = re.compile("[0-9a-f]{4,64}")
_LFS = b"version https://git-lfs"
_SUBMODULE = b"160000"
_SYMLINK = b"120000"


@dataclass(frozen=True, slots=True)
class Leaf:
    """A file of a commit."""

    mode: bytes
    name: str
    path: str


def open_git(source: CorpusSource, context: OpenContext) -> Corpus:
    """Open the commit of a repository that a suite names.

    Submodules and symbolic links are skipped and counted. Contents are those that were committed: no filter
    is run, line ends are not converted, and a Git LFS pointer stays a pointer.

    Raises:
        InputError: for a repository or commit that is not there, not allowed or not pinned.
    """
    check_options(source, ("commit", "under", *SELECTION_KEYS))
    where, under = named(source), under_of(source)
    git = _repository(context.here / source.place, context, where)
    commit, is_hash = _commit(git, one(source, "commit"), where, unpinned=context.unpinned)
    tree = git.word("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}:{under}")
    if tree is None or git.word("cat-file", "-t", tree) != "tree":
        raise InputError(_no_folder(git, commit, under, where))

    def fill(folder: Path) -> Unpacked:
        context.tell(f"reading commit {commit[:12]} of {source.place}")
        return _unpack(git, tree, folder, where)

    # The tree has the folder as its top, so nothing is left to be chosen inside it.
    corpus = open_kept(context, f"tree-{tree}", "", where, fill)
    if is_hash:
        return corpus
    note = f"{escaped(str(source.options.get('commit', 'HEAD')))} is commit {commit}"
    return replace(corpus, notes=(*corpus.notes, note), pin={"commit": commit})


def _repository(location: Path, context: OpenContext, where: str) -> Git:
    folder = folder_inside(location, context.root, "a git repository")
    git = Git(folder, where)
    inside = git.word("rev-parse", "--path-format=absolute", "--git-common-dir")
    if inside is None:
        above = next((top for top in folder.parents if (top / ".git").exists()), None)
        fix = f"its top folder is {above}" if above is not None else "run git init, or name the folder alone"
        raise InputError(
            Code.GIT_FAILED(where, "no repository of its own", "the top folder of a repository", fix)
        )
    try:
        folder_inside(context.here / inside, context.root)
    except InputError as error:
        found = "a working copy of a repository outside the project"
        raise InputError(
            Code.OUTSIDE_PROJECT(where, found, f"a repository in {context.root}", OUTSIDE)
        ) from error
    _check_objects(git, context.root.resolve(), where)
    return git


def _check_objects(git: Git, root: Path, where: str) -> None:
    """Refuse a repository with objects outside the project: by alternates, or by links in its store."""
    for store in git.object_stores():
        place = store.resolve()
        outside = _link_outside(place, root) if place.is_relative_to(root) else place
        if outside is not None:
            found = f"objects outside the project, in {escaped(str(outside))}"
            fix = "git repack -a -d copies what alternates name, which can then be removed"
            raise InputError(Code.OUTSIDE_PROJECT(where, found, f"objects in {root}", f"{fix}; or {OUTSIDE}"))


def _link_outside(store: Path, root: Path) -> Path | None:
    """Return where a link of an object store leads, the first that leaves the project."""
    for folder, folders, files in os.walk(store):
        for name in (*folders, *files):
            path = Path(folder, name)
            if path.is_symlink() and not (there := path.resolve()).is_relative_to(root):
                return there
    return None


def _commit(git: Git, wanted: str | None, where: str, *, unpinned: bool) -> tuple[str, bool]:
    """Find the whole hash of a commit, and tell whether it was named by a hash, as a suite must."""
    name = wanted or "HEAD"
    found = git.word("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    short = escaped(name if len(name) <= 80 else name[:79] + "…")
    is_hash = _HASH.fullmatch(name.lower()) is not None
    if found is None:
        raise InputError(_no_commit(git, short, where, is_hash=is_hash))
    if is_hash and found.startswith(name.lower()):
        return found, True
    if unpinned:
        return found, False
    told = "no commit" if wanted is None else f"{short!r}, which is a name and may move"
    raise InputError(Code.NOT_PINNED(where, told, "the hash of a commit", f"write commit: {found}"))


def _no_commit(git: Git, name: str, where: str, *, is_hash: bool) -> Problem:
    if is_hash and len((git.ask("rev-parse", f"--disambiguate={name}") or b"").split()) > 1:
        return Code.AMBIGUOUS(
            where, f"commit {name!r}, which could be several", "one commit", "write more digits"
        )
    if git.word("rev-parse", "--is-shallow-repository") == "true":
        fix = "the clone is shallow: git fetch --unshallow, or fetch-depth: 0 in CI"
    else:
        fix = "git fetch --all, or correct it" if is_hash else "write the hash of a commit"
    return Code.NO_SUCH_COMMIT(where, f"no commit {name!r}", "a commit of the repository", fix)


def _no_folder(git: Git, commit: str, under: str, where: str) -> Problem:
    said = git.ask("ls-tree", "-d", "-z", "--name-only", commit) or b""
    names = [escaped(name.decode(errors="replace")) for name in said.split(b"\0") if name]
    fix = f"there are {', '.join(names[:10])}{' …' if names[10:] else ''}" if names else ""
    return Code.NO_SUCH_FILE(where, f"no folder {escaped(under)!r} in commit {commit[:12]}", "a folder", fix)


def _unpack(git: Git, tree: str, folder: Path, where: str) -> Unpacked:
    left_out: dict[str, str] = {}
    pointers = filters = total = 0
    with git.blobs() as blobs:
        for leaf in steps(list(leaves(git, tree, where)), "reading files of the commit"):
            if why := why_not(leaf):
                left_out[escaped(leaf.path.encode(errors="surrogateescape").decode(errors="replace"))] = why
                continue
            location = written_path(folder, leaf.path, where)
            location.parent.mkdir(parents=True, exist_ok=True)
            start = b""
            with location.open("xb") as file:
                for chunk in blobs.read(leaf.name, leaf.path):
                    start = start or chunk
                    total += file.write(chunk)
                    if total > LARGEST:
                        found = f"more than {LARGEST:,} bytes"
                        raise FormatError(Code.UNSAFE_ARCHIVE(where, found, "a smaller commit"))
            pointers += start.startswith(_LFS)
            filters += leaf.path.endswith(".gitattributes") and b"filter=" in start
    notes = []
    if pointers:
        notes.append(f"{pointers} Git LFS pointers: what they point to is not in the repository")
    if filters:
        notes.append(f"{filters} .gitattributes with filters, which were not run")
    return read_unpacked(folder, left_out, tuple(notes))


def why_not(leaf: Leaf) -> str:
    """Return why an entry is not written; empty for a file."""
    if leaf.mode == _SUBMODULE:
        return "a submodule"
    if leaf.mode == _SYMLINK:
        return "a symbolic link"
    try:
        leaf.path.encode()
    except UnicodeEncodeError:
        return NOT_UTF8
    return ""


def written_path(folder: Path, path: str, where: str) -> Path:
    """Return where a file is written: git refuses such names in a checkout, but not in its objects."""
    location = folder / path
    if not is_path(path) or not location.is_relative_to(folder):
        raise FormatError(Code.UNSAFE_ARCHIVE(where, f"the path {escaped(path[:200])!r}", "a path inside"))
    return location


def leaves(git: Git, tree: str, where: str) -> Iterator[Leaf]:
    """Return the files of a tree."""
    said = git.ask("ls-tree", "-r", "-z", "--full-tree", tree)
    if said is None:
        fix = "a partial clone lacks objects: clone it whole; else run git fsck"
        raise InputError(Code.GIT_FAILED(where, "folders that are missing", "a whole repository", fix))
    for line in said.split(b"\0"):
        if line:
            about, _, path = line.partition(b"\t")
            mode, _, name = about.split()
            yield Leaf(mode, name.decode(), path.decode(errors="surrogateescape"))
