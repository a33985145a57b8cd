"""Runs in folders, as they are written: shard by shard, and the manifest last.

A shard counts once the manifest names it, so a crash leaves every earlier shard readable; what it left half
done is removed or written over by the next writer. A row that says that the system failed is replaced when it
is asked again: the table without it is a new file, and one manifest names it and the new answer.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import polars as pl

from rankgate.errors import Code, InputError
from rankgate.io.atomic import write_together
from rankgate.io.parquet import table_bytes
from rankgate.model import Answer
from rankgate.runs.identity import OTHER_QUESTIONS, listed
from rankgate.runs.store.manifest import FileEntry, Manifest, ShardEntry
from rankgate.runs.store.questions import MatchedQuestions, asked_questions
from rankgate.runs.store.run_folder import (
    MANIFEST,
    SCHEMAS,
    RunView,
    StoredRun,
    clear_run,
    locked,
    note_sound,
    now,
    shard_file_name,
)
from rankgate.runs.store.schemas import HITS, QUERIES, TEXTS
from rankgate.runs.store.tables import Shard
from rankgate.wording import shortest

if TYPE_CHECKING:
    from typing import Self

    from rankgate.runs.store.run_folder import StoredShard

Existing: TypeAlias = Literal["refuse", "resume", "renew", "replace"]
"""What to do with a run that is in the folder already.

