"""`rankgate score --by`: means by a column of runs in Parquet."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl
from click.testing import CliRunner

from rankgate.cli.main import cli

if TYPE_CHECKING:
    from pathlib import Path


def called(folder: Path, *options: str) -> tuple[int, str]:
    rows = [
        ("q1", 1, "a", "books"),
        ("q1", 2, "b", "books"),
        ("q2", 1, "b", "music"),
        ("q2", 2, "a", "music"),
    ]
    hits = pl.DataFrame(rows, schema=["query", "rank", "id", "shop"], orient="row")
    hits.write_parquet(folder / "hits.parquet")
    judged = {"query": ["q1", "q2", "q3"], "id": ["a", "a", "a"], "grade": [1.0, 1.0, 1.0]}
    pl.DataFrame(judged).write_parquet(folder / "judged.parquet")
    files = ["-q", str(folder / "judged.parquet"), "-r", str(folder / "hits.parquet")]
    done = CliRunner().invoke(cli, ["score", *files, "-m", "rr", *options])
    return done.exit_code, done.output + str(done.exception or "")


def test_each_slice_has_its_mean_and_how_many_queries_it_is_of(tmp_path: Path) -> None:
    code, shown = called(tmp_path, "--by", "shop", "--format", "json")
    assert code == 0
    found = json.loads(shown)["runs"][0]["slices"]["shop"]
    assert {name: (one["rr"]["value"], one["rr"]["scored"]) for name, one in found.items()} == {
        "books": (1.0, 1),
        "music": (0.5, 1),
        "(none)": (0.0, 1),
    }


def test_every_style_shows_slices(tmp_path: Path) -> None:
    for style, words in (
        ("table", "books"),
        ("csv", "all shop=music,rr"),
        ("trec", "all shop=books\t1.0000"),
    ):
        assert words in called(tmp_path, "--by", "shop", "--format", style)[1]


def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    code, shown = called(tmp_path, "--by", "nosuch")
    assert code != 0
    assert "no column 'nosuch'" in shown


def test_slices_that_look_alike_stay_apart(tmp_path: Path) -> None:
    hits = pl.DataFrame({"query": ["q1", "q2"], "rank": [1, 1], "id": "a", "shop": ["u\tv", "u\\tv"]})
    hits.write_parquet(tmp_path / "hits.parquet")
    pl.DataFrame({"query": ["q1", "q2"], "id": ["a", "b"], "grade": [1.0, 1.0]}).write_parquet(
        tmp_path / "j.parquet"
    )
    files = ["-q", str(tmp_path / "j.parquet"), "-r", str(tmp_path / "hits.parquet")]
    done = CliRunner().invoke(cli, ["score", *files, "-m", "rr", "--by", "shop", "--format", "json"])
    found = json.loads(done.output)["runs"][0]["slices"]["shop"]
    assert {name: one["rr"]["value"] for name, one in found.items()} == {"u\tv": 1.0, "u\\tv": 0.0}
    table = CliRunner().invoke(cli, ["score", *files, "-m", "rr", "--by", "shop"]).output
    assert "\t" not in table
