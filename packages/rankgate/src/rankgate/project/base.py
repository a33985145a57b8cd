"""The commit that a change is compared with, for ``--base REF``: its files, read from the objects of git.

Nothing is checked out and nothing of the commit runs. Configuration, suites and baselines are written to a
temporary folder with the layout of the repository, where the usual functions read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from rankgate.corpora.git import Git, written_path
from rankgate.errors import Code, InputError
from rankgate.project.baselines import FOLDER
from rankgate.project.configuration import NAME, PROJECT, Configuration
from rankgate.project.find import configuration_for, find_configuration
from rankgate.suites.formats import suites_in
from rankgate.wording import shortest

LARGEST = 1 << 28
"""The most bytes of a commit that are read."""
_OPTION = "--base"


@dataclass(frozen=True, slots=True)
class Base:
    """A commit, and the folder that its files are written to."""

    ref: str
    """The name that the user gave, such as ``origin/main``."""
    commit: str
    """The merge base of it and HEAD."""
    top: Path
    """The folder of the repository."""
    folder: Path
    """Its files, in the layout of the repository."""
    git: Git
    files: Mapping[str, str]
    """The object names of its regular files, by path."""

    def path(self, path: Path) -> Path:
        """Return where the base has a file of the repository; it need not exist."""
        return self.folder / self.name(path)

    def name(self, path: Path) -> str:
        """Return the path of a file from the top of the repository."""
        return str(_inside(path, self.top))

    def shown(self, text: str) -> str:
        """Return a message with the names that git has for files of a commit: ``origin/main:search.yaml``."""
        return text.replace(f"{self.folder}/", f"{self.ref}:")

    def configuration(self, root: Path) -> Configuration:
        """Read the configuration that the project in a folder had.

        Raises:
            FormatError: for an invalid configuration.
        """
        folders = [_inside(root, self.top)]
        folders += folders[0].parents
        self.write(str(folder / name) for folder in folders for name in (NAME, PROJECT))
        found = find_configuration(self.folder / folders[0], self.folder)
        if found.path is not None:
            self.write_beside(found.path)
            for entry in found.suites:
                self.write_beside(found.root / entry.file)
        return found

    def tests(self, root: Path, systems: Sequence[str] = ()) -> list[tuple[Path, str]]:
        """Return the suites that the project had, as paths of today, each with its systems."""
        configuration = self.configuration(root)
        if configuration.path is None:
            return []
        files = dict.fromkeys(entry.file for entry in configuration.suites)
        every = [*files] or suites_in(configuration.root)
        return [
            (shortest(self.top / path.relative_to(self.folder)), configuration.entry(system).name)
            for path in (configuration.root / file for file in (every if files or len(every) == 1 else ()))
            for system in systems or configuration.tested_systems(path)
            if path.exists()
        ]

    def decides(self, path: Path) -> bool:
        """Return whether the base decides the test of a suite."""
        return self.configuration(configuration_for(path).root).yardstick == "base"

    def write_beside(self, path: Path) -> None:
        """Write a file or folder with the files and baselines beside it."""
        beside = path.parent.relative_to(self.folder)
        inside = (f"{path.relative_to(self.folder).as_posix()}/", f"{(beside / FOLDER).as_posix()}/")
        self.write(file for file in self.files if Path(file).parent == beside or file.startswith(inside))

    def write(self, names: Iterable[str]) -> None:
        """Write files that the commit has.

        Raises:
            InputError: if they are larger than `LARGEST`, or the repository lacks one.
        """
        new = [one for one in dict.fromkeys(names) if one in self.files and not (self.folder / one).exists()]
        contents = self.git.blobs([self.files[name] for name in new], LARGEST)
        for name, data in zip(new, contents, strict=True):
            if len(data) > LARGEST:
                said = f"{self.ref}:{name}: the file is larger than {LARGEST:,} bytes."
                raise InputError(Code.WRONG_OPTION(_OPTION, name, "a smaller file", "", said))
            written_path(self.folder, name, _OPTION).write_bytes(data)


@contextmanager
def open_base(start: Path, ref: str) -> Iterator[Base]:
    """Open the merge base of a name and HEAD, of the repository that a folder is in.

    Raises:
        InputError: if there is no repository, or the merge base is not known, as in a shallow clone.
    """
    start = start.resolve()
    top = next((folder for folder in (start, *start.parents) if (folder / ".git").exists()), None)
    if top is None:
        said = f"{_OPTION}: {start} is in no git repository."
        raise InputError(Code.WRONG_OPTION(_OPTION, ref, "a git repository", "", said))
    git = Git(top, _OPTION)
    wanted = git.word("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    commit = None if wanted is None else git.word("merge-base", wanted, "HEAD")
    if commit is None:
        what = f"no commit {ref!r}" if wanted is None else f"{ref} and HEAD have no common commit"
        shallow = git.word("rev-parse", "--is-shallow-repository") == "true"
        remote, slash, branch = ref.partition("/")
        source = f"{remote} {branch}:refs/remotes/{ref}" if slash else f"origin {ref}"
        fetch = f"git fetch {'--unshallow ' * shallow}{source}"
        said = f"{_OPTION}: {what}{' in this shallow clone' * shallow}. Run: {fetch}"
        raise InputError(Code.NO_SUCH_COMMIT(_OPTION, what, "a commit", "", said))
    files, _ = git.files(commit)
    with TemporaryDirectory(prefix="rankgate-base-") as folder:
        yield Base(ref, commit, top, Path(folder).resolve(), git, files)


def _inside(path: Path, top: Path) -> PurePosixPath:
    path = path.resolve()
    if not path.is_relative_to(top):
        said = f"{_OPTION}: {path} is outside the repository {top}."
        raise InputError(Code.WRONG_OPTION(_OPTION, str(path), f"a path in {top}", "", said))
    return PurePosixPath(path.relative_to(top).as_posix())
