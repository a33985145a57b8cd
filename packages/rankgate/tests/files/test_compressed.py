"""Compressed files: what is written is read back, and hostile ones are refused."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgate.errors import FormatError, InputError
from rankgate.files.atomic import replacing
from rankgate.files.compressed import read_bytes, read_start, write_text

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ["plain.txt", "packed.txt.gz", "packed.txt.zst"]


@pytest.mark.parametrize("name", NAMES)
@given(chunks=st.lists(st.text(alphabet=st.characters(codec="utf-8"))))
@settings(deadline=None, max_examples=60)
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, name: str, chunks: list[str]
) -> None:
    path = tmp_path_factory.mktemp("written") / name
    write_text(path, ["x", *chunks])
    whole = ("x" + "".join(chunks)).encode()
    assert read_bytes(path) == whole
    assert read_start(path, 3) == whole[:3]


@pytest.mark.parametrize("name", NAMES[1:])
def test_a_bomb_is_refused_before_it_fills_the_memory(tmp_path: Path, name: str) -> None:
    write_text(tmp_path / name, (b"\0" * (1 << 20) for _ in range(64)))
    assert (tmp_path / name).stat().st_size < 1 << 17
    with pytest.raises(FormatError, match="more than 1000000 bytes"):
        read_bytes(tmp_path / name, limit=1_000_000)


def test_the_limit_itself_is_allowed(tmp_path: Path) -> None:
    write_text(tmp_path / "a.gz", ["x" * 100])
    assert len(read_bytes(tmp_path / "a.gz", limit=100)) == 100


@pytest.mark.parametrize("name", NAMES[1:])
def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write_text(path, [f"line {number}\n" for number in range(1000)])
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(FormatError, match="cut off or damaged"):
        read_bytes(path)


def test_gzip_members_one_after_the_other_are_one_text(tmp_path: Path) -> None:
    (tmp_path / "two").write_bytes(gzip.compress(b"a\n") + gzip.compress(b"b\n"))
    assert read_bytes(tmp_path / "two") == b"a\nb\n"


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read_bytes(tmp_path / "absent")


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "kept.txt"
    write_text(path, ["old"])

    def failing() -> None:
        with replacing(path) as aside:
            aside.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        failing()
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["kept.txt"]


def test_equal_content_gives_equal_bytes(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        write_text(tmp_path / name, ["same"])
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
