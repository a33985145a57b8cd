"""Digests of files: whole, sampled, or of many at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.files.digests import LISTED, MOST_READ, WHOLE, ContentsReader

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_large_file_is_sampled_and_said_to_be_unknown_in_part(tmp_path: Path) -> None:
    path = tmp_path / "weights.bin"
    with path.open("wb") as file:
        file.truncate(WHOLE + 1)
    digests = ContentsReader(tmp_path)
    digests.add_files(path)
    assert digests.contents.unknown == ("all of weights.bin, of whose 17 MB only samples are read",)
    with path.open("r+b") as file:
        file.write(b"other head")
    other = ContentsReader(tmp_path)
    other.add_files(path)
    assert other.contents.known != digests.contents.known


def test_a_file_as_large_as_may_be_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "weights.bin"
    path.write_bytes(bytes(WHOLE))
    digests = ContentsReader(tmp_path)
    digests.add_files(path)
    assert not digests.contents.unknown
    content = bytearray(WHOLE)
    content[WHOLE // 2 + 1234] = 1
    path.write_bytes(content)
    other = ContentsReader(tmp_path)
    other.add_files(path)
    assert other.contents.known != digests.contents.known


def test_a_folder_of_many_files_has_one_digest(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    for number in range(LISTED + 1):
        (folder / f"{number}.txt").write_text("x")
    digests = ContentsReader(tmp_path)
    digests.add_files(folder)
    assert list(digests.contents.known) == ["data/"]
    (folder / "7.txt").write_text("y")
    other = ContentsReader(tmp_path)
    other.add_files(folder)
    assert other.contents.known != digests.contents.known
    assert not other.contents.unknown


def test_of_more_files_than_can_be_read_at_a_start_names_and_sizes_count(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    for number in range(MOST_READ + 1):
        (folder / f"{number}.txt").touch()
    digests = ContentsReader(tmp_path)
    digests.add_files(folder)
    assert digests.contents.unknown == ("all of data/, of whose 5,001 files 0 are read",)


def test_a_file_that_cannot_be_read_is_unknown(tmp_path: Path) -> None:
    digests = ContentsReader(tmp_path)
    digests.add_files(tmp_path / "gone")
    assert digests.contents.unknown == ("gone, which cannot be read (No such file or directory)",)


def test_of_many_large_files_only_so_many_bytes_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    for number in range(5):
        with (folder / f"{number}.bin").open("wb") as file:
            file.truncate(WHOLE)
    digests = ContentsReader(tmp_path)
    digests.add_files(folder)
    assert digests.contents.unknown == ("all of data/4.bin, of whose 17 MB only samples are read",)


def test_the_root_itself_is_named_by_its_files(tmp_path: Path) -> None:
    (tmp_path / "a.md").touch()
    digests = ContentsReader(tmp_path)
    digests.add_files(tmp_path)
    assert list(digests.contents.known) == ["a.md"]


def test_a_variable_has_a_digest_that_depends_on_its_name_and_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def digests() -> set[str]:
        reader = ContentsReader(tmp_path)
        for name in ("ONE_TOKEN", "TWO_TOKEN"):
            reader.add_variable(name)
        return set(reader.contents.known.values())

    monkeypatch.delenv("ONE_TOKEN", raising=False)
    monkeypatch.delenv("TWO_TOKEN", raising=False)
    assert digests() == {"not set"}
    monkeypatch.setenv("ONE_TOKEN", "secret")
    monkeypatch.setenv("TWO_TOKEN", "secret")
    before = digests()
    assert len(before) == 2
    assert not any("secret" in one for one in before)
    monkeypatch.setenv("TWO_TOKEN", "other")
    assert len(before & digests()) == 1
