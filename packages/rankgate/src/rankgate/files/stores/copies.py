"""Copies on this machine of what stands in a store: folders for as long as the process lasts.

All that reads and writes runs knows paths alone. A file in a copy says of what it is one, and who writes;
credentials are in none. Objects that were fetched are kept by their SHA-256 in the cache, so that a run that
is read twice is fetched once.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import Problem
from rankgate.files.atomic import digest, replacing
from rankgate.files.stores.address import COPY_MARK, StoreAddress
from rankgate.files.stores.object_store import copy_error, open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeVar

    from rankgate.errors import RankgateError
    from rankgate.files.stores.object_store import ObjectStore

    T = TypeVar("T")

_AT_ONCE = 8
_GIVEN: dict[str, str] = {}
_KEPT: list[tempfile.TemporaryDirectory[str]] = []


@dataclass(frozen=True, slots=True)
class CopyMark:
    """What a copy says of itself."""

    address: str
    """Of what it is a copy."""
    epoch: int = 0
    """The epoch of the writer whose copy it is; 0 before it has begun to write."""
    token: str = ""
    """What tells this writer from all others."""
    before: int = 0
    """The epoch that the run had before."""

    @classmethod
    def of(cls, folder: Path) -> CopyMark | None:
        """Read the mark of a folder; None where it is no copy."""
        path = folder / COPY_MARK
        return cls(**json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else None

    def write(self, folder: Path) -> None:
        """Write the mark of a folder."""
        with replacing(folder / COPY_MARK) as aside:
            aside.write_text(json.dumps(asdict(self)), encoding="utf-8", newline="\n")


def new_copy(text: str) -> Path:
    """Make an empty folder that is a copy of an address, until the process ends.

    Raises:
        InputError: for what is no address, and a name that no folder can have.
    """
    address = StoreAddress.parse(text)
    made = tempfile.TemporaryDirectory(prefix="rankgate-store-", ignore_cleanup_errors=True)
    _KEPT.append(made)
    # Named as the address is, since reports name runs by their folders.
    folder = Path(made.name).resolve() / address.name
    try:
        folder.mkdir()
    except OSError as error:
        raise copy_error(error, str(address)) from error
    _GIVEN[str(folder)] = str(address)
    CopyMark(str(address)).write(folder)
    return folder


def named_as_given(text: str) -> str:
    """Put addresses in a text in the place of the folders that are copies of them."""
    for folder, address in _GIVEN.items():
        text = text.replace(folder, address)
    return text


def with_addresses(error: RankgateError) -> RankgateError:
    """Put the addresses that people gave in the words of an error, in the place of copies of them."""
    named = named_as_given
    error.problems = tuple(
        Problem(
            named(one.where), named(one.found), named(one.expected), named(one.fix), named(one.said), one.code
        )
        for one in error.problems
    )
    error.args = ("\n".join(map(str, error.problems)) if error.problems else named(str(error)),)
    return error


def fetched_file(text: str) -> Path:
    """Fetch one object, such as a report; where there is none, the file that is returned is not there."""
    address = StoreAddress.parse(text)
    folder = new_copy(str(address.parent))
    open_store(address.parent).fetch(address.name, folder / address.name)
    return folder / address.name


def new_file(text: str) -> tuple[Path, Callable[[], None]]:
    """Return a file to write, and what writes it to its address afterwards, where it is there then.

    What was written beside it is taken along: the name may have stood for several.
    """
    address = StoreAddress.parse(text)
    root = StoreAddress(address.scheme, address.parts[:1])
    folder = new_copy(str(root))

    def publish() -> None:
        for file in sorted(folder.rglob("*")):
            if file.is_file() and file.name != COPY_MARK:
                to = root / file.relative_to(folder).as_posix()
                open_store(to.parent).write(to.name, file)

    return folder.joinpath(*address.parts[1:]), publish


def fetch_kept(store: ObjectStore, name: str, sha256: str, path: Path, cache: Path) -> bool:
    """Put an object whose hash is known to a file, from the cache where it has it; False where there is none.

    What comes with another hash is put there all the same, for whoever reads it to refuse, and is not kept.
    """
    kept = cache / sha256[:2] / sha256
    if not (kept.is_file() and digest(kept) == sha256):
        if not store.fetch(name, path):
            return False
        if digest(path) != sha256:
            return True
        kept.parent.mkdir(parents=True, exist_ok=True)
        with replacing(kept) as aside:
            _link(path, aside)
        return True
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    _link(kept, path)
    return True


def _link(path: Path, to: Path) -> None:
    """Give a file a second name, or copy it where the disk is another."""
    try:
        os.link(path, to)
    except OSError:
        shutil.copyfile(path, to)


def at_once(what: Callable[[T], object], things: Iterable[T]) -> Sequence[object]:
    """Do something for several things at once, since most of it is waiting; the first error is raised."""
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        return list(threads.map(what, things))
