"""A local repository at a commit, read from its objects, by git without what a repository may configure."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, cast

from rankgate.corpora.cache import LARGEST, NOT_UTF8, open_cached
from rankgate.corpora.corpus import (
    SELECTION_KEYS,
    Corpus,
    OpenContext,
    check_options,
    corpus_path,
    named,
    under_of,
)
from rankgate.corpora.folder import LIMIT
from rankgate.errors import Code, FormatError, InputError, escaped
from rankgate.io.text import OUTSIDE
from rankgate.locations import is_path
from rankgate.model import CorpusSource
from rankgate.progress import steps

SECONDS = 120  # of one git command

_HASH = re.compile("[0-9a-f]{4,64}")
_SKIPPED = {b"160000": "a submodule", b"120000": "a symbolic link"}
_OFF = (
    *("--no-pager", "--no-replace-objects", "--no-optional-locks"),
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never"),
)
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
# The repository chooses the middle of these names.
_DRIVER = re.compile(r"filter\..*\.(?P<key>clean|smudge|process|required)", re.DOTALL)
_WHOLE = "a partial clone lacks objects: clone it whole; else run git fsck"


class Git:
    """One repository, found at a folder and nowhere above it."""

    def __init__(self, folder: Path, where: str) -> None:
        # A relative folder of PATH, or the working folder on Windows, could have a git of the checkout.
        folders = filter(os.path.isabs, os.environ.get("PATH", os.defpath).split(os.pathsep))
        found = next(filter(None, (shutil.which(os.path.join(one, "git")) for one in folders)), None)  # noqa: PTH118
        if found is None:
            fix = "install git, or name the folder instead"
            raise InputError(Code.GIT_FAILED(where, "no git on this machine", "the git command", fix))
        self._where = where
        self._folder = folder
        self._command = [found, "-C", str(folder), *_OFF]
        outer = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        self._environment = {**outer, **_ENVIRONMENT, "GIT_CEILING_DIRECTORIES": str(folder.parent)}

    def ask(self, *arguments: str) -> bytes | None:
        """Run a command and return its output; None if it fails."""
        command = [*self._command, *arguments]
        try:
            done = subprocess.run(  # noqa: S603 - the arguments are fixed words and object names
                command, env=self._environment, capture_output=True, timeout=SECONDS, check=False
            )
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            found = "git that did not answer" if isinstance(error, subprocess.TimeoutExpired) else str(error)
            raise InputError(Code.GIT_FAILED(self._where, found, "an answer from git")) from error
        if b"dubious ownership" in done.stderr:
            found = "a repository that belongs to someone else"
            fix = f"if you trust it: git config --global --add safe.directory {self._folder}"
            raise InputError(Code.GIT_FAILED(self._where, found, "one of yours", fix))
        return done.stdout if done.returncode == 0 else None

    def word(self, *arguments: str) -> str | None:
        """Run a command that prints one line, and return the line."""
        said = self.ask(*arguments)
        return None if said is None else os.fsdecode(said).rstrip("\n") or None

    def status(self, *arguments: str) -> bytes | None:
        """Return the status of the files of this folder, without running filters on them."""
        listed = self.ask("config", "--list", "--name-only", "-z") or b""
        keys = sorted({os.fsdecode(key) for key in listed.split(b"\0")})
        # By the environment, since a name may contain the sign that ends it on the command line.
        off = {f"GIT_CONFIG_KEY_{number}": key for number, key in enumerate(filter(_DRIVER.fullmatch, keys))}
        for name, key in [*off.items()]:
            off[name.replace("KEY", "VALUE")] = "false" if key.endswith(".required") else ""
        plain = self._environment
        self._environment = {**plain, **off, "GIT_CONFIG_COUNT": str(len(off) // 2)}
        try:
            # A repository may name another folder as its own.
            return self.ask(f"--work-tree={self._folder}", "status", *arguments)
        finally:
            self._environment = plain

    def files(self, tree: str) -> tuple[dict[str, str], dict[str, str]]:
        """Return the object name of each file of a tree, and why others are skipped, by path."""
        said = self.ask("ls-tree", "-r", "-z", "--full-tree", tree)
        if said is None:
            found = "folders that are missing"
            raise InputError(Code.GIT_FAILED(self._where, found, "a whole repository", _WHOLE))
        names, skipped = {}, {}
        for line in filter(None, said.split(b"\0")):
            about, _, path = line.partition(b"\t")
            mode, _, name = about.split()
            shown = path.decode(errors="replace")
            if why := _SKIPPED.get(mode) or ("" if shown.encode() == path else NOT_UTF8):
                skipped[escaped(shown)] = why
            else:
                names[shown] = name.decode()
        return names, skipped

    def blobs(self, names: Sequence[str], most: int = LIMIT) -> Iterator[bytes]:
        """Yield the content of each blob; of a larger one than `most`, one byte more than that."""
        with tempfile.TemporaryFile() as wanted:
            wanted.write("".join(f"{name}\n" for name in names).encode())
            wanted.seek(0)
            command = [*self._command, "cat-file", "--batch"]
            quiet = subprocess.DEVNULL
            with subprocess.Popen(  # noqa: S603 - as above
                command, env=self._environment, stdin=wanted, stdout=subprocess.PIPE, stderr=quiet
            ) as process:
                stdout = cast("IO[bytes]", process.stdout)
                for name in names:
                    header = stdout.readline(200).split()
                    size = int(header[2]) if header[1:2] == [b"blob"] else -1
                    data = stdout.read(min(max(size, 0), most + 1))
                    left = size - len(data)
                    while left > 0 and (rest := stdout.read(min(left, 1 << 20))):
                        left -= len(rest)
                    if left:
                        process.kill()
                        found = f"no content of object {name}"
                        raise InputError(Code.GIT_FAILED(self._where, found, "a whole repository", _WHOLE))
                    stdout.read(1)
                    yield data


def open_git(source: CorpusSource, context: OpenContext) -> Corpus:
    """Open the commit of a repository that a suite names.

    Submodules and symbolic links are skipped and counted. Contents are those that were committed: no filter
    runs, line ends are not converted, and a Git LFS pointer stays a pointer."""
    check_options(source, ("commit", "under", *SELECTION_KEYS))
    where, under = named(source), under_of(source)
    git = _repository(context.here / source.place, context, where)
    wanted = source.options.get("commit")
    commit, is_hash = _commit(git, None if wanted is None else str(wanted), where, unpinned=context.unpinned)
    tree = git.word("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}:{under}")
    if tree is None or git.word("cat-file", "-t", tree) != "tree":
        said = git.ask("ls-tree", "-d", "-z", "--name-only", commit) or b""
        names = [escaped(name.decode(errors="replace")) for name in said.split(b"\0") if name]
        fix = f"there are {', '.join(names[:10])}{' …' if names[10:] else ''}" if names else ""
        found = f"no folder {escaped(under)!r} in commit {commit[:12]}"
        raise InputError(Code.NO_SUCH_FILE(where, found, "a folder", fix))

    def fill(folder: Path) -> tuple[dict[str, str], tuple[str, ...]]:
        context.tell(f"reading commit {commit[:12]} of {source.place}")
        return _unpack(git, tree, folder, where)

    corpus = open_cached(context, f"tree-{tree}", "", where, fill)
    if is_hash:
        return corpus
    note = f"{escaped(str(wanted or 'HEAD'))} is commit {commit}"
    return replace(corpus, notes=(*corpus.notes, note), pin={"commit": commit})


def _repository(location: Path, context: OpenContext, where: str) -> Git:
    folder = corpus_path(location, context.root, "a git repository", folder=True)
    git, root = Git(folder, where), context.root.resolve()
    inside = git.word("rev-parse", "--path-format=absolute", "--git-common-dir")
    if inside is None:
        above = next((top for top in folder.parents if (top / ".git").exists()), None)
        fix = f"its top folder is {above}" if above is not None else "run git init, or name the folder alone"
        found, expected = "no repository of its own", "the top folder of a repository"
        raise InputError(Code.GIT_FAILED(where, found, expected, fix))
    if not Path(inside).resolve().is_relative_to(root):
        said = f"{where}: this is a working copy of a repository outside the project, {root}. {OUTSIDE}"
        raise InputError(Code.OUTSIDE_PROJECT(where, "a repository outside the project", "", "", said))
    # Objects outside the project could come by alternates, or by links in the object store.
    stores = [Path(git.word("rev-parse", "--path-format=absolute", "--git-path", "objects") or inside)]
    for line in (git.ask("count-objects", "-v") or b"").split(b"\n"):
        if line.startswith(b"alternate: "):
            name = line.removeprefix(b"alternate: ")
            quoted = name.startswith(b'"')
            plain = name[1:-1].decode("unicode_escape").encode("latin-1") if quoted else name
            stores.append(Path(os.fsdecode(plain)))
    for store in stores:
        links = (path for path in store.rglob("*") if path.is_symlink())
        for path in (store, *links):
            if not (place := path.resolve()).is_relative_to(root):
                found = f"the repository has objects outside the project, in {escaped(str(place))}"
                fix = f"To copy what alternates name, run `git repack -a -d`, and remove them. {OUTSIDE}"
                raise InputError(Code.OUTSIDE_PROJECT(where, found, "", "", f"{where}: {found}. {fix}"))
    return git


def _commit(git: Git, wanted: str | None, where: str, *, unpinned: bool) -> tuple[str, bool]:
    """Return the whole hash of a commit, and whether `wanted` is a hash, as a suite requires."""
    name = wanted or "HEAD"
    found = git.word("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    short = escaped(name if len(name) <= 80 else name[:79] + "…")
    is_hash = _HASH.fullmatch(name.lower()) is not None
    if found is None:
        fix = "git fetch --all, or correct it" if is_hash else "write the hash of a commit"
        if git.word("rev-parse", "--is-shallow-repository") == "true":
            fix = "the clone is shallow: git fetch --unshallow, or fetch-depth: 0 in CI"
        raise InputError(
            Code.NO_SUCH_COMMIT(where, f"no commit {short!r}", "a commit of the repository", fix)
        )
    if is_hash and found.startswith(name.lower()):
        return found, True
    if unpinned:
        return found, False
    told = "no commit" if wanted is None else f"{short!r}, which is a name and may move"
    raise InputError(Code.NOT_PINNED(where, told, "the hash of a commit", f"write commit: {found}"))


def _unpack(git: Git, tree: str, folder: Path, where: str) -> tuple[dict[str, str], tuple[str, ...]]:
    wanted, skipped = git.files(tree)
    pointers = total = 0
    contents = git.blobs(list(wanted.values()))
    for path, data in zip(steps(list(wanted), "reading files of the commit"), contents, strict=True):
        total += len(data)
        if total > LARGEST:
            found = f"more than {LARGEST:,} bytes"
            raise FormatError(Code.UNSAFE_ARCHIVE(where, found, "a smaller commit"))
        written_path(folder, path, where).write_bytes(data)
        pointers += data.startswith(b"version https://git-lfs")
    note = f"{pointers} Git LFS pointers: what they point to is not in the repository"
    return skipped, (note,) if pointers else ()


def written_path(folder: Path, path: str, where: str) -> Path:
    """Return where a file is written, in a folder that exists; git allows any name in its objects."""
    if not is_path(path) or not (folder / path).is_relative_to(folder):
        raise FormatError(Code.UNSAFE_ARCHIVE(where, f"the path {escaped(path[:200])!r}", "a path inside"))
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    return folder / path
