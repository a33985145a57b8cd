"""Shards that another machine reads: from the same folder."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from rankgate.errors import InputError
from rankgate.model import Hit, Ranking
from rankgate.runs.elsewhere import SentShards
from rankgate.runs.store.batches import part_hits
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.run_folder import StoredRun
from rankgate.runs.store.run_writer import RunWriter
from rankgate.runs.store.tables import Shard

if TYPE_CHECKING:
    from pathlib import Path


pytestmark = pytest.mark.once


def written(folder: Path, name: str = "a") -> StoredRun:
    """Write a run of three shards with three hits each."""
    with RunWriter(folder, Manifest("app")) as writer:
        for number in range(3):
            hits = tuple(Hit(id=f"{name}{number}{rank}") for rank in range(3))
            writer.add(Shard.of_rankings({f"q{number}": Ranking(hits)}))
    return StoredRun.open(folder)


def read_elsewhere(sent: bytes) -> list[str]:
    """Read the ids of hits by what was sent alone."""
    shards: SentShards = pickle.loads(sent)
    with shards.opened() as opened:
        return [name for one in opened for name in one.scan_hits(["id"]).collect()["id"]]


def test_a_folder_must_be_at_the_same_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = written(tmp_path / "run")
    (tmp_path / "other").mkdir()
    sent = pickle.dumps(SentShards.of([*StoredRun.open("run").shards()]))
    monkeypatch.chdir(tmp_path / "other")
    assert len(read_elsewhere(sent)) == 9
    run.folder.rename(tmp_path / "moved")
    with pytest.raises(InputError, match="the run at the same path on every machine"):
        read_elsewhere(sent)


def test_every_core_gets_some_parts_of_a_run(tmp_path: Path) -> None:
    run = written(tmp_path / "run")
    assert part_hits(run, 1) == 2
    assert part_hits(run, 8) == 1
