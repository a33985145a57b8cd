"""Baselines whose rankings are in an object store: the file of the project names the object and its hash.

The file is committed as any other baseline is, so that a change of it is reviewed, and whatever stands in the
store, it is this one or none. Objects are named by their hashes: no two baselines ever mean the same name.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from rankgate.corpora.cache import cache_folder
from rankgate.errors import Code, FormatError, InputError
from rankgate.files.atomic import digest, replacing
from rankgate.files.compressed import read_start
from rankgate.files.stores.address import StoreAddress
from rankgate.model.fingerprints import canonical_json
from rankgate.model.wording import shortest
from rankgate.runs.baseline_file import read_baseline, write_baseline

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.runs.baseline import Baseline

_VERSION = 3
"""The version of such a file; those before hold the rankings themselves."""


@dataclass(frozen=True, slots=True)
class StoredBaseline:
    """Where the rankings of a baseline are."""

    at: str
    """The address of the object."""
    sha256: str
    """The hash of its bytes."""

    @classmethod
    def named_in(cls, path: Path) -> StoredBaseline | None:
        """Read what a file names; None for one that holds the rankings itself, or none that can be read.

        Raises:
            FormatError: for one that should name an object and does not.
        """
        line, _, _ = read_start(path).partition(b"\n")
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            return None
        if not isinstance(found, dict) or found.get("baseline") != _VERSION:
            return None
        at, sha256 = found.get("at"), found.get("sha256")
        if not isinstance(at, str) or not isinstance(sha256, str) or not _is_hash(sha256):
            expected = "at, the address of an object, and sha256, its hash"
            found = f"a baseline of version {_VERSION} that names no object"
            raise FormatError(Code.DAMAGED_FILE(str(shortest(path)), found, expected))
        return cls(at, sha256)

    def fetched(self, path: Path) -> Path:
        """Fetch the object, once a machine, and return its file.

        Raises:
            InputError: where it is not there, or is another.
            StoreError: where the store cannot be reached.
        """
        from rankgate.files.stores.copies import fetch_kept, new_copy
        from rankgate.files.stores.object_store import open_store

        address = StoreAddress.parse(self.at)
        file = new_copy(str(address.parent)) / address.name
        store = open_store(address.parent)
        there = fetch_kept(store, address.name, self.sha256, file, cache_folder() / "objects")
        if there and digest(file) == self.sha256:
            return file
        found = f"{self.at}, which is another object by now" if there else f"{self.at}, which is not there"
        fix = "make a baseline again: rankgate baseline set"
        raise InputError(
            Code.DAMAGED_FILE(str(shortest(path)), found, f"the object with SHA-256 {self.sha256}", fix)
        )


def _is_hash(text: str) -> bool:
    return len(text) == 64 and set(text) <= set("0123456789abcdef")


def read_any_baseline(path: Path) -> Baseline:
    """Read a baseline, wherever its rankings are.

    Raises:
        FormatError: as `read_baseline` does.
        InputError: where what the file names is not in the store.
    """
    named = StoredBaseline.named_in(path)
    return read_baseline(path if named is None else named.fetched(path))


def write_any_baseline(path: Path, baseline: Baseline, store: str | None) -> None:
    """Write a baseline: its rankings into a store, where one is named or has them already.

    Args:
        path: The file of the project.
        baseline: What it is.
        store: The address below which the rankings go; None to leave them where they are.

    Raises:
        InputError: as `write_baseline` does.
        StoreError: where the store refuses.
    """
    if store is None and path.is_file() and (before := StoredBaseline.named_in(path)) is not None:
        store = str(StoreAddress.parse(before.at).parent)
    if store is None:
        write_baseline(path, baseline)
        return
    from rankgate.files.stores.copies import new_copy
    from rankgate.files.stores.object_store import open_store

    address = StoreAddress.parse(store)
    file = new_copy(store) / path.name
    # One object, however many queries: it is there whole or not at all.
    write_baseline(file, baseline, most=len(baseline.asked))
    sha256 = digest(file)
    name = f"{path.stem}-{sha256[:16]}{path.suffix}"
    open_store(address).write_new(name, file)
    said = {key: value for key, value in asdict(baseline.about).items() if value is not None}
    head = {"baseline": _VERSION, "at": str(address / name), "sha256": sha256, **said}
    with replacing(path) as aside:
        aside.write_text(canonical_json(head) + "\n", encoding="utf-8", newline="\n")
