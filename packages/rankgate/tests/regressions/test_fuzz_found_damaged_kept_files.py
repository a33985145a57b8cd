"""What `just fuzz` found in kept files: each was exit 0 with another number, exit 70, or no end at all."""

from __future__ import annotations

import json
import os
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from rankgate.reports.text.github import code
from support.commands import rankgate
from support.kept_damage import copy_over, hash_again, hash_asked
from support.kept_project import CONFIGURATION, toml, write_project

if TYPE_CHECKING:
    from collections.abc import Iterator

SCORE = ("score", "-q", "judgments", "-m", "rr", "-r", "out")
BASELINE = Path("baselines/search.app.jsonl")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept") / "project"
    write_project(folder)
    return folder


@pytest.fixture(autouse=True)
def project(written: Path, tmp_path: Path) -> Iterator[None]:
    copy_over(written, tmp_path / "project")
    with chdir(tmp_path / "project"):
        yield


def _change(table: str, **columns: Any) -> None:
    """Change columns of a run's table, and make its hash anew."""
    path = Path(f"out/{table}-00000.parquet")
    pl.read_parquet(path).with_columns(**columns).write_parquet(path)
    hash_again(Path("out"))


def _lines() -> list[dict[str, Any]]:
    return [json.loads(line) for line in BASELINE.read_text().splitlines()]


def _write(lines: list[dict[str, Any]]) -> None:
    BASELINE.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


@pytest.mark.parametrize("status", [pl.lit("well"), pl.lit(None, pl.String)])
def test_a_status_that_is_none_is_refused_though_the_hash_is_right(status: pl.Expr) -> None:
    _change("queries", status=status)
    assert "status" in rankgate(*SCORE).refused()


@pytest.mark.parametrize("rank", [pl.lit(None, pl.UInt32), pl.lit(0, pl.UInt32)])
def test_hits_without_a_rank_are_refused_though_the_hash_is_right(rank: pl.Expr) -> None:
    _change("hits", rank=rank)
    assert "ranks from 1 up" in rankgate(*SCORE).refused()
    assert "ranks from 1 up" in rankgate("compare", "out", "app", "-u", "search.yaml").refused()


def test_queries_that_count_other_hits_are_refused_though_the_hash_is_right() -> None:
    _change("queries", hits=pl.lit(5, pl.UInt32))
    assert "queries with 20 hits, expected 24" in rankgate(*SCORE).refused()


def test_ranks_that_repeat_do_not_become_a_baseline() -> None:
    _change("hits", rank=pl.col("rank").clip(1, 3))
    done = rankgate("baseline", "set", "search.yaml", "-s", "app", "--run", "out", "--failed")
    assert "without gap or repeat" in done.refused()


def test_a_line_of_a_baseline_without_hits_is_refused() -> None:
    head, first, *rest = _lines()
    _write([head, {"asked": first["asked"], "hhits": first["hits"], "query": first["query"]}, *rest])
    assert "no hits" in rankgate("test", "search.yaml", "-s", "app").refused()


def test_a_large_baseline_does_not_become_an_empty_one() -> None:
    copy_over(Path("large"), Path("baselines"))
    BASELINE.write_text(BASELINE.read_text().replace('"rankings"', '"rankinfs"'))
    done = rankgate("baseline", "show", "search.yaml", "-s", "app")
    assert "8 rankings of app" in done.printed()


def test_the_questions_of_a_large_baseline_are_those_that_were_written() -> None:
    copy_over(Path("large"), Path("baselines"))
    path = Path("baselines/search.app.rankings/asked.parquet")
    pl.read_parquet(path).with_columns(text=pl.lit("another")).write_parquet(path)
    assert "another SHA-256" in rankgate("baseline", "show", "search.yaml", "-s", "app").refused()


@pytest.mark.parametrize("place", [BASELINE, Path("out/manifest.json"), Path("judgments/manifest.json")])
@pytest.mark.parametrize("kind", ["folder", "pipe", "loop", "nothing"])
def test_what_is_no_file_is_refused_soon(place: Path, kind: str) -> None:
    place.unlink()
    if kind == "folder":
        place.mkdir()
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to(place.name if kind == "loop" else "nothing")
    rankgate(*(SCORE if place.name == "manifest.json" else ("test", "search.yaml", "-s", "app"))).refused()


def test_a_name_that_no_file_can_have_is_refused() -> None:
    stored = {**CONFIGURATION["systems"]["stored"], "run": "a\0b"}
    Path("rankgate.toml").write_text(toml({"systems": {"stored": stored}}))
    rankgate("test", "search.yaml", "-s", "stored").refused()


def test_a_command_of_other_things_than_words_is_listed_and_refused() -> None:
    Path("rankgate.toml").write_text('[systems.program]\ncommand = ["./search", {a = 1}]\n')
    assert "./search {'a': 1}" in rankgate("list", "systems").printed()
    rankgate("test", "search.yaml", "-s", "program").refused()


def test_a_name_of_spaces_is_shown() -> None:
    assert (code(" "), code("")) == ('`" "`', "")


def test_a_question_that_is_there_twice_is_refused_in_a_large_baseline_too() -> None:
    copy_over(Path("large"), Path("baselines"))
    asked = Path("baselines/search.app.rankings/asked.parquet")
    rows = pl.read_parquet(asked)
    again = rows.head(1).with_columns(text=pl.lit(rows["text"][1]))
    pl.concat([rows, again]).write_parquet(asked)
    hash_asked(BASELINE, asked)
    said = rankgate("baseline", "show", "search.yaml", "-s", "app").refused()
    assert f"asked.parquet: {rows['query'][0]}: found {rows['query'][0]!r} again" in said
