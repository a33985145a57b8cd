"""Suites at addresses of object stores: read from a copy on this machine, and known by their address.

`Suite.path` of such a suite is its address, so that messages, reports and commands name what a person wrote.
What stands beside it, such as anchors and labels, is fetched when it is first looked for. Commands that know
paths alone get the path of the copy, which is fetched when it is read.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError, RankgateError
from rankgate.files.stores.address import StoreAddress, is_address
from rankgate.model.wording import shortest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rankgate.files.stores.object_store import ObjectStore

_YAML = (".yaml", ".yml")
_MOST_BESIDE = 10_000


@dataclass(slots=True)
class SuiteCopy:
    """The copy of one suite, and of what was looked for beside it."""

    address: StoreAddress
    """Of what it is a copy."""
    file: Path
    """The file, which is there once it was fetched."""
    fetched: set[str] = field(default_factory=set)
    """The names, from the folder of the suite, that were looked for."""

    def fetch(self) -> None:
        """Fetch the suite, once.

        Raises:
            InputError: where it is not there, is too large, or the store refuses.
        """
        if not self._fetched(self.address.name):
            fix = "name the address of a suite, such as s3://bucket/search.yaml"
            raise InputError(Code.NO_SUCH_FILE(str(self.address), "no such object", "a suite", fix))

    def fetch_beside(self, name: str) -> None:
        """Fetch a file that stands beside the suite, once; nothing where it is not there."""
        self._fetched(name)

    def fetch_folder(self, name: str, suffixes: tuple[str, ...]) -> None:
        """Fetch the files of a folder beside the suite that end so, once.

        Raises:
            InputError: for a name that no file may have, and for too many.
        """
        if name in self.fetched:
            return
        with _told(self.address.parent / name):
            found = [one for one in self._store(name).names() if one.endswith(suffixes)]
        for one in self._safe(name, found):
            self._fetched(f"{name}/{one}")
        self.fetched.add(name)

    def _safe(self, folder: str, names: Iterable[str]) -> Iterator[str]:
        """Go through the names of files of a folder itself; what lies deeper is no part of it."""
        for number, name in enumerate(name for name in names if "/" not in name):
            where = f"{self.address.parent / folder}"
            if number == _MOST_BESIDE:
                raise InputError(Code.TOO_LARGE(where, f"over {number:,} objects", f"at most {number:,}"))
            if not name.isprintable() or set(name) & set('\\:*?"<>|'):
                fix = "delete the object, or copy it to another name"
                raise InputError(Code.WRONG_ADDRESS(where, f"the name {name!r}", "names of files", fix))
            yield name

    def _fetched(self, name: str) -> bool:
        target = self.file.parent / name
        if name not in self.fetched:
            target.parent.mkdir(exist_ok=True)
            with _told(self.address.parent / name):
                folder, _, last = name.rpartition("/")
                self._store(folder).fetch(last, target, _most(target))
            self.fetched.add(name)
        return target.is_file()

    def _store(self, folder: str) -> ObjectStore:
        from rankgate.files.stores.object_store import open_store

        return open_store(self.address.parent / folder if folder else self.address.parent)


def _most(file: Path) -> int:
    """Return how many bytes a file may have for rankgate to read it."""
    from rankgate.files.compressed import LIMIT
    from rankgate.files.tree.yaml_tree import LIMIT as YAML_LIMIT

    return YAML_LIMIT if file.suffix.lower() in _YAML else LIMIT


class _told:  # noqa: N801 - reads as a verb where it is used
    """Raises what a store says as an error of the call, the same for commands, pytest and Python."""

    def __init__(self, address: StoreAddress) -> None:
        self._address = address

    def __enter__(self) -> None:
        return

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        from rankgate.files.stores.object_store import StoreError

        if isinstance(error, StoreError):
            found, expected = error.strerror or str(error), "an object that can be read"
            fix = "check the address and who may read it: docs/object-stores.md"
            raise InputError(Code.STORE_FAILED(str(self._address), found, expected, fix)) from None


_BY_FILE: dict[str, SuiteCopy] = {}
_LATEST: dict[str, SuiteCopy] = {}


def suite_copy(text: str) -> Path:
    """Return the file that the suite at an address is read from; it is fetched when it is read.

    Raises:
        InputError: for an address that names no object.
    """
    from rankgate.files.stores.copies import new_copy

    address = StoreAddress.parse(text)
    if len(address.parts) == 1 or text.endswith("/"):
        raise InputError(
            Code.WRONG_ADDRESS(text, "no name of an object", "a suite such as s3://bucket/search.yaml")
        )
    copy = SuiteCopy(address, new_copy(str(address.parent)) / address.name)
    _BY_FILE[str(copy.file)] = _LATEST[str(address)] = copy
    return copy.file


def given_suite(path: str | Path) -> str:
    """Return a suite as it was named: an address, also of the file that is its copy, or a path."""
    copy = _BY_FILE.get(str(path))
    return str(path) if copy is None else str(copy.address)


def written_suite(path: str | Path) -> str:
    """Write a suite as a person here would: its address, or a path from here."""
    given = given_suite(path)
    return given if is_address(given) else str(shortest(Path(path).resolve()))


@contextmanager
def named_by_address() -> Iterator[None]:
    """Raise errors with addresses in place of the files that are copies of them."""
    try:
        yield
    except RankgateError as error:
        if _BY_FILE:
            from rankgate.files.stores.copies import with_addresses

            with_addresses(error)
        raise


def suite_file(path: str | Path) -> Path:
    """Return the file of a suite that is named by a path or an address; a copy is fetched.

    Raises:
        InputError: as `SuiteCopy.fetch` does.
    """
    copy = _copy_of(path)
    if copy is None:
        return Path(path)
    copy.fetch()
    return copy.file


def file_beside(path: str | Path, name: str) -> Path:
    """Return a file that stands beside a suite, and is fetched where the suite is at an address."""
    if (copy := _copy_of(path)) is None:
        return Path(path).with_name(name)
    copy.fetch_beside(name)
    return copy.file.with_name(name)


def folder_beside(path: str | Path, name: str, suffixes: tuple[str, ...]) -> Path:
    """Return a folder that stands beside a suite; files that end so are fetched from an address."""
    if (copy := _copy_of(path)) is None:
        return Path(path).parent / name
    copy.fetch_folder(name, suffixes)
    return copy.file.parent / name


def _copy_of(path: str | Path) -> SuiteCopy | None:
    if not is_address(given := given_suite(path)):
        return None
    address = str(StoreAddress.parse(given))
    if address not in _LATEST:
        # Another process read the suite, and sent it.
        suite_copy(given)
    return _BY_FILE.get(str(path)) or _LATEST[address]


def read_copy(path: str | Path) -> SuiteCopy:
    """Fetch the suite at an address, every time, or the one whose copy a file is, once.

    Raises:
        InputError: as `SuiteCopy.fetch` does.
    """
    copy = _BY_FILE[str(suite_copy(str(path)) if is_address(path) else path)]
    copy.fetch()
    return copy
