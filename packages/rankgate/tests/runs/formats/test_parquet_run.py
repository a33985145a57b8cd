"""Hits of other tools in Parquet are runs: one file, or a folder of files."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl
import pytest

from rankgate.errors import FormatError, InputError
from rankgate.project.placing import placed_run
from rankgate.runs.formats.load import load_run
from rankgate.runs.formats.parquet import ParquetRun
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.truth.judgments.table import Judgments
from rankgate.truth.locate import Placer

if TYPE_CHECKING:
    from pathlib import Path

RANKINGS = {"q1": ["a", "b", "c"], "q2": ["c", "a"], "q3": ["b"]}
ROWS = [
    {"query": query, "rank": rank, "id": one, "slice": "x" if query == "q1" else "y"}
    for query, ids in RANKINGS.items()
    for rank, one in enumerate(ids, 1)
]
JUDGED = Judgments.of(
    pl.DataFrame(
        {"query": ["q1", "q2", "q3", "q4"], "id": ["b", "a", "b", "a"], "grade": [1.0, 2.0, 1.0, 1.0]}
    )
)
METRICS = ("ndcg@10", "rr", "ap")


def values(run: object) -> list[tuple[object, ...]]:
    return score(JUDGED, run, METRICS).frame().rows()  # type: ignore[arg-type]


EXPECTED = values(MemoryRun("x", [Shard.of_rankings(RANKINGS)]))


def test_a_file_and_a_folder_of_files_score_alike_in_any_order_of_rows(tmp_path: Path) -> None:
    rows = pl.DataFrame(ROWS).sample(fraction=1, shuffle=True, seed=3)
    rows.write_parquet(tmp_path / "hits.parquet")
    assert values(load_run(tmp_path / "hits.parquet")) == EXPECTED
    folder = tmp_path / "parts"
    folder.mkdir()
    # The hits of a query lie in several files, as query engines write them.
    rows[:2].write_parquet(folder / "part-0.parquet")
    rows[2:].write_parquet(folder / "part-1.parquet")
    assert values(load_run(folder)) == EXPECTED


def test_integers_that_are_ids_and_wide_ranks_are_read(tmp_path: Path) -> None:
    rows = pl.DataFrame({"query": [1, 1], "rank": [2, 1], "id": [7, 8]})
    rows.write_parquet(tmp_path / "hits.parquet")
    judged = Judgments.of(pl.DataFrame({"query": ["1"], "id": ["7"], "grade": [1.0]}))
    assert score(judged, load_run(tmp_path / "hits.parquet"), ["rr"])["rr"] == 0.5


def test_locations_are_normalised_as_everywhere(tmp_path: Path) -> None:
    rows = {"query": ["q"], "rank": [1], "path": ["./docs/a.md"], "start": [3], "end": [9]}
    pl.DataFrame(rows).write_parquet(tmp_path / "hits.parquet")
    target = {"query": ["q"], "path": ["docs/a.md"], "start": [1], "end": [4], "grade": [1.0]}
    assert score(Judgments.of(pl.DataFrame(target)), load_run(tmp_path / "hits.parquet"), ["rr"])["rr"] == 1


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ({"query": ["q"], "rank": [1]}, "the columns query, rank"),
        ({"query": ["q", "q"], "rank": [1, 3], "id": ["a", "b"]}, "ranks 1 to 3"),
        ({"query": ["q", "q"], "rank": [0, 1], "id": ["a", "b"]}, "ranks 0 to 1"),
        ({"query": ["q"] * 3, "rank": [1, 3, 3], "id": ["a", "b", "c"]}, "ranks 1 to 3"),
        ({"query": ["q", None], "rank": [1, 1], "id": ["a", "b"]}, "None"),
        ({"query": ["q", "q"], "rank": [1, None], "id": ["a", "b"]}, "2 hits"),
        ({"query": ["q"], "rank": [1], "path": ["a.md"], "start": [9], "end": [3]}, "lines 9-3"),
        ({"query": ["q"], "rank": [1], "path": ["../a.md"]}, "without .."),
        ({"query": ["q"] * 4, "rank": [1, 1, 4, 4], "id": list("abcd")}, "ranks 1 to 4"),
        ({"query": ["q"] * 5, "rank": [1, 2, 2, 5, 5], "id": list("abcde")}, "ranks 1 to 5"),
        # The same sum, and the same sum of squares, as 1 to 7.
        ({"query": ["q"] * 7, "rank": [1, 1, 4, 4, 5, 6, 7], "id": list("abcdefg")}, "ranks 1 to 7"),
        ({"query": ["q", "q"], "rank": [1.0, 2.2], "id": ["a", "b"]}, "rank 2.2"),
        ({"query": ["q"], "rank": [float("nan")], "id": ["a"]}, "rank nan"),
        ({"query": ["q"], "rank": [True], "id": ["a"]}, "rank of type Boolean"),
        ({"query": ["q"], "rank": [1], "id": [11.0]}, "id of type Float64"),
        ({"query": [1.0], "rank": [1], "id": ["a"]}, "query of type Float64"),
        ({"query": ["q"], "rank": [1], "id": [dt.date(2026, 1, 1)]}, "id of type Date"),
        ({"query": ["q"], "rank": [1], "path": [b"a.md"]}, "path of type Binary"),
        ({"query": ["q"], "rank": [1], "path": ["a.md"], "start": [1.7], "end": [2.0]}, "start 1.7"),
        ({"query": ["q"], "rank": [1], "path": ["a.md"], "tokens": [-4]}, "tokens -4"),
        ({"query": ["q"], "rank": [1], "path": ["a.md"], "score": ["high"]}, "score of type String"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, rows: dict[str, list[object]], words: str) -> None:
    pl.DataFrame(rows).write_parquet(tmp_path / "hits.parquet")
    judged = Judgments.of(pl.DataFrame({"query": ["q"], "path": ["a.md"], "grade": [1.0]}))
    with pytest.raises(FormatError, match=words):
        score(judged, load_run(tmp_path / "hits.parquet"), ["rr"])


def test_whole_numbers_of_other_types_are_read(tmp_path: Path) -> None:
    """Where some are missing, many tools make floats of them."""
    rows = {"query": ["q", "q"], "rank": [1.0, 2.0], "path": ["a.md", "b.md"], "start": [3.0, None]}
    pl.DataFrame({**rows, "end": [9.0, None]}).write_parquet(tmp_path / "hits.parquet")
    target = {"query": ["q"], "path": ["a.md"], "start": [1], "end": [4], "grade": [1.0]}
    assert score(Judgments.of(pl.DataFrame(target)), load_run(tmp_path / "hits.parquet"), ["rr"])["rr"] == 1


@pytest.mark.parametrize("paths", [[4, 3], pl.Series(["./4", "3"], dtype=pl.Enum(["3", "./4"]))])
def test_paths_of_other_types_are_read(tmp_path: Path, paths: list[int] | pl.Series) -> None:
    pl.DataFrame({"query": ["q", "q"], "rank": [1, 2], "path": paths}).write_parquet(
        tmp_path / "hits.parquet"
    )
    target = Judgments.of(pl.DataFrame({"query": ["q"], "path": ["4"], "grade": [1.0]}))
    assert score(target, load_run(tmp_path / "hits.parquet"), ["rr"])["rr"] == 1


@pytest.mark.parametrize("characters", [(0, None), (None, 50), (50, 0)])
def test_half_a_range_of_characters_and_one_that_is_turned_round_are_refused(
    tmp_path: Path, characters: tuple[int | None, int | None]
) -> None:
    first, behind = characters
    place = {"path": "a.md", "start": 1, "end": 5, "start_char": first, "end_char": behind}
    pl.DataFrame([{"query": "q", "rank": 1, **place}]).write_parquet(tmp_path / "hits.parquet")
    with pytest.raises(
        FormatError, match=r"characters .* of hit 1 of 'q', expected both, the end not before"
    ):
        load_run(tmp_path / "hits.parquet")


def test_files_that_change_while_they_are_scored_are_refused(tmp_path: Path) -> None:
    pl.DataFrame(ROWS).write_parquet(tmp_path / "hits.parquet")
    run = load_run(tmp_path / "hits.parquet")
    assert isinstance(run, ParquetRun)
    assert next(iter(run.shards())).queries.height == len(RANKINGS)
    pl.DataFrame(ROWS).with_columns(rank=pl.col("rank") + 6).write_parquet(tmp_path / "hits.parquet")
    for one in (run, placed_run(run, Placer(None))):
        with pytest.raises(InputError, match="another file than was opened"):
            values(one)


def test_columns_that_only_rankgate_makes_are_left_out_and_told(tmp_path: Path) -> None:
    rows = pl.DataFrame(ROWS).with_columns(copies=pl.lit("x"), given=pl.lit("y"), **{"class": pl.lit("z")})
    rows.write_parquet(tmp_path / "hits.parquet")
    run = load_run(tmp_path / "hits.parquet")
    assert values(run) == EXPECTED
    assert run.notes == ("3 columns left out: copies, given, class",)


def test_what_spark_and_delta_write_beside_a_table_is_no_file_of_hits(tmp_path: Path) -> None:
    pl.DataFrame(ROWS).write_parquet(tmp_path / "part-0.parquet")
    (tmp_path / "_delta_log").mkdir()
    pl.DataFrame({"add": ["x"]}).write_parquet(tmp_path / "_delta_log" / "0.checkpoint.parquet")
    assert values(load_run(tmp_path)) == EXPECTED


def test_files_in_folders_below_are_not_left_out_without_a_word(tmp_path: Path) -> None:
    rows = pl.DataFrame(ROWS)
    (tmp_path / "below").mkdir()
    rows[:2].write_parquet(tmp_path / "a.parquet")
    rows[2:].write_parquet(tmp_path / "below" / "b.parquet")
    with pytest.raises(FormatError, match=r"b\.parquet in a folder below"):
        load_run(tmp_path)
    (tmp_path / "a.parquet").rename(tmp_path / "below" / "a.parquet")
    with pytest.raises(FormatError, match=r"name the folder that has the files, such as .*below"):
        load_run(tmp_path)
    with pytest.raises(FormatError, match="name the folder that has them"):
        load_run(tmp_path, format="parquet")
    for name in "ab":
        (tmp_path / "below" / f"{name}.parquet").rename(tmp_path / f"{name}.parquet")
    # What is under way, by the names that others give it.
    (tmp_path / "_temporary.parquet").write_bytes(b"PAR1")
    (tmp_path / ".part.parquet").write_bytes(b"PAR1")
    assert values(load_run(tmp_path)) == EXPECTED


def test_a_folder_without_parquet_is_no_run_in_parquet(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"no \*\.parquet"):
        load_run(tmp_path, format="parquet")


@pytest.mark.parametrize("value", [["x"], {"a": 1}, b"\xff"])
def test_slices_are_made_of_plain_values(tmp_path: Path, value: object) -> None:
    from rankgate.runs.formats.parquet import ParquetRun

    rows = pl.DataFrame({"query": ["q"], "rank": [1], "id": ["a"], "by": [value]})
    rows.write_parquet(tmp_path / "a.parquet")
    with pytest.raises(FormatError, match="by of type"):
        replace(ParquetRun.open(tmp_path / "a.parquet"), by="by").slices_of(pl.Series(["q"]))


def test_a_flipped_bit_is_refused_or_changes_a_value(tmp_path: Path) -> None:
    """Without a manifest no hash tells; but nothing but an error of ours comes of it."""
    rows = pl.DataFrame({"query": ["q1", "q1"], "rank": [1, 2], "path": ["./a", "b"]})
    rows.write_parquet(tmp_path / "a.parquet")
    judged = Judgments.of(pl.DataFrame({"query": ["q1"], "path": ["a"], "grade": [1.0]}))
    whole, refused = (tmp_path / "a.parquet").read_bytes(), 0
    for at in range(0, len(whole), 9):
        damaged = bytearray(whole)
        damaged[at] ^= 1
        (tmp_path / "b.parquet").write_bytes(damaged)
        try:
            score(judged, load_run(tmp_path / "b.parquet"), ["rr"])
        except FormatError:
            refused += 1
    assert refused > 10


def test_a_query_in_two_slices_is_refused(tmp_path: Path) -> None:
    from rankgate.runs.formats.parquet import ParquetRun

    rows = pl.DataFrame(ROWS).with_columns(
        other=pl.col("id"), some=pl.when((pl.col("query") == "q1") & (pl.col("rank") == 1)).then(pl.lit("z"))
    )
    rows.write_parquet(tmp_path / "hits.parquet")
    run = ParquetRun.open(tmp_path / "hits.parquet")
    slices = replace(run, by="slice").slices_of(pl.Series(["q2", "q9", "q1"]))
    assert slices.to_list() == ["y", "(none)", "x"]
    with pytest.raises(FormatError, match="2 queries have several values of other"):
        replace(run, by="other").slices_of(pl.Series(["q1"]))
    with pytest.raises(
        FormatError, match=r"1 query has several values of some, such as 'q1' with '\(none\)' and 'z'"
    ):
        replace(run, by="some").slices_of(pl.Series(["q1"]))
    with pytest.raises(FormatError, match="no column 'nosuch'"):
        replace(run, by="nosuch").slices_of(pl.Series(["q1"]))


def test_a_run_that_lost_its_manifest_is_no_folder_of_hits(tmp_path: Path) -> None:
    from rankgate.runs.store.manifest import Manifest
    from rankgate.runs.store.run_writer import RunWriter

    with RunWriter(tmp_path, Manifest("stored")) as writer:
        writer.add(Shard.of_rankings(RANKINGS))
    (tmp_path / "manifest.json").unlink()
    with pytest.raises(FormatError, match=r"a folder without manifest\.json"):
        load_run(tmp_path)


def test_of_a_folder_above_a_run_the_run_is_named(tmp_path: Path) -> None:
    from rankgate.runs.store.manifest import Manifest
    from rankgate.runs.store.run_writer import RunWriter

    with RunWriter(tmp_path / "search" / "app" / "run", Manifest("stored")) as writer:
        writer.add(Shard.of_rankings(RANKINGS))
    (tmp_path / "search" / "cases").mkdir()
    pl.DataFrame(ROWS).write_parquet(tmp_path / "search" / "cases" / "cases.parquet")
    with pytest.raises(FormatError, match=r"a folder without manifest\.json.*search/app/run"):
        load_run(tmp_path)
