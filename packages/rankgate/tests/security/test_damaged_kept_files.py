"""Kept files that were damaged are refused, or tell what they say: `just fuzz 10000 kept` tries as many.

A hash tells accidents. Who can write a file and its hash can write any answer: that is a valid file.
"""

from __future__ import annotations

import json
import os
from contextlib import chdir
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from support.commands import rankgate
from support.fuzz_kept import KINDS, KeptFiles, WrongError
from support.kept_damage import copy_over, hash_again
from support.kept_project import run_says, write_project

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_refused_or_tell_what_they_say(kind: str, tmp_path: Path) -> None:
    files = KeptFiles(kind, tmp_path)
    for number in range(25):
        _, read = files.prepare(tmp_path, Random(f"{kind} 0 {number}"))
        read()


def test_a_hash_tells_accidents_and_not_who_writes_both(tmp_path: Path) -> None:
    write_project(tmp_path / "project")
    with chdir(tmp_path / "project"):
        before = run_says(Path("out"))
        path = Path("out/hits-00000.parquet")
        pl.read_parquet(path).with_columns(id=pl.lit("d0")).write_parquet(path)
        words = ("score", "-q", "judgments", "-r", "out", "-m", "rr", "--format", "json")
        assert "another SHA-256" in rankgate(*words).refused()
        hash_again(Path("out"))
        said = run_says(Path("out"))
        assert said is not None
        assert before is not None
        assert said.means != before.means
        told = json.loads(rankgate(*words).printed())["runs"][0]["metrics"]["rr"]["value"]
        assert told == pytest.approx(said.means[0])


def test_the_fuzzer_sees_another_number_and_a_crash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = KeptFiles("runs", tmp_path)

    def look() -> None:
        for number in range(300):
            files.prepare(tmp_path, Random(number))[1]()

    for broken in ("rankgate.runs.store.run_folder._problem", "rankgate.scoring.repeats.score"):
        with monkeypatch.context() as changed:
            changed.setattr(broken, lambda *_, **__: None)
            with pytest.raises(WrongError):
                look()


SCORE = ("score", "-q", "judgments", "-m", "rr", "-r", "out")
BASELINE = Path("baselines/search.app.jsonl")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept") / "project"
    write_project(folder)
    return folder


@pytest.fixture
def project(written: Path, tmp_path: Path) -> Iterator[None]:
    copy_over(written, tmp_path / "project")
    with chdir(tmp_path / "project"):
        yield


def _change(table: str, **columns: Any) -> None:
    """Change columns of a run's table, and make its hash anew."""
    path = Path(f"out/{table}-00000.parquet")
    pl.read_parquet(path).with_columns(**columns).write_parquet(path)
    hash_again(Path("out"))


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("status", [pl.lit("well"), pl.lit(None, pl.String)])
def test_invalid_status_with_a_new_hash_is_rejected(status: pl.Expr) -> None:
    _change("queries", status=status)
    assert "status" in rankgate(*SCORE).refused()


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("rank", [pl.lit(None, pl.UInt32), pl.lit(0, pl.UInt32)])
def test_invalid_rank_with_a_new_hash_is_rejected(rank: pl.Expr) -> None:
    _change("hits", rank=rank)
    assert "ranks from 1 up" in rankgate(*SCORE).refused()
    assert "ranks from 1 up" in rankgate("compare", "out", "app", "-u", "search.yaml").refused()


@pytest.mark.usefixtures("project")
def test_wrong_hit_count_with_a_new_hash_is_rejected() -> None:
    _change("queries", hits=pl.lit(5, pl.UInt32))
    assert "queries with 20 hits, expected 24" in rankgate(*SCORE).refused()


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("place", [BASELINE, Path("out/manifest.json"), Path("judgments/manifest.json")])
@pytest.mark.parametrize("kind", ["folder", "pipe", "loop", "nothing"])
def test_pipe_folder_or_link_in_place_of_a_file_is_rejected(place: Path, kind: str) -> None:
    place.unlink()
    if kind == "folder":
        place.mkdir()
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to(place.name if kind == "loop" else "nothing")
    rankgate(*(SCORE if place.name == "manifest.json" else ("test", "search.yaml", "-s", "app"))).refused()
