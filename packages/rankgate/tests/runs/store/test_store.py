"""Runs in folders: read as written, whole after a crash, and honest after a change."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from rankgate.errors import FormatError, InputError
from rankgate.io.secrets import hide
from rankgate.locations import Lines
from rankgate.model import Hit, Ranking
from rankgate.runs.store import run_folder as store
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.run_folder import StoredRun
from rankgate.runs.store.run_writer import RunWriter
from rankgate.runs.store.schemas import HITS
from rankgate.runs.store.tables import Shard

text = st.text(alphabet=st.characters(codec="utf-8"), max_size=6)
hits = st.builds(
    Hit,
    id=st.none() | text,
    path=st.none() | st.sampled_from(["a.md", "b/c.py"]),
    lines=st.none() | st.tuples(st.integers(1, 9), st.integers(1, 9)).map(lambda pair: Lines(*sorted(pair))),
    score=st.none() | st.floats(allow_nan=False),
    text=st.none() | text,
    tokens=st.none() | st.integers(0, 2**32 - 1),
)
rankings = st.dictionaries(text, st.builds(Ranking, st.lists(hits, max_size=4).map(tuple)), max_size=4)


def write(folder: Path, *shards: Shard) -> None:
    with RunWriter(folder, Manifest("mine")) as writer:
        for shard in shards:
            writer.add(shard)


@given(rankings)
@settings(deadline=None, max_examples=40)
def test_a_run_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, found: dict[str, Ranking]
) -> None:
    folder = tmp_path_factory.mktemp("run")
    shard = Shard.of_rankings(found, texts="full")
    write(folder, shard)
    run = StoredRun.open(folder)
    run.verify()
    (stored,) = run.shards()
    assert_frame_equal(stored.queries, shard.queries)
    assert_frame_equal(stored.scan_hits(HITS.names).collect(), shard.hits)
    assert_frame_equal(stored.read_texts(), shard.texts)
    assert_frame_equal(stored.scan_hits(["rank", "id"]).collect(), shard.hits.select("rank", "id"))


@pytest.mark.parametrize("failing", ["hits-00001.parquet", "texts-00001.parquet", "manifest.json"])
def test_a_crash_in_a_shard_leaves_the_earlier_ones_readable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    replace = Path.replace

    def crash(self: Path, target: Path) -> Path:
        if Path(target).name == failing:
            raise KeyboardInterrupt
        return replace(self, target)

    def write_two() -> None:
        with RunWriter(tmp_path, Manifest("mine")) as writer, monkeypatch.context() as patch:
            writer.add(Shard.of_rankings({"q1": ["a"]}))
            patch.setattr(Path, "replace", crash)
            writer.add(Shard.of_rankings({"q2": ["b"]}))

    with pytest.raises(KeyboardInterrupt):
        write_two()
    run = StoredRun.open(tmp_path)
    run.verify()
    assert [shard.queries["query"].to_list() for shard in run.shards()] == [["q1"]]
    assert run.manifest.finished is None
    with RunWriter(tmp_path, Manifest("mine"), existing="resume") as again:
        assert again.done == {"q1"}
        again.add(Shard.of_rankings({"q2": ["c"]}))
    run = StoredRun.open(tmp_path)
    run.verify()
    assert [shard.scan_hits(["id"]).collect()["id"].to_list() for shard in run.shards()] == [["a"], ["c"]]
    assert run.manifest.finished is not None


@pytest.mark.parametrize("name", ["queries", "hits", "texts"])
@pytest.mark.parametrize("content", [None, b"", b"PAR1", b"not Parquet"])
def test_damaged_file_of_a_run_is_an_error_with_its_name(
    tmp_path: Path, name: str, content: bytes | None
) -> None:
    write(tmp_path, Shard.of_rankings({"q": ["a", "b"]}))
    path = tmp_path / f"{name}-00000.parquet"
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(FormatError, match=re.escape(str(path))):
        StoredRun.open(tmp_path).verify()


def test_missing_rows_are_found_while_reading(tmp_path: Path) -> None:
    write(tmp_path, Shard.of_rankings({"q": ["a", "b"]}))
    path = tmp_path / "hits-00000.parquet"
    pl.read_parquet(path).head(1).write_parquet(path)
    (shard,) = StoredRun.open(tmp_path).shards()
    with pytest.raises(FormatError, match="found 1 rows, expected 2"):
        shard.scan_hits(["id"]).collect()


def test_a_folder_with_a_run_is_not_written_over(tmp_path: Path) -> None:
    write(tmp_path)
    with pytest.raises(InputError, match="say --resume to go on with it"):
        RunWriter(tmp_path, Manifest("mine")).__enter__()


def test_another_run_is_not_resumed(tmp_path: Path) -> None:
    write(tmp_path)
    with pytest.raises(InputError, match="the system was mine and is other, option k was not set and is 5"):
        RunWriter(tmp_path, Manifest("other", options={"k": 5}), existing="resume").__enter__()


def test_a_query_is_stored_once(tmp_path: Path) -> None:
    with RunWriter(tmp_path, Manifest("mine")) as writer:
        writer.add(Shard.of_rankings({"q": ["a"]}))
        with pytest.raises(InputError, match="1 queries again"):
            writer.add(Shard.of_rankings({"q": ["b"]}))


def test_other_files_in_the_folder_are_ignored(tmp_path: Path) -> None:
    write(tmp_path, Shard.of_rankings({"q": ["a"]}))
    (tmp_path / ".hits-00001.parquet.1234.tmp").write_bytes(b"half")
    (tmp_path / "notes.txt").write_text("mine")
    StoredRun.open(tmp_path).verify()


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="a folder that `rankgate run` wrote"):
        StoredRun.open(tmp_path)


def test_no_secret_is_on_the_disk(tmp_path: Path) -> None:
    hide("hunter2-hunter2")
    with RunWriter(tmp_path, Manifest("mine", options={"url": "https://h/hunter2-hunter2"})):
        pass
    manifest = json.loads((tmp_path / store.MANIFEST).read_text())
    assert manifest["options"] == {"url": "https://h/***"}
