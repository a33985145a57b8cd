"""Runs in an object store: the same as in a folder, and of any number of writers the last alone."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rankgate.errors import InputError
from rankgate.files.stores.address import StoreAddress
from rankgate.files.stores.copies import new_copy
from rankgate.files.stores.object_store import RemoteStore, open_store
from rankgate.model import Hit, Query, Ranking
from rankgate.runs.asking.ask import CaseQuery
from rankgate.runs.asking.execute import KeepOptions, execute
from rankgate.runs.navigation.transcripts import Transcript, read_transcript, write_transcript
from rankgate.runs.parts import merge
from rankgate.runs.store.fetched import fetched_run
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.published import publication
from rankgate.runs.store.run_folder import MANIFEST, PROBES, TRANSCRIPT, StoredRun, repeat_folder
from rankgate.runs.store.run_writer import RunWriter
from rankgate.runs.store.schemas import TEXTS
from rankgate.runs.store.tables import MemoryRun, Shard
from support.bad_lines import BadLine, bad_line
from support.builders import run_of

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.runs.store.run_writer import Existing
    from support.s3_servers import S3Server

pytestmark = pytest.mark.once
QUESTIONS = [CaseQuery(f"q{number}", Query(f"text {number}")) for number in range(12)]
MINE = Manifest("mine", contents={"app.py": "0" * 16})


class Engine:
    """Fails on some queries, and names itself in its hits."""

    def __init__(self, *down: int, name: str = "a") -> None:
        self._down, self._name = {f"text {number}" for number in down}, name
        self.asked: list[str] = []

    def search(self, query: Query) -> Ranking:
        self.asked.append(query.text)
        if query.text in self._down:
            raise ConnectionError("no index")
        return Ranking((Hit(id=f"{self._name} {query.text}", text=query.text),))


def ask(
    folder: Path, engine: Engine, existing: Existing = "resume", size: int = 3, manifest: Manifest = MINE
) -> StoredRun:
    keep = KeepOptions(folder=folder, shard_size=size, existing=existing)
    run = execute(QUESTIONS, engine, manifest=manifest, keep=keep)
    assert isinstance(run, StoredRun)
    return run


def rows(folder: Path) -> list[tuple[object, ...]]:
    run = StoredRun.open(folder)
    run.verify()
    hits = [shard.scan_hits(["query", "rank", "id"]).collect() for shard in run.shards()]
    statuses = [shard.queries.select("query", "status") for shard in run.shards()]
    return sorted((row for table in (*hits, *statuses) for row in table.iter_rows()), key=repr)


def shard(who: str, *queries: str) -> Shard:
    made = run_of({query: Ranking((Hit(id=who),)) for query in queries})
    assert isinstance(made, MemoryRun)
    first = next(iter(made.shards()))
    return Shard(first.queries, first.hits, TEXTS.empty())


def who(folder: Path) -> set[object]:
    """Return who wrote the hits of a run."""
    run = StoredRun.open(folder)
    run.verify()
    return {name for one in run.shards() for name in one.scan_hits(["id"]).collect()["id"]}


def names(address: str) -> list[str]:
    return list(open_store(StoreAddress.parse(address)).names())


def test_a_run_in_a_store_is_the_run_in_a_folder(address: str, tmp_path: Path) -> None:
    ask(tmp_path / "local", Engine(1, 7))
    ask(new_copy(address), Engine(1, 7))
    fetched = fetched_run(address)
    assert rows(fetched) == rows(tmp_path / "local")
    written = StoredRun.open(fetched).manifest.writer
    assert written is not None
    assert written.epoch == 1
    assert "writer" not in json.loads((tmp_path / "local" / MANIFEST).read_text())


def test_what_failed_is_asked_again_from_any_machine(address: str) -> None:
    ask(new_copy(address), Engine(1, 2, 7))
    engine = Engine(2)
    ask(new_copy(address), engine)
    assert set(engine.asked) == {"text 1", "text 2", "text 7"}
    ask(new_copy(address), Engine())
    run = StoredRun.open(fetched_run(address))
    assert len(rows(run.folder)) == 24
    # What no manifest names any more is deleted.
    assert len(names(address)) == 1 + 3 * len(run.manifest.shards)


def test_a_run_is_not_written_over_unasked(address: str) -> None:
    ask(new_copy(address), Engine())
    before = names(address)
    with pytest.raises(InputError, match="--resume"):
        ask(new_copy(address), Engine(), existing="refuse")
    with pytest.raises(InputError, match="something else"):
        ask(new_copy(address), Engine(), manifest=Manifest("other", contents={}))
    assert names(address) == before
    written = StoredRun.open(fetched_run(address)).manifest
    assert written.writer is not None
    assert (written.writer.epoch, written.finished is None) == (1, False)


def test_a_writer_that_was_taken_over_from_is_refused_however_late_it_comes_back(address: str) -> None:
    dead = RunWriter(new_copy(address), MINE).__enter__()
    dead.add(shard("dead", "q0"))
    with RunWriter(new_copy(address), MINE, existing="resume") as second:
        assert second.done == {"q0"}
        second.add(shard("second", "q1"))
        with pytest.raises(InputError, match="another writer"):
            dead.add(shard("dead", "q2"))
        second.add(shard("second", "q2"))
    with pytest.raises(InputError, match="another writer"):
        dead.__exit__(None, None, None)
    run = StoredRun.open(fetched_run(address))
    stored = [("q0", 1, "dead"), ("q1", 1, "second"), ("q2", 1, "second")]
    assert [row for row in rows(run.folder) if len(row) == 3] == stored
    assert run.manifest.finished is not None


def test_a_replaced_run_keeps_nothing_of_the_one_before(address: str) -> None:
    copy = new_copy(address)
    for folder in (copy, copy / PROBES, repeat_folder(copy, 2), repeat_folder(copy, 3)):
        with RunWriter(folder, MINE) as writer:
            writer.add(shard("before", "q0"))
    again = new_copy(address)
    with RunWriter(again, MINE, existing="replace") as writer:
        writer.add(shard("after", "q0"))
    fetched = fetched_run(address)
    assert who(fetched) == {"after"}
    assert not (fetched / PROBES / MANIFEST).exists()
    assert not repeat_folder(fetched, 2).exists()
    with RunWriter(repeat_folder(again, 2), MINE, existing="resume") as writer:
        assert not writer.done
        writer.add(shard("after", "q0"))
    fetched = fetched_run(address)
    assert who(repeat_folder(fetched, 2)) == {"after"}
    assert not repeat_folder(fetched, 3).exists()


def test_what_goes_on_keeps_the_repeats_that_were_made(address: str) -> None:
    copy = new_copy(address)
    for folder in (copy, repeat_folder(copy, 2)):
        with RunWriter(folder, MINE) as writer:
            writer.add(shard("before", "q0"))
    # Taken over twice, and killed each time before it came to the repeats.
    for _ in range(2):
        RunWriter(new_copy(address), MINE, existing="resume").__enter__()
    last = new_copy(address)
    with RunWriter(last, MINE, existing="resume") as writer:
        assert writer.done == {"q0"}
    assert who(repeat_folder(fetched_run(address), 2)) == {"before"}
    with RunWriter(repeat_folder(last, 2), MINE, existing="resume") as writer:
        assert writer.done == {"q0"}


def test_a_writer_that_was_taken_over_from_begins_no_repeat(address: str) -> None:
    dead = new_copy(address)
    with RunWriter(dead, MINE) as writer:
        writer.add(shard("dead", "q0"))
    with RunWriter(new_copy(address), MINE, existing="replace") as writer:
        writer.add(shard("second", "q0"))
    for inner in (repeat_folder(dead, 2), dead / PROBES):
        with pytest.raises(InputError, match="another writer"), RunWriter(inner, MINE):
            pytest.fail("it was let in")
    assert names(address) == [
        "hits-2000000.parquet",
        MANIFEST,
        "queries-2000000.parquet",
        "texts-2000000.parquet",
    ]


def test_of_two_writers_that_begin_with_the_same_words_one_has_the_run(address: str) -> None:
    first, second = publication(new_copy(address)), publication(new_copy(address))
    begun = replace(MINE, started="2026-01-31T00:00:00+00:00")
    first.begin(whole=False)
    second.begin(whole=False)
    first.put_manifest(replace(begun, writer=first.writer))
    with pytest.raises(InputError, match="another writer"):
        second.put_manifest(replace(begun, writer=second.writer))


def test_what_a_crash_left_is_deleted_and_what_another_writer_may_have_begun_is_not(address: str) -> None:
    ask(new_copy(address), Engine())
    store, left, begun = (
        open_store(StoreAddress.parse(address)),
        "hits-1000007.parquet",
        "hits-3000000.parquet",
    )
    for name in (left, begun, "notes.txt"):
        store.write(name, b"")
    ask(new_copy(address), Engine())
    assert {left, begun, "notes.txt"} & {*names(address)} == {begun, "notes.txt"}
    assert len(rows(fetched_run(address))) == 24


def test_a_transcript_belongs_to_the_writer_that_wrote_it(address: str) -> None:
    dead = new_copy(address)
    with RunWriter(dead, MINE) as writer:
        writer.add(shard("dead", "q0"))
    write_transcript(Transcript(suite="first"), dead / TRANSCRIPT)
    publication(dead).put_transcript()
    assert read_transcript(fetched_run(address) / TRANSCRIPT).suite == "first"
    second = new_copy(address)
    with RunWriter(second, MINE, existing="replace") as writer:
        writer.add(shard("second", "q0"))
    write_transcript(Transcript(suite="late"), dead / TRANSCRIPT)
    with pytest.raises(InputError, match="another writer"):
        publication(dead).put_transcript()
    assert not (fetched_run(address) / TRANSCRIPT).exists()
    write_transcript(Transcript(suite="second"), second / TRANSCRIPT)
    publication(second).put_transcript()
    assert read_transcript(fetched_run(address) / TRANSCRIPT).suite == "second"


def test_a_run_that_is_replaced_while_it_is_read_is_read_again(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("before", "after"):
        ask(new_copy(f"{address}-{name}"), Engine(name=name), existing="replace")
    ask(new_copy(address), Engine(name="before"))
    fetch = RemoteStore.fetch
    replaced: list[str] = []

    def replacing_fetch(self: RemoteStore, name: str, path: Path) -> bool:
        if name.startswith("texts") and not replaced:
            replaced.append(name)
            ask(new_copy(address), Engine(name="after"), existing="replace")
        return fetch(self, name, path)

    monkeypatch.setattr(RemoteStore, "fetch", replacing_fetch)
    assert rows(fetched_run(address)) == rows(fetched_run(f"{address}-after"))
    assert replaced


def test_a_stale_listing_loses_nothing(
    server: S3Server, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with bad_line(server, BadLine(stale_lists=True)) as bad:
        monkeypatch.setenv("AWS_ENDPOINT_URL", bad.url)
        ask(new_copy(address), Engine(*range(12)))
        assert names(address) == [MANIFEST]
        for down in (range(9), range(3), ()):
            ask(new_copy(address), Engine(*down))
        assert len(rows(fetched_run(address))) == 24
        ask(new_copy(address), Engine(name="b"), existing="replace")
        assert {str(name)[0] for name in who(fetched_run(address))} == {"b"}
        assert names(address) == [MANIFEST]
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
    assert len(names(address)) > 1 + 3 * 4


def test_a_folder_that_was_copied_to_a_store_is_a_run_there(
    server: S3Server, address: str, tmp_path: Path
) -> None:
    ask(tmp_path / "local", Engine(3))
    assert server.folder is not None
    store = open_store(StoreAddress.parse(address))
    for path in (tmp_path / "local").glob("*.*"):
        store.write(path.name, path)
    assert rows(fetched_run(address)) == rows(tmp_path / "local")
    ask(new_copy(address), Engine())
    assert len(rows(fetched_run(address))) == 24


def test_a_table_that_was_changed_is_refused(address: str, tmp_path: Path) -> None:
    ask(new_copy(address), Engine())
    store = open_store(StoreAddress.parse(address))
    store.write("hits-1000000.parquet", b"something else")
    shutil.rmtree(tmp_path / "cache", ignore_errors=True)
    with pytest.raises(InputError, match="another SHA-256"):
        StoredRun.open(fetched_run(address)).verify()
    store.delete("hits-1000000.parquet")
    with pytest.raises(InputError, match="does not exist"):
        StoredRun.open(fetched_run(address)).verify()


def test_a_run_that_is_read_again_is_not_fetched_again(
    server: S3Server, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(new_copy(address), Engine())
    line = BadLine()
    with bad_line(server, line) as seen:
        monkeypatch.setenv("AWS_ENDPOINT_URL", seen.url)
        first = rows(fetched_run(address))
        once, line.requests = line.requests, 0
        assert rows(fetched_run(address)) == first
        # Five times the manifests, and no table.
        assert line.requests == once - 3 * 4


def test_parts_in_a_store_are_joined_in_a_store(address: str, tmp_path: Path) -> None:
    parts = []
    for number in (1, 2):
        copy = new_copy(f"{address}/part-{number}")
        with RunWriter(copy, Manifest("mine", part=f"{number}/2")) as writer:
            writer.add(shard(f"part {number}", f"q{number}"))
        parts.append(fetched_run(f"{address}/part-{number}"))
    merge(parts, tmp_path / "local")
    # A joining that was killed after it began is no run.
    dead = new_copy(f"{address}/whole")
    RunWriter(dead, Manifest("mine")).__enter__()
    merge(parts, new_copy(f"{address}/whole"))
    assert rows(fetched_run(f"{address}/whole")) == rows(tmp_path / "local")
    with pytest.raises(InputError, match="a run"):
        merge(parts, new_copy(f"{address}/whole"))


def test_nothing_is_kept_of_credentials(server: S3Server, address: str, tmp_path: Path) -> None:
    copy = new_copy(address)
    ask(copy, Engine())
    fetched_run(address)
    secrets = [server.env[name].encode() for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")]
    assert server.folder is not None
    for folder in (copy.parent, tmp_path, server.folder):
        for path in folder.rglob("*"):
            assert not path.is_file() or not any(one in path.read_bytes() for one in secrets), path
