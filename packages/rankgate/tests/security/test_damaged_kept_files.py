"""Kept files that were damaged are refused, or tell what they say: `just fuzz 10000 kept` tries as many.

A hash tells accidents. Who can write a file and its hash can write any answer: that is a valid file.
"""

from __future__ import annotations

import json
from contextlib import chdir
from pathlib import Path
from random import Random

import polars as pl
import pytest

from support.commands import rankgate
from support.fuzz_kept import KINDS, KeptFiles, WrongError
from support.kept_damage import hash_again
from support.kept_project import run_says, write_project


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
