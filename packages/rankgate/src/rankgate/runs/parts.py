"""Parts of a run, so that several machines can each ask one, and their joining into a whole.

``2/4`` is the second of four. Joined, the same files stand under new numbers, checked on the way.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, replace
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from rankgate.errors import Code, InputError
from rankgate.io.atomic import replacing
from rankgate.progress import steps
from rankgate.runs.identity import listed
from rankgate.runs.navigation.transcripts import read_transcript, write_transcript
from rankgate.runs.store.run_folder import (
    MANIFEST,
    PROBES,
    TRANSCRIPT,
    StoredRun,
    locked,
    repeat_folder,
    shard_file_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.runs.navigation.transcripts import Transcript
    from rankgate.runs.store.manifest import Manifest, ShardEntry

    T = TypeVar("T")

_TABLES = ("queries", "hits", "texts")
_WRITTEN = re.compile(r"([0-9]{1,6})/([0-9]{1,6})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Part:
    """One of several parts of a run.

    >>> Part.parse("2/3").of(["a", "b", "c", "d", "e"])
    ['b', 'e']
    """

    number: int
    """Which, from 1."""
    parts: int
    """Of how many."""

    @classmethod
    def parse(cls, text: str, where: str = "--shard") -> Part:
        """Read ``2/4``.

        Raises:
            InputError: for anything else.
        """
        found = _WRITTEN.fullmatch(text)
        if found is None or not 1 <= int(found[1]) <= int(found[2]):
            raise InputError(Code.WRONG_OPTION(where, repr(text), "a part such as 1/4, from 1/4 to 4/4"))
        return cls(int(found[1]), int(found[2]))

    def of(self, whole: Sequence[T]) -> list[T]:
        """Take every n-th, so that parts are alike in length and in what they hold."""
        return list(whole[self.number - 1 :: self.parts])

    def __str__(self) -> str:
        return f"{self.number}/{self.parts}"


def merge(folders: Sequence[Path], into: Path) -> StoredRun:
    """Join runs of different queries, asked of the same system for the same suite, into a new folder.

    Raises:
        InputError: for runs that are not alike, that lack a part or have a query twice, and for a folder that
            holds a run.
        FormatError: for a file that is not the one that was written.
    """
    if not folders:
        raise InputError(Code.MISSING_OPTION("runs merge", "no runs", "the folders of at least one"))
    runs = _checked(folders)
    inner = {name: _checked(found) for name, found in _runs_inside(folders)}
    transcripts = [read_transcript(path) for path in _inner(folders, TRANSCRIPT, TRANSCRIPT)]
    with locked(into):
        if (into / MANIFEST).exists():
            raise InputError(Code.ALREADY_THERE(str(into), "a run", "an empty folder", "name another folder"))
        manifests = {name: _copied(found, into / name) for name, found in inner.items()}
        manifest = _copied(runs, into)
        # Manifests last, and that of the whole at the very end: it is what makes the folder a run.
        if transcripts:
            write_transcript(_transcript(transcripts), into / TRANSCRIPT)
        for name, one in manifests.items():
            one.write(into / name / MANIFEST)
        manifest.write(into / MANIFEST)
    return StoredRun.open(into)


def _runs_inside(folders: Sequence[Path]) -> Iterator[tuple[str, list[Path]]]:
    """Go through the runs inside those of the parts, probes and repeats, by the names of their folders."""
    names = chain([PROBES], (repeat_folder(Path(), number).name for number in count(2)))
    for name in names:
        found = _inner(folders, f"{name}/{MANIFEST}", name)
        if found:
            yield name, found
        elif name != PROBES:
            return


def _inner(folders: Sequence[Path], mark: str, name: str) -> list[Path]:
    """Return what every part has inside, or nothing where none has it."""
    missing = [folder for folder in folders if not (folder / mark).is_file()]
    if not missing:
        return [folder / name for folder in folders]
    if len(missing) == len(folders):
        return []
    found, expected = f"no {name}", "what the other parts have"
    raise InputError([Code.UNFINISHED_RUN(str(folder), found, expected, "resume it") for folder in missing])


def _checked(folders: Sequence[Path]) -> list[StoredRun]:
    runs = [StoredRun.open(folder) for folder in folders]
    for run in runs:
        run.verify()
    _check_alike(runs)
    _check_parts(runs)
    _check_once(runs)
    return runs


def _copied(runs: Sequence[StoredRun], into: Path) -> Manifest:
    """Copy the tables under numbers from 0 on, and return the manifest that names them."""
    entries: list[ShardEntry] = []
    shards = [(run.folder, entry) for run in runs for entry in run.manifest.shards]
    for folder, entry in steps(shards, "copying shards"):
        _copy(folder, entry, into, len(entries))
        entries.append(replace(entry, number=len(entries)))
    return _joined([run.manifest for run in runs], entries)


def _transcript(parts: Sequence[Transcript]) -> Transcript:
    observed = tuple(step for part in parts for step in part.observations)
    return replace(parts[0], observations=observed, navigable=all(part.navigable for part in parts))


def _check_alike(runs: Sequence[StoredRun]) -> None:
    first = replace(runs[0].manifest, part=None)
    problems = [
        Code.PARTS_DO_NOT_FIT(
            str(run.folder),
            f"answers to something else than {runs[0].folder}: {listed(different)}",
            "the same questions, corpus and system in every part",
            "run the parts again, all of one state",
        )
        for run in runs[1:]
        if (different := first.differences(replace(run.manifest, part=None)))
    ]
    problems += [
        Code.UNFINISHED_RUN(str(run.folder), "a run that is not finished", "a whole one", "resume it")
        for run in runs
        if run.manifest.finished is None
    ]
    if problems:
        raise InputError(problems)


def _check_parts(runs: Sequence[StoredRun]) -> None:
    """Where they say which part they are, all must be there."""
    parts = [
        Part.parse(run.manifest.part, f"{run.folder}: part") for run in runs if run.manifest.part is not None
    ]
    if not parts:
        return
    if len(parts) < len(runs) or len({part.parts for part in parts}) > 1:
        said = ", ".join(str(run.manifest.part or "a whole run") for run in runs)
        raise InputError(Code.PARTS_DO_NOT_FIT("runs merge", said, "parts of one division"))
    missing = sorted(set(range(1, parts[0].parts + 1)) - {part.number for part in parts})
    if missing:
        lost = ", ".join(f"{number}/{parts[0].parts}" for number in missing)
        raise InputError(
            Code.PARTS_DO_NOT_FIT("runs merge", f"no part {lost}", "every part", "name its folder as well")
        )


def _check_once(runs: Sequence[StoredRun]) -> None:
    owner: dict[str, Path] = {}
    for run in runs:
        for shard in run.shards():
            for query in shard.queries["query"]:
                if query in owner:
                    found = f"query {query!r}, as in {owner[query]}"
                    raise InputError(Code.PARTS_DO_NOT_FIT(str(run.folder), found, "each query once"))
                owner[query] = run.folder


def _copy(folder: Path, entry: ShardEntry, into: Path, number: int) -> None:
    for name in _TABLES:
        source = folder / shard_file_name(name, entry.number)
        with replacing(into / shard_file_name(name, number)) as aside:
            shutil.copyfile(source, aside)


def _joined(manifests: Sequence[Manifest], entries: Sequence[ShardEntry]) -> Manifest:
    whole = replace(
        manifests[0],
        part=None,
        paces=(),
        started=min((one.started for one in manifests if one.started), default=None),
        finished=max((one.finished for one in manifests if one.finished), default=None),
        shards=tuple(entries),
    )
    for one in manifests:
        known = [dict(pace) for pace in whole.paces]
        whole = replace(whole, paces=(*known, *(pace for pace in one.paces if dict(pace) not in known)))
    return whole.with_estimates() if any(one.estimated for one in manifests) else whole