`resume` goes on with it, `renew` begins again where it is the same run, `replace` whatever run it is.
"""


class RunWriter:
    """Writes a run shard by shard; nobody else writes to the folder meanwhile.

    Example::

        with RunWriter(folder, Manifest("bm25"), existing="resume") as writer:
            todo = [query for query in queries if query not in writer.done]
            writer.add(shard)

    The manifest says `finished` when the block ends without an error.
    """

    def __init__(
        self,
        folder: str | Path,
        manifest: Manifest,
        *,
        existing: Existing = "refuse",
        questions: pl.DataFrame | None = None,
    ) -> None:
        """Prepare to write; `questions` is what is asked, as `question_table` makes it, where it is known."""
        self.folder = Path(folder)
        self.done: set[str] = set()
        """The queries that are answered already, by the names they have today."""
        self._failed, self._failed_entry = QUERIES.empty(), None  # type: tuple[pl.DataFrame, ShardEntry | None]
        self._existing, self._questions = existing, questions
        self._manifest = replace(manifest, started=manifest.started or now(), finished=None, shards=())
        self._next = 0
        self._written: tuple[int, int] | None = None
        self._held = ExitStack()

    @property
    def manifest(self) -> Manifest:
        """The manifest as it stands in the folder."""
        return self._manifest

    @property
    def failed(self) -> set[str]:
        """The queries that are stored as errors, which an answer replaces."""
        return set(self._failed["query"])

    def __enter__(self) -> Self:
        """Take the folder.

        Raises:
            InputError: for a folder that another run has, or that holds a run which is not this one.
        """
        with ExitStack() as held:
            held.enter_context(locked(self.folder))
            if (self.folder / MANIFEST).exists():
                self._settle_with_existing()
            for name in os.listdir(self.folder):  # noqa: PTH208 - names are all that is looked at
                if name.startswith(".") and name.endswith(".tmp"):
                    # What a crash left half written.
                    (self.folder / name).unlink(missing_ok=True)
            self._write_manifest(self._manifest)
            self._remove_unnamed()
            self._held = held.pop_all()
        return self

    def __exit__(self, kind: object, _error: object, _trace: object) -> None:
        with self._held:
            if kind is None:
                self._write_manifest(replace(self._manifest, finished=now()))

    def add(self, shard: Shard, *, estimated: bool = False) -> None:
        """Store a shard; when this returns it is on the disk.

        Args:
            shard: What to store.
            estimated: True where tokens in it are estimates.

        Raises:
            InputError: for queries that are stored already, and where the run was removed meanwhile.
        """
        queries = set(shard.queries["query"])
        if again := sorted(queries & self.done):
            shown = ", ".join(map(repr, again[:5]))
            raise InputError(
                Code.REPEATED(
                    str(shortest(self.folder)), f"{len(again)} queries again ({shown})", "each query once"
                )
            )
        entries = [*self._manifest.shards, self._store(shard)]
        if replaced := queries & self.failed:
            self._failed = self._failed.filter(~pl.col("query").is_in(replaced))
            entries = self._with_failed([one for one in entries if one is not self._failed_entry])
        manifest = replace(self._manifest, shards=tuple(entries))
        self._write_manifest(manifest.with_estimates() if estimated else manifest)
        self.done |= queries
        if replaced:
            self._remove_unnamed()

    def _store(self, shard: Shard) -> ShardEntry:
        """Write the files of a shard under a number that no shard has."""
        number = self._next
        tables = {"queries": shard.queries, "hits": shard.hits, "texts": shard.texts}
        names = {name: shard_file_name(name, number) for name in tables}
        written = {
            names[name]: table_bytes(table, SCHEMAS[name], str(self.folder / names[name]))
            for name, table in tables.items()
        }
        files = {}
        try:
            write_together(self.folder, written)
            for name, table in tables.items():
                path = self.folder / names[name]
                files[name] = FileEntry(table.height)
                note_sound(path)
        except (FileNotFoundError, FileExistsError, NotADirectoryError):
            self._refuse_a_lost_folder()
            raise
        self._next += 1
        return ShardEntry(number, **files)

    def _with_failed(self, entries: list[ShardEntry]) -> list[ShardEntry]:
        """Store what failed, where there is any, as a shard of its own."""
        self._failed_entry = None
        if self._failed.is_empty():
            return entries
        self._failed_entry = self._store(Shard(self._failed, HITS.empty(), TEXTS.empty()))
        return [*entries, self._failed_entry]

    def _settle_with_existing(self) -> None:
        if self._existing == "refuse":
            fix = "say --resume to go on with it, --replace to write over it, or name another folder"
            raise InputError(Code.ALREADY_THERE(str(shortest(self.folder)), "a run", "an empty folder", fix))
        if self._existing == "replace":
            clear_run(self.folder)
            return
        stored = StoredRun.open(self.folder)
        stored.verify()
        matched = None
        if self._questions is not None:
            matched = MatchedQuestions.of(asked_questions(stored), self._questions)
        _refuse_another(stored, self._manifest, matched)
        if self._existing == "renew":
            clear_run(self.folder)
            return
        names = matched.names if matched is not None and matched.renamed else None
        begun = replace(stored.manifest, finished=None)
        self._manifest = begun.with_paces(self._manifest.paces)
        self._take_over(replace(stored, view=RunView(names)))

    def _take_over(self, stored: StoredRun) -> None:
        """Keep what was answered, under the names of today, and put what failed into a shard of its own."""
        entries: list[ShardEntry] = []
        self._next = 1 + max((entry.number for entry in stored.manifest.shards), default=-1)
        failed = [self._failed]
        touched: list[tuple[StoredShard, pl.DataFrame]] = []
        for shard in stored.shards():
            queries = shard.queries
            bad = pl.col("status").is_in([Answer.ERROR.value, Answer.TIMEOUT.value])
            failed.append(queries.filter(bad))
            good = queries.filter(~bad)
            self.done.update(good["query"])
            if good.height == shard.entry.queries.rows and stored.view.names is None:
                entries.append(shard.entry)
            else:
                touched.append((shard, good))
        self._failed = pl.concat(failed)
        if len(touched) == 1 and touched[0][1].is_empty() and stored.view.names is None:
            # It holds nothing but what failed already.
            self._failed_entry = touched[0][0].entry
            return
        for shard, good in touched:
            if good.height:
                hits = shard.scan_hits(HITS.names).collect().join(good, on="query", how="semi")
                entries.append(self._store(Shard(good, hits, shard.read_texts())))
        self._manifest = replace(self._manifest, shards=tuple(self._with_failed(entries)))

    def _remove_unnamed(self) -> None:
        """Remove the files that the manifest does not name: what was replaced, and what a crash left."""
        named = {shard_file_name(name, entry.number) for entry in self._manifest.shards for name in SCHEMAS}
        unnamed = [
            name
            for name in os.listdir(self.folder)  # noqa: PTH208 - as above
            if name.endswith(".parquet") and name.partition("-")[0] in SCHEMAS and name not in named
        ]
        for name in unnamed:
            (self.folder / name).unlink(missing_ok=True)

    def _refuse_a_lost_folder(self) -> None:
        if self._written is not None and _file_state(self.folder / MANIFEST) != self._written:
            fix = "it was removed or written over while the run was under way; run it again"
            raise InputError(
                Code.RUN_UNDER_WAY(
                    str(shortest(self.folder)), "another manifest or none", "that of this run", fix
                )
            )

    def _write_manifest(self, manifest: Manifest) -> None:
        # Writing would make the folder anew, and then name shards that are gone.
        self._refuse_a_lost_folder()
        manifest.write(self.folder / MANIFEST)
        self._written = _file_state(self.folder / MANIFEST)
        self._manifest = manifest


def _refuse_another(stored: StoredRun, wanted: Manifest, matched: MatchedQuestions | None) -> None:
    """Refuse to go on with a run that answers something else.

    Raises:
        InputError: with what differs.
    """
    different = [*stored.manifest.differences(wanted)]
    if OTHER_QUESTIONS in different and matched is not None:
        at, whole = different.index(OTHER_QUESTIONS), stored.manifest.finished is not None
        different[at : at + 1] = matched.differences(whole=whole)
    elif matched is not None and (matched.changed.height or matched.gone):
        different += matched.differences(whole=False)
    if different:
        fix = "to ask everything again, leave --resume out; `rankgate run` takes --replace in its place"
        where, found = str(shortest(stored.folder)), f"answers to something else: {listed(different)}"
        raise InputError(Code.OTHER_ANSWERS(where, found, "the same questions, corpus and system", fix))


def _file_state(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_ino, found.st_mtime_ns
