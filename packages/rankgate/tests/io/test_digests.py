"""Digests of files: whole, sampled, or of many at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.io.digests import LISTED, MOST_READ, WHOLE, ContentsReader

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_large_file_is_sampled(tmp_path: Path) -> None:
    path = tmp_path / "weights.bin"
    with path.open("wb") as file:
        file.truncate(WHOLE + 1)
    digests = ContentsReader(tmp_path)
    digests.add_files(path)
    assert list(digests.contents) == ["weights.bin"]
    with path.open("r+b") as file:
        file.write(b"other head")
    other = ContentsReader(tmp_path)
    other.add_files(path)
    assert other.contents != digests.contents


def test_a_file_as_large_as_may_be_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "weights.bin"
    path.write_bytes(bytes(WHOLE))
    digests = ContentsReader(tmp_path)
    digests.add_files(path)
    content = bytearray(WHOLE)
    content[WHOLE // 2 + 1234] = 1
    path.write_bytes(content)
    other = ContentsReader(tmp_path)
    other.add_files(path)
    assert other.contents != digests.contents


def test_a_folder_of_many_files_has_one_digest(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    for number in range(LISTED + 1):
        (folder / f"{number}.txt").write_text("x")
    digests = ContentsReader(tmp_path)
    digests.add_files(folder)
    assert list(digests.contents) == ["data/"]
    (folder / "7.txt").write_text("y")
    other = ContentsReader(tmp_path)
    other.add_files(folder)
    assert other.contents != digests.contents


def test_of_more_files_than_can_be_read_at_a_start_names_and_sizes_count(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    for number in range(MOST_READ + 1):
        (folder / f"{number}.txt").touch()

    def digests() -> dict[str, str]:
        reader = ContentsReader(tmp_path)
        reader.add_files(folder)
        return reader.contents

    before = digests()
    (folder / "7.txt").write_text("x")
    sized = digests()
    (folder / "7.txt").write_text("y")
    assert before != sized == digests()


def test_a_file_that_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    digests = ContentsReader(tmp_path)
    digests.add_files(tmp_path / "gone")
    assert not digests.contents


def test_of_many_large_files_only_so_many_bytes_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    for number in range(5):
        with (folder / f"{number}.bin").open("wb") as file:
            file.truncate(WHOLE)

    def digests() -> dict[str, str]:
        reader = ContentsReader(tmp_path)
        reader.add_files(folder)
        return reader.contents

    before = digests()
    for name in ("0.bin", "4.bin"):
        with (folder / name).open("r+b") as changed:
            changed.seek(100_000)
            changed.write(b"x")
    after = digests()
    assert [name for name in after if after[name] != before[name]] == ["data/0.bin"]


def test_the_root_itself_is_named_by_its_files(tmp_path: Path) -> None:
    (tmp_path / "a.md").touch()
    digests = ContentsReader(tmp_path)
    digests.add_files(tmp_path)
    assert list(digests.contents) == ["a.md"]


def test_a_variable_has_a_digest_that_depends_on_its_name_and_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def digests() -> set[str]:
        reader = ContentsReader(tmp_path)
        for name in ("ONE_TOKEN", "TWO_TOKEN"):
            reader.add_variable(name)
        return set(reader.contents.values())

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
