"""Parts of a run joined into one: the same files under new numbers, checked on the way."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.errors import FormatError, InputError, Problem
from rankgate.files.atomic import digest, replacing
from rankgate.runs.lock import locked
from rankgate.runs.parts import Part
from rankgate.runs.store import MANIFEST, PROBES, TRANSCRIPT, StoredRun, file_name
from rankgate.runs.transcripts import read_transcript, write_transcript

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rankgate.runs.manifest import Manifest, ShardEntry
    from rankgate.runs.transcripts import Transcript

_TABLES = ("queries", "hits", "texts")


def merge(folders: Sequence[Path], into: Path) -> StoredRun:
    """Join runs of different queries, asked of the same system for the same suite, into a new folder.

    Raises:
        InputError: for runs that are not alike, that lack a part or have a query twice, and for a folder that
            holds a run.
        FormatError: for a file that is not the one that was written.
    """
    if not folders:
        raise InputError(Problem("runs merge", "no runs", "the folders of at least one"))
    runs = _checked(folders)
    probes = _checked(probed) if (probed := _inner(folders, f"{PROBES}/{MANIFEST}", PROBES)) else []
    steps = [read_transcript(path) for path in _inner(folders, TRANSCRIPT, TRANSCRIPT)]
    with locked(into):
        if (into / MANIFEST).exists():
            raise InputError(Problem(str(into), "a run", "an empty folder", "name another folder"))
        probes_manifest = _copied(probes, into / PROBES) if probes else None
        manifest = _copied(runs, into)
        # Manifests last, and that of the whole at the very end: it is what makes the folder a run.
        if steps:
            write_transcript(_transcript(steps), into / TRANSCRIPT)
        if probes_manifest is not None:
            _write(probes_manifest, into / PROBES)
        _write(manifest, into)
    return StoredRun.open(into)


def _inner(folders: Sequence[Path], mark: str, name: str) -> list[Path]:
    """Give what every part has inside, or nothing where none has it."""
    missing = [folder for folder in folders if not (folder / mark).is_file()]
    if not missing:
        return [folder / name for folder in folders]
    if len(missing) == len(folders):
        return []
    found, expected = f"no {name}", "what the other parts have of scenarios and invariants"
    raise InputError([Problem(str(folder), found, expected, "resume it") for folder in missing])


def _checked(folders: Sequence[Path]) -> list[StoredRun]:
    runs = [StoredRun.open(folder) for folder in folders]
    _check_alike(runs)
    _check_parts(runs)
    _check_once(runs)
    return runs


def _copied(runs: Sequence[StoredRun], into: Path) -> Manifest:
    """Copy the tables, and give the manifest that names them."""
    entries: list[ShardEntry] = []
    for run in runs:
        for entry in run.manifest.shards:
            _copy(run.folder, entry, into, len(entries))
            entries.append(replace(entry, number=len(entries)))
    return _joined([run.manifest for run in runs], entries)


def _write(manifest: Manifest, into: Path) -> None:
    with replacing(into / MANIFEST) as aside:
        aside.write_text(manifest.to_json(), encoding="utf-8")


def _transcript(parts: Sequence[Transcript]) -> Transcript:
    steps = tuple(step for part in parts for step in part.observations)
    return replace(parts[0], observations=steps, navigable=all(part.navigable for part in parts))


def _check_alike(runs: Sequence[StoredRun]) -> None:
    first = replace(runs[0].manifest, part=None)
    problems = [
        Problem(str(run.folder), f"another {', '.join(different)}", f"the same as {runs[0].folder}")
        for run in runs[1:]
        if (different := replace(run.manifest, part=None).differences(first))
    ]
    problems += [
        Problem(str(run.folder), "a run that is not finished", "a whole one", "resume it")
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
        raise InputError(Problem("runs merge", said, "parts of one division"))
    missing = sorted(set(range(1, parts[0].parts + 1)) - {part.number for part in parts})
    if missing:
        lost = ", ".join(f"{number}/{parts[0].parts}" for number in missing)
        raise InputError(Problem("runs merge", f"no part {lost}", "every part", "name its folder as well"))


def _check_once(runs: Sequence[StoredRun]) -> None:
    owner: dict[str, Path] = {}
    for run in runs:
        for shard in run.shards():
            for query in shard.queries["query"]:
                if query in owner:
                    found = f"query {query!r}, as in {owner[query]}"
                    raise InputError(Problem(str(run.folder), found, "each query once"))
                owner[query] = run.folder


def _copy(folder: Path, entry: ShardEntry, into: Path, number: int) -> None:
    for name in _TABLES:
        source = folder / file_name(name, entry.number)
        with replacing(into / file_name(name, number)) as aside:
            shutil.copyfile(source, aside)
            said = getattr(entry, name).sha256
            if digest(aside) != said:
                fix = "the file was changed; run that part again"
                raise FormatError(Problem(str(source), "another SHA-256", said, fix))


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
