"""Hostile archives: each is refused with its reason, and nothing is written where it should not be."""

from __future__ import annotations

import gzip
import io
import os
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.corpora.corpus import OpenContext, open_source
from rankgate.corpora.unpacking.members import UnpackLimits, wrong_with
from rankgate.corpora.unpacking.unpack import Unpacked, unpack_archive
from rankgate.errors import FormatError, RankgateError
from rankgate.model import CorpusSource
from support.archives import (
    COMPRESSIONS,
    Hostile,
    header,
    hostile_archives,
    hostile_bytes,
    member,
    pax,
    tar_of,
    tar_with,
    zip_with,
)

SMALL = UnpackLimits(members=100, one=1_000_000, total=5_000_000, ratio=20, floor=500_000, header=20_000)
HOSTILE = hostile_archives()


def unpack(data: bytes, folder: Path, limits: UnpackLimits = SMALL) -> Unpacked:
    folder.mkdir()
    return unpack_archive(io.BytesIO(data), folder, "corpus archive x", limits)


def everything(folder: Path) -> dict[str, tuple[int, bytes | None]]:
    """Give every file and folder with its mode and content."""
    return {
        path.relative_to(folder).as_posix(): (
            path.lstat().st_mode,
            path.read_bytes() if path.is_file() else None,
        )
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_archive_is_refused_with_its_reason(tmp_path: Path, hostile: Hostile) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "outside.md").write_text("mine")
    before = everything(tmp_path)
    with pytest.raises(FormatError) as caught:
        unpack(hostile.data, tmp_path / "project" / "files")
    assert hostile.reason in str(caught.value)
    assert len(str(caught.value)) < 600
    assert str(caught.value).isprintable()
    after = everything(tmp_path)
    assert {name for name in after if not name.startswith("project/files")} == set(before)
    assert not any(path.is_symlink() for path in tmp_path.rglob("*"))


def test_the_set_is_large_and_the_good_ones_pass(tmp_path: Path) -> None:
    assert len(HOSTILE) >= 80
    files = {"docs/a.md": "a", "docs/b/c.md": "c", "README": "r"}
    for number, compress in enumerate(COMPRESSIONS.values()):
        assert sorted(unpack(compress(tar_with(files)), tmp_path / str(number)).texts) == sorted(files)
    assert sorted(unpack(zip_with(files), tmp_path / "zip").texts) == sorted(files)


def test_a_refused_archive_leaves_nothing_in_the_cache(tmp_path: Path) -> None:
    (tmp_path / "a.tgz").write_bytes(gzip.compress(tar_of(member("a.md"), member("../b.md"))))
    room = OpenContext(tmp_path, tmp_path, cache=tmp_path / "cache")
    with pytest.raises(
        FormatError, match=r"corpus archive a.tgz, member '../b.md': found a path that climbs"
    ):
        open_source(CorpusSource("a.tgz", "archive"), room)
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []
    assert list((tmp_path / "cache").rglob("files-*")) == []


def test_a_real_bomb_stops_at_the_limits_that_hold_for_users(tmp_path: Path) -> None:
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=1) as stream:
        stream.write(header("zeros", 10**9))
        for _ in range(120):
            stream.write(bytes(10**6))
    with pytest.raises(FormatError, match="more than 200 times its size"):
        unpack(out.getvalue(), tmp_path / "files", UnpackLimits())
    assert sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()) < 110_000_000


def test_links_that_stay_inside_are_left_out_and_told(tmp_path: Path) -> None:
    inside = tar_of(
        member("docs/a.md"),
        header("docs/b.md", 0, b"2", "a.md"),
        header("docs/c.md", 0, b"2", "../docs/./a.md"),
        header("docs/d.md", 0, b"1", "docs/a.md"),
        member("x.md"),
    )
    found = unpack(inside, tmp_path / "files")
    assert found.left_out == {
        "docs/b.md": "a symbolic link",
        "docs/c.md": "a symbolic link",
        "docs/d.md": "a hard link",
    }
    assert sorted(found.texts) == ["docs/a.md", "x.md"]


@pytest.mark.skipif(os.name == "nt", reason="there are no such modes")
def test_modes_are_not_kept(tmp_path: Path) -> None:
    unpack(tar_of(member("a.sh"), member("b.sh")), tmp_path / "files")
    assert not (tmp_path / "files" / "a.sh").stat().st_mode & 0o7111


