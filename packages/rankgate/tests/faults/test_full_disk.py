"""Disks that are full, refuse writing or go away: the run ends with words, and what was stored is whole."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import InputError
from rankgate.model import Hit, Query, Ranking
from rankgate.runs.asking.ask import CaseQuery
from rankgate.runs.asking.execute import KeepOptions, execute
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.run_folder import StoredRun
from support.http_servers import eventually
from support.repository import SUPPORT

if TYPE_CHECKING:
    from pathlib import Path

# Whole runs in processes of their own are the same on every Python.
pytestmark = pytest.mark.once

TESTS = SUPPORT.parent
COUNT = 400

# The whole story is one process, because the disk is gone when the last process that sees it ends.
STORY = """
import contextlib, json, os, subprocess, sys, threading
from pathlib import Path
from rankgate.errors import InputError
from rankgate.model import Query
from rankgate.runs.asking.ask import CaseQuery
from rankgate.runs.asking.execute import KeepOptions, execute
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.run_folder import StoredRun
from rankgate.runs.store.run_writer import RunWriter
from support.seeded_engine import Engine

COUNT, THREADS = int(sys.argv[1]), int(sys.argv[2])
disk = Path.cwd()
folder, ballast, told = disk / "run", disk / "ballast", {}
questions = [CaseQuery(f"q{number}", Query(f"text {number}")) for number in range(COUNT)]

def fill(leaving):
    with contextlib.suppress(OSError), open(ballast, "wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)
    if leaving:
        os.truncate(ballast, max(0, ballast.stat().st_size - leaving))

def remount(how):
    subprocess.run(["mount", "-o", f"remount,{how}", disk], check=True)

class Deed(Engine):
    def __init__(self, after=None, deed=None):
        self.after, self.deed, self.asked = after, deed, 0

    def search(self, query):
        self.asked += 1
        if self.asked == self.after:
            self.deed()
        return super().search(query)

def stored_in(folder):
    said = {"tmp": [path.name for path in folder.glob(".*.tmp")], "stored": [], "finished": False}
    if (folder / "manifest.json").exists():
        stored = StoredRun.open(folder)
        stored.verify()
        rows = [row for shard in stored.shards() for row in shard.queries.select("query", "status").rows()]
        said["stored"] = [query for query, _ in rows]
        said["failed"] = sum(status != "ok" for _, status in rows)
        said["finished"] = stored.manifest.finished is not None
    return said

def run(name, system=None, folder=folder, existing="resume"):
    system = system or Deed()
    said = {"error": None}
    try:
        keep = KeepOptions(folder=folder, shard_size=20, existing=existing)
        execute(questions, [system] * THREADS, keep=keep, manifest=Manifest("seeded"))
    except InputError as error:
        said["error"] = str(error)
    said["asked"] = system.asked
    told[name] = {**said, **stored_in(folder)}

fill(0)
run("full from the start")
ballast.unlink()
fill(200_000)
run("full in the middle")
run("still full")
ballast.unlink()
run("room again")
fill(0)
run("whole and full")
ballast.unlink()
run("whole")
again = disk / "again"
remount("ro")
run("read-only from the start", folder=again)
remount("rw")
# A disk with a file open for writing cannot be made read-only; one that is can be laid over it, between
# two writes: in the middle of one the folder would rightly be called lost.
between_writes, add = threading.Lock(), RunWriter.add

def add_in_turn(*of, **and_of):
    with between_writes:
        add(*of, **and_of)

def lay_over():
    with between_writes:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "none", again], check=True)

