"""Compressed files: what is written is read back, and hostile ones are refused."""

from __future__ import annotations

import gzip
from itertools import repeat
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgate.errors import FormatError, InputError
from rankgate.io.atomic import replacing
from rankgate.io.compressed import read_bytes, read_chunks, read_start, write_text
from support.commands import rankgate

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


LIMIT = "RANKGATE_MAX_UNPACKED"


MIB = 1 << 20


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "run").write_text("q Q0 a 1 1 t\n")
    return tmp_path / "run"


def bomb(path: Path, line: bytes, size: int = 300 * MIB) -> Path:
    """Write a compressed file of one line again and again."""
    block = line * (MIB // len(line))
    write_text(path, repeat(block, size // len(block)))
    assert path.stat().st_size < MIB
    return path


def test_limit_of_unpacked_bytes_is_a_variable(
    tmp_path: Path, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bomb(tmp_path / "qrels.gz", b"# a comment of a file of judgments\n", size=40 * MIB)
    with gzip.open(path, "ab") as file:
        file.write(b"q 0 a 1\n")
    rankgate("score", "-q", path, "-r", run).refused()
    monkeypatch.setenv(LIMIT, "100M")
    assert "1.0000" in rankgate("score", "-q", path, "-r", run).printed()
    monkeypatch.setenv(LIMIT, "10k")
    assert "at most 10240," in rankgate("score", "-q", path, "-r", run).refused()
    monkeypatch.setenv(LIMIT, "much")
    assert f"{LIMIT}: found 'much'" in rankgate("score", "-q", path, "-r", run).refused()


def test_file_of_empty_lines_is_too_large(tmp_path: Path, run: Path) -> None:
    path = tmp_path / "qrels"
    path.write_bytes(b"\n" * (20 * MIB))
    assert "20971520 lines in 20971520 bytes" in rankgate("score", "-q", path, "-r", run).refused()


def test_read_bytes_beyond_the_limit_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * 11)
    assert read_bytes(path, limit=11) == b"x" * 11
    said = r"the file has 11 bytes, more than the limit of 10\. Split it"
    with pytest.raises(FormatError, match=said):
        read_bytes(path, limit=10)
    with pytest.raises(FormatError, match=said):
        list(read_chunks(path, limit=10))