def test_names_that_are_not_utf8_are_left_out_and_told(tmp_path: Path) -> None:
    found = unpack(tar_of(member("a.md"), member(b"caf\xe9.md")), tmp_path / "files")
    assert list(found.left_out.values()) == ["named in bytes that are not UTF-8"]
    assert sorted(found.texts) == ["a.md"]


def test_long_names_of_both_kinds_are_read(tmp_path: Path) -> None:
    name = "/".join(["folder" * 10] * 3) + "/a.md"
    gnu = member("././@LongLink", name.encode() + b"\0", b"L") + member("cut off")
    posix = pax({"path": name, "size": "5", "mtime": "1.5"}) + member("cut off")
    split = header("a.md", 5, prefix=name.rpartition("/")[0][:150].encode()) + b"text\n".ljust(512, b"\0")
    for number, data in enumerate((gnu, posix)):
        assert sorted(unpack(tar_of(data, member("b")), tmp_path / str(number)).texts) == ["b", name]
    assert len(unpack(tar_of(split, member("b")), tmp_path / "split").texts) == 2


def test_the_tars_of_others_are_read(tmp_path: Path) -> None:
    import tarfile

    files = {f"top/{'d' * 90}/{'e' * 90}/{number}-é.md": b"text" * number for number in range(20)}
    for form in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w:xz", format=form) as archive:
            for name, data in files.items():
                info = tarfile.TarInfo(name)
                info.size, info.mtime = len(data), 1.5
                archive.addfile(info, io.BytesIO(data))
        found = unpack(out.getvalue(), tmp_path / str(form), UnpackLimits())
        assert sorted(f"top/{path}" for path in found.texts) == sorted(files)
        assert found.top == "top"


def test_several_xz_streams_are_one_tar(tmp_path: Path) -> None:
    import lzma

    data = tar_with({"a.md": "a", "b.md": "b"})
    parts = lzma.compress(data[:700]) + bytes(8) + lzma.compress(data[700:])
    assert sorted(unpack(parts, tmp_path / "files").texts) == ["a.md", "b.md"]


@pytest.mark.parametrize(
    "name", ["a:b.md", "docs/aux.md", "CON", "a.", "docs /a", "what?.md", "com1.txt", 'say "x"']
)
def test_names_that_windows_does_not_allow_are_refused_there_alone(name: str) -> None:
    assert wrong_with(name, windows=True) is not None
    assert wrong_with("docs/console.md", windows=True) is None
    if name != "a:b.md":
        assert wrong_with(name, windows=False) is None


def answered_or_refused(data: bytes, folder: Path) -> bool:
    """Unpack, and tell whether it was answered; anything but an answer or a typed error fails."""
    try:
        found = unpack(data, folder)
    except RankgateError:
        return False
    written = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    prefix = f"{found.top}/" if found.top else ""
    assert {prefix + path for path in found.texts} <= written
    return True


def test_changed_archives_are_read_or_refused(tmp_path: Path) -> None:
    answered = 0
    for number, data in enumerate(hostile_bytes(500, seed=7)):
        answered += answered_or_refused(data, tmp_path / str(number))
    assert 30 < answered < 300
    assert not any(path.is_symlink() for path in tmp_path.rglob("*"))


@given(st.binary(max_size=2000), st.sampled_from(sorted(COMPRESSIONS)))
def test_any_bytes_are_read_or_refused(data: bytes, compression: str) -> None:
    from tempfile import TemporaryDirectory

    for number, tried in enumerate((data, COMPRESSIONS[compression](data), b"PK\x03\x04" + data)):
        with TemporaryDirectory() as room:
            answered_or_refused(tried, Path(room) / str(number))


@given(
    st.dictionaries(
        st.text(st.characters(codec="utf-8"), min_size=1, max_size=30), st.binary(max_size=50), max_size=5
    )
)
def test_any_names_are_read_or_refused_alike_in_tar_and_zip(files: dict[str, bytes]) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as room:
        whole = {name: data for name, data in files.items() if "\0" not in name}
        packed = tar_of(*(pax({"path": name}) + member("x", data) for name, data in whole.items()))
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for name, data in whole.items():
                archive.writestr(zipfile.ZipInfo(name), data)
        folders = {name for name in whole if name.endswith(("/", "\\"))}
        answers = [
            answered_or_refused(data, Path(room) / kind)
            for kind, data in (("tar", packed), ("zip", out.getvalue()))
        ]
        if not folders:
            assert answers[0] == answers[1]
