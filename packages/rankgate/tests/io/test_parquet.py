"""Tables in Parquet: what is written is read back, and what others wrote is read where nothing is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from rankgate.errors import FormatError
from rankgate.io.parquet import SCHEMA_KEY, Schema, TableColumn, read_table, write_table

if TYPE_CHECKING:
    from pathlib import Path

TABLE = Schema(
    "things",
    (
        TableColumn("name", pl.String()),
        TableColumn("size", pl.UInt32(), nullable=True),
        TableColumn("share", pl.Float64(), default=1.0),
        TableColumn("tags", pl.List(pl.String()), default=()),
    ),
)
rows = st.fixed_dictionaries(
    {
        "name": st.text(alphabet=st.characters(codec="utf-8")),
        "size": st.none() | st.integers(0, 2**32 - 1),
        "share": st.floats(allow_nan=False),
        "tags": st.lists(st.text(alphabet=st.characters(codec="utf-8"), max_size=3), max_size=3),
    }
)


@given(st.lists(rows, max_size=20))
@settings(deadline=None, max_examples=60)
def test_a_table_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, found: list[dict[str, object]]
) -> None:
    path = tmp_path_factory.mktemp("table") / "t.parquet"
    frame = pl.DataFrame(found, schema=TABLE.types)
    write_table(frame, path, TABLE)
    assert_frame_equal(read_table(path, TABLE), frame)
    assert_frame_equal(read_table(path, TABLE, ["share", "name"]), frame.select("share", "name"))
    assert pl.read_parquet_metadata(path)[SCHEMA_KEY] == "1"


def test_a_table_that_others_made_is_read_where_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    frame = pl.DataFrame({"name": [301, 302], "size": [1.0, 2.0], "share": [1, 2], "extra": [None, None]})
    frame.write_parquet(path)
    assert read_table(path, TABLE).rows() == [("301", 1, 1.0, []), ("302", 2, 2.0, [])]


def test_missing_columns_are_filled_even_when_only_they_are_asked_for(tmp_path: Path) -> None:
    pl.DataFrame({"name": ["a", "b"]}).write_parquet(tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet", TABLE, ["size"]).rows() == [(None,), (None,)]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"size": [1]}, "things.name: found no such column"),
        ({"name": [None]}, "1 nulls"),
        ({"name": ["a"], "size": [-1]}, "1 values such as -1"),
        ({"name": ["a"], "size": [1.5]}, "1 values such as 1.5"),
        ({"name": ["a"], "size": ["1"]}, "a column of String"),
        ({"name": [1.5]}, "a column of Float64"),
        ({"name": ["a"], "share": [2**60 + 1]}, "such as 1152921504606846977"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(
    tmp_path: Path, columns: dict[str, list[object]], message: str
) -> None:
    pl.DataFrame(columns).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(FormatError) as caught:
        read_table(tmp_path / "t.parquet", TABLE)
    assert message in str(caught.value)


def test_a_later_version_is_refused(tmp_path: Path) -> None:
    pl.DataFrame({"name": ["a"]}).write_parquet(tmp_path / "t.parquet", metadata={SCHEMA_KEY: "2"})
    with pytest.raises(FormatError, match="has version 2, and this rankgate reads version 1"):
        read_table(tmp_path / "t.parquet", TABLE)


def test_what_is_not_parquet_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_bytes(b"PAR1 but not really")
    with pytest.raises(FormatError, match="a Parquet file"):
        read_table(tmp_path / "t.parquet", TABLE)
    with pytest.raises(FormatError, match="does not exist"):
        read_table(tmp_path / "absent.parquet", TABLE)


def test_a_name_with_marks_is_a_name_and_not_a_pattern(tmp_path: Path) -> None:
    path = tmp_path / "a=b" / "[x]*.parquet"
    write_table(pl.DataFrame({"name": ["a"]}), path, TABLE)
    assert read_table(path, TABLE)["name"].to_list() == ["a"]
