"""What the objects of a run in a store are called, and which of them belong to it.

Names are those of a folder, so that a folder that was copied to a store is a run there. Beyond that every
writer has an epoch, and what it writes has names of its own: the numbers of its shards begin at a multiple of
`SPAN`, a table of places is named by its hash, a transcript by the epoch. So no two writers ever mean the
same name, and only manifests are replaced.
"""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.runs.store.places import FILE as PLACES
from rankgate.runs.store.run_folder import PROBES, SCHEMAS, TRANSCRIPT, repeat_folder, shard_file_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.runs.store.manifest import Manifest, ShardEntry

SPAN = 1_000_000
"""How many numbers of shards an epoch has."""
_SHARD = re.compile(rf"(?:(?:{PROBES}|repeat-\d+)/)?(?:{'|'.join(SCHEMAS)})-(?P<number>\d+)\.parquet")


def epoch_of(manifest: Manifest) -> int:
    """Return the epoch of a run; 0 for one that was written to a folder."""
    return 0 if manifest.writer is None else manifest.writer.epoch


def inner_names() -> Iterator[str]:
    """Go through the names of the runs that may be inside another: probes, then repeats without an end."""
    yield PROBES
    yield from (repeat_folder(Path(), number).name for number in count(2))


def places_name(manifest: Manifest) -> str:
    """Return the name of the table of places that a manifest has."""
    if manifest.writer is None or manifest.places is None:
        return PLACES
    stem, _, suffix = PLACES.partition(".")
    return f"{stem}-{manifest.places.sha256[:16]}.{suffix}"


def transcript_name(epoch: int) -> str:
    """Return the name of the transcript of a run."""
    stem, _, suffix = TRANSCRIPT.partition(".")
    return f"{stem}-{epoch}.{suffix}" if epoch else TRANSCRIPT


def named_files(manifest: Manifest) -> dict[str, tuple[str, str]]:
    """Return what a manifest names: by the name in a folder, that in a store, and the hash."""
    files = {
        shard_file_name(table, entry.number): _entry(entry, table)
        for entry in manifest.shards
        for table in SCHEMAS
    }
    if manifest.places is not None:
        files[PLACES] = places_name(manifest), manifest.places.sha256
    return files


def _entry(entry: ShardEntry, table: str) -> tuple[str, str]:
    return shard_file_name(table, entry.number), getattr(entry, table).sha256


def left_over(name: str, named: set[str], epoch: int, *, inside: bool) -> bool:
    """Return whether an object is a shard that no manifest names, and that no other writer can have begun.

    Args:
        name: The name of the object, below that of the run.
        named: What the manifest of the run names.
        epoch: The epoch of whoever asks; shards of a later one are those of somebody else.
        inside: True where shards of runs inside are looked at, too: nothing of before belongs to the run.
    """
    found = _SHARD.fullmatch(name)
    if found is None or name in named:
        return False
    of = int(found["number"]) // SPAN
    return of < epoch and inside if "/" in name else of <= epoch