RunWriter.add = add_in_turn
run("read-only in the middle", Deed(100, lay_over), folder=again)
subprocess.run(["umount", again], check=True)
told["read-only in the middle"].update(stored_in(again))
run("written to again", folder=again)
print(json.dumps(told))
"""


def on_a_disk_of_its_own(tmp_path: Path, *call: str) -> subprocess.CompletedProcess[str]:
    """Run a program in the root of a disk of 1 MB that only it sees."""
    disk = tmp_path / "disk"
    disk.mkdir()
    script = 'mount -t tmpfs -o size=1m,mode=0777 none "$1" && cd "$1" && shift && exec "$@"'
    unshare = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh", str(disk)]
    probe = subprocess.run([*unshare, "true"], capture_output=True, text=True, check=False)
    if probe.returncode:
        pytest.skip(f"no disk can be mounted here: {probe.stderr.strip()}")
    return subprocess.run(
        [*unshare, *call],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={"PYTHONPATH": str(TESTS), "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"},
    )


needs_unshare = pytest.mark.skipif(not shutil.which("unshare"), reason="no unshare on this machine")


@needs_unshare
@pytest.mark.parametrize("threads", [1, 4])
def test_a_full_disk_ends_the_run_with_words_and_takes_nothing_that_was_stored(
    tmp_path: Path, threads: int, record_property: Any
) -> None:
    done = on_a_disk_of_its_own(tmp_path, sys.executable, "-c", STORY, str(COUNT), str(threads))
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    everything = sorted(f"q{number}" for number in range(COUNT))

    def refused(name: str, *words: str) -> set[str]:
        said = told[name]
        assert said["error"] is not None, name
        assert all(word in said["error"] for word in words), said["error"]
        assert said["tmp"] == [], name
        assert len(set(said["stored"])) == len(said["stored"]), name
        return set(said["stored"])

    full = "No space left on device, expected room for the run; make room"
    assert not refused("full from the start", full)
    assert told["full from the start"]["asked"] == 0
    kept = refused("full in the middle", full, "stored before are safe")
    assert 20 <= len(kept) < COUNT
    assert f"and resume: {len(kept)} answers stored" in told["full in the middle"]["error"]
    assert told["full in the middle"]["finished"] is False
    assert refused("still full", full) >= kept
    assert told["room again"]["error"] is None
    assert sorted(told["room again"]["stored"]) == everything
    before = told["still full"]
    assert told["room again"]["asked"] == COUNT - len(before["stored"]) + before["failed"]
    assert told["room again"]["finished"] is True
    assert sorted(refused("whole and full", full)) == everything
    assert (told["whole"]["error"], told["whole"]["asked"]) == (None, told["room again"]["failed"])
    assert not refused("read-only from the start", "Read-only file system", "see that it can be written to")
    assert told["read-only from the start"]["asked"] == 0
    # The shard that was being gathered is lost, and none before it.
    half = refused(
        "read-only in the middle", "Read-only file system", "see that it can be written to and resume"
    )
    assert 60 <= len(half) < 120
    assert sorted(told["written to again"]["stored"]) == everything
    record_property(
        "figures",
        f"a disk of 1 MB: {len(kept)} of {COUNT} answers before it was full, all of them after it was "
        f"cleared, {told['room again']['asked']} asked for it",
    )


@needs_unshare
def test_the_command_says_that_the_disk_is_full_and_exits_with_2(tmp_path: Path) -> None:
    suite = tmp_path / "many.suite.jsonl"
    cases = [{"name": f"q{number}", "query": f"text {number}", "id": "a"} for number in range(5000)]
    suite.write_text("\n".join(map(json.dumps, [{"version": 1, "name": "many"}, *cases])), encoding="utf-8")
    system = f"{SUPPORT}/seeded_engine.py:search"
    filled = ("sh", "-c", 'head -c 700000 /dev/zero > ballast && exec "$@"', "sh")
    command = ("-m", "rankgate", "run", str(suite), "-s", system, "-o", "run")
    done = on_a_disk_of_its_own(tmp_path, *filled, sys.executable, *command)
    assert done.returncode == 2, done.stderr
    full = "error: run: found No space left on device, expected room for the run; make room and resume: "
    assert done.stderr.startswith(full)
    assert "000 answers stored before are safe" in done.stderr
    assert "Traceback" not in done.stderr


class Deed:
    """Answers each query with its own text, and does something else on one of them."""

    def __init__(self, after: int, deed: Any) -> None:
        self.asked = 0
        self._after = after
        self._deed = deed

    def search(self, query: Query) -> Ranking:
        self.asked += 1
        if self.asked == self._after:
            self._deed()
        return Ranking((Hit(id=query.text),))


def questions(count: int) -> list[CaseQuery]:
    return [CaseQuery(f"q{number}", Query(f"text {number}")) for number in range(count)]


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("after", [5, 25, 100])
def test_a_folder_that_is_removed_in_the_middle_is_not_made_anew_without_its_shards(
    tmp_path: Path, threads: int, after: int
) -> None:
    folder = tmp_path / "run"

    def removed() -> None:
        # At one stroke: a removal file by file may come in between what another thread writes, and fail.
        folder.rename(tmp_path / "gone")
        shutil.rmtree(tmp_path / "gone", ignore_errors=True)

    system = Deed(after, removed)
    before = threading.active_count()
    with pytest.raises(InputError, match="found another manifest or none, expected that of this run"):
        execute(
            questions(100),
            [system] * threads,
            keep=KeepOptions(folder=folder, shard_size=10),
            manifest=Manifest("mine"),
        )
    assert not (folder / "manifest.json").exists()
    assert eventually(lambda: threading.active_count() <= before), "threads are left"
    run = execute(
        questions(100), system, keep=KeepOptions(folder=folder, existing="resume"), manifest=Manifest("mine")
    )
    assert isinstance(run, StoredRun)
    run.verify()
    assert sum(shard.queries.height for shard in run.shards()) == 100


def test_a_folder_that_another_run_took_is_left_to_it(tmp_path: Path) -> None:
    folder = tmp_path / "run"

    def taken() -> None:
        shutil.rmtree(folder)
        execute(questions(3), Deed(0, None), keep=KeepOptions(folder=folder), manifest=Manifest("other"))

    with pytest.raises(InputError, match="found another manifest or none"):
        execute(
            questions(100),
            Deed(25, taken),
            keep=KeepOptions(folder=folder, shard_size=10),
            manifest=Manifest("mine"),
        )
    other = StoredRun.open(folder)
    assert (other.name, len(other.manifest.shards)) == ("other", 1)


def test_a_folder_that_is_lost_before_a_write_is_told_as_lost_and_not_as_a_full_disk(tmp_path: Path) -> None:
    folder = tmp_path / "run"

    def lost() -> None:
        shutil.rmtree(folder)
        folder.write_text("in the way")

    with pytest.raises(InputError, match="found another manifest or none"):
        execute(
            questions(100),
            Deed(25, lost),
            keep=KeepOptions(folder=folder, shard_size=10),
            manifest=Manifest("mine"),
        )


def test_a_file_in_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("mine")
    with pytest.raises(InputError, match="found File exists, expected room for the run"):
        execute(
            questions(1), Deed(0, None), keep=KeepOptions(folder=tmp_path / "run"), manifest=Manifest("mine")
        )
    assert (tmp_path / "run").read_text() == "mine"
