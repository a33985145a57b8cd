"""Files that lie about their sizes are refused before Polars makes room for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.errors import FormatError, InputError, RankgateError
from rankgate.files import parquet_sizes
from rankgate.files.parquet_sizes import check_sizes, read_struct

if TYPE_CHECKING:
    from pathlib import Path

FRAME = pl.DataFrame(
    {
        "word": [f"w{n % 7}" for n in range(500)],
        "number": range(500),
        "share": [n / 3 if n % 5 else None for n in range(500)],
        "lists": [[{"a": n, "b": None}] * (n % 3) for n in range(500)],
        "nothing": [None] * 500,
    }
)


@pytest.mark.parametrize("compression", ["lz4", "uncompressed", "snappy", "gzip", "zstd"])
@pytest.mark.parametrize(
    "options", [{}, {"row_group_size": 64}, {"data_page_size": 256}, {"statistics": "full"}]
)
def test_whole_files_pass(compression: Any, options: dict[str, Any], tmp_path: Path) -> None:
    FRAME.write_parquet(tmp_path / "a.parquet", compression=compression, **options)
    check_sizes(tmp_path / "a.parquet")
    FRAME.clear().write_parquet(tmp_path / "b.parquet", compression=compression, **options)
    check_sizes(tmp_path / "b.parquet")


@pytest.mark.parametrize(("limit", "told"), [("PAGE", "a page of"), ("VALUES", "a column of")])
def test_pages_and_columns_beyond_the_limits_are_refused(
    limit: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.parquet"
    FRAME.write_parquet(path)
    monkeypatch.setattr(parquet_sizes, limit, 100)
    with pytest.raises(FormatError, match=told):
        check_sizes(path)


@pytest.mark.once
def test_a_file_with_any_byte_changed_passes_or_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    FRAME.write_parquet(path, row_group_size=250)
    whole = path.read_bytes()
    refused = 0
    for at in range(0, len(whole), 3):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        try:
            check_sizes(path)
        except RankgateError:
            refused += 1
    assert refused > len(whole) // 30


@pytest.mark.parametrize(
    "data", [b"", b"PAR1", b"PAR1" * 3, b"PAR1\0\0\0\0PAR1", b"PAR1" + b"\xff" * 40 + b"PAR1"]
)
def test_what_is_no_parquet_is_refused(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(data)
    with pytest.raises(InputError):
        check_sizes(tmp_path / "a.parquet")


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        check_sizes(tmp_path / "a.parquet")


@given(st.binary(max_size=200))
def test_any_bytes_are_a_structure_or_refused(data: bytes) -> None:
    try:
        _, end = read_struct(data, 0, "x")
    except RankgateError:
        return
    assert 0 < end <= len(data)
